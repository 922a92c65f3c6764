import { createLogger, startEmbeddedPostgres } from '@svc/platform';
import { execFile, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { numbersOf, partsOf } from '../../tools/bench/options.mjs';
import { licences, startProduct } from './licence.mjs';
import { verifyRows } from './verify.mjs';
import { makeDataFolder } from '../../tools/bench/served-process.mjs';

const TARGETS = { perSecond: 500, besideDbos: 2, recoveryS: 5, recordsPerSecond: 50_000, licenceP50Ms: 150 };
/** How many at once the targets are of. */
const AIMED_AT = 50;
const PARTS = { throughput, recovery, verify: verification, licence };

/** Packages whose versions stand beside the figures. */
export const packages = ['@dbos-inc/dbos-sdk', 'pg', 'typeorm'];

/** `hung` sagas stand still in the process that is killed; `kept` are those that are verified in memory. */
export const options = {
  ...{
    only: undefined,
    rounds: 3,
    amount: 3_000,
    concurrency: '1,50,200',
    warmup: 500,
    hung: 40,
    leaseMs: 10_000,
  },
  ...{ kept: 10_000, licences: 100 },
};
export const smoke = {
  ...{ rounds: 1, amount: 2, concurrency: '50', warmup: 1, hung: 1, leaseMs: 300, kept: 10, licences: 1 },
};

/**
 * Sagas a second beside DBOS Transact on the same Postgres with fsync, rounds taking turns; how long a killed process's
 * sagas stand still; how fast the log is verified; and a licence through HTTP.
 *
 * @param {{ report: import('../../tools/bench/report.mjs').Report; options: typeof options }} run
 */
export default async function saga({ report, options }) {
  const parts = partsOf(PARTS, options.only);
  const folder = makeDataFolder('saga');
  const postgres = await startEmbeddedPostgres({
    dataDir: join(folder, 'data'),
    logger: createLogger('allinone', { level: 'silent' }),
  });
  const environment = sagaEnvironment(postgres, options);
  const world = { postgres, environment, ours: undefined };
  try {
    // One process of ours serves all parts: each start of one costs seconds.
    if (parts.some(part => part !== licence))
      world.ours = await Worker.start(new URL('./saga-worker.mjs', import.meta.url), environment);
    for (const part of parts) await part(report, world, options);
  } finally {
    await world.ours?.stop();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  report.note(
    'Postgres, the process that runs the sagas and this one share the machine’s cores; compare within one run only. cpuMsEach is of the one process that begins and runs the sagas, and of the product for a licence; Postgres is not in it.',
  );
}

const sagaEnvironment = (postgres, { leaseMs }) => ({
  LEASE_MS: String(leaseMs),
  DATABASE_URL: postgres.urlFor('payments'),
  MIGRATION_URL: postgres.migrationUrlFor('payments'),
  WAL_SIGNING_SEEDS: randomBytes(32).toString('base64url'),
});

async function throughput(report, { postgres, ours }, { rounds, amount, concurrency, warmup }) {
  const databases = ['bench_dbos', 'bench_raw'].map(name => databaseOf(postgres, name));
  const [dbosUrl, rawUrl] = await Promise.all(databases);
  const [dbos, raw] = await Promise.all([
    Worker.start(new URL('./dbos-worker.mjs', import.meta.url), { DATABASE_URL: dbosUrl }),
    Worker.start(new URL('./straight-line-worker.mjs', import.meta.url), { DATABASE_URL: rawUrl }),
  ]);
  const contenders = [
    ['DBOS Transact', load => dbos.ask(load)],
    ['ours, remote steps', load => ours.ask({ command: 'run', definition: 'remote', ...load })],
    ['ours, local steps', load => ours.ask({ command: 'run', definition: 'local', ...load })],
    ['straight line without leases and outbox', load => raw.ask(load)],
  ];
  for (const [, run] of contenders) await run({ concurrency: AIMED_AT, amount: warmup });
  for (const abreast of numbersOf(concurrency)) {
    const runs = contenders.map(() => []);
    for (let round = 0; round < rounds; round++) {
      for (const [i, [, run]] of contenders.entries()) {
        const share = abreast === 1 ? Math.ceil(amount / 10) : amount;
        runs[i].push(await run({ concurrency: abreast, amount: share }));
      }
    }
    report.table(`sagas of four steps that do nothing, ${abreast} at once, median of ${rounds} rounds`);
    const medians = runs.map(median);
    contenders.forEach(([name], i) => {
      const { perSecond, p50Ms, p99Ms, cpuMsEach } = medians[i];
      report.row(name, { perSecond, p50Ms, p99Ms, cpuMsEach });
    });
    if (abreast !== AIMED_AT) continue;
    const [theirs, remote, local] = medians.map(({ perSecond }) => perSecond);
    report.verdict('sagas a second at 50, remote steps', remote, 'at least', TARGETS.perSecond);
    report.verdict('sagas a second at 50, local steps', local, 'at least', TARGETS.perSecond);
    const besideDbos = [remote / theirs, local / theirs];
    report.verdict('beside DBOS Transact at 50, remote steps', besideDbos[0], 'at least', TARGETS.besideDbos);
    report.verdict('beside DBOS Transact at 50, local steps', besideDbos[1], 'at least', TARGETS.besideDbos);
  }
  const waiting = await ours.ask({ command: 'backlog' });
  report.note(`Advances that had not left as events when the last round ended: ${waiting}.`);
  for (const worker of [dbos, raw]) await worker.stop();
}

/** From the end of each saga's lease to its end, where its process was killed between two records. */
async function recovery(report, { postgres, environment }, { hung }) {
  const victim = await Worker.start(new URL('./saga-worker.mjs', import.meta.url), {
    ...environment,
    HANGS: '1',
  });
  const ids = await victim.ask({ command: 'hang', amount: hung });
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
    if (rows.length !== hung || other) throw new Error(`a saga was left ${other?.state ?? 'behind'}`);
    const [p50Ms, maxMs] = [rows[hung >> 1], rows[hung - 1]].map(({ seconds }) => seconds * 1_000);
    report.table(`sagas of a process killed with SIGKILL, from the end of the lease, ${hung} at once`);
    report.row('carried to their end by another process', { maxMs, p50Ms });
    const lastS = maxMs / 1_000;
    report.verdict('s until the last saga of a killed process ended', lastS, 'at most', TARGETS.recoveryS);
  } finally {
    await client.end();
  }
}

async function verification(report, { postgres, ours }, { amount, kept }) {
  // What the parts before have written is verified with it; alone, this part writes its own.
  await ours.ask({ command: 'run', definition: 'remote', concurrency: 50, amount });
  while ((await ours.ask({ command: 'backlog' })) > 0) await setTimeout(100);
  const svc = fileURLToPath(new URL('../../libs/client/bin/svc.mjs', import.meta.url));
  const operands = ['wal', 'verify', '--database', postgres.migrationUrlFor('payments'), '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, [svc, ...operands], { maxBuffer: 1e8 });
  const { valid, records, sagas, checkpoints, recordsPerSecond } = JSON.parse(stdout);
  if (!valid) throw new Error(`the log does not verify: ${stdout.slice(0, 2_000)}`);
  const rows = await verifyRows({ sagas: kept });
  report.table('what the library verifies in memory, on one core');
  for (const { name, metrics } of rows) report.row(name, metrics);
  const [{ metrics: chains }] = rows;
  const inMemory = chains['records/s'];
  report.verdict('records verified a second, in memory', inMemory, 'at least', TARGETS.recordsPerSecond);
  report.table('svc wal verify, from Postgres');
  report.row('all logs and checkpoints', { recordsPerSecond, records, sagas, checkpoints });
  const read = 'records verified a second, read from Postgres';
  report.verdict(read, recordsPerSecond, 'at least', TARGETS.recordsPerSecond);
}

async function licence(report, _world, { licences: count }) {
  const product = await startProduct();
  try {
    const { adminKey } = JSON.parse(readFileSync(join(product.dataDir, 'secrets.json'), 'utf8'));
    const { p50Ms, p99Ms, perSecond, cpuMsEach } = await licences(product, adminKey, count);
    report.table(`a licence through HTTP, its STARK included, one after the other, ${count} of them`);
    report.row('POST /v1/x402/execute by key', { p50Ms, p99Ms, perSecond, cpuMsEach });
    report.verdict('p50 of a licence, ms', p50Ms, 'at most', TARGETS.licenceP50Ms);
  } finally {
    await product.stop();
  }
}

const median = runs => runs.toSorted((a, b) => a.perSecond - b.perSecond)[runs.length >> 1];

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
