// commit: none, only a kill of the process shows it; see ../../prover/e2e/job-death-points.spec.ts
// watches: apps/prover/src/jobs, libs/platform/src/messaging
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ProofJob } from '@svc/contracts';
import { findNatsServer } from '@svc/platform';
import { Client } from 'pg';
import { setTimeout as delay } from 'node:timers/promises';
import { paidL402, post } from './paid-call.js';
import { AppProcess } from './processes.js';
import { type ProofServices, startProofServices } from './proof-service-fixture.js';

/** Seconds of work. */
const LARGE = { traceData: 'large', degree: 2 ** 19 };

/** Of the long set there are 200; the seed of what is killed and when is told where it fails. */
const JOBS = 40;
const SEED = Number(process.env.SEED ?? 7);
const CLAIMS = 'SELECT claim_id, state FROM payments.payment_claim';

/** Numbers from 0 to 1 that are the same for a seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

if (!findNatsServer()) {
  it('needs nats-server', () => console.log('SKIPPED: nats-server is not installed'));
} else {
  describe('jobs whose prover is killed, with another prover on NATS', () => {
    let services: ProofServices;
    let provers: AppProcess[] = [];
    const random = seeded(SEED);
    const startProver = () => new AppProcess('prover', { ...services.proverVariables, LOG_LEVEL: 'debug' });
    beforeAll(async () => {
      services = await startProofServices('nats', 0);
      provers = [startProver(), startProver()];
      await Promise.all(provers.map(prover => prover.says(/The service answers on the bus/)));
    });
    afterAll(async () => {
      await Promise.all(provers.map(prover => prover.end()));
      await services?.close();
    });

    const buy = (body: unknown, authorization: string, headers: Record<string, string> = {}) =>
      post(`${services.address}/v1/zk/prove`, body, { authorization, ...headers });
    const jobAt = async (path: string) =>
      ProofJob.parse(await (await fetch(`${services.address}${path}`)).json());
    /** Asks again where the prover that was asked dies at it. */
    async function until(path: string, holds: (job: ProofJob) => boolean): Promise<ProofJob> {
      for (;;) {
        const response = await fetch(`${services.address}${path}`);
        const json = (await response.json()) as { code?: string };
        if (response.status !== 200) expect(['SERVICE_UNAVAILABLE', 'TIMEOUT']).toContain(json.code);
        else if (holds(ProofJob.parse(json))) return ProofJob.parse(json);
        await delay(50);
      }
    }
    const rowsOf = async (
      service: 'prover' | 'payments',
      query: string,
    ): Promise<Record<string, unknown>[]> => {
      const database = new Client({ connectionString: services.postgres.urlFor(service) });
      await database.connect();
      try {
        return (await database.query<Record<string, unknown>>(query)).rows;
      } finally {
        await database.end();
      }
    };
    const hasBegun = ({ output }: AppProcess) => output.includes('A job has begun');

    it('are finished by the prover that lives: one job, one answer, one payment', async () => {
      const authorization = await paidL402(services.address);
      const { status, headers } = await buy(LARGE, authorization, { prefer: 'respond-async' });
      expect(status).toBe(202);
      const path = headers.get('location')!;
      await until(path, ({ stagesDone }) => stagesDone >= 1);
      expect(provers.filter(hasBegun)).toHaveLength(1);
      const doomed = provers.find(hasBegun)!;
      doomed.signal('SIGKILL');
      expect(await doomed.exit()).toBe('SIGKILL');

      expect(await jobAt(path)).toMatchObject({ state: 'running', payment: 'held' });
      expect((await buy(LARGE, authorization)).json.code).toBe('PAYMENT_IN_FLIGHT');
      const job = await until(path, ({ endedAt }) => endedAt !== undefined);
      expect(job).toMatchObject({ state: 'succeeded', payment: 'delivered', stagesDone: 9 });
      // The other prover takes it up within milliseconds: its events have what a look now and then would miss.
      const events = await rowsOf(
        'prover',
        `SELECT event->>'state' AS state FROM prover.proof_job_event ORDER BY seq`,
      );
      const states = events.map(({ state }) => state);
      expect(states.slice(states.indexOf('running'))).toContain('queued');
      const answer = await buy(LARGE, authorization);
      expect([answer.status, answer.json.proofId]).toEqual([200, job.proofId]);
      // The dead one left nothing, neither of them more than one, and what was asked is forgotten.
      expect(
        await rowsOf('prover', `SELECT proof_id FROM prover.proof WHERE air_id = 'hash-chain/v1'`),
      ).toEqual([{ proof_id: job.proofId }]);
      expect(await rowsOf('prover', 'SELECT run, begins, sealed_order FROM prover.proof_job')).toEqual([
        { run: 2, begins: 2, sealed_order: null },
      ]);
      expect(await rowsOf('payments', 'SELECT state, attempt FROM payments.payment_claim')).toEqual([
        { state: 'delivered', attempt: 1 },
      ]);
      provers[provers.indexOf(doomed)] = startProver();
    });

    it(`are all made, and each delivered once, however often provers are killed: ${JOBS} jobs`, async () => {
      const known = new Set((await rowsOf('payments', CLAIMS)).map(({ claim_id }) => claim_id));
      const paths: string[] = [];
      let fetchedCount = 0;
      let isOver = false;
      const killing = (async () => {
        for (let kills = 0; !isOver; kills++) {
          await delay(500 + random() * 4_000);
          const doomed = Math.floor(random() * provers.length);
          provers[doomed].signal('SIGKILL');
          await provers[doomed].exit();
          provers[doomed] = startProver();
          await provers[doomed].says(/The service answers on the bus/);
        }
      })();
      try {
        for (let i = 0; i < JOBS; i++) {
          const body = { traceData: `job ${i}`, degree: 2 ** (6 + Math.floor(random() * 11)) };
          const authorization = await paidL402(services.address);
          // Where the prover that is asked dies at it, the payment buys the next try.
          for (;;) {
            const { status, headers, json } = await buy(body, authorization, { prefer: 'respond-async' });
            if (status === 202) paths.push(headers.get('location')!);
            // The answer of a job whose 202 was lost.
            if (status === 200) fetchedCount++;
            if (status < 300) break;
            expect(['PAYMENT_IN_FLIGHT', 'SERVICE_UNAVAILABLE', 'TIMEOUT', 'CONFLICT']).toContain(json.code);
            await delay(200);
          }
        }
        const ends = new Map<string, number>();
        for (const path of paths) {
          const { state, payment, problem } = await until(path, ({ endedAt }) => endedAt !== undefined);
          const end = [state, payment, problem?.code].join(' ').trim();
          ends.set(end, (ends.get(end) ?? 0) + 1);
        }
        expect(Object.fromEntries(ends)).toEqual({ 'succeeded delivered': JOBS - fetchedCount });
      } finally {
        isOver = true;
        await killing;
      }
      const claims = (await rowsOf('payments', CLAIMS)).filter(({ claim_id }) => !known.has(claim_id));
      expect(claims.map(({ state }) => state)).toEqual(Array(JOBS).fill('delivered'));
      const kept = 'SELECT count(*)::integer AS count FROM prover.proof_job WHERE sealed_order IS NOT NULL';
      expect(await rowsOf('prover', kept)).toEqual([{ count: 0 }]);
    });
  });
}
