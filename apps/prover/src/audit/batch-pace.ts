/** How often batches may begin: so many at once, and later one for each interval. */
export class BatchPace {
  /** When the batches that have begun would have, one after the other. */
  private dueMs = -Infinity;

  /**
   * @param intervalMs for each batch in the long run, ms
   * @param burst batches that may begin at once after a time without any, at least 1
   */
  constructor(
    private readonly intervalMs: number,
    private readonly burst: number,
  ) {}

  /** How long the next batch has to wait at a time of a monotonic clock, ms; 0 where it may begin. */
  waitMs(nowMs: number): number {
    return Math.max(0, this.dueMs - (this.burst - 1) * this.intervalMs - nowMs);
  }

  /** A batch has begun. */
  begun(nowMs: number): void {
    this.dueMs = Math.max(this.dueMs, nowMs) + this.intervalMs;
  }
}
