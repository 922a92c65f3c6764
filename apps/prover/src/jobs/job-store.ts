import { Injectable } from '@nestjs/common';
import type { ClaimHandle, ProofJob, ProofJobClaim, ProofJobEvent, ProblemPayload } from '@svc/contracts';
import { problem } from '@svc/platform';
import { DataSource } from 'typeorm';
import {
  isEnded,
  type JobEvent,
  type JobPayment,
  type JobSnapshot,
  QUEUED,
  transition,
} from './job-state.js';

/** A job whose process has not been heard of for this long has lost it. */
export const JOB_LEASE_SECONDS = 30;
/** How long a job can be asked for: as long as its proof. */
export const JOB_RETENTION_DAYS = 30;

/** A job as it is recorded. */
export interface StoredJob extends JobSnapshot {
  readonly jobId: string;
  readonly operationId: string;
  readonly claim: ProofJobClaim;
  readonly result?: Record<string, unknown>;
  readonly createdAt: Date;
  readonly startedAt?: Date;
  readonly endedAt?: Date;
  /** Its process has been silent for longer than its lease. */
  readonly isForsaken: boolean;
}

type Row = Record<string, unknown>;
const COLUMNS = `job_id, operation_id, state, seq, stages_begun, stage, payment, claim_id, claim_attempt,
  receipt, can_be_given_up, proof_id, result, problem, created_at, started_at, ended_at,
  lease_until < now() AS is_forsaken`;

/**
 * The jobs in Postgres, where every replica sees them. A change is made only on the state that it was
 * decided on: of two replicas that change a job at once, one is told to look again.
 */
@Injectable()
export class JobStore {
  constructor(private readonly dataSource: DataSource) {}

  /** Records a new job and its first event; false where the id is taken. */
  async create(jobId: string, operationId: string, claim: ProofJobClaim): Promise<boolean> {
    const rows: Row[] = await this.dataSource.query(
      `WITH job AS (
         INSERT INTO proof_job (job_id, operation_id, state, seq, stages_begun, payment, claim_id,
           claim_attempt, receipt, can_be_given_up, lease_until)
         VALUES ($1, $2, 'queued', 1, 0, 'held', $3, $4, $5, $8, now() + make_interval(secs => $6))
         ON CONFLICT (job_id) DO NOTHING RETURNING job_id
       )
       INSERT INTO proof_job_event (job_id, seq, event) SELECT job_id, 1, $7::jsonb FROM job RETURNING job_id`,
      [
        jobId,
        operationId,
        claim.claimId,
        claim.attempt,
        claim.receipt,
        JOB_LEASE_SECONDS,
        eventOf(QUEUED),
        claim.canBeGivenUp,
      ],
    );
    return rows.length === 1;
  }

  /** @throws ProblemError NOT_FOUND */
  async find(jobId: string): Promise<StoredJob> {
    const rows: Row[] = await this.dataSource.query(`SELECT ${COLUMNS} FROM proof_job WHERE job_id = $1`, [
      jobId,
    ]);
    if (rows[0]) return jobOf(rows[0]);
    throw problem('NOT_FOUND', `No job has this id; jobs are kept for ${JOB_RETENTION_DAYS} days`);
  }

  /** The id of the job that holds a claim, where one does. */
  async idOfHolder({ claimId, attempt }: ClaimHandle): Promise<string | undefined> {
    const rows: { job_id: string }[] = await this.dataSource.query(
      `SELECT job_id FROM proof_job
        WHERE payment IN ('held', 'delivery-due', 'return-due') AND claim_id = $1 AND claim_attempt = $2`,
      [claimId, attempt],
    );
    return rows[0]?.job_id;
  }

  /**
   * Applies an event to a job as it stands now and records it. Returns the job after it, or undefined
   * where the event changes nothing any more.
   * @param result the answer but for the proof, with `succeeded`
   * @throws ProblemError NOT_FOUND
   */
  async apply(
    jobId: string,
    event: JobEvent,
    result?: Record<string, unknown>,
  ): Promise<StoredJob | undefined> {
    for (;;) {
      const job = await this.find(jobId);
      const isLapse = event.type === 'lease-lapsed';
      const next = isLapse && !job.isForsaken ? undefined : transition(job, event);
      if (!next) return undefined;
      if (await this.record(job, next, isLapse, result))
        return { ...job, ...next, ...(result ? { result } : {}) };
    }
  }

