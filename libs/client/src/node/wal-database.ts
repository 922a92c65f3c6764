import {
  type Checkpoint,
  isSagaId,
  type SagaRow,
  type SealedHead,
  type SealedHeads,
  type WalHead,
  type WalRecord,
  type WalSource,
} from '@svc/durability';
import { Client } from 'pg';

/** Schema of the service that keeps the sagas. */
export const WAL_SCHEMA = 'payments';
const ROWS_AT_ONCE = 2_000;
/** Each comes with up to ten thousand leaves. */
const CHECKPOINTS_AT_ONCE = 8;
const CONNECT_MS_MAX = 10_000;

type Row = Record<string, unknown>;
type Session = InstanceType<typeof Client>;

const hex = (column: string) => `encode(${column}, 'hex') AS ${column}`;
const instant = `to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at`;
const CHECKPOINT_COLUMNS = `number, ${hex('root')}, leaf_count, ${hex('prev_hash')}, ${hex('hash')}, ${instant}, key_id,
  encode(signature, 'base64') AS signature`;

/** The database has no log, or it cannot be read with these credentials. */
export class WalDatabaseError extends Error {
  override readonly name = 'WalDatabaseError';
}

/**
 * The logs in a Postgres, as they were when it was opened: one transaction that reads only. Rows are fetched as they are
 * asked for, so that memory does not grow with the log.
 */
export class WalDatabase implements WalSource {
  private cursors = 0;

  private constructor(
    private readonly client: Session,
    private readonly schema: string,
    private readonly sagaId: string | undefined,
  ) {}

