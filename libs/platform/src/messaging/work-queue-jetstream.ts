import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  jetstream,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream';
import { type Msg, nanos } from '@nats-io/transport-node';
import type { Logger } from 'pino';
import { problem, ProblemError } from '../problem-details/problem-error.js';
import { JetStreamHold, pullOne } from './jetstream-hold.js';
import type { NatsLink } from './nats-link.js';
import { assertAddable, assertQueueName, PriorityTurns, WORK_PRIORITIES, workNamesOf } from './work-name.js';
import { DEAD_PUMP, pumpOptionsOf, WorkPump, type WorkSource } from './work-pump.js';
import type {
  WorkConsumer,
  WorkConsumerOptions,
  WorkHandler,
  WorkItem,
  WorkPriority,
  WorkQueue,
  WorkQueueSettings,
} from './work-queue.js';

const DUPLICATE_WINDOW_MS = 10 * 60 * 1_000;
/** What was put aside and is not handled by then is gone. */
const ASIDE_AGE_MS_MAX = 7 * 24 * 60 * 60 * 1_000;
/** Of the size of the queues. */
const ASIDE_SHARE = 8;
const API_TIMEOUT_MS = 3_000;
const PUBLISH_TIMEOUT_MS = 2_000;
/** Pieces that all workers of a queue hold together. */
const HELD_MAX = 10_000;
/** For how long a priority that had nothing is not asked again, unless something is added. */
const EMPTY_MS = 100;
/** How often a worker that idles looks for what is done and still there. */
const SWEEP_MS = 60_000;
/** JetStream's code for "the stream could not store it": a bound that is reached, where the text says so. */
const STORE_FAILED = 10077;

/** A durable consumer that a source pulls from. */
interface Durable {
  readonly stream: string;
  readonly name: string;
  readonly filter: string;
  readonly ackWaitMs: number;
}

/** The work queues of one service on JetStream, over its own connection. */
export class JetStreamWorkQueue implements WorkQueue {
  private readonly names;
  private ensured: Promise<void> | undefined;

  constructor(
    private readonly link: NatsLink,
    private readonly settings: Required<WorkQueueSettings>,
    private readonly logger: Logger,
  ) {
    this.names = workNamesOf(settings.owner);
  }

  ensure(): Promise<void> {
    this.ensured ??= this.orUnavailable(() => this.ensureStreams()).catch((error: unknown) => {
      this.ensured = undefined;
      throw error;
    });
    return this.ensured;
  }

  async add(item: WorkItem): Promise<void> {
    assertAddable(item);
    await this.ensure();
    await this.orUnavailable(async () => {
      try {
        await this.store(item);
      } catch (error) {
        if (!isStreamAway(error)) throw error;
        // The server lost its files, or is another one.
        this.ensured = undefined;
        await this.ensure();
        await this.store(item);
      }
    });
    this.wake(item.queue);
  }

  async consume(options: WorkConsumerOptions, handler: WorkHandler): Promise<WorkConsumer> {
    assertQueueName(options.queue);
    const pumpOptions = pumpOptionsOf(options, this.settings.idleMs);
    const { queue } = options;
    const durables = {} as Record<WorkPriority, Durable>;
    for (const priority of WORK_PRIORITIES) {
      durables[priority] = {
        stream: this.names.stream,
        name: `${queue}-${priority}`,
        filter: this.names.task(queue, priority),
        ackWaitMs: pumpOptions.ackWaitMs,
      };
    }
    const turns = new PriorityTurns();
    const empty = new Map<WorkPriority, number>();
    let sweptAtMs = Date.now();
    const take = async () => {
      for (const priority of turns.next()) {
        // One question for a piece and not three, while there is work of one priority alone.
        if (Date.now() < (empty.get(priority) ?? 0)) continue;
        empty.set(priority, Date.now() + EMPTY_MS);
        const message = await this.pull(durables[priority]);
        if (!message) continue;
        empty.delete(priority);
        turns.pass();
        return new JetStreamHold(message, { queue, priority }, this.aside);
      }
      if (Date.now() - sweptAtMs > SWEEP_MS) {
        sweptAtMs = Date.now();
        for (const durable of Object.values(durables)) await this.sweep(durable);
      }
      return undefined;
    };
    const source = this.source(queue, Object.values(durables), take, () => empty.clear());
    return this.begin(source, new WorkPump(source, pumpOptions, handler, this.logger));
  }

