import { Inject, Injectable } from '@nestjs/common';
import {
  problem,
  SERVICE_ENVIRONMENT,
  type ServiceEnvironment,
  WORK_QUEUE,
  type WorkConsumer,
  type WorkHandler,
  type WorkQueue,
} from '@svc/platform';
import { DataSource } from 'typeorm';
import { SIZE_CLASSES, type SizeClass } from '../prove/proof-queue.js';
import { JOB_LEASE_SECONDS, type WaitingJob } from './job-store.js';

/** How many jobs of a class may wait, over all replicas. */
export const QUEUED_MAX: Readonly<Record<SizeClass, number>> = { small: 4_096, medium: 512, large: 64 };
/** How many jobs of a class one replica has taken at once: one is made, the others are read, attested or delivered. */
const CONCURRENCY: Readonly<Record<SizeClass, number>> = { small: 4, medium: 2, large: 1 };
/** How often a job may be handed to a process that dies before it begins it. */
const DELIVERIES_MAX = 5;
const ADDED_AT_ONCE = 256;
/** What was put in the queue within this time is in it: it is not added again, seconds. */
const ADDED_ANEW_AFTER_SECONDS = 30;
/** What a client that is refused may wait, seconds. */
const RETRY_AFTER_SECONDS = 10;

/** Where a job waits, and whose it is. */
export interface Place {
  readonly sizeClass: SizeClass;
  readonly subject: string;
}

const queueOf = (sizeClass: SizeClass) => `proofs-${sizeClass}`;

/**
 * Brings the jobs that wait in Postgres to the work queue that the replicas share, a queue for each class of size. A job is
 * recorded first and added afterwards; what was not added then is added by {@link addMissing}. The id of a piece of work is
 * that of the job and of the run before it: added twice it is there once, and once it was begun an old piece begins nothing.
 */
@Injectable()
export class JobQueue {
  /** Places of jobs that are about to be recorded: no count has them yet. */
  private readonly taking = new Set<Place>();
  /** For each count that is under way the places whose jobs were recorded meanwhile: it may have looked before. */
  private readonly counts = new Set<Place[]>();

  constructor(
    private readonly dataSource: DataSource,
    @Inject(WORK_QUEUE) private readonly queue: WorkQueue,
    @Inject(SERVICE_ENVIRONMENT) private readonly environment: ServiceEnvironment,
  ) {}

  /**
   * A caller may have as many jobs of a class waiting as places are free: half of them where it is alone, else its share.
   * @param taken is called where there is room, in the same turn of the event loop
   * @throws ProblemError QUEUE_FULL
   */
  async assertRoom(place: Place, taken: () => void = () => undefined): Promise<void> {
    const recorded: Place[] = [];
    this.counts.add(recorded);
    try {
      const counted = await this.counted(place);
      // No wait between these two: of calls that come at once one is before the other.
      this.assertRoomBeside(counted, [...this.taking, ...recorded], place);
      taken();
    } finally {
      this.counts.delete(recorded);
    }
  }

  /**
   * Records a job where there is room for it. It has its place from now on, so that of many at once no more are taken than may be;
   * other replicas see it once it is recorded.
   * @throws ProblemError QUEUE_FULL
   */
  async take<T>(place: Place, record: () => Promise<T>): Promise<T> {
    await this.assertRoom(place, () => this.taking.add(place));
    try {
      return await record();
    } finally {
      this.taking.delete(place);
      for (const others of this.counts) others.push(place);
    }
  }

  /** Jobs of the class that wait, of all callers and of this one. */
  private async counted({ sizeClass, subject }: Place): Promise<{ count: number; own: number }> {
    const rows: { count: number; own: number }[] = await this.dataSource.query(
      `SELECT count(*)::integer AS count, (count(*) FILTER (WHERE turn_subject = $2))::integer AS own
         FROM proof_job WHERE state = 'queued' AND sealed_order IS NOT NULL AND size_class = $1`,
      [sizeClass, subject],
    );
    return rows[0];
  }

  private assertRoomBeside(
    waiting: { count: number; own: number },
    taken: readonly Place[],
    { sizeClass, subject }: Place,
  ): void {
    const others = taken.filter(place => place.sizeClass === sizeClass);
    const count = waiting.count + others.length;
    const own = waiting.own + others.filter(place => place.subject === subject).length;
    const max = QUEUED_MAX[sizeClass];
    const free = max - count;
    if (own < free) return;
    const share = Math.max(0, Math.ceil((free + own) / 2));
    throw problem(
      'QUEUE_FULL',
      `${count} jobs of this size wait, of at most ${max}; ${own} of them are of this caller, whose share is ${share} now`,
      { retryAfterSeconds: RETRY_AFTER_SECONDS, extensions: { queueMax: max, share } },
    );
  }

