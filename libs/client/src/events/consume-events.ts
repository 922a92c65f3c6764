import type { EventFamilyName } from '@svc/contracts';
import type {
  ConsumedEvent,
  EventConsumerManager,
  EventStreamClient,
  FamiliesOf,
  PutAside,
  StreamMessage,
} from './event-types.js';
import { readEvent } from './read-event.js';

const STREAM = 'EVENTS';
const DURABLE = /^[A-Za-z0-9_-]{1,64}$/;
/** Ids of events that were handled by this process: one that comes again is not handed over again. */
const KNOWN_IDS_MAX = 10_000;
const BEGIN_AGAIN_MS = 500;

export interface ConsumeOptions<Filter extends string> {
  /** `jetstream(connection)` of `@nats-io/jetstream`. */
  readonly jetstream: EventStreamClient;
  /** `await jetstreamManager(connection, { checkAPI: false })`. */
  readonly manager: EventConsumerManager;
  /** A subject, with `*` for one token and `>` for all that follow: `events.task.>`. */
  readonly filter: Filter;
  /** Name of the consumer, as its user may have it: `consumer-task`. What it has acknowledged stays so. */
  readonly durable: string;
  /** Deliveries before an event is put aside; 5 by default. */
  readonly deliveriesMax?: number;
  /** Between two deliveries of an event that was not handled, milliseconds; 1,000 by default. */
  readonly retryMs?: number;
  /** After that long a consumer that says nothing is taken to be dead, milliseconds; 30,000 by default. */
  readonly ackWaitMs?: number;
  /** Told of what was put aside as a dead letter, and why. */
  readonly onPutAside?: (subject: string, id: string, why: PutAside, reason: string) => void;
  /** Told of an event of a type that is newer than this reader; it is passed over. */
  readonly onNewer?: (subject: string, id: string) => void;
  /** Told when the stream is lost; it is tried again for as long as it takes. */
  readonly onLost?: (error: unknown) => void;
}

export interface EventConsumption {
  /** Takes no further event; resolves when the one at hand is done. */
  stop(): Promise<void>;
}

/**
 * Hands the events of a filter to the handler, from the oldest that is still there on: each at least once, one at a time,
 * in the order of the stream. Where the handler rejects, the event is delivered again, and after `deliveriesMax`
 * deliveries put aside as a dead letter under `events.dead.<durable>.…`, as is at once what cannot be read. An event comes
 * again when this process ended between its work and the acknowledgement: whoever may not do a thing twice keeps the ids.
 *
 * @example
 * const connection = await connect({ servers, user: 'consumer', pass, inboxPrefix: '_INBOX.consumer' });
 * const consumption = await consumeEvents(
 *   {
 *     jetstream: jetstream(connection),
 *     manager: await jetstreamManager(connection, { checkAPI: false }),
 *     filter: 'events.task.>',
 *     durable: 'consumer-task',
 *   },
 *   async ({ event }) => console.log(event.data.taskId, event.data.status),
 * );
 * @throws RangeError for a filter or a durable that cannot be; whatever the connection throws when it begins
 */
export async function consumeEvents<Filter extends `events.${string}`>(
  options: ConsumeOptions<Filter>,
  handler: (event: ConsumedEvent<FamiliesOf<Filter>>) => Promise<void>,
): Promise<EventConsumption> {
  const { filter, durable } = options;
  if (!DURABLE.test(durable)) throw new RangeError(`"${durable}" is no name of a consumer`);
  if (/^events\.(dead\b|[>*])/.test(filter))
    throw new RangeError(`"${filter}" covers dead letters, and a consumer of its own would get them back`);
  await ensureConsumer(options);
  const consumption = new Consumption(options, handler as (event: unknown) => Promise<void>);
  const running = consumption.run();
  return {
    stop: () => {
      consumption.stop();
      return running;
    },
  };
}

