import type { ToolProgress } from '@svc/contracts';
import { Waiters } from '@svc/platform';
import { PROVER_STAGES } from '@svc/stark-prover';

/** Stages of a proof that is made and verified. */
const STAGE_COUNT = PROVER_STAGES.length + 1;

/** How far one run has come, for whoever waits for more. */
export class CallProgress {
  private seq = 0;
  private stage: string | undefined;
  private ended = false;
  private readonly waiters = new Waiters();

  /** The run has come to another stage. */
  readonly note = (stage: string): void => {
    this.seq++;
    this.stage = stage;
    this.waiters.wake();
  };

  end(): void {
    this.ended = true;
    this.waiters.wake();
  }

  /** The progress, once it is more than `afterSeq` or the run has ended, else after `waitMs`. */
  async after(afterSeq: number, waitMs: number): Promise<ToolProgress> {
    if (this.seq <= afterSeq && !this.ended && waitMs > 0) await this.waiters.next(waitMs);
    const progress = this.ended ? 1 : Math.min(Math.max(this.seq - 1, 0) / STAGE_COUNT, 1);
    return { seq: this.seq, progress, ended: this.ended, ...(this.stage ? { stage: this.stage } : {}) };
  }
}