  private async record(
    before: StoredJob,
    next: JobSnapshot,
    isLapse: boolean,
    result: Record<string, unknown> | undefined,
  ): Promise<boolean> {
    const rows: Row[] = await this.dataSource.query(
      `WITH job AS (
         UPDATE proof_job
            SET state = $4, seq = $5, stages_begun = $6, stage = $7, payment = $8, proof_id = $9,
                result = coalesce($10, result), problem = $11,
                started_at = CASE WHEN $4 = 'running' THEN coalesce(started_at, now()) ELSE started_at END,
                ended_at = CASE WHEN $12 THEN coalesce(ended_at, now()) END
          WHERE job_id = $1 AND seq = $2 AND payment = $3 AND (lease_until < now() OR NOT $14::boolean)
          RETURNING job_id
       ), logged AS (
         INSERT INTO proof_job_event (job_id, seq, event) SELECT job_id, $5, $13::jsonb FROM job WHERE $5 > $2
       )
       SELECT job_id FROM job`,
      [
        before.jobId,
        before.seq,
        before.payment,
        next.state,
        next.seq,
        next.stagesBegun,
        next.stage ?? null,
        next.payment,
        next.proofId ?? null,
        result ? JSON.stringify(result) : null,
        next.problem ? JSON.stringify(next.problem) : null,
        isEnded(next),
        eventOf(next),
        // A lease may be renewed between the look at it and now, which changes nothing else of the row.
        isLapse,
      ],
    );
    return rows.length === 1;
  }

  /** The events after `after`, in order. */
  async eventsAfter(jobId: string, after: number): Promise<ProofJobEvent[]> {
    const rows: { seq: number; at: Date; event: Omit<ProofJobEvent, 'seq' | 'at'> }[] =
      await this.dataSource.query(
        'SELECT seq, at, event FROM proof_job_event WHERE job_id = $1 AND seq > $2 ORDER BY seq',
        [jobId, after],
      );
    return rows.map(({ seq, at, event }) => ({ ...event, seq, at: at.toISOString() }));
  }

  /**
   * Says that this process still works on the jobs, and returns those of them that go on, and how:
   * the work of one that is missing has been ended by another replica.
   */
  async renewLeases(jobIds: readonly string[]): Promise<Map<string, ProofJob['state']>> {
    const [rows]: [{ job_id: string; state: ProofJob['state'] }[], number] = await this.dataSource.query(
      `UPDATE proof_job SET lease_until = now() + make_interval(secs => $2)
        WHERE job_id = ANY($1) AND payment = 'held' RETURNING job_id, state`,
      [[...jobIds], JOB_LEASE_SECONDS],
    );
    return new Map(rows.map(row => [row.job_id, row.state]));
  }

  /** Jobs that nobody works on any more, and jobs that have ended and whose payment is not settled. */
  async neglected(limit: number): Promise<StoredJob[]> {
    const rows: Row[] = await this.dataSource.query(
      `SELECT ${COLUMNS} FROM proof_job
        WHERE payment IN ('held', 'delivery-due', 'return-due') AND lease_until < now()
        ORDER BY lease_until LIMIT $1`,
      [limit],
    );
    return rows.map(jobOf);
  }

  /** Puts a job whose payment could not be settled behind the others that are to be attended to. */
  async postpone(jobId: string): Promise<void> {
    await this.dataSource.query(
      `UPDATE proof_job SET lease_until = now() WHERE job_id = $1 AND state = 'settling'`,
      [jobId],
    );
  }

  /** Deletes what is older than the retention, with its events, and returns how many jobs went. */
  async purgeExpired(retentionDays = JOB_RETENTION_DAYS): Promise<number> {
    const [, count] = await this.dataSource.query(
      `DELETE FROM proof_job WHERE payment IN ('delivered', 'returned', 'superseded')
          AND created_at < now() - make_interval(days => $1)`,
      [retentionDays],
    );
    return count as number;
  }
}

/** What the stream of events says of a job as it stands. */
function eventOf(job: JobSnapshot): string {
  const { state, proofId, problem: fault } = job;
  return JSON.stringify({ state, ...progressOf(job), proofId, problem: fault });
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

function jobOf(row: Row): StoredJob {
  return {
    jobId: row.job_id as string,
    operationId: row.operation_id as string,
    state: row.state as StoredJob['state'],
    seq: row.seq as number,
    stagesBegun: row.stages_begun as number,
    stage: (row.stage as string | null) ?? undefined,
    payment: row.payment as JobPayment,
    claim: {
      claimId: row.claim_id as string,
      attempt: row.claim_attempt as number,
      receipt: row.receipt as string,
      canBeGivenUp: row.can_be_given_up as boolean,
    },
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
