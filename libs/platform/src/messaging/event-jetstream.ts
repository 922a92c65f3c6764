import {
  AckPolicy,
  type ConsumerMessages,
  DeliverPolicy,
  DiscardPolicy,
  jetstream,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  jetstreamManager,
  type JsMsg,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import type { Logger } from 'pino';
import { problem, ProblemError } from '../problem-details/problem-error.js';
import type {
  EventHandler,
  EventStream,
  EventStreamSettings,
  EventSubscription,
  EventSubscriptionOptions,
  StreamEvent,
} from './event-stream.js';
import { assertPublishable, assertSubscribable, deadLetterOf, isDeadLetter } from './event-subject.js';
import type { NatsLink } from './nats-link.js';

/** The one stream of the product. */
export const EVENTS_STREAM = 'EVENTS';
const DUPLICATE_WINDOW_MS = 10 * 60 * 1_000;
const AGE_MS_MAX = 7 * 24 * 60 * 60 * 1_000;
/** A publication without an answer for that long is tried again: it may be stored, and its id makes that harmless. */
const PUBLISH_TIMEOUT_MS = 2_000;
const API_TIMEOUT_MS = 3_000;
const DELIVERIES_MAX = 5;
const RETRY_MS = 500;
const ACK_WAIT_MS = 30_000;
const RESUBSCRIBE_MS = 250;

const MSG_ID_HEADER = 'Nats-Msg-Id';

/** The stream of events on JetStream, over a service's own connection. */
export class JetStreamEvents implements EventStream {
  constructor(
    private readonly link: NatsLink,
    private readonly settings: Required<EventStreamSettings>,
    private readonly logger: Logger,
  ) {}

  async ensure(): Promise<void> {
    await this.orUnavailable(async () => {
      const manager = await this.manager();
      try {
        const { config } = await manager.streams.info(EVENTS_STREAM);
        const wanted = this.streamConfig();
        const differs =
          config.num_replicas !== wanted.num_replicas ||
          config.max_bytes !== wanted.max_bytes ||
          config.max_age !== wanted.max_age ||
          config.duplicate_window !== wanted.duplicate_window;
        if (differs) await manager.streams.update(EVENTS_STREAM, wanted);
      } catch (error) {
        if (!isMissing(error, JetStreamApiCodes.StreamNotFound)) throw error;
        // Replicas that make it at once make the same one, and all of them are told that it is there.
        await manager.streams.add({
          name: EVENTS_STREAM,
          retention: RetentionPolicy.Limits,
          storage: StorageType.File,
          ...this.streamConfig(),
        });
      }
    });
  }

  async publish(event: StreamEvent): Promise<void> {
    assertPublishable(event);
    await this.orUnavailable(() =>
      jetstream(this.link.nats).publish(event.subject, event.data, {
        msgID: event.id,
        timeout: PUBLISH_TIMEOUT_MS,
        expect: { streamName: EVENTS_STREAM },
      }),
    );
  }

  async subscribe(options: EventSubscriptionOptions, handler: EventHandler): Promise<EventSubscription> {
    assertSubscribable(options);
    await this.orUnavailable(() => this.ensureConsumer(options));
    const consumption = new Consumption(
      () => this.ensureConsumer(options).then(() => this.consume(options)),
      message => this.handle(message, options, handler),
      this.logger,
    );
    const running = consumption.run();
    return {
      stop: async () => {
        consumption.stop();
        await running;
      },
    };
  }

  private streamConfig() {
    return {
      subjects: ['events.>'],
      num_replicas: this.settings.replicas,
      max_bytes: this.settings.bytesMax,
      max_age: nanos(AGE_MS_MAX),
      duplicate_window: nanos(DUPLICATE_WINDOW_MS),
      discard: DiscardPolicy.Old,
    };
  }

  /** A service has no right to ask for the account, so that is not asked. */
  private manager(): Promise<JetStreamManager> {
    return jetstreamManager(this.link.nats, { checkAPI: false, timeout: API_TIMEOUT_MS });
  }

  private async ensureConsumer({ durable, filter, ackWaitMs = ACK_WAIT_MS }: EventSubscriptionOptions) {
    const manager = await this.manager();
    const changeable = { filter_subject: filter, ack_wait: nanos(ackWaitMs) };
    try {
      const { config } = await manager.consumers.info(EVENTS_STREAM, durable);
      if (config.filter_subject === filter && config.ack_wait === changeable.ack_wait) return;
      await manager.consumers.update(EVENTS_STREAM, durable, changeable);
    } catch (error) {
      if (!isMissing(error, JetStreamApiCodes.ConsumerNotFound)) throw error;
      await manager.consumers.add(EVENTS_STREAM, {
        durable_name: durable,
        ack_policy: AckPolicy.Explicit,
        deliver_policy: DeliverPolicy.All,
        // One in flight is what keeps the order, also over deliveries that fail and consumers that die.
        max_ack_pending: 1,
        max_deliver: -1,
        ...changeable,
      });
    }
  }

  private async consume({ durable }: EventSubscriptionOptions): Promise<ConsumerMessages> {
    const consumer = await jetstream(this.link.nats).consumers.get(EVENTS_STREAM, durable);
    return consumer.consume({ max_messages: 50, expires: 5_000, idle_heartbeat: 1_000 });
  }

  /** Acknowledged, asked for again, or put aside; what fails here is delivered again by the server. */
  private async handle(message: JsMsg, options: EventSubscriptionOptions, handler: EventHandler) {
    const { durable, deliveriesMax = DELIVERIES_MAX, retryMs = RETRY_MS, ackWaitMs = ACK_WAIT_MS } = options;
    const delivery = message.info.deliveryCount;
    const { subject, data } = message;
    const event = { subject, id: message.headers?.get(MSG_ID_HEADER) ?? `seq:${message.seq}`, data };
    // A handler may take its time; it is a consumer that has died who says nothing.
    const alive = setInterval(() => message.working(), ackWaitMs / 3).unref();
    try {
      // More than it may have: it took its consumers with it.
      if (delivery > deliveriesMax) throw new Error('no delivery of it has ended');
      await handler({ ...event, data: new Uint8Array(data), delivery });
      message.ack();
    } catch (error) {
      this.logger.warn(
        { event: event.id, durable, delivery, reason: (error as Error).message },
        'An event was not handled',
      );
      if (delivery < deliveriesMax) return message.nak(retryMs);
      if (!isDeadLetter(event)) await this.publish(deadLetterOf(event, durable));
      message.term();
    } finally {
      clearInterval(alive);
    }
  }

  private async orUnavailable<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ProblemError) throw error;
      throw problem('SERVICE_UNAVAILABLE', `The stream of events is away: ${(error as Error).message}`, {
        retryAfterSeconds: 1,
        cause: error,
      });
    }
  }
}

const isMissing = (error: unknown, code: number) => error instanceof JetStreamApiError && error.code === code;

/** Carries messages to the handler until it is stopped, beginning anew whenever the server or the consumer is lost. */
class Consumption {
  private open = true;
  private messages: ConsumerMessages | undefined;
  private onStop: (() => void) | undefined;

  constructor(
    private readonly begin: () => Promise<ConsumerMessages>,
    private readonly handle: (message: JsMsg) => Promise<void>,
    private readonly logger: Logger,
  ) {}

  stop(): void {
    this.open = false;
    this.messages?.stop();
    this.onStop?.();
  }

  async run(): Promise<void> {
    while (this.open) {
      try {
        this.messages = await this.begin();
        if (!this.open) this.messages.stop();
        for await (const message of this.messages) {
          if (!this.open) break;
          await this.handle(message);
        }
      } catch (error) {
        this.logger.warn({ reason: (error as Error).message }, 'The events are away; subscribing again');
      } finally {
        this.messages?.stop();
      }
      if (this.open) await this.pause();
    }
  }

  private pause(): Promise<void> {
    return new Promise(resolve => {
      this.onStop = resolve;
      setTimeout(resolve, RESUBSCRIBE_MS);
    });
  }
}
