import type { ToolProgress } from '@svc/contracts';
import { Waiters } from '@svc/platform';

/** How far one run has come, for whoever waits for more. */
export class CallProgress {
  private seq = 0;
  private share = 0;
  private stage: string | undefined;
  private ended = false;
  private readonly waiters = new Waiters();

  /**
   * The run has come further; what falls behind an earlier word is as far as that.
   * @param share of all that is to be done, 0 to 1
   */
  readonly note = (share: number, stage: string): void => {
    if (this.ended) return;
    this.seq++;
    this.share = Math.min(Math.max(this.share, share), 1);
    this.stage = stage;
    this.waiters.wake();
  };

  /** It goes on: nothing is new but that. */
  readonly goOn = (): void => {
    if (this.ended) return;
    this.seq++;
    this.waiters.wake();
  };

  end(): void {
    if (this.ended) return;
    this.ended = true;
    this.seq++;
    this.waiters.wake();
  }

  get now(): ToolProgress {
    const { seq, ended, stage } = this;
    return { seq, progress: ended ? 1 : this.share, ended, ...(stage === undefined ? {} : { stage }) };
  }

  /** The progress, once it is more than `afterSeq` or the run has ended, else after `waitMs`. */
  async after(afterSeq: number, waitMs: number): Promise<ToolProgress> {
    if (this.seq <= afterSeq && !this.ended && waitMs > 0) await this.waiters.next(waitMs);
    return this.now;
  }
}
