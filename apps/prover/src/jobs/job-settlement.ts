import { Injectable } from '@nestjs/common';
import { paymentsContract, type ProofJobClaim, type StoredResponse } from '@svc/contracts';
import { BusClient, ProblemError } from '@svc/platform';
import { ProofStore } from '../proofs/proof-store.js';
import type { StoredJob } from './job-store.js';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Records with the payments service what becomes of the payment of a job that has ended. */
@Injectable()
export class JobSettlement {
  constructor(
    private readonly bus: BusClient,
    private readonly proofs: ProofStore,
  ) {}

  /**
   * Delivers the payment with the job's answer, or gives it back to its credential; safe to ask again. Returns whether
   * that was done: not where a later request with the same credential has taken the payment over.
   * @throws ProblemError while the payments service is away, or its answer is not known
   */
  async settle(job: StoredJob): Promise<boolean> {
    const { claimId, attempt } = job.claim;
    if (job.payment === 'return-due') {
      const reason = job.problem?.code ?? job.state;
      const { released } = await this.bus.call(paymentsContract.release, { claimId, attempt, reason });
      return released;
    }
    const response = await this.answerOf(job);
    try {
      await this.bus.call(paymentsContract.deliver, { claimId, attempt, response });
      return true;
    } catch (error) {
      if (error instanceof ProblemError && error.code === 'CONFLICT') return false;
      throw error;
    }
  }

  /** Holds the payment of a job that goes on. */
  async renew({ claimId, attempt }: ProofJobClaim): Promise<void> {
    await this.bus.call(paymentsContract.renew, { claimId, attempt });
  }

  /** The answer as it would have left at once, so that the credential fetches it again. */
  private async answerOf({ result, proofId }: StoredJob): Promise<StoredResponse> {
    const { proof } = await this.proofs.fetch(proofId!);
    const answer = { ...result, proof: Buffer.from(proof).toString('base64') };
    return { status: 200, contentType: JSON_TYPE, body: Buffer.from(JSON.stringify(answer), 'utf8') };
  }
}
