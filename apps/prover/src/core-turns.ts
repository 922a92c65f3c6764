import { Injectable } from '@nestjs/common';

/** What takes every core for a moment: a small proof, or the proof of a batch of audits. */
export type ShortWork = 'proof' | 'audits';

/** Small proofs that go in a row while audits wait, so that their batch has grown meanwhile. */
const PROOFS_IN_A_ROW_MAX = 2;

/**
 * Small proofs and batches of audits take turns at the cores. Each takes all of them for some hundredths of a second, in hundreds of
 * steps that all threads end together: side by side, both take more than twice as long. Long proofs give way by their priority.
 */
@Injectable()
export class CoreTurns {
  private readonly waiting: Readonly<Record<ShortWork, (() => void)[]>> = { proof: [], audits: [] };
  private isBusy = false;
  private proofsInARow = 0;

  /** Does the work when its turn has come. */
  async run<T>(kind: ShortWork, work: () => Promise<T>): Promise<T> {
    if (this.isBusy) await new Promise<void>(resolve => this.waiting[kind].push(resolve));
    else this.isBusy = true;
    this.proofsInARow = kind === 'proof' ? this.proofsInARow + 1 : 0;
    try {
      return await work();
    } finally {
      // The next proof of the lane comes within this turn of the event loop, and is to be among those that are chosen from.
      setImmediate(() => this.next());
    }
  }

  private next(): void {
    const { proof, audits } = this.waiting;
    const isAudits = audits.length > 0 && (proof.length === 0 || this.proofsInARow >= PROOFS_IN_A_ROW_MAX);
    const begin = (isAudits ? audits : proof).shift();
    if (begin) begin();
    else this.isBusy = false;
  }
}
