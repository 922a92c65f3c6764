import 'reflect-metadata';
import { expect, it } from '@jest/globals';
import { type ProofJob, proofJobContract } from '@svc/contracts';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { startProverOnBus } from './prover-on-bus.js';

/** Some seconds of work. */
const LARGE = { traceData: 'large', degree: 2 ** 19 } as const;
/** Of another class than the large: made beside it. */
const SMALL = { traceData: 'small', degree: 64 } as const;
const jobIdOf = (letter: string) => `job_${letter.repeat(22)}`;

it('leaves a job alone that begins while the leases of the others are renewed', async () => {
  const prover = await startProverOnBus();
  const { client, database } = prover;
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
  try {
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
  } finally {
    await prover.close();
  }
});