  async consumeDead(queue: string, handler: WorkHandler): Promise<WorkConsumer> {
    assertQueueName(queue);
    const durable = {
      stream: this.names.aside,
      name: `${queue}-dead`,
      filter: this.names.dead(queue),
      ackWaitMs: DEAD_PUMP.ackWaitMs,
    };
    const source = this.source(queue, [durable], async () => {
      const message = await this.pull(durable);
      return message && new JetStreamHold(message, { queue, priority: 'normal' }, this.aside);
    });
    const pumpOptions = { ...DEAD_PUMP, idleMs: this.settings.idleMs };
    return this.begin(source, new WorkPump(source, pumpOptions, handler, this.logger));
  }

  async depth(queue: string): Promise<number> {
    assertQueueName(queue);
    await this.ensure();
    return this.orUnavailable(async () => {
      const depths = WORK_PRIORITIES.map(priority => this.depthOf(queue, priority));
      return (await Promise.all(depths)).reduce((sum, depth) => sum + depth, 0);
    });
  }

  /**
   * As the consumer has it, and no more than the stream has: a server that was killed may count what is gone as still to be
   * delivered. Before there ever was a consumer, all that the stream has.
   */
  private async depthOf(queue: string, priority: WorkPriority): Promise<number> {
    const { stream } = this.names;
    const stored = () => this.count(stream, this.names.task(queue, priority));
    try {
      const manager = await this.manager();
      const { num_pending, num_ack_pending } = await manager.consumers.info(stream, `${queue}-${priority}`);
      const counted = num_pending + num_ack_pending;
      return counted === 0 ? 0 : Math.min(counted, await stored());
    } catch (error) {
      if (!isMissing(error, JetStreamApiCodes.ConsumerNotFound)) throw error;
      return stored();
    }
  }

  /**
   * Removes what is done and still there: a server that is killed may have written down that a piece was acknowledged, and
   * not that it is gone, and would hold it against the bound of the queue for ever.
   */
  private async sweep({ stream, name, filter }: Durable): Promise<void> {
    const manager = await this.manager();
    const info = await manager.consumers.info(stream, name);
    const done = info.ack_floor.stream_seq;
    if ((await this.count(stream, filter)) <= info.num_pending + info.num_ack_pending) return;
    // One by one: a purge of a subject makes older servers forget what a consumer has still to deliver.
    for (let from = 1; from <= done; from++) {
      // The server knows more of this request than the client's types do.
      const next = { seq: from, next_by_subj: filter };
      const left = await manager.streams.getMessage(stream, next);
      if (!left || left.seq > done) return;
      await manager.streams.deleteMessage(stream, left.seq, false);
      from = left.seq;
    }
  }

  /** What a hold says beside its acknowledgement. */
  private readonly aside = {
    bury: async ({ queue, id, priority = 'normal', data }: WorkItem, sequence: number): Promise<void> => {
      const message = {
        msgID: `dead:${queue}:${id}:${sequence}`,
        headers: JetStreamHold.headersOf(id, priority),
      };
      await this.publish(this.names.aside, this.names.dead(queue), data, message);
      this.wake(queue);
    },
    noteReturn: async (queue: string, sequence: number, delivery: number): Promise<void> => {
      const subject = this.names.returned(queue, sequence);
      await this.publish(this.names.aside, subject, new Uint8Array(0), { msgID: `${subject}:${delivery}` });
    },
    returnsOf: (queue: string, sequence: number) =>
      this.count(this.names.aside, this.names.returned(queue, sequence)),
    wake: (queue: string) => this.wake(queue),
  };

  private store({ queue, id, priority = 'normal', data }: WorkItem): Promise<void> {
    const headers = JetStreamHold.headersOf(id, priority);
    return this.publish(this.names.stream, this.names.task(queue, priority), data, {
      msgID: `${queue}:${id}`,
      headers,
    });
  }

  private async publish(
    streamName: string,
    subject: string,
    data: Uint8Array,
    message: { msgID: string; headers?: ReturnType<typeof JetStreamHold.headersOf> },
  ): Promise<void> {
    const options = { ...message, timeout: PUBLISH_TIMEOUT_MS, expect: { streamName } };
    await jetstream(this.link.nats).publish(subject, data, options);
  }

  private async count(stream: string, subject: string): Promise<number> {
    const manager = await this.manager();
    const { state } = await manager.streams.info(stream, { subjects_filter: subject });
    return Object.values(state.subjects ?? {}).reduce((sum, each) => sum + each, 0);
  }

  private wake(queue: string): void {
    if (this.link.connected) this.link.nats.publish(this.names.wake(queue));
  }

  private pull({ stream, name }: Durable): Promise<Msg | undefined> {
    return pullOne(this.link, stream, name, this.settings.answerMs);
  }