/** One event in flight is what keeps the order, also over deliveries that fail and consumers that die. */
async function ensureConsumer({
  manager,
  durable,
  filter,
  ackWaitMs = 30_000,
}: ConsumeOptions<string>): Promise<void> {
  const config = {
    durable_name: durable,
    filter_subject: filter,
    ack_policy: 'explicit',
    deliver_policy: 'all',
    ack_wait: ackWaitMs * 1_000_000,
    max_ack_pending: 1,
    max_deliver: -1,
  };
  const known = await manager.consumers.info(STREAM, durable).catch((error: unknown) => {
    if ((error as { code?: number }).code === CONSUMER_NOT_FOUND) return undefined;
    throw error;
  });
  if (known === undefined) await manager.consumers.add(STREAM, config);
  else if (known.config.filter_subject !== filter)
    // What it has acknowledged stays so.
    await manager.consumers.update(STREAM, durable, { filter_subject: filter });
}

/** What JetStream calls it. */
const CONSUMER_NOT_FOUND = 10_014;

class Consumption {
  private open = true;
  private messages: { stop(): void } | undefined;
  private wakeUp: (() => void) | undefined;
  private readonly known = new Set<string>();

  constructor(
    private readonly options: ConsumeOptions<string>,
    private readonly handler: (event: unknown) => Promise<void>,
  ) {}

  stop(): void {
    this.open = false;
    this.messages?.stop();
    this.wakeUp?.();
  }

  async run(): Promise<void> {
    while (this.open) {
      try {
        await this.consume();
      } catch (error) {
        this.options.onLost?.(error);
      }
      if (this.open) await this.rest();
    }
  }

  private async consume(): Promise<void> {
    const consumer = await this.options.jetstream.consumers.get(STREAM, this.options.durable);
    const messages = await consumer.consume({ max_messages: 50, expires: 5_000, idle_heartbeat: 1_000 });
    this.messages = messages;
    // Stopped while it began.
    if (!this.open) messages.stop();
    for await (const message of messages) {
      await this.take(message);
      if (!this.open) break;
    }
  }

  private async take(message: StreamMessage): Promise<void> {
    const { subject, data, info } = message;
    const id = message.headers?.get('Nats-Msg-Id') || `seq:${message.seq}`;
    const delivery = info.deliveryCount;
    if (this.known.has(id)) return message.ack();
    const read = readEvent({ subject, id, data, delivery });
    if (read.kind === 'newer') {
      this.options.onNewer?.(subject, id);
      return message.ack();
    }
    if (read.kind === 'unreadable') return this.putAside(message, id, 'unreadable', read.reason);
    await this.handle(message, read.event);
  }

  private async handle(message: StreamMessage, event: ConsumedEvent<EventFamilyName>): Promise<void> {
    const { deliveriesMax = 5, retryMs = 1_000, ackWaitMs = 30_000 } = this.options;
    const { id, delivery } = event;
    // More than it may have: it took its consumers with it.
    if (delivery > deliveriesMax)
      return this.putAside(message, id, 'not-handled', 'no delivery of it has ended');
    // A handler may take its time; it is a consumer that has died who says nothing.
    const alive = setInterval(() => message.working(), ackWaitMs / 3);
    try {
      await this.handler(event);
      this.remember(id);
      message.ack();
    } catch (error) {
      if (delivery < deliveriesMax) message.nak(retryMs);
      else await this.putAside(message, id, 'not-handled', (error as Error).message);
    } finally {
      clearInterval(alive);
    }
  }

  /** Stored as a dead letter before it is given up; where that fails it is delivered again. */
  private async putAside(message: StreamMessage, id: string, why: PutAside, reason: string): Promise<void> {
    const { durable, retryMs = 1_000, jetstream, onPutAside } = this.options;
    const { subject, data } = message;
    try {
      const dead = `events.dead.${durable}.${subject.slice('events.'.length)}`;
      await jetstream.publish(dead, data, { msgID: `dead:${durable}:${id}` });
    } catch (error) {
      message.nak(retryMs);
      throw error;
    }
    // Without the reason: servers before 2.10.4 take no notice of one that has it.
    message.term();
    onPutAside?.(subject, id, why, reason);
  }

  private remember(id: string): void {
    this.known.add(id);
    if (this.known.size <= KNOWN_IDS_MAX) return;
    for (const oldest of this.known) {
      this.known.delete(oldest);
      break;
    }
  }

  private rest(): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, BEGIN_AGAIN_MS);
      this.wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
