/**
 * Places, or bytes, that callers hold beside each other: each may have one part in so many of what the others leave. So one that is
 * alone has no more than that part, and whoever comes later finds less, and hardly ever nothing: it takes many callers to fill it.
 */
export class FairShares {
  private total = 0;
  private readonly byHolder = new Map<string, number>();

  /**
   * @param max of all holders together
   * @param parts of what the others leave, one of so many for each
   */
  constructor(
    private readonly max: number,
    private readonly parts: number,
  ) {}

  /** What nobody holds. */
  get free(): number {
    return this.max - this.total;
  }

  heldBy(holder: string): number {
    return this.byHolder.get(holder) ?? 0;
  }

  /** As much as a holder may have in all as things are: at least one where one is free. */
  shareOf(holder: string): number {
    return Math.ceil((this.free + this.heldBy(holder)) / this.parts);
  }

  /** Whether a holder may have so many more. */
  hasRoomFor(holder: string, more = 1): boolean {
    return more <= this.free && this.heldBy(holder) + more <= this.shareOf(holder);
  }

  /** Counts, whether or not there is room. */
  take(holder: string, more = 1): void {
    this.total += more;
    this.byHolder.set(holder, this.heldBy(holder) + more);
  }

  giveBack(holder: string, count = 1): void {
    this.total -= count;
    const left = this.heldBy(holder) - count;
    if (left > 0) this.byHolder.set(holder, left);
    else this.byHolder.delete(holder);
  }
}