  private async begin(source: WorkSource, pump: WorkPump): Promise<WorkConsumer> {
    await this.orUnavailable(() => source.prepare());
    return pump.start();
  }

  private source(
    queue: string,
    durables: readonly Durable[],
    take: WorkSource['take'],
    onWake: () => void = () => undefined,
  ): WorkSource {
    return {
      take,
      prepare: async () => {
        this.ensured = undefined;
        await this.ensure();
        for (const durable of durables) {
          await this.ensureConsumer(durable);
          if (durable.stream === this.names.stream) await this.sweep(durable);
        }
      },
      onArrival: callback => {
        const woken = () => {
          onWake();
          callback();
        };
        const subscription = this.link.nats.subscribe(this.names.wake(queue), { callback: woken });
        return () => {
          if (!subscription.isClosed()) subscription.unsubscribe();
        };
      },
    };
  }

  private async ensureStreams(): Promise<void> {
    const { replicas, bytesMax, piecesMax } = this.settings;
    const { stream, aside, streamSubjects, asideSubjects } = this.names;
    const common = { num_replicas: replicas, duplicate_window: nanos(DUPLICATE_WINDOW_MS) };
    await this.ensureStream(RetentionPolicy.Workqueue, {
      ...common,
      name: stream,
      subjects: [...streamSubjects],
      discard: DiscardPolicy.New,
      discard_new_per_subject: true,
      max_msgs_per_subject: piecesMax,
      max_bytes: bytesMax,
      max_age: 0,
    });
    await this.ensureStream(RetentionPolicy.Limits, {
      ...common,
      name: aside,
      subjects: [...asideSubjects],
      discard: DiscardPolicy.Old,
      max_bytes: Math.ceil(bytesMax / ASIDE_SHARE),
      max_age: nanos(ASIDE_AGE_MS_MAX),
    });
  }

  private async ensureStream(retention: RetentionPolicy, wanted: StreamWanted): Promise<void> {
    const manager = await this.manager();
    try {
      const { config } = await manager.streams.info(wanted.name);
      const differs = CHANGEABLE.some(key => wanted[key] !== undefined && config[key] !== wanted[key]);
      if (differs) await manager.streams.update(wanted.name, wanted);
    } catch (error) {
      if (!isMissing(error, JetStreamApiCodes.StreamNotFound)) throw error;
      // Replicas that make it at once make the same one, and all of them are told that it is there.
      await manager.streams.add({ ...wanted, retention, storage: StorageType.File });
    }
  }

  private async ensureConsumer({ stream, name, filter, ackWaitMs }: Durable): Promise<void> {
    const manager = await this.manager();
    try {
      const { config } = await manager.consumers.info(stream, name);
      if (config.ack_wait === nanos(ackWaitMs)) return;
      await manager.consumers.update(stream, name, { ack_wait: nanos(ackWaitMs) });
    } catch (error) {
      if (!isMissing(error, JetStreamApiCodes.ConsumerNotFound)) throw error;
      await manager.consumers.add(stream, {
        durable_name: name,
        filter_subject: filter,
        ack_policy: AckPolicy.Explicit,
        deliver_policy: DeliverPolicy.All,
        ack_wait: nanos(ackWaitMs),
        max_ack_pending: HELD_MAX,
        // The bound on deliveries is the worker's, who knows which of them count.
        max_deliver: -1,
      });
    }
  }

  /** A service has no right to ask for the account, so that is not asked. */
  private manager(): Promise<JetStreamManager> {
    return jetstreamManager(this.link.nats, { checkAPI: false, timeout: API_TIMEOUT_MS });
  }

  private async orUnavailable<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ProblemError) throw error;
      if (isFull(error))
        throw problem('QUEUE_FULL', 'The queue is full', { retryAfterSeconds: 1, cause: error });
      throw problem('SERVICE_UNAVAILABLE', `The work queue is away: ${(error as Error).message}`, {
        retryAfterSeconds: 1,
        cause: error,
      });
    }
  }
}

const CHANGEABLE = [
  ...(['num_replicas', 'duplicate_window', 'max_msgs_per_subject', 'max_bytes', 'max_age'] as const),
];
type StreamWanted = Partial<StreamConfig> & Pick<StreamConfig, 'name'>;

const isMissing = (error: unknown, code: number) => error instanceof JetStreamApiError && error.code === code;

const isFull = (error: unknown) =>
  error instanceof JetStreamApiError && error.code === STORE_FAILED && /maximum/.test(error.message);

/** A publication that no stream answers: the client takes that for a server without JetStream, by an error that it does not export. */
const isStreamAway = (error: unknown) => error instanceof Error && error.name === 'JetStreamNotEnabled';
