/** Tells within this process that the log went on. */
export class LogNews {
  private readonly waiting = new Set<() => void>();

  tell(): void {
    const waiting = [...this.waiting];
    this.waiting.clear();
    for (const resolve of waiting) resolve();
  }

  /** Resolves at the next news, or after a time. */
  next(withinMs: number): Promise<void> {
    return new Promise(resolve => {
      const done = () => {
        clearTimeout(timer);
        this.waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, withinMs);
      this.waiting.add(done);
    });
  }
}
