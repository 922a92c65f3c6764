import type { ProblemPayload, ProofJobClaim } from '@svc/contracts';
import type { SizeClass } from '../prove/proof-queue.js';
import type { JobPayment, JobSnapshot } from './job-state.js';

/** A job as it is recorded. */
export interface StoredJob extends JobSnapshot {
  readonly jobId: string;
  readonly operationId: string;
  /** Of its proof; only of a job whose order is kept. */
  readonly sizeClass?: SizeClass;
  readonly claim: ProofJobClaim;
  /** The caller that it counts for, as queues tell callers apart; empty where the caller is not known. */
  readonly turnSubject: string;
  readonly result?: Record<string, unknown>;
  readonly createdAt: Date;
  readonly startedAt?: Date;
  readonly endedAt?: Date;
  /** Its process has been silent for longer than its lease. */
  readonly isForsaken: boolean;
}

export type JobRow = Record<string, unknown>;

/** What {@link jobOf} reads; not what was asked, which is long. */
export const JOB_COLUMNS = `job_id, operation_id, state, seq, run, begins, stages_begun, stage, payment, claim_id, claim_attempt,
  receipt, can_be_given_up, proof_id, result, problem, created_at, started_at, ended_at, size_class, turn_subject,
  sealed_order IS NOT NULL AS is_kept, lease_until < now() AS is_forsaken`;

export function jobOf(row: JobRow): StoredJob {
  return {
    jobId: row.job_id as string,
    operationId: row.operation_id as string,
    sizeClass: (row.size_class as SizeClass | null) ?? undefined,
    state: row.state as StoredJob['state'],
    seq: row.seq as number,
    run: row.run as number,
    begins: row.begins as number,
    isKept: row.is_kept as boolean,
    stagesBegun: row.stages_begun as number,
    stage: (row.stage as string | null) ?? undefined,
    payment: row.payment as JobPayment,
    claim: claimOf(row),
    turnSubject: row.turn_subject as string,
    canBeGivenUp: row.can_be_given_up as boolean,
    proofId: (row.proof_id as string | null) ?? undefined,
    result: (row.result as Record<string, unknown> | null) ?? undefined,
    problem: (row.problem as ProblemPayload | null) ?? undefined,
    createdAt: row.created_at as Date,
    startedAt: (row.started_at as Date | null) ?? undefined,
    endedAt: (row.ended_at as Date | null) ?? undefined,
    isForsaken: row.is_forsaken as boolean,
  };
}

/** The claim of a row with its four columns. */
export function claimOf(row: JobRow): ProofJobClaim {
  return {
    claimId: row.claim_id as string,
    attempt: row.claim_attempt as number,
    receipt: row.receipt as string,
    canBeGivenUp: row.can_be_given_up as boolean,
  };
}

/** What the stream of events says of a job as it stands. */
export function streamEventOf(job: JobSnapshot): string {
  const { state, proofId, problem } = job;
  return JSON.stringify({ state, ...progressOf(job), proofId, problem });
}

/** Stages of a proof: those of the engine, and the verification after them. */
export const JOB_STAGE_COUNT = 9;

/** How far a job is, for people: a stage that has begun is not done. */
export function progressOf({
  state,
  stage,
  stagesBegun,
  proofId,
}: Pick<JobSnapshot, 'state' | 'stage' | 'stagesBegun' | 'proofId'>) {
  const stagesDone = proofId !== undefined ? JOB_STAGE_COUNT : Math.max(0, stagesBegun - 1);
  return {
    stage: state === 'running' || state === 'cancelling' ? stage : undefined,
    stagesDone,
    stageCount: JOB_STAGE_COUNT,
  };
}
