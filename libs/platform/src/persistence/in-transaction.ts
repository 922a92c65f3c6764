import type { DataSource, EntityManager } from 'typeorm';
import { databaseAway, isReleasedByLoss } from './connection-loss.js';

export interface TransactionOptions {
  readonly isolation?: 'READ COMMITTED' | 'REPEATABLE READ' | 'SERIALIZABLE';
  /** How often the work may run when Postgres asks to repeat it; 1 to 20. */
  readonly attemptsMax?: number;
}

/** SQLSTATEs after which the same transaction may succeed: serialization failure, deadlock. */
const REPEATABLE = new Set(['40001', '40P01']);

/**
 * Runs the work in one transaction: committed when it resolves, rolled back when it throws. The work
 * may run more than once (Postgres aborts one of two transactions that conflict), so what it does
 * outside of the database must bear that.
 * @throws ProblemError SERVICE_UNAVAILABLE when the connection is lost; after a loss during the
 * commit it is not known whether the work is recorded, so work must be safe to ask for again
 */
export function inTransaction<T>(
  dataSource: DataSource,
  work: (manager: EntityManager) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  const { isolation, attemptsMax } = options;
  return repeated(
    () => (isolation ? dataSource.transaction(isolation, work) : dataSource.transaction(work)),
    attemptsMax,
  );
}

/**
 * As {@link inTransaction} at the default isolation, but the transaction begins with the first query: work that asks
 * nothing of the database takes no connection, sends no message, and commits nothing.
 *
 * @param work `hasBegun` says whether a query was sent by now
 */
export function inDeferredTransaction<T>(
  dataSource: DataSource,
  work: (manager: EntityManager, hasBegun: () => boolean) => Promise<T>,
): Promise<T> {
  return repeated(async () => {
    const runner = dataSource.createQueryRunner();
    const send = runner.query.bind(runner) as (...args: unknown[]) => Promise<never>;
    let begun: Promise<unknown> | undefined;
    const query = async (sql: string, ...rest: unknown[]): Promise<unknown> => {
      // typeorm keeps its own account of what is open; its bounds are held back until something lies between them.
      if (begun === undefined && BOUNDS.has(sql)) return undefined;
      await (begun ??= send(START));
      return send(sql, ...rest);
    };
    runner.query = query as typeof runner.query;
    // Would send its query past the one above.
    runner.stream = () =>
      Promise.reject(new Error('a transaction that begins with its first query streams none'));
    try {
      return await runner.manager.transaction(tx => work(tx, () => begun !== undefined));
    } catch (error) {
      throw isReleasedByLoss(error) ? databaseAway(error) : error;
    } finally {
      await runner.release();
    }
  });
}

/** As typeorm writes them. */
const START = 'START TRANSACTION';
const BOUNDS: ReadonlySet<string> = new Set([START, 'COMMIT', 'ROLLBACK']);

/** Runs what is one transaction, such as a statement by itself, again where Postgres asks to repeat it. */
export async function repeated<T>(run: () => Promise<T>, attemptsMax = 5): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      const sqlState = (error as { driverError?: { code?: string } }).driverError?.code;
      if (attempt >= attemptsMax || sqlState === undefined || !REPEATABLE.has(sqlState)) throw error;
    }
  }
}
