import { setTimeout as delay } from 'node:timers/promises';

/**
 * Lets an answer, or a refusal, go when a whole number of intervals has passed since it was asked for. How long a comparison takes
 * depends on what it is with.
 */
export class AnswerGrid {
  /** @param now a clock that never goes back, milliseconds */
  constructor(
    private readonly intervalMs: number,
    private readonly now: () => number = () => performance.now(),
    private readonly wait: (ms: number) => Promise<unknown> = delay,
  ) {}

  async hold<T>(work: () => Promise<T>): Promise<T> {
    const asked = this.now();
    try {
      return await work();
    } finally {
      await this.wait(this.intervalMs - ((this.now() - asked) % this.intervalMs));
    }
  }
}
