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
  /** The run that is at it, or was the last one: each time that a process begins it is another. */
  readonly run: number;
  /** How many processes have begun it, but for those that gave it back. */
  readonly begins: number;
  /** What was asked is kept, so that another process can begin it anew. */
  readonly isKept: boolean;
  /** Stages that have begun in this run, in order; the last is the one that runs. */
  readonly stagesBegun: number;
  readonly stage?: string;
  readonly payment: JobPayment;
  /** Where not, the proof is made to its end once it has begun, and bought. */
  readonly canBeGivenUp: boolean;
  readonly proofId?: string;
  readonly problem?: ProblemPayload;
}

/** What the run that is at a job says of it; of any other run it changes nothing. */
export type RunEvent =
  | { readonly type: 'stage'; readonly run: number; readonly stage: string }
  | { readonly type: 'succeeded'; readonly run: number; readonly proofId: string }
  | { readonly type: 'failed'; readonly run: number; readonly problem: ProblemPayload }
  /** The work has ended because it was cancelled. */
  | { readonly type: 'cancelled'; readonly run: number }
  /** The process that did the work closes before its end: it is another one's. */
  | { readonly type: 'given-back'; readonly run: number };

/** What can happen to a job. */
export type JobEvent =
  | RunEvent
  /** A process begins it; `run` is the one after which it was put in the queue. */
  | { readonly type: 'begun'; readonly run: number }
  | { readonly type: 'cancel-requested' }
  /** The process that did the work has been silent for longer than its lease. */
  | { readonly type: 'lease-lapsed' }
  /** Nobody is to make it: its payment is lost, or it was put aside. */
  | { readonly type: 'dropped'; readonly problem: ProblemPayload }
  /** What was owed after the work is recorded by the payments service, or is found to be another's. */
  | { readonly type: 'settled'; readonly payment: SettledPayment };

/** How many processes may die at a job before it is taken to be what they died of. */
export const BEGINS_MAX = 3;

export const QUEUED: JobSnapshot = {
  state: 'queued',
  seq: 1,
  run: 0,
  begins: 0,
  isKept: true,
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
export const isBinding = ({ state, run, canBeGivenUp }: JobSnapshot): boolean =>
  !canBeGivenUp && (state === 'running' || (state === 'queued' && run > 0));

const PROCESS_ENDED: ProblemPayload = {
  code: 'SERVICE_UNAVAILABLE',
  detail: 'The process that made the proof has ended; send the request again with the same credential',
  retryAfterSeconds: 1,
};
const BEGUN_TOO_OFTEN: ProblemPayload = {
  code: 'INTERNAL',
  detail: `The proof was begun ${BEGINS_MAX} times, and each time the process that made it died`,
};

/**
 * The job after an event, or undefined where the event changes nothing in the state that the job is in.
 * An outcome is final: whichever of success, failure and cancellation is recorded first stands, and with it what is owed. The
 * job is `settling` until that is done: whoever sees it ended may count on its payment. A run that ended without an outcome
 * goes back to the queue; what it says later is refused, since it is not the run any more.
 */
export function transition(job: JobSnapshot, event: JobEvent): JobSnapshot | undefined {
  const outcome = outcomeOf(job);
  if (event.type === 'settled') {
    return outcome && !isEnded(job) ? { ...after(job), state: outcome, payment: event.payment } : undefined;
  }
  if (outcome) return undefined;
  switch (event.type) {
    case 'begun': {
      if (job.state !== 'queued' || event.run !== job.run) return undefined;
      const run = job.run + 1;
      return { ...after(job), state: 'running', run, begins: job.begins + 1 };
    }
    case 'cancel-requested':
      if (job.state === 'queued' && !isBinding(job)) return returning(job);
      return job.state === 'running' && !isBinding(job) ? { ...after(job), state: 'cancelling' } : undefined;
    case 'lease-lapsed':
      return lapsed(job);
    case 'dropped':
      return returning(job, event.problem);
    default:
      return ofRun(job, event);
  }
}

function ofRun(job: JobSnapshot, event: RunEvent): JobSnapshot | undefined {
  if (event.run !== job.run || (job.state !== 'running' && job.state !== 'cancelling')) return undefined;
  switch (event.type) {
    case 'stage':
      // While it is being cancelled a job still runs to the end of its batch.
      return job.state === 'running'
        ? { ...after(job), stage: event.stage, stagesBegun: job.stagesBegun + 1 }
        : undefined;
    case 'succeeded':
      return { ...after(job), state: 'settling', proofId: event.proofId, payment: 'delivery-due' };
    case 'failed':
      return returning(job, event.problem);
    case 'cancelled':
      return job.state === 'cancelling' ? returning(job) : undefined;
    case 'given-back':
      return job.state === 'cancelling' ? returning(job) : requeued(job, job.begins - 1);
  }
}

function lapsed(job: JobSnapshot): JobSnapshot | undefined {
  if (job.state === 'cancelling') return returning(job);
  // Without what was asked nobody can make it: the process that took it was one that kept that in its memory.
  if (!job.isKept) return returning(job, PROCESS_ENDED);
  if (job.state === 'queued') return undefined;
  return job.begins < BEGINS_MAX ? requeued(job, job.begins) : returning(job, BEGUN_TOO_OFTEN);
}

const after = (job: JobSnapshot): JobSnapshot => ({ ...job, seq: job.seq + 1 });

/** Nobody is at it, and it begins anew. */
const requeued = (job: JobSnapshot, begins: number): JobSnapshot => ({
  ...after(job),
  ...{ state: 'queued', begins: Math.max(0, begins), stage: undefined, stagesBegun: 0 },
});

/** It ends without a proof; what was asked is not kept any longer. */
const returning = (job: JobSnapshot, problem?: ProblemPayload): JobSnapshot => ({
  ...after(job),
  ...{ state: 'settling', payment: 'return-due', isKept: false },
  ...(problem ? { problem } : {}),
});
