import type { JsMsg } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { isBucketAway, type PresenceBucket } from './presence-bucket.js';
import { readRecord, revisionOf } from './presence-record.js';
import { PresenceTail } from './presence-tail.js';
import { PresenceView } from './presence-view.js';
import type { ServerClock } from './server-clock.js';

const AGAIN_MS = 250;
/** The bucket is read anew that often: two clocks drift apart by some 50 ms meanwhile, and nothing stays wrong for longer. */
const TAIL_MS_MAX = 10 * 60 * 1_000;
/** Of a key that was released, instead of a value (ADR-8 of NATS). */
const OPERATION_HEADER = 'KV-Operation';

/**
 * What is in the bucket, in this process: from the first question on it follows the bucket until the connection is closed,
 * and begins anew where it has lost it.
 */
export class PresenceMirror {
  private readonly view: PresenceView;
  private connection: NatsConnection | undefined;
  private opening: Promise<PresenceTail> | undefined;
  /** The last that was begun, also while it still reads what is there. */
  private newest: PresenceTail | undefined;
  /** The last that has read what is there, and the stream that it reads by the time of its making. */
  private tail: PresenceTail | undefined;
  private streamCreated = '';

  constructor(
    private readonly bucket: PresenceBucket,
    private readonly clock: ServerClock,
    private readonly ttlMs: number,
    private readonly logger: Logger,
  ) {
    this.view = new PresenceView(() => clock.latestMs(), logger);
  }

  /** When it follows, so that the bucket is there and the server's time known. @throws Error */
  async ready(): Promise<void> {
    await this.follow();
  }

  /** The view, with everything in it that the server had when this was asked. @throws Error */
  async current(): Promise<PresenceView> {
    const tail = await this.follow();
    try {
      const { created, state } = await this.bucket.info();
      if (created === this.streamCreated) {
        await tail.reached(state);
        return this.view;
      }
    } catch (error) {
      if (!tail.isOver && !isBucketAway(error)) throw error;
    }
    tail.end('the bucket is another one');
    // It has just read it.
    await this.follow();
    return this.view;
  }

  private follow(): Promise<PresenceTail> {
    if (this.tail && !this.tail.isOver) return Promise.resolve(this.tail);
    this.opening ??= this.begin().finally(() => (this.opening = undefined));
    return this.opening;
  }

  private async begin(): Promise<PresenceTail> {
    if (!this.connection) {
      this.connection = this.bucket.link.nats;
      void this.hear(this.connection);
    }
    await this.bucket.ensureAgain();
    const seen = new Set<string>();
    let reading = true;
    const tail = await PresenceTail.open(this.bucket, this.clock, message => {
      const key = this.take(message);
      if (reading) seen.add(key);
    });
    this.newest = tail;
    try {
      const { created, state } = await this.bucket.info();
      await tail.reached(state);
      this.streamCreated = created;
    } catch (error) {
      tail.end((error as Error).message);
      throw error;
    }
    reading = false;
    this.view.retain(seen);
    this.tail = tail;
    const renewal = setTimeout(() => tail.end('its time is over'), TAIL_MS_MAX).unref();
    void tail.ended.then(reason => {
      clearTimeout(renewal);
      return this.goOn(reason);
    });
    return tail;
  }

  private async goOn(reason: string): Promise<void> {
    this.logger.debug({ reason }, 'The presence bucket is read anew');
    while (!this.connection!.isClosed()) {
      const followed = await this.follow().catch(() => undefined);
      if (followed) return;
      await delay(AGAIN_MS, undefined, { ref: false });
    }
    this.view.close();
  }

  private async hear(connection: NatsConnection): Promise<void> {
    for await (const status of connection.status()) {
      // The server that comes back has lost the consumer, and may have lost the bucket.
      if (status.type === 'disconnect') this.newest?.end('NATS is away');
    }
  }

  /** The key of the message, which is in the view now, or is not any more. */
  private take(message: JsMsg): string {
    const key = message.subject.slice(this.bucket.names.subjects.length - 1);
    const record = message.headers?.get(OPERATION_HEADER) ? undefined : readRecord(message.data);
    if (!record) this.view.remove(key);
    else
      this.view.put(key, {
        json: record.json,
        revision: revisionOf(message.seq, record),
        expiresAtMs: message.time.getTime() + this.ttlMs,
      });
    return key;
  }
}
