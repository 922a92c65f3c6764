import { queueTurn } from '@svc/platform';
import { createHash } from 'node:crypto';

/** What any reading counts, so that there are not too many of them to look through. */
const LEAST_BYTES = 10_000;

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
  /** Whether its caller has paid, or has brought what may pay. */
  isPaying: boolean;
  bytes: number;
}

/**
 * What was read of requests, so that the work of a call does not read again what its admission has read. A caller finds its own
 * readings alone. Where there is no room, those of callers without a payment go first, and of these the oldest of the caller
 * that has the most.
 */
export class KeptReadings<T> {
  /** The oldest first. */
  private readonly kept = new Map<string, Kept<T>>();
  private bytes = 0;

  constructor(private readonly options: KeptReadingsOptions<T>) {}

  /**
   * Reads a request, or finds what was read of the same bytes; a refusal too is the same for the same bytes.
   * @throws what `read` throws
   */
  of(packed: Uint8Array, read: () => Promise<T>): Promise<T> {
    const { subject, isFirst } = queueTurn();
    const key = createHash('sha256').update(`${subject}\n`).update(packed).digest('base64');
    const known = this.kept.get(key);
    if (known) {
      known.isPaying ||= isFirst;
      return known.reading;
    }
    const reading = read();
    const timer = setTimeout(() => this.forget(key), this.options.keptMs).unref();
    this.kept.set(key, { reading, timer, subject, isPaying: isFirst, bytes: 0 });
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

  /** Notes what a reading takes, if it is still kept, and makes room for it. */
  private count(key: string, bytes: number): void {
    const kept = this.kept.get(key);
    if (!kept) return;
    this.bytes -= kept.bytes;
    kept.bytes = Math.max(LEAST_BYTES, bytes);
    this.bytes += kept.bytes;
    while (this.bytes > this.options.bytesMax) this.forget(this.leastWanted());
  }

  /** The oldest reading of the caller that has the most bytes, among those without a payment if there are any. */
  private leastWanted(): string {
    const all = [...this.kept];
    const unpaid = all.filter(([, { isPaying }]) => !isPaying);
    const candidates = unpaid.length > 0 ? unpaid : all;
    const bytes = new Map<string, number>();
    for (const [, kept] of candidates) bytes.set(kept.subject, (bytes.get(kept.subject) ?? 0) + kept.bytes);
    const [most] = [...bytes].reduce((one, other) => (other[1] > one[1] ? other : one));
    return candidates.find(([, { subject }]) => subject === most)![0];
  }

  private forget(key: string): void {
    const kept = this.kept.get(key);
    if (!kept) return;
    clearTimeout(kept.timer);
    this.bytes -= kept.bytes;
    this.kept.delete(key);
  }
}
