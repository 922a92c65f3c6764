export const PROBE_EVERY_MS = 5_000;
const FIRST_ANSWER_WAIT_MS = 2_000;

/**
 * Asks a backend every five seconds whether it can settle, so that whoever needs to know on each call reads a flag.
 * A question that has no answer yet is not asked again.
 */
export class ReadinessProbe {
  private newest = false;
  private asking: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;

  /** @param ask what rejects is a no */
  constructor(
    private readonly ask: () => Promise<boolean>,
    private readonly everyMs = PROBE_EVERY_MS,
  ) {}

  /** The newest answer; false before the first. */
  get ready(): boolean {
    return this.newest;
  }

  /** Resolves when the first answer is there, or has taken two seconds. */
  async start(): Promise<void> {
    if (this.timer) return;
    this.timer = setInterval(() => void this.probe(), this.everyMs).unref();
    let late: NodeJS.Timeout | undefined;
    const waited = new Promise<void>(resolve => (late = setTimeout(resolve, FIRST_ANSWER_WAIT_MS)));
    await Promise.race([this.probe(), waited]);
    clearTimeout(late);
  }

  /** Asks now, beside the interval, and resolves with the answer there. */
  probe(): Promise<void> {
    this.asking ??= this.ask()
      .then(
        answer => void (this.newest = answer),
        () => void (this.newest = false),
      )
      .finally(() => (this.asking = undefined));
    return this.asking;
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    this.newest = false;
  }
}
