import type { ToolProgress } from '@svc/contracts';

/** How far one run has come, for whoever waits for more. */
export class CallProgress {
  private seq = 0;
  private share = 0;
  private stage: string | undefined;
  private ended = false;
  private readonly waiting = new Set<() => void>();

  /**
   * The run has come further; what falls behind an earlier word is as far as that.
   * @param share of all that is to be done, 0 to 1
   */
  readonly note = (share: number, stage: string): void => {
    if (this.ended) return;
    this.seq++;
    this.share = Math.min(Math.max(this.share, share), 1);
    this.stage = stage;
    this.tell();
  };

  /** It goes on: nothing is new but that. */
  readonly goOn = (): void => {
    if (this.ended) return;
    this.seq++;
    this.tell();
  };

  end(): void {
    if (this.ended) return;
    this.ended = true;
    this.seq++;
    this.tell();
  }

  get now(): ToolProgress {
    const { seq, ended, stage } = this;
    return { seq, progress: ended ? 1 : this.share, ended, ...(stage === undefined ? {} : { stage }) };
  }

  /** The progress, once it is more than `afterSeq` or the run has ended, else after `waitMs`. */
  async after(afterSeq: number, waitMs: number): Promise<ToolProgress> {
    if (this.seq <= afterSeq && !this.ended && waitMs > 0) await this.next(waitMs);
    return this.now;
  }

  private async next(waitMs: number): Promise<void> {
    await new Promise<void>(resolve => {
      const done = () => {
        clearTimeout(timer);
        this.waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, waitMs);
      this.waiting.add(done);
    });
  }

  private tell(): void {
    for (const done of [...this.waiting]) done();
  }
}
