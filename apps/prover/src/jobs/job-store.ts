import { Inject, Injectable, Optional } from '@nestjs/common';
import {
  type ClaimHandle,
  type ProofJob,
  type ProofJobClaim,
  proofJobEvent,
  type ProofJobEvent,
} from '@svc/contracts';
import { EventOutbox, inTransaction, problem, SealedJson } from '@svc/platform';
import { DataSource } from 'typeorm';
import type { SizeClass } from '../prove/proof-queue.js';
import {
  claimOf,
  JOB_COLUMNS,
  jobOf,
  type JobRow,
  progressOf,
  type StoredJob,
  streamEventOf,
} from './job-rows.js';
import { isEnded, type JobEvent, type JobSnapshot, QUEUED, transition } from './job-state.js';

/** A run whose process has not been heard of for this long has lost its job. */
export const JOB_LEASE_SECONDS = 15;
/** How long a job can be asked for: as long as its proof. */
export const JOB_RETENTION_DAYS = 30;

/** A job that is to be recorded. */
export interface NewJob {
  readonly jobId: string;
  readonly operationId: string;
  readonly claim: ProofJobClaim;
  readonly sizeClass: SizeClass;
  /** Whose turn it takes; empty, as without one, for nobody's in particular. */
  readonly turnSubject?: string;
  readonly sealedOrder: Buffer;
}

/** A job that waits, as the queue has to know it. */
export interface WaitingJob {
  readonly jobId: string;
  readonly run: number;
  readonly sizeClass: SizeClass;
}

/** A job that waits, and whose turn it takes. */
export interface JobInTurn {
  readonly jobId: string;
  readonly run: number;
  readonly turnSubject: string;
}

/** A job that waits or runs, and the claim on the payment that it holds. */
export interface HeldPayment {
  readonly jobId: string;
  readonly claim: ProofJobClaim;
}

type Queries = Pick<DataSource, 'query'>;

/** Token of what results are sealed with. */
export const JOB_RESULTS = Symbol('JOB_RESULTS');

/**
 * The jobs in Postgres, where every replica sees them. A change is made only on the state that it was
 * decided on: of two replicas that change a job at once, one is told to look again.
 */
