import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ProofJob, proofJobContract } from '@svc/contracts';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { JobStore } from '../src/jobs/job-store.js';
import { API_VERSION, BusClient, createLogger, EventOutbox, openBusLink, openWorkQueue } from '@svc/platform';
import { JobKeeper } from '../src/jobs/job-keeper.js';
import { JobOrders } from '../src/jobs/job-orders.js';
import { JobQueue } from '../src/jobs/job-queue.js';
import { JobSettlement } from '../src/jobs/job-settlement.js';
import { ProofStore } from '../src/proofs/proof-store.js';
import { PROVER_SECRETS, type ProverOnBus, startProverOnBus } from './prover-on-bus.js';

/** Some seconds of work. */
const LARGE = { traceData: 'large', degree: 2 ** 19 } as const;
/** Of another class than the large: made beside it. */
const SMALL = { traceData: 'small', degree: 64 } as const;
const jobIdOf = (letters: string) => `job_${letters.padEnd(22, 'A')}`;

export function describeJobSweep(): void {
  /** A prover with no payments service on its bus: nothing can be settled. */
  describe('the jobs that are found in the database', () => {
    let prover: ProverOnBus;
    let database: DataSource;
    let store: JobStore;
    let orders: JobOrders;
    beforeAll(async () => {
      prover = await startProverOnBus();
      ({ database } = prover);
      store = new JobStore(database, new EventOutbox());
      orders = new JobOrders(store, { secrets: PROVER_SECRETS });
    });
    afterAll(() => prover?.close());

    const forsake = (jobIds: readonly string[], seconds: number) =>
      database.query(
        'UPDATE proof_job SET lease_until = now() - make_interval(secs => $2) WHERE job_id = ANY($1)',
        [[...jobIds], seconds],
      );
    /** A job that a process has begun, and is silent about; of a version that kept no orders where it is not kept. */
    const begin = async (jobId: string, isKept = true) => {
      const claim = { claimId: randomUUID(), attempt: 1, receipt: '', canBeGivenUp: true };
      const sealedOrder = orders.seal(jobId, {
        order: { operationId: 'zk.prove', request: { traceData: 'swept', degree: 64, friBlowup: 8 } },
      });
      await store.create({ jobId, operationId: 'zk.prove', claim, sizeClass: 'small', sealedOrder });
      expect(await store.apply(jobId, { type: 'begun', run: 0 })).toMatchObject({ state: 'running', run: 1 });
      if (!isKept)
        await database.query('UPDATE proof_job SET sealed_order = NULL WHERE job_id = $1', [jobId]);
    };
    /** What another replica does for jobs that nobody is at, without a long pause between two looks. */
    const keeperBeside = async () => {
      const logger = createLogger('prover', { level: 'silent' });
      const { bus } = prover;
      const environment = {
        ...({
          service: 'prover',
          version: API_VERSION,
          bus,
          production: false,
          secrets: PROVER_SECRETS,
        } as const),
        ...{ logger, pace: 50 },
      };
      const link = openBusLink(bus, 'prover', logger);
      await link.connect();
      const settlement = new JobSettlement(new BusClient(link), new ProofStore(database), orders);
      const queue = new JobQueue(database, openWorkQueue(link, { owner: 'prover' }, logger), environment);
      const keeper = new JobKeeper(store, settlement, queue, environment);
      keeper.onApplicationBootstrap();
      return { stop: () => keeper.stop().finally(() => link.close()) };
    };
    const isWaiting = async () => {
      const waiting: unknown[] = await database.query(
        `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%UPDATE proof_job%'`,
      );
      return waiting.length > 0;
    };

    it('leaves a job alone that begins while the leases of the others are renewed', async () => {
      const { client } = prover;
      const start = (jobId: string, request: typeof LARGE | typeof SMALL) =>
        client.call(proofJobContract.startJob, {
          jobId,
          order: { operationId: 'zk.prove', request },
          claim: { claimId: randomUUID(), attempt: 1, receipt: '' },
        });
      const jobWhen = async (jobId: string, holds: (job: ProofJob) => boolean): Promise<ProofJob> => {
        for (;;) {
          const job = await client.call(proofJobContract.job, { jobId });
          if (holds(job)) return job;
          await delay(10);
        }
      };
      const isRenewing = async () => {
        const waiting: unknown[] = await database.query(
          `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'UPDATE proof_job AS job SET lease_until%'`,
        );
        return waiting.length > 0;
      };
      const [first, second] = [jobIdOf('A'), jobIdOf('B')];
      await start(first, LARGE);
      await jobWhen(first, ({ state }) => state === 'running');
      const lock = database.createQueryRunner();
      await lock.startTransaction();
      await lock.query('SELECT 1 FROM proof_job WHERE job_id = $1 FOR UPDATE', [first]);
      while (!(await isRenewing())) await delay(10);
      await start(second, SMALL);
      await lock.commitTransaction();
      await lock.release();
      while (await isRenewing()) await delay(10);

      // There is no payments service here, so that neither comes to its end.
      expect(await jobWhen(second, ({ state }) => state === 'settling')).toMatchObject({
        proofId: expect.any(String),
      });
      await client.call(proofJobContract.cancelJob, { jobId: first });
      await jobWhen(first, ({ state }) => state === 'settling');
    });

    it('goes on with a job whose lease is renewed while it is being given up', async () => {
      const jobId = jobIdOf('renewed');
      await begin(jobId);
      const owner = database.createQueryRunner();
      try {
        await forsake([jobId], 1);
        await owner.startTransaction();
        await owner.query('SELECT 1 FROM proof_job WHERE job_id = $1 FOR UPDATE', [jobId]);
        const given = store.apply(jobId, { type: 'lease-lapsed' });
        while (!(await isWaiting())) await delay(10);
        await owner.query(`UPDATE proof_job SET lease_until = now() + interval '60 s' WHERE job_id = $1`, [
          jobId,
        ]);
        await owner.commitTransaction();
        expect(await given).toBeUndefined();
      } finally {
        await owner.release();
      }
      expect(await store.find(jobId)).toMatchObject({
        ...{ state: 'running', run: 1, payment: 'held', isForsaken: false },
      });
    });

    it('leaves a job to the run that says it goes on, and not to an earlier one', async () => {
      const jobIds = [jobIdOf('goes-on'), jobIdOf('is-over')];
      for (const jobId of jobIds) await begin(jobId);
      await forsake(jobIds, -5);
      const states = await store.renewLeases(jobIds.map((jobId, i) => ({ jobId, run: i === 0 ? 1 : 0 })));
      expect([...states]).toEqual([[jobIds[0], 'running']]);
      const left: { job_id: string; renewed: boolean }[] = await database.query(
        `SELECT job_id, lease_until > now() + interval '10 s' AS renewed FROM proof_job
        WHERE job_id = ANY($1) ORDER BY job_id`,
        [jobIds],
      );
      expect(left.map(({ renewed }) => renewed)).toEqual([true, false]);
      for (const jobId of jobIds) await store.apply(jobId, { type: 'cancel-requested' });
    });

    it('attends to a job that was forsaken, however many others cannot be settled', async () => {
      const stuck = Array.from({ length: 25 }, (_, i) => jobIdOf(`stuck-${i}-`));
      for (const jobId of stuck) {
        await begin(jobId);
        await store.apply(jobId, { type: 'dropped', problem: { code: 'INTERNAL', detail: 'broken' } });
      }
      await forsake(stuck, 100);
      const jobId = jobIdOf('forsaken');
      await begin(jobId, false);
      await forsake([jobId], 1);
      let job: ProofJob;
      const keeper = await keeperBeside();
      try {
        do {
          await delay(10);
          job = await prover.client.call(proofJobContract.job, { jobId });
        } while (job.state === 'running');
      } finally {
        await keeper.stop();
      }
      expect(job).toMatchObject({
        state: 'settling',
        payment: 'held',
        problem: { code: 'SERVICE_UNAVAILABLE' },
      });
      expect(job.endedAt).toBeUndefined();
    });

    it('refuses to cancel what has come to an end, before its payment has', async () => {
      const jobId = jobIdOf('failed');
      await begin(jobId);
      await store.apply(jobId, { type: 'failed', run: 1, problem: { code: 'INTERNAL', detail: 'broken' } });
      await expect(prover.client.call(proofJobContract.cancelJob, { jobId })).rejects.toMatchObject({
        code: 'CONFLICT',
      });
      const { events, ended } = await prover.client.call(proofJobContract.jobEvents, {
        ...{ jobId, after: 0, waitMs: 0 },
      });
      expect([events.map(({ state }) => state), ended]).toEqual([['queued', 'running', 'settling'], false]);
    });
  });
}
