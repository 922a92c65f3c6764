import { problem } from '@svc/platform';

/** How many proofs may wait for the one that is being made. */
const WAITING_MAX = 16;
/** A proof that would begin later than this is refused: its caller would have given up. */
const WAIT_MS_MAX = 60_000;
/** Until a proof has been measured: what a row of the low-degree extension takes on two slow cores. */
const EXTENDED_ROW_MS_FIRST = 0.004;
/** Weight of the newest proof in the running mean of the time that an extended row takes. */
const NEWEST_WEIGHT = 0.3;

/** What a proof's time grows with: rows of its low-degree extension, trace length × blowup. */
export type ExtendedRows = number;

/**
 * Makes proofs one after another: a single proof already uses every core, so that two at once would
 * only double the memory. Proofs that wait are bounded, by their number and by the time they would
 * take, which is estimated from their sizes and the measured time of a row.
 */
export class ProofQueue {
  private tail: Promise<unknown> = Promise.resolve();
  private count = 0;
  private aheadRows: ExtendedRows = 0;
  private rowMs = EXTENDED_ROW_MS_FIRST;

  constructor(private readonly waitingMax = WAITING_MAX) {}

  /** @throws ProblemError OVERLOADED when no proof more would be taken now */
  assertRoom(): void {
    const waitMs = this.aheadRows * this.rowMs;
    if (this.count <= this.waitingMax && waitMs <= WAIT_MS_MAX) return;
    const waitSeconds = Math.max(1, Math.ceil(waitMs / 1_000));
    throw problem('OVERLOADED', `${this.count} proofs are ahead, which take about ${waitSeconds} s`, {
      retryAfterSeconds: waitSeconds,
    });
  }

  /**
   * @param extendedRows trace length × blowup of the proof
   * @throws ProblemError OVERLOADED, as {@link assertRoom}
   */
  run<T>(extendedRows: ExtendedRows, job: () => Promise<T>): Promise<T> {
    this.assertRoom();
    this.count++;
    this.aheadRows += extendedRows;
    const result = this.tail.then(async () => {
      const startedAt = performance.now();
      try {
        const value = await job();
        this.learn((performance.now() - startedAt) / extendedRows);
        return value;
      } finally {
        this.count--;
        this.aheadRows -= extendedRows;
      }
    });
    this.tail = result.catch(() => undefined);
    return result;
  }

  private learn(rowMs: number): void {
    this.rowMs += NEWEST_WEIGHT * (rowMs - this.rowMs);
  }
}
