import 'reflect-metadata';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type EmbeddedPostgres, EventOutbox } from '@svc/platform';
import { startTemporaryPostgres, TemporarySchema } from '@svc/platform/testing';
import type { DataSource } from 'typeorm';
import { proverService } from '../src/index.js';
import { JobStore } from '../src/jobs/job-store.js';
import { ProofStore } from '../src/proofs/proof-store.js';

const { migrations } = proverService;
/** Proofs and jobs as the service first kept them. */
const FIRST_COUNT = 2;
const PROOF_ID = `prf_${'k'.repeat(22)}`;
const CLAIM = '6b0d3c1e-5f3a-4b7e-9a57-2f1d8c1f6e10';

let postgres: EmbeddedPostgres;
let schema: TemporarySchema;

interface FirstJob {
  readonly id: string;
  readonly state: string;
  readonly payment: string;
  readonly problem?: object;
  readonly result?: object;
}

const FIRST_JOBS: readonly FirstJob[] = [
  {
    id: 'delivered',
    state: 'succeeded',
    payment: 'delivered',
    result: { degree: 8, opening: { salt: '0x5a' } },
  },
  { id: 'undelivered', state: 'succeeded', payment: 'delivery-due', result: { degree: 8 } },
  {
    id: 'unreturned',
    state: 'failed',
    payment: 'return-due',
    problem: { code: 'INTERNAL', detail: 'broken' },
  },
  { id: 'unreturned-cancelled', state: 'cancelled', payment: 'return-due' },
  { id: 'returned', state: 'cancelled', payment: 'returned' },
  { id: 'running', state: 'running', payment: 'held' },
  { id: 'cancelling', state: 'cancelling', payment: 'held' },
];

/** The id of a job that the tests call so, and the name again. */
const idOf = (name: string) => `job_${name.padEnd(22, '_')}`;
const nameOf = (id: string) => id.replace(/^job_|_+$/g, '');

/** Writes a job with the statement of the first version. */
const insertFirstJob = (database: DataSource, job: FirstJob) =>
  database.query(
    `INSERT INTO proof_job (job_id, operation_id, state, seq, stages_begun, payment, claim_id, claim_attempt,
       receipt, proof_id, result, problem, lease_until, started_at, ended_at)
     VALUES ($1, 'zk.prove', $2, 3, 1, $3, $4, 1, '', $5, $6, $7, now() - interval '1 h', now(), $8)`,
    [
      ...[idOf(job.id), job.state, job.payment, CLAIM, job.state === 'succeeded' ? PROOF_ID : null],
      ...[job.result ? JSON.stringify(job.result) : null, job.problem ? JSON.stringify(job.problem) : null],
      job.payment === 'held' ? null : new Date('2026-04-02T00:00:00Z'),
    ],
  );

const FIRST_PROOFS = [
  { id: 'prf_chain', airId: 'hash-chain/v1', publicInputs: { length: 5 } },
  { id: 'prf_box', airId: 'spatial-box/v1', publicInputs: { frame: 'wgs84' } },
  { id: 'prf_rules', airId: 'rules/v1', publicInputs: { root: '0x0' } },
  { id: 'prf_binding', airId: 'binding/v1', publicInputs: { contextDomain: 'dé mo' } },
  { id: 'prf_raw', airId: 'raw/fibonacci/v1', publicInputs: { result: '2' } },
] as const;

/** Writes a proof with the statement of the first version. */
const insertFirstProof = (database: DataSource, proof: (typeof FIRST_PROOFS)[number], idSuffix = '') =>
  database.query(`INSERT INTO proof (proof_id, air_id, public_inputs, proof) VALUES ($1, $2, $3, '\\x01')`, [
    `${proof.id}${idSuffix}`,
    proof.airId,
    JSON.stringify(proof.publicInputs),
  ]);

async function insertFirst(database: DataSource): Promise<void> {
  for (const job of FIRST_JOBS) await insertFirstJob(database, job);
  for (const proof of FIRST_PROOFS) await insertFirstProof(database, proof);
}

const statesOf = async (database: DataSource) =>
  Object.fromEntries(
    (await database.query('SELECT job_id, state, payment, ended_at FROM proof_job')).map(
      (row: Record<string, unknown>) => [
        nameOf(row.job_id as string),
        [row.state, row.payment, row.ended_at === null ? 'open' : 'ended'].join(' '),
      ],
    ),
  ) as Record<string, string>;