@Injectable()
export class JobStore {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: EventOutbox,
    @Optional() @Inject(JOB_RESULTS) private readonly results?: SealedJson,
  ) {}

  /** Records a new job, what it was asked, and its first event; false where the id is taken. */
  async create(job: NewJob): Promise<boolean> {
    const { jobId, operationId, claim, sizeClass, turnSubject = '', sealedOrder } = job;
    const isNew = await inTransaction(this.dataSource, async manager => {
      const rows: JobRow[] = await manager.query(
        `WITH job AS (
           INSERT INTO proof_job (job_id, operation_id, state, seq, stages_begun, payment, claim_id, claim_attempt,
             receipt, can_be_given_up, lease_until, size_class, turn_subject, sealed_order, payment_renewed_at)
           -- The call that it came with holds the payment for seconds: it is renewed in the next round.
           VALUES ($1, $2, 'queued', 1, 0, 'held', $3, $4, $5, $6, now(), $7, $8, $9, '-infinity')
           ON CONFLICT (job_id) DO NOTHING RETURNING job_id, created_at
         ), logged AS (
           INSERT INTO proof_job_event (job_id, seq, event) SELECT job_id, 1, $10::jsonb FROM job
         )
         SELECT created_at FROM job`,
        [
          ...[jobId, operationId, claim.claimId, claim.attempt, claim.receipt, claim.canBeGivenUp],
          ...[sizeClass, turnSubject, sealedOrder, streamEventOf(QUEUED)],
        ],
      );
      if (rows[0]) await this.tell(manager, { ...QUEUED, jobId, operationId }, rows[0].created_at as Date);
      return rows.length === 1;
    });
    if (isNew) this.outbox.wake();
    return isNew;
  }

  /** @throws ProblemError NOT_FOUND */
  async find(jobId: string): Promise<StoredJob> {
    const rows: JobRow[] = await this.dataSource.query(
      `SELECT ${JOB_COLUMNS} FROM proof_job WHERE job_id = $1`,
      [jobId],
    );
    if (rows[0]) return this.jobOf(rows[0]);
    throw problem('NOT_FOUND', `No job has this id; jobs are kept for ${JOB_RETENTION_DAYS} days`);
  }

  /** What a job was asked, sealed; undefined where it is not kept any more. */
  async sealedOrderOf(jobId: string): Promise<Buffer | undefined> {
    const rows: { sealed_order: Buffer | null }[] = await this.dataSource.query(
      'SELECT sealed_order FROM proof_job WHERE job_id = $1',
      [jobId],
    );
    return rows[0]?.sealed_order ?? undefined;
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
   * The job whose turn is next, of those of a class that wait: callers go round in the order of their subjects, and of each the oldest
   * job goes first.
   * @param after whose turn was last
   * @param but jobs that are left out
   */
  async nextInTurn(
    sizeClass: SizeClass,
    after: string,
    but: readonly string[],
  ): Promise<JobInTurn | undefined> {
    const oldest = (round: number, which: string) =>
      `(SELECT job_id, run, turn_subject, ${round} AS round FROM proof_job
         WHERE state = 'queued' AND sealed_order IS NOT NULL AND size_class = $1 AND turn_subject ${which} $2
           AND job_id <> ALL ($3)
         ORDER BY turn_subject, created_at LIMIT 1)`;
    const rows: JobInTurn[] = await this.dataSource.query(
      `SELECT job_id AS "jobId", run, turn_subject AS "turnSubject"
         FROM (${oldest(0, '>')} UNION ALL ${oldest(1, '<=')}) AS next ORDER BY round LIMIT 1`,
      [sizeClass, after, but],
    );
    return rows[0];
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
      const after = { ...job, ...next, ...(result ? { result } : {}) };
      if (await this.record(job, after, isLapse)) return after;
    }
  }

  private async record(before: StoredJob, next: StoredJob, isLapse: boolean): Promise<boolean> {
    // Each stage costs one statement; other consumers are told where the job's state changes.
    if (next.state === before.state)
      return (await this.update(this.dataSource, before, next, isLapse)) !== undefined;
    const isRecorded = await inTransaction(this.dataSource, async manager => {
      const at = await this.update(manager, before, next, isLapse);
      if (at) await this.tell(manager, next, at);
      return at !== undefined;
    });
    if (isRecorded) this.outbox.wake();
    return isRecorded;
  }

  /** The evidence in a result has a digest of the request: what is short is found from it by trying. */
  private sealed({ jobId, result }: StoredJob): object | undefined {
    if (result === undefined || '$sealed' in result) return result;
    return this.results?.sealObject(result, jobId) ?? result;
  }

  /** A job with its result opened; as it lies there, where its secret has been taken out of the configuration. */
  private jobOf(row: JobRow): StoredJob {
    const job = jobOf(row);
    try {
      const result = this.results?.openObject(job.result, job.jobId) ?? job.result;
      return { ...job, result: result as StoredJob['result'] };
    } catch {
      return job;
    }
  }

  /** Makes a change where the job is still what it was; the time of the change then. */
  private async update(
    queries: Queries,
    before: StoredJob,
    next: StoredJob,
    isLapse: boolean,
  ): Promise<Date | undefined> {
    const rows: { at: Date }[] = await queries.query(
      `WITH job AS (
         UPDATE proof_job
            SET state = $4, seq = $5, stages_begun = $6, stage = $7, payment = $8, proof_id = $9,
                result = $10, problem = $11, run = $15, begins = $16,
                sealed_order = CASE WHEN $17 THEN sealed_order END,
                lease_until = CASE WHEN $4 = state THEN lease_until ELSE now() + make_interval(secs => $18) END,
                started_at = CASE WHEN $4 = 'running' THEN coalesce(started_at, now()) ELSE started_at END,
                ended_at = CASE WHEN $12 THEN coalesce(ended_at, now()) END
          WHERE job_id = $1 AND seq = $2 AND payment = $3 AND (lease_until < now() OR NOT $14::boolean)
          RETURNING job_id
       ), logged AS (
         INSERT INTO proof_job_event (job_id, seq, event) SELECT job_id, $5, $13::jsonb FROM job WHERE $5 > $2
       )
       SELECT now() AS at FROM job`,
      [
        ...[before.jobId, before.seq, before.payment, next.state, next.seq, next.stagesBegun],
        ...[next.stage ?? null, next.payment, next.proofId ?? null],
        ...[this.sealed(next), next.problem].map(json => (json === undefined ? null : JSON.stringify(json))),
        isEnded(next),
        streamEventOf(next),
        // A lease may be renewed between the look at it and now, which changes nothing else of the row.
        isLapse,
        ...[next.run, next.begins, next.isKept && !isEnded(next), JOB_LEASE_SECONDS],
      ],
    );
    return rows[0]?.at;
  }

  /** Leaves an event for other services, in the transaction of the change. */
  private tell(
    queries: Queries,
    job: JobSnapshot & Pick<StoredJob, 'jobId' | 'operationId'>,
    at: Date,
  ): Promise<void> {
    const { jobId, operationId, seq, state, proofId, problem: fault } = job;
    const { stagesDone, stageCount } = progressOf(job);
    const payment = job.payment === 'delivery-due' || job.payment === 'return-due' ? 'held' : job.payment;
    const data = {
      ...{ jobId, operationId, seq, at: at.toISOString(), state, stagesDone, stageCount, payment },
      ...(proofId === undefined ? {} : { proofId }),
      ...(fault === undefined ? {} : { problemCode: fault.code }),
    };
    return this.outbox.add(queries, [proofJobEvent(data)]);
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
   * Says that runs go on, and returns how the jobs stand of those that are still what they were: the job of one that is
   * missing has ended, or is another run's.
   */
  async renewLeases(
    runs: readonly Pick<WaitingJob, 'jobId' | 'run'>[],
  ): Promise<Map<string, ProofJob['state']>> {
    const [rows]: [{ job_id: string; state: ProofJob['state'] }[], number] = await this.dataSource.query(
      `UPDATE proof_job AS job SET lease_until = now() + make_interval(secs => $3)
         FROM unnest($1::text[], $2::integer[]) AS mine (job_id, run)
        WHERE job.job_id = mine.job_id AND job.run = mine.run AND job.payment = 'held'
        RETURNING job.job_id, job.state`,
      [runs.map(({ jobId }) => jobId), runs.map(({ run }) => run), JOB_LEASE_SECONDS],
    );
    return new Map(rows.map(row => [row.job_id, row.state]));
  }

  /** Jobs that nobody works on any more, and jobs that have ended and whose payment is not settled. */
  async neglected(limit: number): Promise<StoredJob[]> {
    const rows: JobRow[] = await this.dataSource.query(
      `SELECT ${JOB_COLUMNS} FROM proof_job
        WHERE payment IN ('held', 'delivery-due', 'return-due') AND lease_until < now()
          AND NOT (state = 'queued' AND sealed_order IS NOT NULL)
        ORDER BY lease_until LIMIT $1`,
      [limit],
    );
    return rows.map(row => this.jobOf(row));
  }

  /** Puts a job whose payment could not be settled behind the others that are to be attended to. */
  async postpone(jobId: string): Promise<void> {
    await this.dataSource.query(
      `UPDATE proof_job SET lease_until = now() WHERE job_id = $1 AND state = 'settling'`,
      [jobId],
    );
  }

  /** Takes the jobs whose payments are to be renewed by now: each is taken by one replica. */
  async takeRenewals(afterSeconds: number, limit: number): Promise<HeldPayment[]> {
    const [rows]: [JobRow[], number] = await this.dataSource.query(
      `UPDATE proof_job SET payment_renewed_at = now()
        WHERE job_id IN (
          SELECT job_id FROM proof_job
           WHERE payment = 'held' AND payment_renewed_at < now() - make_interval(secs => $1)
           ORDER BY payment_renewed_at LIMIT $2 FOR UPDATE SKIP LOCKED)
        RETURNING job_id, claim_id, claim_attempt, receipt, can_be_given_up`,
      [afterSeconds, limit],
    );
    return rows.map(row => ({ jobId: row.job_id as string, claim: claimOf(row) }));
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
