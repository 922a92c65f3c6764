import { Injectable } from '@nestjs/common';
import { paymentsContract, type ProofJobClaim, type StoredResponse } from '@svc/contracts';
import { BusClient, ProblemError, SealError } from '@svc/platform';
import { ProofStore } from '../proofs/proof-store.js';
import { outcomeOf, type SettledPayment } from './job-state.js';
import { JobOrders, type KeptOrder } from './job-orders.js';
import type { StoredJob } from './job-rows.js';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Records with the payments service what becomes of the payment of a job that has ended. */
@Injectable()
export class JobSettlement {
  constructor(
    private readonly bus: BusClient,
    private readonly proofs: ProofStore,
    private readonly orders: JobOrders,
  ) {}

  /**
   * Delivers the payment with the job's answer, or gives it back to its credential; safe to ask again. Returns what
   * became of it by the word of the payments service.
   * @throws ProblemError while the payments service is away, or its answer is not known
   */
  async settle(job: StoredJob): Promise<SettledPayment> {
    if (job.payment === 'return-due') {
      // Who cancels what has not begun has cost nothing.
      const givenUp = outcomeOf(job) === 'cancelled' && job.startedAt !== undefined;
      return this.giveBack(job.claim, job.problem?.code ?? 'cancelled', givenUp);
    }
    const { claimId, attempt } = job.claim;
    const response = await this.answerOf(job);
    try {
      await this.bus.call(paymentsContract.deliver, { claimId, attempt, response });
      return 'delivered';
    } catch (error) {
      if (!(error instanceof ProblemError && error.code === 'CONFLICT')) throw error;
      // It was given back before, by the call that asked for the job and failed, or is a later request's.
      return this.giveBack(job.claim, error.code);
    }
  }

  /** Holds the payment of a job that goes on; false where it is not the job's any more. */
  async renew({ claimId, attempt }: ProofJobClaim): Promise<boolean> {
    return (await this.bus.call(paymentsContract.renew, { claimId, attempt })).renewed;
  }

  private async giveBack(
    { claimId, attempt }: ProofJobClaim,
    reason: string,
    givenUp = false,
  ): Promise<SettledPayment> {
    const { released } = await this.bus.call(paymentsContract.release, { claimId, attempt, reason, givenUp });
    return released ? 'returned' : 'superseded';
  }

  /** What opens the answer's commitment; without it where its secret went out of the configuration: the 202 has said it. */
  private async openingOf(jobId: string): Promise<KeptOrder['opening']> {
    try {
      return (await this.orders.of(jobId))?.opening;
    } catch (error) {
      if (error instanceof SealError) return undefined;
      throw error;
    }
  }

  /** The answer as it would have left at once, so that the credential fetches it again. */
  private async answerOf({ jobId, result, proofId }: StoredJob): Promise<StoredResponse> {
    const [{ proof }, opening] = await Promise.all([this.proofs.fetch(proofId!), this.openingOf(jobId)]);
    const answer = {
      ...result,
      ...(opening ? { opening } : {}),
      proof: Buffer.from(proof).toString('base64'),
    };
    return { status: 200, contentType: JSON_TYPE, body: Buffer.from(JSON.stringify(answer), 'utf8') };
  }
}
