import { Injectable } from '@nestjs/common';
import {
  JOB_EVENTS_WAIT_MS_MAX,
  type Procedure,
  PROVE_TIMEOUT_MS,
  type ProofJob,
  proofJobContract,
  type ProofOrder,
  proverContract,
  type ReplyOf,
  type RequestOf,
} from '@svc/contracts';
import { BusClient, newId, problem, ProblemError } from '@svc/platform';
import {
  AnswerOfPayment,
  DeferredAnswer,
  jobPathOf,
  type PaidCall,
  prefersAsync,
  receiptTextOf,
} from '@svc/edge';

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
   * Asks for a proof as its payer would have it: as a job where that is preferred, else at once, where the payment lets
   * the payer give up. A payment that does not buys a job too, which the call waits for.
   * @param atOnce the call that waits for the proof itself
   */
  answer<T>(
    order: ProofOrder,
    prefer: string | undefined,
    paid: PaidCall,
    atOnce: () => Promise<T>,
  ): Promise<T | DeferredAnswer | AnswerOfPayment> {
    if (prefersAsync(prefer)) return this.defer(order, paid);
    return paid.claim.canBeGivenUp ? atOnce() : this.finish(order, paid);
  }

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
    const callId = newId('pcl');
    try {
      return await this.bus.call(procedure, payload({ callId, receipt: receiptTextOf(paid) }), { signal });
    } catch (error) {
      if (signal.aborted || isTimeout(error)) this.cancel(callId);
      throw error;
    }
  }

  private async defer(order: ProofOrder, paid: PaidCall): Promise<DeferredAnswer> {
    const job = await this.startJob(order, paid);
    const headers = { Location: jobPathOf(job.jobId), 'Preference-Applied': 'respond-async' };
    return new DeferredAnswer(job, headers);
  }

  /**
   * Has the proof made as a job, and waits for it as long as for any. It goes on where the client hangs up or the wait is
   * over, and its answer is there for the credential.
   * @throws ProblemError of a job that has failed, and given the payment back
   */
  private async finish(order: ProofOrder, paid: PaidCall): Promise<AnswerOfPayment> {
    const { jobId } = await this.startJob(order, paid);
    const job = await this.jobAtItsEnd(jobId, paid.signal).catch(() => undefined);
    if (job?.payment !== 'returned') return new AnswerOfPayment();
    const { code, detail, errors } = job.problem ?? { code: 'CONFLICT', detail: 'The proof was cancelled' };
    throw problem(code, detail, errors && { errors });
  }

  private async jobAtItsEnd(jobId: string, signal: AbortSignal): Promise<ProofJob> {
    const deadline = performance.now() + PROVE_TIMEOUT_MS;
    let after = 0;
    for (;;) {
      const leftMs = Math.round(deadline - performance.now());
      const waitMs = Math.max(0, Math.min(JOB_EVENTS_WAIT_MS_MAX, leftMs));
      const { events, ended } = await this.bus.call(
        proofJobContract.jobEvents,
        { jobId, after, waitMs },
        { signal },
      );
      if (ended || leftMs <= 0) return this.bus.call(proofJobContract.job, { jobId });
      after = events.at(-1)?.seq ?? after;
    }
  }

  /** Gives the proof away as a job, which takes the claim on the payment over. */
  private async startJob(order: ProofOrder, paid: PaidCall): Promise<ProofJob> {
    const jobId = newId('job');
    const { claimId, attempt, canBeGivenUp } = paid.claim;
    const claim = { claimId, attempt, canBeGivenUp, receipt: receiptTextOf(paid) };
    try {
      return await this.bus.call(proofJobContract.startJob, { jobId, order, claim });
    } catch (error) {
      // It may be recorded, and would be made: nobody will know its id, and whoever catches this gives the payment back.
      if (isTimeout(error) || isAway(error))
        void this.bus.call(proofJobContract.cancelJob, { jobId }).catch(() => undefined);
      throw error;
    }
  }

  /** A proof that cannot be cancelled now is made for nobody. */
  private cancel(callId: string): void {
    void this.bus.call(proverContract.cancelProof, { callId }).catch(() => undefined);
  }
}

const isTimeout = (error: unknown) => error instanceof ProblemError && error.code === 'TIMEOUT';
const isAway = (error: unknown) => error instanceof ProblemError && error.code === 'SERVICE_UNAVAILABLE';
