import 'reflect-metadata';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { problemOf, runInTurn } from '@svc/platform';
import { JobQueue, QUEUED_MAX } from '../src/jobs/job-queue.js';
import { isEnded } from '../src/jobs/job-state.js';
import { JobStore } from '../src/jobs/job-store.js';
import {
  type JobParts,
  JobProcess,
  type JobsOnPostgres,
  ORDER,
  startJobsOnPostgres,
} from './jobs-on-postgres.js';

const QUEUE = 'proofs-small';
const jobIdOf = (name: string) => `job_${name.padEnd(22, 'A')}`;

export function describeJobQueue(): void {
  describe('the jobs that wait', () => {
    let jobs: JobsOnPostgres;
    beforeAll(async () => {
      jobs = await startJobsOnPostgres();
    });
    afterAll(() => jobs?.close());
    beforeEach(() => jobs.database.query('DELETE FROM proof_job'));

    /** A process that makes nothing until its worker is started. */
    const opened = async (secrets?: Readonly<Record<string, string>>, parts: JobParts = {}) => {
      const process = new JobProcess(jobs, parts, secrets);
      await process.link.connect();
      return process;
    };
    const start = async (process: JobProcess, name: string) => {
      const claim = jobs.payments.claim();
      await process.service.start({ jobId: jobIdOf(name), claim, order: ORDER });
      return { jobId: jobIdOf(name), claim };
    };
    const startOf = (subject: string, process: JobProcess, name: string) =>
      runInTurn({ subject, standing: 'settled' }, () => start(process, name));
    const admitOf = (subject: string, process: JobProcess) =>
      runInTurn({ subject, standing: 'claiming' }, () => process.service.admit(ORDER));
    /** So many more of whoever has jobs, each as many times. */
    const multiply = (count: number) =>
      jobs.database.query(
        `INSERT INTO proof_job (job_id, operation_id, state, seq, stages_begun, payment, claim_id, claim_attempt, receipt,
           can_be_given_up, lease_until, size_class, turn_subject, sealed_order)
         SELECT 'job_' || lpad(n::text, 22, '0'), operation_id, state, seq, 0, payment, gen_random_uuid(), 1, '', true, now(),
                size_class, turn_subject, sealed_order FROM proof_job, generate_series(1, $1) n`,
        [count],
      );
    const addedRuns = async (): Promise<number[]> =>
      (await jobs.database.query('SELECT added_run FROM proof_job ORDER BY job_id')).map(
        ({ added_run }: { added_run: number }) => added_run,
      );

    it('are refused beyond as many as are taken, but for one that is asked for again', async () => {
      const process = await opened();
      const { jobId, claim } = await start(process, 'known');
      await multiply(QUEUED_MAX.small - 1);
      const refused = { code: 'QUEUE_FULL' };
      await expect(process.service.admit(ORDER)).rejects.toMatchObject(refused);
      await expect(start(process, 'late')).rejects.toMatchObject(refused);
      expect(await process.service.start({ jobId, claim, order: ORDER })).toMatchObject({
        jobId,
        state: 'queued',
      });
    });

    it('are half of the places at most of one caller, which is refused before it pays and after; another has its place', async () => {
      const process = await opened();
      const { jobId, claim } = await startOf('loud', process, 'known');
      await multiply(QUEUED_MAX.small / 2 - 3);
      // At once: each that is taken counts before it is recorded.
      const names = ['one', 'two', 'three', 'four', 'five', 'six'];
      const asked = await Promise.allSettled(names.map(name => startOf('loud', process, name)));
      expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
      const share = QUEUED_MAX.small / 2;
      // What another process recorded counts as well.
      const other = await opened();
      for (const refusal of [
        admitOf('loud', process),
        admitOf('loud', other),
        startOf('loud', other, 'late'),
      ])
        expect((await problemOf(refusal)).payload).toMatchObject({
          code: 'QUEUE_FULL',
          detail: expect.stringContaining(`${share} of them are of this caller, whose share is ${share} now`),
          extensions: { queueMax: QUEUED_MAX.small, share },
        });
      const again = () => process.service.start({ jobId, claim, order: ORDER });
      expect(await runInTurn({ subject: 'loud', standing: 'settled' }, again)).toMatchObject({ jobId });
      await admitOf('quiet', other);
      await startOf('quiet', other, 'quiet');
    });

    it('take turns: one that came last is not behind all of another caller’s', async () => {
      const begun: string[] = [];
      class Watched extends JobStore {
        override async apply(...[jobId, event, result]: Parameters<JobStore['apply']>) {
          if (event.type === 'begun') begun.push(jobId);
          return super.apply(jobId, event, result);
        }
      }
      // One at a time, so that the order is that of the turns.
      class OneAtATime extends JobQueue {
        override consume(...[sizeClass, handler]: Parameters<JobQueue['consume']>) {
          let last: Promise<void> = Promise.resolve();
          return super.consume(sizeClass, work => (last = last.then(() => handler(work))));
        }
      }
      const process = new JobProcess(jobs, { Store: Watched, Queue: OneAtATime });
      await process.link.connect();
      for (const name of ['loud1', 'loud2', 'loud3']) await startOf('loud', process, name);
      await startOf('quiet', process, 'quiet1');
      process.worker.onApplicationBootstrap();
      for (const name of ['loud1', 'loud2', 'loud3', 'quiet1'])
        while (!isEnded(await process.store.find(jobIdOf(name)))) await delay(20);
      await process.worker.beforeApplicationShutdown();
      expect(begun).toEqual(['loud1', 'quiet1', 'loud2', 'loud3'].map(jobIdOf));
    });

    it('are added again where the queue lost them, however many new ones it has by now', async () => {
      const process = await opened();
      for (const name of ['a', 'b', 'c']) await start(process, name);
      await process.queue.addMissing();
      expect(await process.work.depth(QUEUE)).toBeGreaterThanOrEqual(3);
      // Of what is added later none hides that the first was lost.
      await jobs.database.query(
        `UPDATE proof_job SET added_at = now() - interval '1 hour' WHERE job_id = $1`,
        [jobIdOf('a')],
      );
      await process.queue.compare();
      expect(await addedRuns()).toEqual([0, 0, 0]);
      process.work.depth = async () => 2;
      await process.queue.compare();
      expect(await addedRuns()).toEqual([-1, 0, 0]);
      await process.queue.addMissing();
      expect(await addedRuns()).toEqual([0, 0, 0]);
    });

    it('end with their payment back where no process can read what they ask, and not before others could try', async () => {
      const sealing = await opened();
      const { jobId, claim } = await start(sealing, 'sealed');
      const did: string[] = [];
      class Told extends JobQueue {
        override consume(...[sizeClass, handler]: Parameters<JobQueue['consume']>) {
          return super.consume(sizeClass, async work => {
            if (work.id !== `${jobId}.0`) return;
            const { state } = await sealing.store.find(jobId);
            did.push(`tried while ${state}`);
            // It rejects, and is in the queue again: whoever has the secret could take it.
            await handler(work);
          });
        }
        override consumeDead(...[sizeClass, handler]: Parameters<JobQueue['consumeDead']>) {
          return super.consumeDead(sizeClass, work => handler(work).finally(() => did.push('put aside')));
        }
      }
      const secrets = { AUDIT_SIGNING_SEEDS: 'another-signing-secret-of-32-characters-x' };
      const reading = await opened(secrets, { Queue: Told });
      reading.worker.onApplicationBootstrap();
      while (!did.includes('put aside')) await delay(20);
      expect(did).toEqual([...Array<string>(5).fill('tried while queued'), 'put aside']);
      expect(await sealing.store.find(jobId)).toMatchObject({
        ...{ state: 'failed', payment: 'returned', begins: 0 },
        problem: { code: 'INTERNAL', detail: 'What was asked cannot be read any more' },
      });
      expect(jobs.payments.of(claim)).toMatchObject({ state: 'released', moves: 1, givenUp: false });
      await reading.worker.beforeApplicationShutdown();
    });
  });
}
