import { createLogger, openBusLink, openWorkQueue } from '@svc/platform';
import pg from 'pg';

/** A worker of the benchmark: marks the row of each piece as done, until it is killed. */
const [, , url, token, databaseUrl] = process.argv;
const logger = createLogger('department', { level: 'silent' });
const link = openBusLink({ kind: 'nats', url, token }, 'department', logger);
await link.connect();
const pool = new pg.Pool({ connectionString: databaseUrl, max: 8 });
// At the end of the benchmark Postgres may be gone before this worker is.
pool.on('error', () => undefined);
const queue = openWorkQueue(link, { owner: 'department' }, logger);
await queue.consume(
  { queue: 'bench', concurrency: 16, ackWaitMs: 2_000, retryMs: 50, deliveriesMax: 100 },
  async ({ data }) => {
    await pool.query('UPDATE bench_task SET runs = runs + 1, done = true WHERE id = $1', [
      Number(Buffer.from(data).toString()),
    ]);
  },
);
process.send('ready');
