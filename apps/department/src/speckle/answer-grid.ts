import { setTimeout as delay } from 'node:timers/promises';

/**
 * Lets an answer, or a refusal, go when a whole number of intervals has passed since it was asked for. How long a comparison takes
 * depends on what it is with.
 */
export class AnswerGrid {
  constructor(private readonly intervalMs: number) {}

  async hold<T>(work: () => Promise<T>): Promise<T> {
    const asked = performance.now();
    try {
      return await work();
    } finally {
      await delay(this.intervalMs - ((performance.now() - asked) % this.intervalMs));
    }
  }
}