  /**
   * @param url of a role that may read the tables of the log
   * @param options.sagaId reads the log of this saga alone, and all checkpoints
   * @throws {WalDatabaseError}
   */
  static async open(
    url: string,
    { schema = WAL_SCHEMA, sagaId }: { readonly schema?: string; readonly sagaId?: string } = {},
  ): Promise<WalDatabase> {
    if (sagaId !== undefined && !isSagaId(sagaId)) throw new WalDatabaseError(`${sagaId} is no id of a saga`);
    const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS_MAX });
    // A connection that is lost between two questions fails the next one.
    client.on('error', () => undefined);
    const database = new WalDatabase(client, client.escapeIdentifier(schema), sagaId);
    try {
      await client.connect();
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      // A long log takes longer than any answer that a service waits for.
      await client.query('SET LOCAL statement_timeout = 0');
      await client.query('SET LOCAL idle_in_transaction_session_timeout = 0');
      // The moment that is read begins with the first row that is read.
      await client.query(`SELECT 1 FROM ${database.table('saga_wal')} LIMIT 1`);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw new WalDatabaseError(`the log cannot be read: ${sentenceOf(error)}`);
    }
    return database;
  }

  async close(): Promise<void> {
    await this.client.end();
  }

  records(): AsyncIterable<readonly WalRecord[]> {
    const sql = `SELECT saga_id, seq, kind, step, attempt, ${hex('idem_key')}, payload, ${hex('prev_hash')},
      ${hex('hash')}, fence, ${instant} FROM ${this.table('saga_wal')} ${this.where} ORDER BY saga_id, seq`;
    return this.stream(sql, recordOf);
  }

  sagas(): AsyncIterable<readonly SagaRow[]> {
    const sql = `SELECT saga_id, state, wal_count, ${hex('head')} FROM ${this.table('saga')} ${this.where}
      ORDER BY saga_id`;
    return this.stream(sql, row => ({ ...headOf(row), state: row['state'] as SagaRow['state'] }));
  }

  sealedHeads(): AsyncIterable<readonly SealedHead[]> {
    const sql = `SELECT number, saga_id, wal_count, ${hex('head')} FROM ${this.table('wal_checkpoint_leaf')}
      ${this.where} ORDER BY saga_id, wal_count`;
    return this.stream(sql, row => ({ ...headOf(row), checkpoint: Number(row['number']) }));
  }

  async *checkpoints(): AsyncGenerator<readonly SealedHeads[]> {
    const sql = `SELECT ${CHECKPOINT_COLUMNS} FROM ${this.table('wal_checkpoint')} ORDER BY number`;
    for await (const batch of this.stream(sql, checkpointOf, CHECKPOINTS_AT_ONCE)) {
      const leaves = await this.leavesOf(batch.map(({ number }) => number));
      yield batch.map(checkpoint => ({ checkpoint, leaves: leaves.get(checkpoint.number) ?? [] }));
    }
  }

  async checkpointsOf(numbers: readonly number[]): Promise<readonly Checkpoint[]> {
    const { rows } = await this.client.query<Row>(
      `SELECT ${CHECKPOINT_COLUMNS} FROM ${this.table('wal_checkpoint')} WHERE number = ANY($1::bigint[])`,
      [numbers],
    );
    return rows.map(checkpointOf);
  }

  private async leavesOf(numbers: readonly number[]): Promise<Map<number, WalHead[]>> {
    const { rows } = await this.client.query<Row>(
      `SELECT number, saga_id, wal_count, ${hex('head')} FROM ${this.table('wal_checkpoint_leaf')}
        WHERE number = ANY($1::bigint[]) ORDER BY number, leaf_index`,
      [numbers],
    );
    const leaves = new Map<number, WalHead[]>(numbers.map(number => [number, []]));
    for (const row of rows) leaves.get(Number(row['number']))?.push(headOf(row));
    return leaves;
  }

  /** A cursor: one plan, and no more rows in memory than one fetch has. */
  private async *stream<T>(
    sql: string,
    read: (row: Row) => T,
    rowsAtOnce = ROWS_AT_ONCE,
  ): AsyncGenerator<readonly T[]> {
    this.cursors += 1;
    const cursor = `wal_${this.cursors}`;
    await this.client.query(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${sql}`);
    for (;;) {
      const { rows } = await this.client.query<Row>(`FETCH ${rowsAtOnce} FROM ${cursor}`);
      if (rows.length > 0) yield rows.map(read);
      if (rows.length < rowsAtOnce) break;
    }
    await this.client.query(`CLOSE ${cursor}`);
  }

  /** Checked when the database was opened: a cursor takes no parameters. */
  private get where(): string {
    return this.sagaId === undefined ? '' : `WHERE saga_id = '${this.sagaId}'`;
  }

  private table(name: string): string {
    return `${this.schema}.${name}`;
  }
}

const headOf = (row: Row): WalHead => ({
  sagaId: row['saga_id'] as string,
  count: row['wal_count'] as number,
  head: row['head'] as string,
});

function recordOf(row: Row): WalRecord {
  return {
    sagaId: row['saga_id'] as string,
    seq: row['seq'] as number,
    kind: row['kind'] as WalRecord['kind'],
    step: row['step'] as string | null,
    attempt: row['attempt'] as number,
    idemKey: row['idem_key'] as string | null,
    payload: row['payload'] as WalRecord['payload'],
    fence: Number(row['fence']),
    at: row['at'] as string,
    prevHash: row['prev_hash'] as string,
    hash: row['hash'] as string,
  };
}

function checkpointOf(row: Row): Checkpoint {
  return {
    number: Number(row['number']),
    root: row['root'] as string,
    leafCount: row['leaf_count'] as number,
    prevHash: row['prev_hash'] as string,
    hash: row['hash'] as string,
    at: row['at'] as string,
    keyId: row['key_id'] as string,
    signature: Buffer.from(String(row['signature']), 'base64').toString('base64url'),
  };
}

/** What went wrong, without the password that a connection string may have. */
function sentenceOf(error: unknown): string {
  const { code, message, errors } = error as NodeJS.ErrnoException & { errors?: readonly Error[] };
  if (code === '42P01') return 'there are no tables of sagas in this database';
  if (code === '42501') return 'this role may not read the tables of sagas';
  return message || errors?.[0]?.message || code || String(error);
}
