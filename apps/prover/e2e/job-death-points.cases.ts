import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ProofJobClaim } from '@svc/contracts';
import { setTimeout as delay } from 'node:timers/promises';
import { JobQueue } from '../src/jobs/job-queue.js';
import type { StoredJob } from '../src/jobs/job-rows.js';
import { isEnded, type JobEvent } from '../src/jobs/job-state.js';
import { JobStore, type WaitingJob } from '../src/jobs/job-store.js';
import type { Opening } from '../src/prove/stark-prove.service.js';
import { JobProcess, type JobsOnPostgres, ORDER, startJobsOnPostgres } from './jobs-on-postgres.js';

/** Where a process dies at a job, and how often the job is begun until it has its proof. */
const POINTS = {
  'before add': 1,
  'before begun': 1,
  'after begun': 2,
  // The proof is kept by then.
  'before succeeded': 2,
  'after succeeded': 1,
  // The payment is delivered by then.
  'before settled': 1,
} as const;
type Point = keyof typeof POINTS;

const CANCELLED = 'cancelled while it runs';
const pointOf = new Map<string, Point>();
const reached = new Set<string>();

/** Never comes back from the point of a job, as a process that is killed there. */
function dieAt(jobId: string, point: string): Promise<void> {
  if (pointOf.get(jobId) !== point) return Promise.resolve();
  reached.add(jobId);
  return new Promise(() => undefined);
}

let isDead = false;

class DoomedStore extends JobStore {
  override async apply(jobId: string, event: JobEvent, result?: Record<string, unknown>) {
    await dieAt(jobId, `before ${event.type}`);
    const after = await super.apply(jobId, event, result);
    await dieAt(jobId, `after ${event.type}`);
    return after;
  }
  override renewLeases(runs: readonly Pick<WaitingJob, 'jobId' | 'run'>[]) {
    return isDead ? new Promise<never>(() => undefined) : super.renewLeases(runs);
  }
}

class DoomedQueue extends JobQueue {
  override async add(jobs: readonly WaitingJob[]): Promise<void> {
    for (const { jobId } of jobs) await dieAt(jobId, 'before add');
    await super.add(jobs);
  }
}

interface Ordered {
  readonly jobId: string;
  readonly claim: ProofJobClaim;
  readonly opening: Opening | undefined;
}

let jobs: JobsOnPostgres;
const ordered = new Map<Point | typeof CANCELLED, Ordered>();
const ended = (jobId: string): Promise<StoredJob> => new JobStore(jobs.database, null!).find(jobId);

export function describeJobDeathPoints(): void {
  describe('job death points', () => {
    beforeAll(async () => {
      jobs = await startJobsOnPostgres();
      // Two, since one makes four at once and each of these stays in its hands.
      const parts = { Store: DoomedStore, Queue: DoomedQueue, ackWaitMs: 4_000 };
      const doomed = [0, 1].map(() => new JobProcess(jobs, parts));
      for (const { link, worker } of doomed) {
        await link.connect();
        worker.onApplicationBootstrap();
      }
      for (const [i, name] of [...(Object.keys(POINTS) as Point[]), CANCELLED].entries()) {
        const jobId = `job_${String.fromCharCode(65 + i).repeat(22)}`;
        pointOf.set(jobId, name === CANCELLED ? 'after begun' : (name as Point));
        const claim = jobs.payments.claim();
        const { opening } = await doomed[0].service.start({ jobId, claim, order: ORDER });
        ordered.set(name as Point, { jobId, claim, opening });
      }
      while (reached.size < ordered.size) await delay(10);
      await doomed[0].store.apply(ordered.get(CANCELLED)!.jobId, { type: 'cancel-requested' });
      isDead = true;
      for (const { link, worker } of doomed) {
        await link.close();
        // A dead process says nothing of what it holds, which never comes back and is not waited for.
        clearInterval(worker['timer']);
        void worker.beforeApplicationShutdown();
      }
      // As if the time of their leases had passed.
      await jobs.database.query(`UPDATE proof_job SET lease_until = now() - interval '1 s'`);
      await jobs.startProver();
      for (const { jobId } of ordered.values()) while (!isEnded(await ended(jobId))) await delay(50);
    });
    afterAll(() => jobs?.close());

    it.each(Object.entries(POINTS))(
      'a job whose process dies %s is made and delivered once, with the opening that was told',
      async (point, begins) => {
        const { jobId, claim, opening } = ordered.get(point as Point)!;
        const job = await ended(jobId);
        expect(job).toMatchObject({ state: 'succeeded', payment: 'delivered', begins, isKept: false });
        const { state, moves, answer } = jobs.payments.of(claim);
        expect([state, moves]).toEqual(['delivered', 1]);
        expect(opening).toEqual({ salt: expect.any(String) });
        expect(answer).toMatchObject({ proofId: job.proofId, opening });
        const proofs: unknown[] = await jobs.database.query('SELECT 1 FROM proof WHERE proof_id = $1', [
          job.proofId,
        ]);
        expect(proofs).toHaveLength(1);
      },
    );

    it('a job that was cancelled while its process died is cancelled, and its payment given up once', async () => {
      const { jobId, claim } = ordered.get(CANCELLED)!;
      expect(await ended(jobId)).toMatchObject({
        state: 'cancelled',
        payment: 'returned',
        begins: 1,
        isKept: false,
      });
      expect(jobs.payments.of(claim)).toMatchObject({ state: 'released', moves: 1, givenUp: true });
    });
  });
}
