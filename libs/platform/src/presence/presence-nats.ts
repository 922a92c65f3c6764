import { JetStreamApiCodes, JetStreamApiError } from '@nats-io/jetstream';
import type { KV, KvEntry } from '@nats-io/kv';
import type { Logger } from 'pino';
import type { NatsLink } from '../messaging/nats-link.js';
import { problem, ProblemError } from '../problem-details/problem-error.js';
import type {
  PresenceBoard,
  PresenceChange,
  PresenceEntry,
  PresenceRevision,
  PresenceSettings,
  PresenceWatch,
} from './presence-board.js';
import { PresenceBucket } from './presence-bucket.js';
import { assertPresenceKey, assertPresencePrefix, presenceJson } from './presence-key.js';
import { PresenceMirror } from './presence-mirror.js';
import { newRecord, type PresenceRecord, readRecord, revisionOf, sequenceOf } from './presence-record.js';
import { ServerClock } from './server-clock.js';

/** Each further one is for somebody else who wrote the key meanwhile, and of whom nothing is left. */
const CLAIM_TRIES = 5;
/** Times of entries are cut to milliseconds. */
const ROUNDING_MS = 1;
/** JetStream's code for "the stream could not store it": a bound that is reached, where the text says so. */
const STORE_FAILED = 10077;

/**
 * The board of one service in a key-value store on JetStream, over its own connection. An entry's lifetime counts from when
 * the server stored it, and is compared with what the server's clock says now: nobody waits for the server to remove it,
 * which nats-server 2.9 does up to 0.1 s and 2.11 up to 0.3 s later.
 */
export class NatsPresenceBoard implements PresenceBoard {
  private readonly clock = new ServerClock();
  private readonly bucket: PresenceBucket;
  private readonly mirror: PresenceMirror;

  constructor(
    link: NatsLink,
    private readonly settings: Required<PresenceSettings>,
    logger: Logger,
  ) {
    this.bucket = new PresenceBucket(link, settings);
    this.mirror = new PresenceMirror(this.bucket, this.clock, settings.ttlMs, logger);
  }

  async claim(key: string, value: unknown): Promise<{ revision: PresenceRevision } | undefined> {
    assertPresenceKey(key);
    const record = newRecord(presenceJson(value));
    const sequence = await this.inBucket(async store => {
      for (let tries = 0; tries < CLAIM_TRIES; tries++) {
        const created = await unlessChanged(store.create(key, record.bytes));
        if (created !== undefined) return created;
        const holder = await store.get(key);
        if (!holder || holder.operation !== 'PUT') continue;
        if (!this.isSurelyOver(holder)) return undefined;
        const taken = await unlessChanged(store.update(key, record.bytes, holder.revision));
        if (taken !== undefined) return taken;
      }
      return undefined;
    });
    return held(sequence, record);
  }

  async renew(
    key: string,
    value: unknown,
    revision: PresenceRevision,
  ): Promise<{ revision: PresenceRevision } | undefined> {
    assertPresenceKey(key);
    const record = newRecord(presenceJson(value));
    const sequence = await this.whileHeld(key, revision, (store, previous) =>
      store.update(key, record.bytes, previous),
    );
    return held(sequence, record);
  }

  async release(key: string, revision: PresenceRevision): Promise<void> {
    assertPresenceKey(key);
    await this.whileHeld(key, revision, (store, previousSeq) => store.delete(key, { previousSeq }));
  }

  async get(key: string): Promise<PresenceEntry | undefined> {
    assertPresenceKey(key);
    const found = await this.inBucket(store => this.find(store, key));
    return found && { key, value: JSON.parse(found.record.json) };
  }

  async list(prefix: string): Promise<readonly PresenceEntry[]> {
    assertPresencePrefix(prefix);
    const view = await orUnavailable(() => this.mirror.current());
    return view.list(prefix);
  }

  async count(prefix: string): Promise<number> {
    assertPresencePrefix(prefix);
    const view = await orUnavailable(() => this.mirror.current());
    return view.count(prefix);
  }

  async watch(prefix: string, onChange: (change: PresenceChange) => void): Promise<PresenceWatch> {
    assertPresencePrefix(prefix);
    const view = await orUnavailable(() => this.mirror.current());
    return view.watch(prefix, onChange);
  }

  /** Writes where the key still has that revision, and undefined where it has not. */
  private whileHeld<T>(
    key: string,
    revision: PresenceRevision,
    write: (store: KV, previousSequence: number) => Promise<T>,
  ): Promise<T | undefined> {
    return this.inBucket(async store => {
      const sequence = sequenceOf(revision);
      // The mark is looked at before: the server compares sequences alone, which begin anew where it lost its memory.
      const found = sequence === undefined ? undefined : await this.find(store, key);
      if (sequence === undefined || found?.revision !== revision) return undefined;
      return unlessChanged(write(store, sequence));
    });
  }

  private async find(
    store: KV,
    key: string,
  ): Promise<{ record: PresenceRecord; revision: PresenceRevision } | undefined> {
    const entry = await store.get(key);
    if (!entry || entry.operation !== 'PUT') return undefined;
    if (endOf(entry, this.settings.ttlMs) <= this.clock.latestMs()) return undefined;
    const record = readRecord(entry.value);
    return record && { record, revision: revisionOf(entry.revision, record) };
  }

  private isSurelyOver(entry: KvEntry): boolean {
    return endOf(entry, this.settings.ttlMs) + ROUNDING_MS <= this.clock.earliestMs();
  }

  private inBucket<T>(work: (store: KV) => Promise<T>): Promise<T> {
    return orUnavailable(async () => {
      await this.mirror.ready();
      return this.bucket.use(work);
    });
  }
}

const endOf = ({ created }: KvEntry, ttlMs: number) => created.getTime() + ttlMs;

const held = (sequence: number | undefined, record: PresenceRecord) =>
  sequence === undefined ? undefined : { revision: revisionOf(sequence, record) };

/** undefined: somebody has written the key since. */
async function unlessChanged<T>(write: Promise<T>): Promise<T | undefined> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof JetStreamApiError && CHANGED.has(error.code)) return undefined;
    throw error;
  }
}

const CHANGED = new Set<number>([
  JetStreamApiCodes.StreamWrongLastSequence,
  JetStreamApiCodes.StreamWrongLastSequenceUnknown,
]);

async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    const more = { retryAfterSeconds: 1, cause: error };
    if (isFull(error)) throw problem('OVERLOADED', 'The presence board is full', more);
    throw problem('SERVICE_UNAVAILABLE', `The presence board is away: ${(error as Error).message}`, more);
  }
}

const isFull = (error: unknown) =>
  error instanceof JetStreamApiError && error.code === STORE_FAILED && /maximum/.test(error.message);
