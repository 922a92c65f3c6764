import { problem } from '@svc/platform';

/** How many proofs may wait for the one that is being made. */
const WAITING_MAX = 16;
/** A proof that would begin later than this is refused: its caller would have given up. */
const WAIT_MS_MAX = 60_000;

/**
 * Makes proofs one after another: a single proof already uses every core, so that two at once would
 * only double the memory. Proofs that wait are bounded, by their number and by the time they would take.
 */
export class ProofQueue {
  private tail: Promise<unknown> = Promise.resolve();
  private waiting = 0;
  private recentMs = 1_000;

  constructor(private readonly waitingMax = WAITING_MAX) {}

  /** @throws ProblemError OVERLOADED when `waitingMax` jobs wait already, or those that wait would take too long */
  run<T>(job: () => Promise<T>): Promise<T> {
    const waitMs = this.waiting * this.recentMs;
    if (this.waiting > this.waitingMax || waitMs > WAIT_MS_MAX) {
      throw problem(
        'OVERLOADED',
        `${this.waiting} proofs are ahead already, about ${Math.ceil(waitMs / 1_000)} s`,
        {
          retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)),
        },
      );
    }
    this.waiting++;
    const result = this.tail.then(async () => {
      const startedAt = performance.now();
      try {
        return await job();
      } finally {
        this.recentMs = performance.now() - startedAt;
        this.waiting--;
      }
    });
    this.tail = result.catch(() => undefined);
    return result;
  }
}
