interface Window {
  counted: number;
  readonly endsMs: number;
}

/** What was counted of a caller. It is given back to the window in which it was counted: once that has ended, it is gone. */
export class Taken {
  constructor(
    private readonly window: Window,
    private points: number,
  ) {}

  /** All that its window has counted by now. */
  get counted(): number {
    return this.window.counted;
  }

  /** @param points no more than were taken */
  giveBack(points = this.points): void {
    const given = Math.min(points, this.points);
    this.points -= given;
    this.window.counted -= given;
  }
}

/** Counts what callers take in windows of a fixed length; that of a caller begins with what it takes first. */
export class Windows {
  /** In the order in which they end. */
  private readonly byCaller = new Map<string, Window>();

  /** @param points that a caller has in a window */
  constructor(
    readonly points: number,
    readonly seconds: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Counts, beyond the limit too. */
  take(caller: string, points = 1): Taken {
    const window = this.current(caller) ?? this.begin(caller);
    window.counted += points;
    return new Taken(window, points);
  }

  countedOf(caller: string): number {
    return this.current(caller)?.counted ?? 0;
  }

  /** How long the window of a caller still lasts, milliseconds. */
  msLeftOf(caller: string): number {
    return (this.current(caller)?.endsMs ?? this.now()) - this.now();
  }

  /** Gives one point back for one that cannot be told apart from others, where the window has counted any. */
  giveOneBack(caller: string): void {
    const window = this.current(caller);
    if (window && window.counted > 0) window.counted--;
  }

  /** Callers that are remembered. */
  get size(): number {
    return this.byCaller.size;
  }

  private current(caller: string): Window | undefined {
    const window = this.byCaller.get(caller);
    return window && window.endsMs > this.now() ? window : undefined;
  }

  private begin(caller: string): Window {
    const nowMs = this.now();
    for (const [ended, { endsMs }] of this.byCaller) {
      if (endsMs > nowMs) break;
      this.byCaller.delete(ended);
    }
    const window = { counted: 0, endsMs: nowMs + this.seconds * 1_000 };
    this.byCaller.set(caller, window);
    return window;
  }
}