export function describeMigrations(): void {
  describe('migrations', () => {
    beforeAll(async () => {
      postgres = await startTemporaryPostgres();
      schema = new TemporarySchema(postgres, 'prover', migrations);
    });
    beforeEach(() => schema.empty());
    afterAll(() => postgres?.stop());

    describe('the migrations of the prover', () => {
      it.each(migrations.map((migration, i) => [migration.name, i + 1] as const))(
        '%s: undone, it leaves the schema as it was, and done again as it had been',
        async (_name, count) => {
          const { before, done, undone, redone } = await schema.redo(count);
          expect(done).not.toEqual(before);
          expect(undone).toEqual(before);
          expect(redone).toEqual(done);
        },
      );

      it('bring the jobs of the first version along: each goes on as what it was', async () => {
        await schema.migratedTo(FIRST_COUNT, insertFirst);
        await schema.migratedTo(migrations.length, async database => {
          expect(await statesOf(database)).toEqual({
            delivered: 'succeeded delivered ended',
            undelivered: 'settling delivery-due open',
            unreturned: 'settling return-due open',
            'unreturned-cancelled': 'settling return-due open',
            returned: 'cancelled returned ended',
            running: 'running held open',
            cancelling: 'cancelling held open',
          });
          const store = new JobStore(database, new EventOutbox());
          // What opened a commitment was kept with it once.
          expect((await store.find(idOf('delivered'))).result).toEqual({ degree: 8 });
          expect((await store.find(idOf('running'))).claim).toEqual({
            ...{ claimId: CLAIM, attempt: 1, receipt: '', canBeGivenUp: true },
          });
          expect((await store.neglected(10)).map(({ jobId }) => nameOf(jobId)).sort()).toEqual([
            'cancelling',
            'running',
            'undelivered',
            'unreturned',
            'unreturned-cancelled',
          ]);
          const settled = await store.apply(idOf('undelivered'), { type: 'settled', payment: 'delivered' });
          expect(settled).toMatchObject({ state: 'succeeded', proofId: PROOF_ID });
          expect(await store.apply(idOf('running'), { type: 'lease-lapsed' })).toMatchObject({
            state: 'settling',
          });
          expect(
            await store.apply(idOf('running'), { type: 'settled', payment: 'superseded' }),
          ).toMatchObject({
            state: 'failed',
          });
        });
      });

      it('bring the proofs of the first version along: how long each is kept, and its tag where it is known', async () => {
        await schema.migratedTo(FIRST_COUNT, insertFirst);
        await schema.migratedTo(migrations.length, async database => {
          const store = new ProofStore(database);
          const tags = await Promise.all(
            FIRST_PROOFS.map(async ({ id }) => [id, (await store.fetch(id)).contextDomain]),
          );
          expect(Object.fromEntries(tags)).toEqual({
            ...{
              prf_chain: '',
              prf_box: '',
              prf_rules: 'svc/audit/v1',
              prf_binding: 'dé mo',
              prf_raw: undefined,
            },
          });
          const days: { id: string; days: number }[] = await database.query(
            `SELECT proof_id AS id, extract(day FROM kept_until - created_at)::int AS days FROM proof`,
          );
          expect(Object.fromEntries(days.map(row => [row.id, row.days]))).toEqual({
            ...{ prf_chain: 30, prf_box: 30, prf_rules: 366, prf_binding: 30, prf_raw: 30 },
          });
        });
      });

      it('let a replica of the first version go on writing', async () => {
        await schema.migratedTo(migrations.length, async database => {
          await insertFirstProof(database, FIRST_PROOFS[0]);
          await insertFirstJob(database, FIRST_JOBS[5]);
          expect(await new ProofStore(database).fetch('prf_chain')).toMatchObject({
            airId: 'hash-chain/v1',
          });
          expect(await new JobStore(database, new EventOutbox()).find(idOf('running'))).toMatchObject({
            canBeGivenUp: true,
          });
        });
      });

      it('can be undone to the first version with what has come since, and done again', async () => {
        await schema.migratedTo(FIRST_COUNT, insertFirst);
        await schema.migratedTo(migrations.length, async database => {
          const store = new JobStore(database, new EventOutbox());
          await store.apply(idOf('unreturned'), { type: 'settled', payment: 'superseded' });
          const claim = { claimId: CLAIM, attempt: 2, receipt: '', canBeGivenUp: false };
          const sealedOrder = Buffer.from('sealed');
          await store.create({
            jobId: idOf('binding'),
            operationId: 'zk.prove',
            claim,
            sizeClass: 'small',
            sealedOrder,
          });
          for (let undone = FIRST_COUNT; undone < migrations.length; undone++) {
            await database.undoLastMigration({ transaction: 'all' });
          }
          expect(await statesOf(database)).toEqual({
            delivered: 'succeeded delivered ended',
            undelivered: 'succeeded delivery-due ended',
            // The first version had no other word for it.
            unreturned: 'failed returned ended',
            'unreturned-cancelled': 'cancelled return-due ended',
            returned: 'cancelled returned ended',
            running: 'running held open',
            cancelling: 'cancelling held open',
            binding: 'queued held open',
          });
          await database.runMigrations({ transaction: 'each' });
          expect(await statesOf(database)).toMatchObject({
            undelivered: 'settling delivery-due open',
            'unreturned-cancelled': 'settling return-due open',
            binding: 'queued held open',
          });
          const proofs = await database.query('SELECT count(*)::int AS count FROM proof');
          expect(proofs).toEqual([{ count: FIRST_PROOFS.length }]);
        });
      });
    });
  });
}
