import { DocumentRenewed, type NewUpdate, type StoredRange } from './document-store.js';
import { ProblemError } from '@svc/platform';
import type { Logger } from 'pino';
import { setTimeout as delay } from 'node:timers/promises';

/** What goes into one transaction. */
const BATCH_UPDATES_MAX = 512;
const BATCH_BYTES_MAX = 1024 * 1024;
/** What may wait to be stored: a replica takes no more from peers then, until Postgres is back. */
const WAITING_UPDATES_MAX = 50_000;
const WAITING_BYTES_MAX = 16 * 1024 * 1024;
/** Between two tries, the first time and at most, milliseconds. */
const RETRY_MS = 100;
const RETRY_MS_MAX = 2_000;
/** Postgres has read the update and cannot take it: data exceptions, broken constraints (PostgreSQL manual, appendix A). */
const REFUSED_SQLSTATE = /^2[23]/;

/** An update that is in the document already, and whoever it came through, who knows it. */
export interface TakenUpdate extends NewUpdate {
  readonly from?: object;
  /** How many updates it is made of; one unless it says so. */
  readonly count?: number;
}

export interface UpdateKeeperParts {
  readonly logger: Logger;
  append(updates: readonly NewUpdate[]): Promise<StoredRange>;
  /** They are stored; in the order in which they were added. */
  onStored(updates: readonly TakenUpdate[], range: StoredRange): void;
  /** Postgres will never take it; it is in the document and nowhere else. What comes next is stored after that. */
  onRefused(update: TakenUpdate): Promise<void>;
  /** What waits is of a document that was begun anew since: {@link UpdateKeeper.drop} takes it out. */
  onRenewed?(): Promise<void>;
}

/**
 * Stores what was taken into the document, in its order, until it is stored: one transaction is at work at a time, and what
 * comes meanwhile goes with the next. While Postgres is away it is tried again.
 */
export class UpdateKeeper {
  private readonly waiting: TakenUpdate[] = [];
  private readonly gates: { readonly count: number; readonly open: () => void }[] = [];
  private readonly closing = new AbortController();
  private waitingBytes = 0;
  private added = 0;
  private stored = 0;
  /** Of the first ones, how many are being stored. */
  private inBatch = 0;
  private batchMax = BATCH_UPDATES_MAX;
  private running: Promise<void> | undefined;

  constructor(private readonly parts: UpdateKeeperParts) {}

  /** How many were ever added. */
  get addedCount(): number {
    return this.added;
  }

  /** How many of those are stored, or given up: always the first ones. */
  get storedCount(): number {
    return this.stored;
  }

  /** Those that are not stored yet, or are being stored, in their order. */
  get unstored(): readonly TakenUpdate[] {
    return this.waiting;
  }

  /** Whether more may be taken from peers. */
  get hasRoom(): boolean {
    return this.waiting.length < WAITING_UPDATES_MAX && this.waitingBytes < WAITING_BYTES_MAX;
  }

  /** Takes one more; also without room. */
  add(update: TakenUpdate): void {
    this.waiting.push(update);
    this.waitingBytes += update.bytes.length;
    this.added += countOf([update]);
    this.running ??= this.run().finally(() => (this.running = undefined));
  }

  /** Gives some up: they build on what is stored nowhere. Those that are being stored at this moment are stored. */
  giveUp(updates: ReadonlySet<TakenUpdate>): void {
    const isKept = (update: TakenUpdate, i: number) => i < this.inBatch || !updates.has(update);
    const kept = this.waiting.filter(isKept);
    const goneCount = countOf(this.waiting) - countOf(kept);
    this.waiting.splice(0, this.waiting.length, ...kept);
    this.waitingBytes = kept.reduce((sum, { bytes }) => sum + bytes.length, 0);
    this.settle(goneCount);
  }

  /** Takes out all that waits, also what is being stored at this moment: whatever becomes of that is told to nobody. */
  drop(): readonly TakenUpdate[] {
    const dropped = this.waiting.splice(0);
    this.waitingBytes = 0;
    this.settle(countOf(dropped));
    return dropped;
  }

  /** Resolves when so many are stored, by default all that were added so far. Never where it is closed before. */
  whenStored(count = this.added): Promise<void> {
    if (this.stored >= count) return Promise.resolve();
    return new Promise(open => this.gates.push({ count, open }));
  }

  /** Stores what it can within the time, and gives the rest up. @returns how many that are */
  async close(withinMs: number): Promise<number> {
    const timer = setTimeout(() => this.closing.abort(), withinMs);
    await this.running;
    clearTimeout(timer);
    // What is added now would be tried for ever.
    this.closing.abort();
    return this.waiting.length;
  }

  private async run(): Promise<void> {
    // Whatever else this turn of the event loop brings is in the first batch too.
    await new Promise(resolve => setImmediate(resolve));
    for (let waitMs = RETRY_MS; this.waiting.length > 0 && !this.closing.signal.aborted;) {
      const batch = this.nextBatch();
      const isDropped = () => this.waiting[0] !== batch[0];
      try {
        this.inBatch = batch.length;
        const range = await this.parts.append(batch).finally(() => (this.inBatch = 0));
        if (!isDropped()) {
          this.done(batch);
          this.parts.onStored(batch, range);
        }
        [waitMs, this.batchMax] = [RETRY_MS, BATCH_UPDATES_MAX];
      } catch (error) {
        if (error instanceof DocumentRenewed) await this.renewed();
        if (isDropped() || (await this.isRefused(error))) continue;
        this.parts.logger.warn({ reason: (error as Error).message }, 'Updates wait to be stored');
        await delay(waitMs, undefined, { signal: this.closing.signal }).catch(() => undefined);
        waitMs = Math.min(2 * waitMs, RETRY_MS_MAX);
      }
    }
  }

  private async renewed(): Promise<void> {
    // Where it fails, what waits is still there, and is tried again.
    await this.parts.onRenewed?.().catch(() => undefined);
  }

  /** Where one of them cannot be stored, they are stored one by one, and that one is given up. */
  private async isRefused(error: unknown): Promise<boolean> {
    const sqlState = (error as { driverError?: { code?: string } }).driverError?.code;
    if (error instanceof ProblemError || !REFUSED_SQLSTATE.test(sqlState ?? '')) return false;
    if (this.batchMax > 1) {
      this.batchMax = 1;
      return true;
    }
    const [refused] = this.waiting;
    this.parts.logger.error({ err: error }, 'An update cannot be stored, and is given up');
    this.done([refused]);
    await this.parts.onRefused(refused);
    return true;
  }

  /** The first ones, as many as a transaction may have; at least one. */
  private nextBatch(): TakenUpdate[] {
    let sizeBytes = 0;
    let count = 0;
    for (const { bytes } of this.waiting.slice(0, this.batchMax)) {
      sizeBytes += bytes.length;
      if (count > 0 && sizeBytes > BATCH_BYTES_MAX) break;
      count += 1;
    }
    return this.waiting.slice(0, count);
  }

  private done(batch: readonly TakenUpdate[]): void {
    this.waiting.splice(0, batch.length);
    for (const { bytes } of batch) this.waitingBytes -= bytes.length;
    this.settle(countOf(batch));
  }

  private settle(count: number): void {
    this.stored += count;
    for (const gate of this.gates.splice(0)) {
      if (gate.count <= this.stored) gate.open();
      else this.gates.push(gate);
    }
  }
}

const countOf = (updates: readonly TakenUpdate[]) => updates.reduce((sum, { count = 1 }) => sum + count, 0);
