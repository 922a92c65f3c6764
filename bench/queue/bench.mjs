import { jetstream } from '@nats-io/jetstream';
import { createLogger, findNatsServer, openBusLink, openWorkQueue, startNatsServer } from '@svc/platform';
import { startTemporaryPostgres } from '@svc/platform/testing';
import { fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { cpuMsOfThisProcess } from '../../tools/bench/cpu-time.mjs';
import { SetupError } from '../../tools/setup/setup-error.mjs';

export const packages = ['@nats-io/jetstream', 'pg'];

/** Tasks whose rows are written by one statement, as the service writes those that come at once. */
const ROWS_AT_ONCE = 50;
const IN_FLIGHT = 4;
const WORKERS = 3;
const KILL_EVERY_MS = 700;

/** `more` tasks are enqueued at each kill: there is always work at hand when a worker dies. */
export const options = { tasks: 5_000, kills: 8, more: 2_000 };
export const smoke = { tasks: 100, kills: 1, more: 100 };

/**
 * Tasks enqueued a second, each with its row in Postgres, beside a bare JetStream publication and a queue that is a table
 * in SQL; then the same tasks worked on by processes that are killed one after another.
 *
 * @param {{ report: import('../../tools/bench/report.mjs').Report; options: typeof options }} run
 */
export default async function queue({ report, options }) {
  const binary = findNatsServer();
  if (!binary) throw new SetupError('The benchmark of the queue needs nats-server');
  const logger = createLogger('department', { level: 'silent' });
  const home = await mkdtemp(join(tmpdir(), 'svc-bench-queue-'));
  const postgres = await startTemporaryPostgres();
  const server = await startNatsServer({ binary, dataDir: home, logger });
  const { databaseUrl, migrationUrl } = postgres.urlsFor('department');
  const pool = new pg.Pool({ connectionString: migrationUrl ?? databaseUrl, max: 8 });
  const link = openBusLink({ kind: 'nats', url: server.url, token: server.token }, 'department', logger);
  // Postgres ends what is still connected.
  pool.on('error', () => undefined);
  try {
    await link.connect();
    const work = openWorkQueue(link, { owner: 'department', piecesMax: 10 * options.tasks }, logger);
    await work.ensure();
    await makeTables(pool);
    await enqueued({ report, pool, work, link, ...options });
    await worked({ report, pool, work, server, ...options, databaseUrl: migrationUrl ?? databaseUrl });
  } finally {
    await link.close();
    await server.stop();
    await pool.end();
    await postgres.stop();
    await rm(home, { recursive: true, force: true });
  }
}

async function makeTables(pool) {
  const columns = 'id integer PRIMARY KEY, state text NOT NULL, input bytea NOT NULL';
  await pool.query(
    `CREATE TABLE bench_task (${columns}, runs integer NOT NULL DEFAULT 0, done boolean NOT NULL DEFAULT false)`,
  );
  await pool.query(`CREATE TABLE bench_sql (${columns}, created_at timestamptz NOT NULL DEFAULT now())`);
  await pool.query('CREATE INDEX bench_sql_next ON bench_sql (state, created_at)');
}

const INPUT = Buffer.alloc(512, 7);
const insertInto = (pool, table, ids) =>
  pool.query(`INSERT INTO ${table} (id, state, input) SELECT id, 'QUEUED', $2 FROM unnest($1::int[]) AS id`, [
    ids,
    INPUT,
  ]);
const itemOf = id => ({ queue: 'bench', id: `task-${id}`, data: Buffer.from(String(id)) });

/** The tasks in groups, several groups at once; how many a second came through, and what this process used for each. */
async function rate(tasks, enqueue) {
  const groups = [];
  for (let from = 0; from < tasks; from += ROWS_AT_ONCE)
    groups.push(Array.from({ length: Math.min(ROWS_AT_ONCE, tasks - from) }, (_, i) => from + i));
  const begun = performance.now();
  const before = process.cpuUsage();
  const lane = async () => {
    for (let ids = groups.shift(); ids; ids = groups.shift()) await enqueue(ids);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
  const perSecond = (tasks * 1_000) / (performance.now() - begun);
  return { 'tasks/s': Math.round(perSecond), cpuMsEach: cpuMsOfThisProcess(before) / tasks };
}

async function enqueued({ report, pool, work, link, tasks }) {
  const nats = link.nats;
  const publishing = jetstream(nats);
  const ours = await rate(tasks, async ids => {
    await insertInto(pool, 'bench_task', ids);
    await Promise.all(ids.map(id => work.add(itemOf(id))));
  });
  const table = await rate(tasks, ids => insertInto(pool, 'bench_sql', ids));
  const bare = await rate(tasks, ids =>
    Promise.all(
      ids.map(id => {
        const { id: msgID, data } = itemOf(id);
        return publishing.publish('dept.bare.tasks.normal', data, { msgID: `bare:${msgID}` });
      }),
    ),
  );
  report.table(`tasks enqueued, each acknowledged as stored`);
  report.row('bare JetStream publication, no row', bare);
  report.row('a queue that is a table (INSERT alone)', table);
  report.row('row in Postgres, then the work queue', ours);
  report.note(
    `${tasks} tasks of ${INPUT.length} bytes, rows in statements of ${ROWS_AT_ONCE}, ${IN_FLIGHT} at once; fsync as Postgres has it by default, JetStream's files without one for each publication. cpuMsEach is of this one process, which enqueues; Postgres and nats-server are not in it.`,
  );
}

/** As an outbox does: what is added again is stored once. */
async function addUntilStored(work, id) {
  for (;;) {
    const stored = await work.add(itemOf(id)).then(
      () => true,
      () => false,
    );
    if (stored) return;
    await delay(50);
  }
}

async function worked({ report, pool, work, server, tasks, kills, more, databaseUrl }) {
  const begin = () => {
    const worker = fork(new URL('./worker.mjs', import.meta.url), [server.url, server.token, databaseUrl]);
    return new Promise(resolve => worker.once('message', () => resolve(worker)));
  };
  const workers = await Promise.all(Array.from({ length: WORKERS }, begin));
  process.once('exit', () => workers.forEach(each => each.kill('SIGKILL')));
  const done = async () =>
    Number((await pool.query('SELECT count(*) FROM bench_task WHERE done')).rows[0].count);
  let killed = 0;
  let added = tasks;
  const begun = performance.now();
  while (killed < kills || (await done()) < added || (await work.depth('bench')) > 0) {
    await delay(KILL_EVERY_MS);
    if (killed >= kills) continue;
    const at = killed++ % WORKERS;
    workers[at].kill('SIGKILL');
    workers[at] = await begin();
    const ids = Array.from({ length: more }, (_, i) => added + i);
    await insertInto(pool, 'bench_task', ids);
    for (let from = 0; from < ids.length; from += ROWS_AT_ONCE)
      await Promise.all(ids.slice(from, from + ROWS_AT_ONCE).map(id => addUntilStored(work, id)));
    added += ids.length;
  }
  const seconds = (performance.now() - begun) / 1_000;
  const { rows } = await pool.query(
    'SELECT count(*) FILTER (WHERE NOT done) AS lost, sum(runs) AS runs FROM bench_task',
  );
  for (const each of workers) each.kill('SIGKILL');
  report.table(`${WORKERS} workers, of which one is killed with SIGKILL after another`);
  report.row('tasks', {
    tasks: added,
    kills: killed,
    lost: Number(rows[0].lost),
    'begun again': Number(rows[0].runs) - added,
    seconds: Number(seconds.toFixed(1)),
  });
  report.note(
    'What is begun again was done by a worker that died before it could say so: services fence that.',
  );
}
