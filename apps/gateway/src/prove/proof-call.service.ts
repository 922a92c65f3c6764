import { Injectable } from '@nestjs/common';
import {
  type Procedure,
  proofJobContract,
  type ProofOrder,
  proverContract,
  type ReplyOf,
  type RequestOf,
} from '@svc/contracts';
import { BusClient, ProblemError } from '@svc/platform';
import { randomBytes } from 'node:crypto';
import { DeferredAnswer, type PaidCall, receiptTextOf } from '../payment/paid-call.js';

/** What every procedure that proves takes beside the request. */
interface ProofCall {
  readonly callId: string;
  readonly receipt: string;
}

/** Asks the prover for what was paid for: at once, or as a job. */
@Injectable()
export class ProofCallService {
  constructor(private readonly bus: BusClient) {}

  /**
   * Waits for a proof. Where the client hangs up, or the wait is over, the proof is ended: the payment
   * goes back to its credential, and nobody would get it.
   */
  async prove<P extends Procedure>(
    procedure: P,
    paid: PaidCall,
    payload: (call: ProofCall) => RequestOf<P>,
  ): Promise<ReplyOf<P>> {
    const { signal } = paid;
    const callId = `pcl_${randomId()}`;
    try {
      return await this.bus.call(procedure, payload({ callId, receipt: receiptTextOf(paid) }), { signal });
    } catch (error) {
      if (signal.aborted || isTimeout(error)) this.cancel(callId);
      throw error;
    }
  }

  /** Gives the proof away as a job, which takes the claim on the payment over. */
  async defer(order: ProofOrder, paid: PaidCall): Promise<DeferredAnswer> {
    const jobId = `job_${randomId()}`;
    const { claimId, attempt } = paid.claim;
    const claim = { claimId, attempt, receipt: receiptTextOf(paid) };
    try {
      const job = await this.bus.call(proofJobContract.startJob, { jobId, order, claim });
      const headers = { Location: `/v1/stark/jobs/${jobId}`, 'Preference-Applied': 'respond-async' };
      return new DeferredAnswer(job, headers);
    } catch (error) {
      // It may have begun: nobody will know its id, and the payment is given back by whoever catches this.
      if (isTimeout(error)) void this.bus.call(proofJobContract.cancelJob, { jobId }).catch(() => undefined);
      throw error;
    }
  }

  /** A proof that cannot be cancelled now is made for nobody. */
  private cancel(callId: string): void {
    void this.bus.call(proverContract.cancelProof, { callId }).catch(() => undefined);
  }
}

const randomId = () => randomBytes(16).toString('base64url');
const isTimeout = (error: unknown) => error instanceof ProblemError && error.code === 'TIMEOUT';
