/** The requests that have not been answered yet, so that a close can wait for them. */
export class InFlight {
  private readonly requests = new Set<object>();
  private waiting: (() => void)[] = [];

  begin(request: object): void {
    this.requests.add(request);
  }

  /** Also for a request that never began: one that is refused before it is routed. */
  end(request: object): void {
    this.requests.delete(request);
    if (this.requests.size > 0) return;
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  /** Resolves when nothing is in flight, or after the time. */
  async idle(timeoutMs: number): Promise<void> {
    if (this.requests.size === 0) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>(resolve => {
      this.waiting.push(resolve);
      timer = setTimeout(resolve, timeoutMs);
    });
    clearTimeout(timer);
  }
}
