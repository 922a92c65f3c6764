import { problem } from '@svc/platform';

/** How many proofs may wait for the one that is being made. */
const WAITING_MAX = 16;

/**
 * Makes proofs one after another: a single proof already uses every core, so that two at once would
 * only double the memory. Proofs that wait are bounded, and one whose caller has gone is skipped.
 */
export class ProofQueue {
  private tail: Promise<unknown> = Promise.resolve();
  private waiting = 0;
  private recentMs = 1_000;

  constructor(private readonly waitingMax = WAITING_MAX) {}

  /** @throws ProblemError OVERLOADED when `waitingMax` jobs wait already */
  run<T>(job: () => Promise<T>): Promise<T> {
    if (this.waiting > this.waitingMax) {
      throw problem('OVERLOADED', `${this.waitingMax} proofs are waiting already; none was charged`, {
        retryAfterSeconds: Math.max(1, Math.ceil((this.waiting * this.recentMs) / 1_000)),
      });
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
