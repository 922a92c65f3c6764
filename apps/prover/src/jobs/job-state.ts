import type { ProblemPayload, ProofJobState } from '@svc/contracts';

/**
 * What a job's payment is at: held while it runs, then owed to us or to the payer until that is recorded, or found
 * to be a later request's.
 */
export type JobPayment = 'held' | 'delivery-due' | 'return-due' | 'delivered' | 'returned' | 'superseded';

/** A job as its replicas agree on it. */
export interface JobSnapshot {
  readonly state: ProofJobState;
  /** Number of the last event; a later one has a greater number. */
  readonly seq: number;
  /** Stages that have begun, in order; the last is the one that runs. */
  readonly stagesBegun: number;
  readonly stage?: string;
  readonly payment: JobPayment;
  readonly proofId?: string;
  readonly problem?: ProblemPayload;
}

/** What can happen to a job. */
export type JobEvent =
  | { readonly type: 'started' }
  | { readonly type: 'stage'; readonly stage: string }
  | { readonly type: 'succeeded'; readonly proofId: string }
  | { readonly type: 'failed'; readonly problem: ProblemPayload }
  | { readonly type: 'cancel-requested' }
  /** The work has ended because it was cancelled. */
  | { readonly type: 'cancelled' }
  /** The process that did the work has been silent for longer than its lease. */
  | { readonly type: 'lease-lapsed' }
  /** What was owed after the end has been recorded by the payments service. */
  | { readonly type: 'settled' }
  /** A later request with the same credential has the payment. */
  | { readonly type: 'overtaken' };

export const QUEUED: JobSnapshot = { state: 'queued', seq: 1, stagesBegun: 0, payment: 'held' };

const ENDED: readonly ProofJobState[] = ['succeeded', 'failed', 'cancelled'];
export const isEnded = ({ state }: Pick<JobSnapshot, 'state'>): boolean => ENDED.includes(state);

const PROCESS_ENDED: ProblemPayload = {
  code: 'SERVICE_UNAVAILABLE',
  detail: 'The process that made the proof has ended; send the request again with the same credential',
  retryAfterSeconds: 1,
};

/**
 * The job after an event, or undefined where the event changes nothing in the state that the job is in.
 * An end is final: whichever of success, failure, cancellation and a lapsed lease is recorded first
 * stands, and with it what becomes of the payment.
 */
export function transition(job: JobSnapshot, event: JobEvent): JobSnapshot | undefined {
  if (event.type === 'settled' || event.type === 'overtaken') return settle(job, event.type === 'overtaken');
  if (isEnded(job)) return undefined;
  const next = { ...job, seq: job.seq + 1 };
  switch (event.type) {
    case 'started':
      return job.state === 'queued' ? { ...next, state: 'running' } : undefined;
    case 'stage':
      // While it is being cancelled a job still runs to the end of its batch.
      return job.state === 'running'
        ? { ...next, stage: event.stage, stagesBegun: job.stagesBegun + 1 }
        : undefined;
    case 'cancel-requested':
      return job.state === 'cancelling' ? undefined : { ...next, state: 'cancelling' };
    case 'succeeded':
      return { ...next, state: 'succeeded', proofId: event.proofId, payment: 'delivery-due' };
    case 'failed':
      return { ...next, state: 'failed', problem: event.problem, payment: 'return-due' };
    case 'cancelled':
      return { ...next, state: 'cancelled', payment: 'return-due' };
    case 'lease-lapsed':
      return job.state === 'cancelling'
        ? { ...next, state: 'cancelled', payment: 'return-due' }
        : { ...next, state: 'failed', problem: PROCESS_ENDED, payment: 'return-due' };
  }
}

/** No event of the stream: the job itself has ended before. */
function settle(job: JobSnapshot, isOvertaken: boolean): JobSnapshot | undefined {
  if (job.payment !== 'delivery-due' && job.payment !== 'return-due') return undefined;
  if (isOvertaken) return { ...job, payment: 'superseded' };
  return { ...job, payment: job.payment === 'delivery-due' ? 'delivered' : 'returned' };
}
