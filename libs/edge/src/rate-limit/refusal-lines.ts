import type { ServiceEnvironment } from '@svc/platform';
import { type Taken, Windows } from './windows.js';

/** Lines of the log about refusals of one address in one window; what is beyond them is counted in one more. */
export const REFUSAL_LINES = { count: 20, windowSeconds: 60 } as const;

/** Bounds what a flood of refusals writes: an address has so many lines, and one that says how many more there were. */
export class RefusalLines {
  private readonly written = new Windows(REFUSAL_LINES.count, REFUSAL_LINES.windowSeconds);
  private readonly summaries = new Map<NodeJS.Timeout, () => void>();

  /** @param what the lines are about */
  constructor(
    private readonly logger: ServiceEnvironment['logger'],
    private readonly what: string,
  ) {}

  /** Writes the line of one more refusal, or counts it. */
  add(address: string, write: () => void): void {
    const taken = this.written.take(address);
    const beyond = taken.counted - REFUSAL_LINES.count;
    if (beyond <= 0) write();
    else if (beyond === 1) this.summarizeLater(address, taken);
  }

  /** Writes the summaries that wait. */
  close(): void {
    for (const [timer, summarize] of this.summaries) {
      clearTimeout(timer);
      summarize();
    }
    this.summaries.clear();
  }

  private summarizeLater(address: string, taken: Taken): void {
    const summarize = () => {
      const unwritten = taken.counted - REFUSAL_LINES.count;
      const { windowSeconds } = REFUSAL_LINES;
      this.logger.warn(
        { security: 'refused', address, unwritten, windowSeconds, what: this.what },
        'further refusals',
      );
    };
    const timer = setTimeout(() => {
      this.summaries.delete(timer);
      summarize();
    }, this.written.msLeftOf(address));
    timer.unref();
    this.summaries.set(timer, summarize);
  }
}