  /** Never rejects: what could not be added is added later. */
  async add(jobs: readonly WaitingJob[]): Promise<void> {
    const added: WaitingJob[] = [];
    await Promise.all(
      jobs.map(async job => {
        const { jobId, run, sizeClass } = job;
        const data = Buffer.from(JSON.stringify({ jobId, run }), 'utf8');
        try {
          await this.queue.add({ queue: queueOf(sizeClass), id: `${jobId}.${run}`, data });
          added.push(job);
        } catch (error) {
          this.warn(error, 'A job could not be put in the queue yet');
        }
      }),
    );
    if (added.length === 0) return;
    await this.markAdded(added).catch((error: unknown) =>
      this.warn(error, 'That jobs are in the queue was not recorded'),
    );
  }

  /** Adds what waits and is not in the queue. */
  async addMissing(): Promise<void> {
    const rows: { job_id: string; run: number; size_class: SizeClass }[] = await this.dataSource.query(
      `SELECT job_id, run, size_class FROM proof_job
        WHERE state = 'queued' AND sealed_order IS NOT NULL AND added_run < run
        ORDER BY created_at LIMIT $1`,
      [ADDED_AT_ONCE],
    );
    await this.add(rows.map(row => ({ jobId: row.job_id, run: row.run, sizeClass: row.size_class })));
  }

  /** What waits counts as not added from now on: a queue within a process begins empty with it. */
  async forget(olderThanSeconds = 0, sizeClasses: readonly SizeClass[] = SIZE_CLASSES): Promise<void> {
    await this.dataSource.query(
      `UPDATE proof_job SET added_run = -1
        WHERE state = 'queued' AND sealed_order IS NOT NULL AND size_class = ANY($2)
          AND added_at <= now() - make_interval(secs => $1)`,
      [olderThanSeconds, [...sizeClasses]],
    );
  }

  /**
   * Looks whether the queue holds all that was put into it, the newest too, which would hide the loss of older ones, and has it
   * added again where it does not: a queue can be lost. A job that is taken up at this moment costs a repetition at the most.
   */
  async compare(): Promise<void> {
    const rows: { size_class: SizeClass; count: number }[] = await this.dataSource.query(
      `SELECT size_class, count(*)::integer AS count FROM proof_job
        WHERE state = 'queued' AND sealed_order IS NOT NULL AND added_run = run
        GROUP BY size_class`,
    );
    for (const { size_class: sizeClass, count } of rows)
      if ((await this.queue.depth(queueOf(sizeClass))) < count)
        await this.forget(ADDED_ANEW_AFTER_SECONDS, [sizeClass]);
  }

  /** Jobs of a class are handed to the handler from now on. @throws ProblemError SERVICE_UNAVAILABLE */
  consume(sizeClass: SizeClass, handler: WorkHandler): Promise<WorkConsumer> {
    return this.queue.consume(
      {
        queue: queueOf(sizeClass),
        concurrency: CONCURRENCY[sizeClass],
        deliveriesMax: DELIVERIES_MAX,
        ackWaitMs: JOB_LEASE_SECONDS * 1_000,
      },
      handler,
    );
  }

  /** What was handed over too often and never begun is handed to the handler. @throws ProblemError SERVICE_UNAVAILABLE */
  consumeDead(sizeClass: SizeClass, handler: WorkHandler): Promise<WorkConsumer> {
    return this.queue.consumeDead(queueOf(sizeClass), handler);
  }

  private async markAdded(jobs: readonly WaitingJob[]): Promise<void> {
    await this.dataSource.query(
      `UPDATE proof_job AS job SET added_run = mine.run, added_at = now()
         FROM unnest($1::text[], $2::integer[]) AS mine (job_id, run)
        WHERE job.job_id = mine.job_id AND job.run = mine.run AND job.state = 'queued'`,
      [jobs.map(({ jobId }) => jobId), jobs.map(({ run }) => run)],
    );
  }

  private warn(error: unknown, message: string): void {
    this.environment.logger.warn({ reason: (error as Error).message }, message);
  }
}
