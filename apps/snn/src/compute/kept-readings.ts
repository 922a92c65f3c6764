import { queueTurn } from '@svc/platform';
import { createHash } from 'node:crypto';

/** What any reading counts beside its bytes. */
const OVERHEAD_BYTES = 2_000;
/** Of one caller, and of all together: more are not looked for among. */
const OF_CALLER_MAX = 64;
const READINGS_MAX = 2_048;

export interface KeptReadingsOptions<T> {
  /** How long a reading is kept, ms: the work that was admitted mostly follows at once. */
  readonly keptMs: number;
  /** Of all readings together. */
  readonly bytesMax: number;
  readonly bytesOf: (reading: T) => number;
}

interface Kept<T> {
  readonly reading: Promise<T>;
  readonly timer: NodeJS.Timeout;
  readonly subject: string;
  bytes: number;
}

/**
 * What was read of requests, so that the work of a call does not read again what its admission has read. A caller finds its own
 * readings alone. Where there is no room, the oldest goes of the caller that has the most: bytes where bytes are too many, readings where
 * those are. One with many makes no other read again.
 */
export class KeptReadings<T> {
  private readonly kept = new Map<string, Kept<T>>();
  /** Keys by caller, the oldest first. */
  private readonly ofCaller = new Map<string, Set<string>>();
  private readonly bytesOfCaller = new Map<string, number>();
  private bytes = 0;

  constructor(private readonly options: KeptReadingsOptions<T>) {}

  /**
   * Reads a request, or finds what was read of the same bytes; a refusal too is the same for the same bytes.
   * @throws what `read` throws
   */
  of(packed: Uint8Array, read: () => Promise<T>): Promise<T> {
    const { subject } = queueTurn();
    const key = createHash('sha256').update(`${subject}\n`).update(packed).digest('base64');
    const known = this.kept.get(key);
    if (known) return known.reading;
    const reading = read();
    this.keep(key, subject, reading);
    this.count(key, packed.length);
    reading.then(
      value => this.count(key, this.options.bytesOf(value)),
      (error: { code?: unknown }) => {
        this.count(key, 0);
        // A thread that was lost, or was not free, says nothing of the request.
        if (error.code === 'SERVICE_UNAVAILABLE' || error.code === 'OVERLOADED') this.forget(key);
      },
    );
    return reading;
  }

  private keep(key: string, subject: string, reading: Promise<T>): void {
    const timer = setTimeout(() => this.forget(key), this.options.keptMs).unref();
    this.kept.set(key, { reading, timer, subject, bytes: 0 });
    const own = this.ofCaller.get(subject) ?? new Set();
    this.ofCaller.set(subject, own.add(key));
    if (own.size > OF_CALLER_MAX) this.forgetOldestOf(subject);
    if (this.kept.size > READINGS_MAX) this.forgetOldestOf(mostOf(this.ofCaller, own => own.size));
  }

  /** Notes what a reading takes, if it is still kept, and makes room for it. */
  private count(key: string, readBytes: number): void {
    const kept = this.kept.get(key);
    if (!kept) return;
    const bytes = OVERHEAD_BYTES + readBytes;
    // What no room is made for would only take the room of others.
    if (bytes > this.options.bytesMax) return this.forget(key);
    this.add(kept.subject, bytes - kept.bytes);
    kept.bytes = bytes;
    while (this.bytes > this.options.bytesMax)
      this.forgetOldestOf(mostOf(this.bytesOfCaller, ownBytes => ownBytes));
  }

  private forgetOldestOf(subject: string): void {
    const [oldest] = this.ofCaller.get(subject)!;
    this.forget(oldest);
  }

  private forget(key: string): void {
    const kept = this.kept.get(key);
    if (!kept) return;
    clearTimeout(kept.timer);
    this.kept.delete(key);
    this.add(kept.subject, -kept.bytes);
    const own = this.ofCaller.get(kept.subject)!;
    own.delete(key);
    if (own.size > 0) return;
    this.ofCaller.delete(kept.subject);
    this.bytesOfCaller.delete(kept.subject);
  }

  private add(subject: string, bytes: number): void {
    this.bytes += bytes;
    this.bytesOfCaller.set(subject, (this.bytesOfCaller.get(subject) ?? 0) + bytes);
  }
}

/** The caller that has the most of something. */
function mostOf<V>(byCaller: ReadonlyMap<string, V>, amountOf: (own: V) => number): string {
  let [most, mostAmount] = ['', -1];
  for (const [subject, own] of byCaller) {
    const amount = amountOf(own);
    if (amount > mostAmount) [most, mostAmount] = [subject, amount];
  }
  return most;
}
