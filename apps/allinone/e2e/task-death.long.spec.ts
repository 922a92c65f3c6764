// commit: none, only a kill of the process shows it; see ../../department/e2e/tasks.e2e.spec.ts
// watches: apps/department/src/tasks, apps/payments/src/claim, libs/platform/src/messaging
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TrustedProxies } from '@svc/edge';
import { type RunningGateway, startGateway } from '@svc/gateway';
import {
  API_VERSION,
  createLogger,
  type EmbeddedPostgres,
  findNatsServer,
  type NatsServer,
  SECRET_VARIABLES,
  startNatsServer,
} from '@svc/platform';
import { startTemporaryPostgres } from '@svc/platform/testing';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { post } from './paid-call.js';
import { AppProcess } from './processes.js';

type Json = Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- of any route
type App = 'department' | 'payments' | 'prover' | 'snn';

const SECRET = '8b0ebeeb171a1445182d8c12294118ba347b5c7ce0d221817286e903d3b17ec9';
const SECRETS = Object.fromEntries(SECRET_VARIABLES.map(name => [name, SECRET]));
const VICTIMS: readonly App[] = ['department', 'snn', 'department', 'payments', 'prover'];
const TASKS = 24;
const CREDIT = 10_000_000;
/** More than the 180 s for which a claim stands whose owner died before anybody heard of it. */
const ANSWERED_WITHIN_MS = 300_000;
const AGAIN = [
  ...['PAYMENT_IN_FLIGHT', 'SERVICE_UNAVAILABLE', 'TIMEOUT', 'CONFLICT', 'SETTLEMENT_UNKNOWN'],
  'OVERLOADED',
];

/** What the tasks ask, in turns, and what each costs in millionths of a dollar. */
const WORK: readonly [desk: string, price: number, body: (i: number) => object][] = [
  [
    'proofs',
    1_000,
    i => ({ capability: 'zk.prove', task: { traceData: `task ${i}`, degree: 2 ** (6 + (i % 10)) } }),
  ],
  [
    'valuation',
    50_000,
    i => ({
      capability: 'bullion.verify',
      task: { productId: 'krugerrand', massG: 33.93, peaksHz: [4406 + i / 1_000, 8652, 10661, 18532] },
    }),
  ],
  ['neuro', 1_000, i => ({ capability: 'snn.solve', task: simulationOf(i) })],
];
/** Of a few hundred milliseconds, so that a death comes in the middle of some. */
const simulationOf = (i: number) => ({ neuronCount: 20_000, iterations: 1_000, seed: i });
const COUNTED = 6;

