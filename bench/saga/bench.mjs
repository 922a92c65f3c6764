import { createLogger, startEmbeddedPostgres } from '@svc/platform';
import { execFile, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { licences, startProduct } from './licence.mjs';
import { verifyRows } from './verify.mjs';

const TARGETS = { perSecond: 500, besideDbos: 2, recoveryS: 5, recordsPerSecond: 50_000, licenceP50Ms: 150 };
const CONCURRENCIES = [1, 50, 200];
const HUNG = 40;

/** Packages whose versions stand beside the figures. */
export const packages = ['@dbos-inc/dbos-sdk', 'pg', 'typeorm'];

/**
 * Sagas a second beside DBOS Transact on the same Postgres with fsync, rounds taking turns; how long a killed process's
 * sagas stand still; how fast the log is verified; and a licence through HTTP.
 *
 * @param {{ report: import('../../tools/bench/report.mjs').Report; options: { rounds?: number; amount?: number;
 *   only?: string; licences?: number } }} run
 */
export default async function saga({ report, options }) {
  const {
    rounds = 3,
    amount = 3_000,
    only = 'throughput,recovery,verify,licence',
    licences: count = 100,
  } = options;
  const parts = only.split(',');
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-saga-'));
  // As root, Postgres runs as its own user, who must pass.
  chmodSync(folder, 0o755);
  const postgres = await startEmbeddedPostgres({
    dataDir: join(folder, 'data'),
    logger: createLogger('allinone', { level: 'silent' }),
  });
  const world = { postgres, environment: sagaEnvironment(postgres) };
  try {
    if (parts.includes('throughput')) await throughput(report, world, { rounds, amount });
    if (parts.includes('recovery')) await recovery(report, world);
    if (parts.includes('verify')) await verification(report, world, amount);
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  if (parts.includes('licence')) await licence(report, count);
  report.note(
    'Postgres, the process that runs the sagas and this one share the machine’s cores; compare within one run only.',
  );
}

const sagaEnvironment = postgres => ({
  DATABASE_URL: postgres.urlFor('payments'),
  MIGRATION_URL: postgres.migrationUrlFor('payments'),
  WAL_SIGNING_SEEDS: randomBytes(32).toString('base64url'),
});

async function throughput(report, { postgres, environment }, { rounds, amount }) {
  const ours = await Worker.start(new URL('./saga-worker.mjs', import.meta.url), environment);
  const dbos = await Worker.start(new URL('./dbos-worker.mjs', import.meta.url), {
    DATABASE_URL: await databaseOf(postgres, 'bench_dbos'),
  });
  const raw = await Worker.start(new URL('./straight-line-worker.mjs', import.meta.url), {
    DATABASE_URL: await databaseOf(postgres, 'bench_raw'),
  });
  const contenders = [
    ['DBOS Transact', load => dbos.ask(load)],
    ['ours, remote steps', load => ours.ask({ command: 'run', definition: 'remote', ...load })],
    ['ours, local steps', load => ours.ask({ command: 'run', definition: 'local', ...load })],
    ['straight line without leases and outbox', load => raw.ask(load)],
  ];
  for (const [, run] of contenders) await run({ concurrency: 50, amount: 500 });
  for (const concurrency of CONCURRENCIES) {
    const runs = contenders.map(() => []);
    for (let round = 0; round < rounds; round++) {
      for (const [i, [, run]] of contenders.entries()) {
        const share = concurrency === 1 ? Math.ceil(amount / 10) : amount;
        runs[i].push(await run({ concurrency, amount: share }));
      }
    }
    report.table(`sagas of four steps that do nothing, ${concurrency} at once, median of ${rounds} rounds`);
    const medians = runs.map(median);
    contenders.forEach(([name], i) => {
      const { perSecond, p50Ms, p99Ms } = medians[i];
      report.row(name, { perSecond, p50Ms, p99Ms });
    });
    if (concurrency !== 50) continue;
    const [theirs, remote, local] = medians.map(({ perSecond }) => perSecond);
    verdict(report, 'sagas a second at 50, remote steps', remote, TARGETS.perSecond, 'at least');
    verdict(report, 'sagas a second at 50, local steps', local, TARGETS.perSecond, 'at least');
    verdict(
      report,
      'beside DBOS Transact at 50, remote steps',
      remote / theirs,
      TARGETS.besideDbos,
      'at least',
    );
    verdict(
      report,
      'beside DBOS Transact at 50, local steps',
      local / theirs,
      TARGETS.besideDbos,
      'at least',
    );
  }
  const waiting = await ours.ask({ command: 'backlog' });
  report.note(`Advances that had not left as events when the last round ended: ${waiting}.`);
  for (const worker of [ours, dbos, raw]) await worker.stop();
}

/** From the end of each saga's lease to its end, where its process was killed between two records. */
async function recovery(report, { postgres, environment }) {
  const victim = await Worker.start(new URL('./saga-worker.mjs', import.meta.url), {
    ...environment,
    HANGS: '1',
  });
  const ids = await victim.ask({ command: 'hang', amount: HUNG });
  const successor = await Worker.start(new URL('./saga-worker.mjs', import.meta.url), environment);
  await victim.kill();
  const client = new pg.Client({ connectionString: postgres.adminUrl });
  await client.connect();
  try {
    const leases = await client.query(
      'SELECT saga_id, lease_until FROM payments.saga WHERE saga_id = ANY($1)',
      [ids],
    );
    const open = `SELECT count(*)::int AS count FROM payments.saga WHERE saga_id = ANY($1) AND ended_at IS NULL`;
    while ((await client.query(open, [ids])).rows[0].count > 0) await setTimeout(50);
    const { rows } = await client.query(
      `SELECT state, extract(epoch FROM ended_at - lease)::float8 AS seconds
         FROM payments.saga JOIN unnest($1::uuid[], $2::timestamptz[]) AS held (saga_id, lease) USING (saga_id)
        ORDER BY 2`,
      [leases.rows.map(row => row.saga_id), leases.rows.map(row => row.lease_until)],
    );
    const other = rows.find(({ state }) => state !== 'COMPLETED');
    if (rows.length !== HUNG || other) throw new Error(`a saga was left ${other?.state ?? 'behind'}`);
    const [p50Ms, maxMs] = [rows[HUNG >> 1], rows[HUNG - 1]].map(({ seconds }) => seconds * 1_000);
    report.table(`sagas of a process killed with SIGKILL, from the end of the lease, ${HUNG} at once`);
    report.row('carried to their end by another process', { maxMs, p50Ms });
    verdict(
      report,
      's until the last saga of a killed process ended',
      maxMs / 1_000,
      TARGETS.recoveryS,
      'at most',
    );
  } finally {
    await client.end();
    await successor.stop();
  }
}

async function verification(report, { postgres, environment }, amount) {
  // What the parts before have written is verified with it; alone, this part writes its own.
  const writer = await Worker.start(new URL('./saga-worker.mjs', import.meta.url), environment);
  await writer.ask({ command: 'run', definition: 'remote', concurrency: 50, amount });
  while ((await writer.ask({ command: 'backlog' })) > 0) await setTimeout(100);
  await writer.stop();
  const svc = fileURLToPath(new URL('../../libs/client/bin/svc.mjs', import.meta.url));
  const operands = ['wal', 'verify', '--database', postgres.migrationUrlFor('payments'), '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, [svc, ...operands], { maxBuffer: 1e8 });
  const { valid, records, sagas, checkpoints, recordsPerSecond } = JSON.parse(stdout);
  if (!valid) throw new Error(`the log does not verify: ${stdout.slice(0, 2_000)}`);
  const rows = await verifyRows();
  report.table('what the library verifies in memory, on one core');
  for (const { name, metrics } of rows) report.row(name, metrics);
  const [{ metrics: chains }] = rows;
  verdict(
    report,
    'records verified a second, in memory',
    chains['records/s'],
    TARGETS.recordsPerSecond,
    'at least',
  );
  report.table('svc wal verify, from Postgres');
  report.row('all logs and checkpoints', { recordsPerSecond, records, sagas, checkpoints });
  verdict(
    report,
    'records verified a second, read from Postgres',
    recordsPerSecond,
    TARGETS.recordsPerSecond,
    'at least',
  );
}

async function licence(report, count) {
  const product = await startProduct();
  try {
    const { adminKey } = JSON.parse(readFileSync(join(product.dataDir, 'secrets.json'), 'utf8'));
    const { p50Ms, p99Ms, perSecond } = await licences(product.address, adminKey, count);
    report.table(`a licence through HTTP, its STARK included, one after the other, ${count} of them`);
    report.row('POST /v1/x402/execute by key', { p50Ms, p99Ms, perSecond });
    verdict(report, 'p50 of a licence, ms', p50Ms, TARGETS.licenceP50Ms, 'at most');
  } finally {
    await product.stop();
  }
}

const median = runs => runs.toSorted((a, b) => a.perSecond - b.perSecond)[runs.length >> 1];

function verdict(report, name, got, bound, kind) {
  const holds = kind === 'at least' ? got >= bound : got <= bound;
  const text = got >= 100 ? Math.round(got) : Number(got.toPrecision(3));
  report.note(`${holds ? 'MET' : 'NOT MET'}: ${name} ${text}, target ${kind} ${bound}.`);
}

/** A database of its own on the same server. */
async function databaseOf(postgres, name) {
  const client = new pg.Client({ connectionString: postgres.adminUrl });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  const url = new URL(postgres.adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** A process of this folder that answers one question at a time. */
class Worker {
  #child;
  #waiting = new Map();
  #ended;
  #last = 0;

  constructor(child) {
    this.#child = child;
    this.#ended = new Promise(resolve => child.once('exit', resolve));
    child.on('message', ({ id, result, error }) => {
      const { resolve, reject } = this.#waiting.get(id) ?? {};
      if (error === undefined) resolve?.(result);
      else reject?.(new Error(error));
      this.#waiting.delete(id);
    });
    child.once('exit', code => {
      for (const { reject } of this.#waiting.values()) reject(new Error(`a worker ended with ${code}`));
    });
  }

  static async start(program, environment) {
    const child = fork(fileURLToPath(program), {
      env: { ...process.env, NODE_ENV: 'production', ...environment },
    });
    process.once('exit', () => child.kill('SIGKILL'));
    const worker = new Worker(child);
    await new Promise((resolve, reject) => worker.#waiting.set(0, { resolve, reject }));
    return worker;
  }

  ask(message) {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#child.send({ id, ...message });
    });
  }

  async stop() {
    this.#child.disconnect();
    await this.#ended;
  }

  async kill() {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }
}
