import {
  AckPolicy,
  type ConsumerMessages,
  type ConsumerNotification,
  DeliverPolicy,
  type JsMsg,
  type StreamState,
} from '@nats-io/jetstream';
import { createInbox, nanos } from '@nats-io/transport-node';
import { randomUUID } from 'node:crypto';
import type { PresenceBucket } from './presence-bucket.js';
import type { ServerClock } from './server-clock.js';

/** The server forgets a consumer that nobody has heard for that long. */
const INACTIVE_MS = 30_000;
/** What is there has come within so many heartbeats. */
const REACH_HEARTBEATS = 3;

interface Reaching {
  readonly sequence: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * One life of a consumer of the bucket: the last message of each key, then each that comes, in order and without a gap. It
 * ends, for good, when one is missing or the server says nothing. The client's own ordered consumer goes on by itself from
 * the sequence at which it was, also in another stream of the same name, where that is the middle.
 */
export class PresenceTail {
  /** Resolves with the reason when nothing more comes. */
  readonly ended: Promise<string>;
  private readonly reaching = new Set<Reaching>();
  private messages: ConsumerMessages | undefined;
  private delivered = 0;
  private sequence = 0;
  private reason: string | undefined;
  private onEnd: (reason: string) => void = () => undefined;

  private constructor(
    private readonly consumer: string,
    private readonly bucket: PresenceBucket,
    private readonly onMessage: (message: JsMsg) => void,
  ) {
    this.ended = new Promise(resolve => (this.onEnd = resolve));
  }

  /** Begins, and notes what the server's clock says. */
  static async open(
    bucket: PresenceBucket,
    clock: ServerClock,
    onMessage: (message: JsMsg) => void,
  ): Promise<PresenceTail> {
    const { stream, subjects } = bucket.names;
    const name = `tail-${randomUUID()}`;
    const manager = await bucket.manager();
    const sentMs = clock.local();
    const { created } = await manager.consumers.add(stream, {
      name,
      deliver_subject: createInbox(bucket.link.inboxPrefix),
      deliver_policy: DeliverPolicy.LastPerSubject,
      filter_subject: subjects,
      ack_policy: AckPolicy.None,
      max_deliver: 1,
      flow_control: true,
      idle_heartbeat: nanos(bucket.heartbeatMs),
      inactive_threshold: nanos(INACTIVE_MS),
      mem_storage: true,
      num_replicas: 1,
    });
    clock.note(Date.parse(created), sentMs, clock.local());
    const tail = new PresenceTail(name, bucket, onMessage);
    // The server delivers nothing before somebody listens.
    const consumer = await bucket.client().consumers.getPushConsumer(stream, name);
    tail.listen(await consumer.consume({ callback: message => tail.receive(message) }));
    return tail;
  }

  get isOver(): boolean {
    return this.reason !== undefined;
  }

  /** Resolves when everything that the stream held in this state was handed on. @throws Error when it ends before that */
  reached({ last_seq: sequence, messages }: Pick<StreamState, 'last_seq' | 'messages'>): Promise<void> {
    if (this.reason !== undefined) return Promise.reject(new Error(this.reason));
    if (messages === 0 || sequence <= this.sequence) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const settled = (settle: () => void) => () => {
        clearTimeout(timer);
        this.reaching.delete(waiting);
        settle();
      };
      const late = () => this.end(`nothing comes of the bucket up to ${sequence}`);
      const timer = setTimeout(late, REACH_HEARTBEATS * this.bucket.heartbeatMs).unref();
      const waiting: Reaching = {
        sequence,
        resolve: settled(resolve),
        reject: error => settled(() => reject(error))(),
      };
      this.reaching.add(waiting);
    });
  }

  end(reason: string): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    this.messages?.stop();
    for (const each of [...this.reaching]) each.reject(new Error(reason));
    // Where that does not arrive the server forgets it by itself.
    void this.bucket
      .manager()
      .then(manager => manager.consumers.delete(this.bucket.names.stream, this.consumer))
      .catch(() => undefined);
    this.onEnd(reason);
  }

  private listen(messages: ConsumerMessages): void {
    this.messages = messages;
    const closed = () => this.end('the subscription was closed');
    void messages.closed().then(closed, closed);
    void this.hear(messages.status());
  }

  private async hear(notes: AsyncIterable<ConsumerNotification>): Promise<void> {
    for await (const note of notes) {
      if (note.type === 'heartbeat') {
        // Up to there nothing is left that it could deliver, though it has delivered less: it was gone before.
        if (note.lastConsumerSequence === this.delivered) this.advance(note.lastStreamSequence);
        else if (note.lastConsumerSequence > this.delivered) this.end('a message is missing');
      } else if (note.type === 'heartbeats_missed' || note.type === 'consumer_deleted') {
        this.end(`the bucket is silent: ${note.type}`);
      }
    }
  }

  private receive(message: JsMsg): void {
    if (this.reason !== undefined) return;
    const { deliverySequence, streamSequence } = message.info;
    if (deliverySequence !== this.delivered + 1) return this.end('a message is missing');
    this.delivered = deliverySequence;
    this.onMessage(message);
    this.advance(streamSequence);
  }

  private advance(sequence: number): void {
    this.sequence = Math.max(this.sequence, sequence);
    for (const each of [...this.reaching]) if (each.sequence <= this.sequence) each.resolve();
  }
}