if (!findNatsServer()) {
  it('needs nats-server', () => console.log('SKIPPED: nats-server is not installed'));
} else {
  describe('tasks whose workers, payments and the services that they ask are killed, with the ledger as it is', () => {
    let folder: string;
    let nats: NatsServer;
    let postgres: EmbeddedPostgres;
    let gateway: RunningGateway;
    let running: { app: App; process: AppProcess }[] = [];
    let key: string;
    const admin = { 'x-svc-key': SECRET };

    const start = (app: App) =>
      new AppProcess(app, {
        ...SECRETS,
        NATS_URL: nats.url,
        NATS_TOKEN: nats.token,
        ...(app === 'snn'
          ? {}
          : { DATABASE_URL: postgres.urlFor(app), DATABASE_MIGRATION_URL: postgres.migrationUrlFor(app) }),
        DEPARTMENT_TASK_LEASE_SECONDS: '3',
        SANDBOX_CARD_MARKET: 'off',
        LOG_LEVEL: 'info',
      });

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'svc-tasks-'));
      [nats, postgres] = await Promise.all([
        startNatsServer({ binary: findNatsServer()!, dataDir: folder }),
        startTemporaryPostgres(),
      ]);
      running = VICTIMS.map(app => ({ app, process: start(app) }));
      gateway = await startGateway({
        ...{ service: 'gateway', version: API_VERSION, production: false, secrets: SECRETS },
        bus: { kind: 'nats', url: nats.url, token: nats.token },
        logger: createLogger('gateway', { level: 'silent' }),
        ...{ port: 0, host: '127.0.0.1' },
        rateLimits: { factor: 0, trustedProxies: new TrustedProxies([]) },
      });
      await Promise.all(running.map(({ process }) => process.says(/The service answers on the bus/)));
      while (!(await gateway.readiness()).ready) await delay(50);
      const accounts = `${gateway.address}/v1/admin/accounts`;
      const made = await post(accounts, {}, admin);
      expect([made.status, made.text]).toEqual([201, expect.any(String)]);
      const { accountId } = made.json;
      const one = `${accounts}/${String(accountId)}`;
      await post(`${one}/credit`, { amountMicroUsd: CREDIT, reason: 'test' }, admin);
      key = (await post(`${one}/keys`, {}, admin)).json.key as string;
      expect(key).toMatch(/^svc_/);
    });
    afterAll(async () => {
      await gateway?.close();
      await Promise.all(running.map(({ process }) => process.end()));
      await Promise.all([postgres?.stop(), nats?.stop()]);
      if (folder) await rm(folder, { recursive: true, force: true });
    });

    const rowsOf = async (service: 'department' | 'payments', query: string): Promise<Json[]> => {
      const database = new Client({ connectionString: postgres.urlFor(service) });
      await database.connect();
      try {
        return (await database.query<Json>(query)).rows;
      } finally {
        await database.end();
      }
    };
    const give = (i: number, prefer: string) => {
      const [desk, , body] = WORK[i % WORK.length];
      const headers = { 'x-svc-key': key, 'idempotency-key': `task-${i}`, prefer };
      return post(`${gateway.address}/departments/${desk}`, body(i), headers);
    };
    /** The answer of a task, asked for by its payment as often as it takes. */
    async function answerOf(i: number): Promise<Json> {
      const told: string[] = [];
      for (const sinceMs = Date.now(); ;) {
        const { status, json } = await give(i, 'wait=1');
        if (status === 200) return json;
        if (status !== 202) expect(AGAIN).toContain(json.code);
        told.push(`${Date.now() - sinceMs} ms: ${status} ${json.code ?? json.status}`);
        if (Date.now() - sinceMs > ANSWERED_WITHIN_MS) throw new Error(`task ${i}:\n${told.join('\n')}`);
        await delay(200);
      }
    }

    /** Kills one service after the other, and starts it again, until it is told to stop. */
    function killing() {
      const state = { kills: 0, isOver: false };
      const done = (async () => {
        for (; !state.isOver; state.kills++) {
          await delay(500);
          const doomed = running[state.kills % running.length];
          doomed.process.signal('SIGKILL');
          await doomed.process.exit();
          doomed.process = start(doomed.app);
          await doomed.process.says(/The service answers on the bus/).catch((error: unknown) => {
            throw new Error(`${doomed.app} started again`, { cause: error });
          });
        }
      })();
      const stop = () => {
        state.isOver = true;
        return done;
      };
      return { state, stop };
    }

    it(`each is answered once and paid for once: ${TASKS} tasks and more`, async () => {
      const { state, stop } = killing();
      const answers: Json[] = [];
      try {
        // As many as asked, and on until each of the services has died once.
        let next = 0;
        const caller = async () => {
          while (next < TASKS || state.kills < VICTIMS.length) {
            const i = next++;
            answers[i] = await answerOf(i);
          }
        };
        await Promise.all(Array.from({ length: 6 }, caller));
      } finally {
        await stop();
      }
      // The same payment fetches the same answer, and buys nothing.
      for (const i of answers.keys()) {
        expect([i, answers[i].status, answers[i].payment]).toEqual([i, 'COMPLETED', 'delivered']);
        expect((await answerOf(i)).taskId).toBe(answers[i].taskId);
      }
      const open = `SELECT count(*)::int AS open FROM task WHERE state IN ('QUEUED', 'RUNNING', 'SETTLING')`;
      for (const sinceMs = Date.now(); (await rowsOf('department', open))[0].open > 0; await delay(200))
        if (Date.now() - sinceMs > 60_000) throw new Error('tasks that never ended');
      const delivered = await rowsOf(
        'department',
        `SELECT task_id FROM task WHERE payment = 'delivered' ORDER BY task_id`,
      );
      expect(delivered.map(({ task_id }) => task_id)).toEqual(answers.map(({ taskId }) => taskId).sort());
      // What was claimed for a call that a death refused went back to the account before the next try.
      const claims = (await rowsOf('payments', 'SELECT state FROM payments.payment_claim')).map(
        ({ state }) => state as string,
      );
      expect(claims.filter(state => state === 'delivered')).toHaveLength(answers.length);
      expect(claims.filter(state => state !== 'delivered' && state !== 'credited')).toEqual([]);
      const account = await fetch(`${gateway.address}/v1/account`, { headers: { 'x-svc-key': key } });
      const owed = answers.reduce((sum, _, i) => sum + WORK[i % WORK.length][1], 0);
      expect(((await account.json()) as Json).balanceMicroUsd).toBe(CREDIT - owed);
      expect((await post(`${gateway.address}/v1/admin/reconcile`, {}, admin)).json.findings).toEqual([]);
      expect(await rowsOf('department', `SELECT task_id FROM task WHERE sealed_order IS NOT NULL`)).toEqual(
        [],
      );
    });

    it(`within a quota each is counted once, and taken back once where it is called off before it begins: ${COUNTED} and more`, async () => {
      const route = `${gateway.address}/v1/snn/solve`;
      const used = async () =>
        Number(
          (await rowsOf('payments', 'SELECT coalesce(sum(used), 0) AS used FROM payments.quota_usage'))[0]
            .used,
        );
      const before = await used();
      const { state, stop } = killing();
      const given = new Map<string, { i: number; isCalledOff: boolean }>();
      let unclear = 0;
      try {
        let next = 1_000;
        const caller = async () => {
          while (given.size < COUNTED || state.kills < VICTIMS.length) {
            const i = next++;
            const { status, headers, json } = await post(route, simulationOf(i), { prefer: 'respond-async' });
            if (status !== 202) {
              expect([...AGAIN, 'QUEUE_FULL']).toContain(json.code);
              // Whether a call that a death of payments refused was counted, nobody can tell.
              unclear++;
              await delay(200);
              continue;
            }
            const location = headers.get('location')!;
            const isCalledOff = i % 3 === 0;
            if (isCalledOff) await callOff(location);
            given.set(location, { i, isCalledOff });
            await delay(200);
          }
        };
        await Promise.all(Array.from({ length: 3 }, caller));
      } finally {
        await stop();
      }
      const completed: string[] = [];
      let delivered = 0;
      for (const [location, { i, isCalledOff }] of given) {
        const task = await settled(location);
        const outcome = `${task.status} ${task.payment}`;
        // One whose process died each time that it was begun has failed; nobody else's word cancels a task.
        const may = [
          'COMPLETED delivered',
          'FAILED returned',
          // What has begun stays counted.
          ...(isCalledOff ? ['CANCELLED returned', 'CANCELLED delivered'] : []),
        ];
        expect([location, may]).toEqual([location, expect.arrayContaining([outcome])]);
        if (task.payment === 'delivered') delivered++;
        if (task.status !== 'COMPLETED') continue;
        expect(task.result.seed).toBe(i);
        completed.push(location);
      }
      const counted = (await used()) - before;
      expect(counted).toBeGreaterThanOrEqual(delivered);
      expect(counted).toBeLessThanOrEqual(delivered + unclear);
      // One answer for one request, whichever process gave it.
      const [location] = completed;
      const direct = await post(route, simulationOf(given.get(location)!.i));
      expect(direct.json.stateHash).toBe((await settled(location)).result.stateHash);
    });

    it('goes on where the service that computes it dies without a word', async () => {
      const service = running.find(({ app }) => app === 'snn')!;
      const task = { ...simulationOf(7), neuronCount: 200_000, iterations: 4_000 };
      const { status, headers } = await post(`${gateway.address}/v1/snn/solve`, task, {
        prefer: 'respond-async',
      });
      expect(status).toBe(202);
      const location = headers.get('location')!;
      let shown: Json = {};
      while (!(shown.progress > 0)) shown = (await (await fetch(gateway.address + location)).json()) as Json;
      expect([shown.status, shown.stage]).toEqual(['RUNNING', 'simulating']);
      service.process.signal('SIGKILL');
      await service.process.exit();
      service.process = start('snn');
      const done = await settled(location);
      expect([done.status, done.payment, done.result?.seed]).toEqual(['COMPLETED', 'delivered', 7]);
    });

    /** Calls a task off, as often as it takes to be heard: it may have come to its end before. */
    async function callOff(location: string): Promise<void> {
      for (; ; await delay(200)) {
        const answer = await fetch(gateway.address + location, { method: 'DELETE' });
        const { code } = (await answer.json()) as Json;
        if (answer.status === 200) return;
        expect(AGAIN).toContain(code);
        if (answer.status === 409 && code !== 'PAYMENT_IN_FLIGHT') return;
      }
    }

    /** A task that has ended, its payment with it. */
    async function settled(location: string): Promise<Json> {
      for (; ; await delay(200)) {
        const answer = await fetch(gateway.address + location);
        const last = (await answer.json()) as Json;
        const isOver = answer.status === 200 && !['QUEUED', 'RUNNING'].includes(last.status as string);
        if (isOver && last.payment !== 'held') return last;
      }
    }
  });
}
