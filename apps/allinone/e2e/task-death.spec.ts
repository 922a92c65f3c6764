import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunningGateway, startGateway } from '@svc/gateway';
import {
  API_VERSION,
  createLogger,
  type EmbeddedPostgres,
  findNatsServer,
  type NatsServer,
  SECRET_VARIABLES,
  startNatsServer,
  startTemporaryPostgres,
} from '@svc/platform';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { post } from './paid-call.js';
import { AppProcess, buildWorkspace } from './processes.js';

type Json = Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- of any route
type App = 'department' | 'payments' | 'prover';

const SECRET = 'd'.repeat(64);
const SECRETS = Object.fromEntries(SECRET_VARIABLES.map(name => [name, SECRET]));
const VICTIMS: readonly App[] = ['department', 'department', 'payments', 'prover'];
const TASKS = process.env.FULL_TESTS === '1' ? 200 : 24;
const CREDIT = 10_000_000;
const AGAIN = ['PAYMENT_IN_FLIGHT', 'SERVICE_UNAVAILABLE', 'TIMEOUT', 'CONFLICT', 'SETTLEMENT_UNKNOWN'];

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
];

if (!findNatsServer()) {
  it('needs nats-server', () => console.log('SKIPPED: nats-server is not installed'));
} else {
  describe('tasks whose workers, prover and payments are killed, with the ledger as it is', () => {
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
        DATABASE_URL: postgres.urlFor(app),
        DATABASE_MIGRATION_URL: postgres.migrationUrlFor(app),
        DEPARTMENT_TASK_LEASE_SECONDS: '3',
        SANDBOX_CARD_MARKET: 'off',
        LOG_LEVEL: 'info',
      });

    beforeAll(async () => {
      await buildWorkspace();
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
        ...{ port: 0, host: '127.0.0.1', rateLimitFactor: 0 },
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
    }, 180_000);
    afterAll(async () => {
      await gateway?.close();
      await Promise.all(running.map(({ process }) => process.end()));
      await Promise.all([postgres?.stop(), nats?.stop()]);
      if (folder) await rm(folder, { recursive: true, force: true });
    }, 60_000);

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
      for (const sinceMs = Date.now(); ;) {
        const { status, json } = await give(i, 'wait=1');
        if (status === 200) return json;
        if (status !== 202) expect(AGAIN).toContain(json.code);
        if (Date.now() - sinceMs > 120_000) throw new Error(`task ${i}: ${status} ${JSON.stringify(json)}`);
        await delay(200);
      }
    }

    it(`each is answered once and paid for once: ${TASKS} tasks and more`, async () => {
      let isOver = false;
      let kills = 0;
      const killing = (async () => {
        for (; !isOver; kills++) {
          await delay(500);
          const doomed = running[kills % running.length];
          doomed.process.signal('SIGKILL');
          await doomed.process.exit();
          doomed.process = start(doomed.app);
          await doomed.process.says(/The service answers on the bus/).catch((error: unknown) => {
            throw new Error(`${doomed.app} started again`, { cause: error });
          });
        }
      })();
      const answers: Json[] = [];
      try {
        // As many as asked, and on until each of the services has died once.
        let next = 0;
        const caller = async () => {
          while (next < TASKS || kills < VICTIMS.length) {
            const i = next++;
            answers[i] = await answerOf(i);
          }
        };
        await Promise.all(Array.from({ length: 6 }, caller));
      } finally {
        isOver = true;
        await killing;
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
    }, 300_000);
  });
}
