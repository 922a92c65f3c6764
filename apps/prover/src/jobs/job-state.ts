import type { ProblemPayload, ProofJobState } from '@svc/contracts';

/**
 * What a job's payment is at: held while it runs, then owed to us or to the payer until that is recorded, or found
 * to be a later request's.
 */
export type JobPayment = 'held' | 'delivery-due' | 'return-due' | SettledPayment;

/** What became of a payment: ours, its credential's again, or a later request's. */
export type SettledPayment = 'delivered' | 'returned' | 'superseded';

/** A job as its replicas agree on it. */
export interface JobSnapshot {
  readonly state: ProofJobState;
  /** Number of the last event; a later one has a greater number. */
  readonly seq: number;
  /** Stages that have begun, in order; the last is the one that runs. */
  readonly stagesBegun: number;
  readonly stage?: string;
  readonly payment: JobPayment;
  /** Where not, the proof is made to its end once it has begun, and bought. */
  readonly canBeGivenUp: boolean;
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
  /** What was owed after the work is recorded by the payments service, or is found to be another's. */
  | { readonly type: 'settled'; readonly payment: SettledPayment };

export const QUEUED: JobSnapshot = {
  state: 'queued',
  seq: 1,
  stagesBegun: 0,
  payment: 'held',
  canBeGivenUp: true,
};

const ENDED: readonly ProofJobState[] = ['succeeded', 'failed', 'cancelled'];
export const isEnded = ({ state }: Pick<JobSnapshot, 'state'>): boolean => ENDED.includes(state);

/** How the work of a job has ended, once it has; the job itself ends with its payment. */
export function outcomeOf({
  payment,
  proofId,
  problem,
}: JobSnapshot): 'succeeded' | 'failed' | 'cancelled' | undefined {
  if (payment === 'held') return undefined;
  if (proofId !== undefined) return 'succeeded';
  return problem === undefined ? 'cancelled' : 'failed';
}

/** Whether a job that goes on can be cancelled no more: what it makes is bought. */
export const isBinding = ({ state, canBeGivenUp }: JobSnapshot): boolean =>
  !canBeGivenUp && state === 'running';

const PROCESS_ENDED: ProblemPayload = {
  code: 'SERVICE_UNAVAILABLE',
  detail: 'The process that made the proof has ended; send the request again with the same credential',
  retryAfterSeconds: 1,
};

/**
 * The job after an event, or undefined where the event changes nothing in the state that the job is in.
 * An outcome is final: whichever of success, failure, cancellation and a lapsed lease is recorded first
 * stands, and with it what is owed. The job is `settling` until that is done: whoever sees it ended may
 * count on its payment.
 */
export function transition(job: JobSnapshot, event: JobEvent): JobSnapshot | undefined {
  const outcome = outcomeOf(job);
  const next = { ...job, seq: job.seq + 1 };
  if (event.type === 'settled') {
    return outcome && !isEnded(job) ? { ...next, state: outcome, payment: event.payment } : undefined;
  }
  if (outcome) return undefined;
  switch (event.type) {
    case 'started':
      return job.state === 'queued' ? { ...next, state: 'running' } : undefined;
    case 'stage':
      // While it is being cancelled a job still runs to the end of its batch.
      return job.state === 'running'
        ? { ...next, stage: event.stage, stagesBegun: job.stagesBegun + 1 }
        : undefined;
    case 'cancel-requested':
      if (job.state === 'cancelling' || isBinding(job)) return undefined;
      return { ...next, state: 'cancelling' };
    case 'succeeded':
      return { ...next, state: 'settling', proofId: event.proofId, payment: 'delivery-due' };
    case 'failed':
      return { ...next, state: 'settling', problem: event.problem, payment: 'return-due' };
    case 'cancelled':
      return { ...next, state: 'settling', payment: 'return-due' };
    case 'lease-lapsed':
      return job.state === 'cancelling'
        ? { ...next, state: 'settling', payment: 'return-due' }
        : { ...next, state: 'settling', problem: PROCESS_ENDED, payment: 'return-due' };
  }
}
