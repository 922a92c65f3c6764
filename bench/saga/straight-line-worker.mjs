import { createHash, randomUUID } from 'node:crypto';
import pg from 'pg';
import { measure } from './measure.mjs';

/**
 * What the database alone allows for sagas that share nothing: five transactions of one connection, ten chained records, a
 * ticket and a row of the saga; no leases that are renewed, no outbox, no checks, no recovery.
 */
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 16 });
await pool.query(`
  CREATE TABLE ticket (id uuid PRIMARY KEY, consumed_by uuid NOT NULL);
  CREATE TABLE saga (id uuid PRIMARY KEY, state text, step int, lease_until timestamptz, head bytea);
  CREATE TABLE wal (saga_id uuid, seq int, kind text, step int, payload jsonb, prev bytea, hash bytea,
    at timestamptz DEFAULT clock_timestamp(), PRIMARY KEY (saga_id, seq))`);

const columns = [1, 2, 3, 4, 5, 6, 7];
const pair = [columns, columns.map(n => n + 7)].map(row => `(${row.map(n => `$${n}`).join(',')})`).join(',');
const insertPair = `INSERT INTO wal (saga_id, seq, kind, step, payload, prev, hash) VALUES ${pair}`;

async function saga() {
  const client = await pool.connect();
  const id = randomUUID();
  let head = Buffer.alloc(32);
  let seq = 0;
  const row = (kind, step) => {
    const prev = head;
    head = createHash('sha256').update(prev).update(JSON.stringify({ id, seq, kind, step })).digest();
    return [id, seq++, kind, step, '{}', prev, head];
  };
  const log = (...rows) => client.query({ name: 'log', text: insertPair, values: rows.flat() });
  try {
    await client.query('BEGIN');
    await client.query({
      name: 'ticket',
      text: 'INSERT INTO ticket VALUES ($1, $2)',
      values: [randomUUID(), id],
    });
    await log(row('SAGA_BEGIN', null), row('STEP_INTENT', 0));
    const insertSaga = `INSERT INTO saga VALUES ($1, 'RUNNING', 0, now() + interval '10 s', $2)`;
    await client.query({ name: 'saga', text: insertSaga, values: [id, head] });
    await client.query('COMMIT');
    for (let step = 0; step < 4; step++) {
      await client.query('BEGIN');
      const last = step === 3 ? row.bind(null, 'SAGA_COMMIT', null) : row.bind(null, 'STEP_INTENT', step + 1);
      await log(row('STEP_COMMIT', step), last());
      const update = `UPDATE saga SET step = $2, head = $3, lease_until = now() + interval '10 s' WHERE id = $1`;
      await client.query({ name: 'step', text: update, values: [id, step + 1, head] });
      await client.query('COMMIT');
    }
  } finally {
    client.release();
  }
}

process.on('message', async ({ id, concurrency, amount }) => {
  try {
    process.send({ id, result: await measure({ concurrency, amount }, saga) });
  } catch (error) {
    process.send({ id, error: String(error?.stack ?? error) });
  }
});
process.on('disconnect', () => process.exit(0));
process.send({ id: 0, result: 'ready' });
