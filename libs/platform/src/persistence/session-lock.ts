import type { QueryResultRow } from 'pg';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { PreparingClient } from './prepared-statements.js';

const CONNECT_TIMEOUT_MS = 5_000;
const QUERY_TIMEOUT_MS = 30_000;

/** What runs on the session that holds the lock. */
export interface LockedSession {
  query<Row extends QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Committed when the work resolves, rolled back when it throws. Not to be nested, nor run beside another query. */
  transaction<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * A lock of which a whole deployment has one, held by a session of Postgres: at most one holder at a time, and whose
 * session has ended holds it no more. What the holder writes through the same session is written as its holder, or not
 * at all; whatever else it does, another may do at the same time, for as long as its loss is unknown to it.
 */
export class SessionLock implements LockedSession {
  private client: PreparingClient | undefined;
  private holds = false;

  /** @param name of the lock, within the schema of the data source */
  constructor(
    private readonly dataSource: DataSource,
    private readonly name: string,
    private readonly logger: Logger,
  ) {}

  /** As far as is known here. */
  get held(): boolean {
    return this.holds;
  }

  /** Whether the lock is held after it; asks for it where it is not. @throws the error of a database that is away */
  async take(): Promise<boolean> {
    if (this.holds) return true;
    try {
      const client = this.client ?? (await this.connect());
      const { rows } = await client.query<{ taken: boolean }>(
        `SELECT pg_try_advisory_lock(hashtextextended(current_schema() || ' ' || $1, 0)) AS taken`,
        [this.name],
      );
      this.holds = rows[0].taken && this.client === client;
      return this.holds;
    } catch (error) {
      await this.release();
      throw error;
    }
  }

  /** @throws Error where the lock is not held; after any error it is not held any more */
  async query<Row extends QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const { client } = this;
    if (!client || !this.holds) throw new Error(`the lock "${this.name}" is not held`);
    try {
      const { rows } = await client.query<Row>(text, [...values]);
      return rows;
    } catch (error) {
      // A session that fails may have lost more than a query: the lock goes with it, to whoever asks next.
      await this.release();
      throw error;
    }
  }

  async transaction<T>(work: () => Promise<T>): Promise<T> {
    await this.query('BEGIN');
    try {
      const result = await work();
      await this.query('COMMIT');
      return result;
    } catch (error) {
      // Ending the session rolls back, too.
      if (this.holds) await this.query('ROLLBACK');
      throw error;
    }
  }

  /** Gives the lock up, and ends the session. */
  async release(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    this.holds = false;
    await client?.end().catch(() => undefined);
  }

  private async connect(): Promise<PreparingClient> {
    const { url, schema, applicationName } = this.dataSource.options as {
      url?: string;
      schema?: string;
      applicationName?: string;
    };
    const client = new PreparingClient({
      connectionString: url,
      application_name: `${applicationName ?? 'svc'} ${this.name}`.slice(0, 63),
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
      keepAlive: true,
      options: `-c search_path=${schema ?? 'public'}`,
    });
    const lost = () => {
      if (this.client !== client) return;
      if (this.holds) this.logger.warn({ lock: this.name }, 'The session that held a lock has ended');
      this.client = undefined;
      this.holds = false;
    };
    client.on('error', lost).on('end', lost);
    await client.connect();
    this.client = client;
    return client;
  }
}
