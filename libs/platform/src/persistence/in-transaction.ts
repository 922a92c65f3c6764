import type { DataSource, EntityManager } from 'typeorm';

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
export async function inTransaction<T>(
  dataSource: DataSource,
  work: (manager: EntityManager) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  const attemptsMax = options.attemptsMax ?? 5;
  for (let attempt = 1; ; attempt++) {
    try {
      return await (options.isolation
        ? dataSource.transaction(options.isolation, work)
        : dataSource.transaction(work));
    } catch (error) {
      const sqlState = (error as { driverError?: { code?: string } }).driverError?.code;
      if (attempt >= attemptsMax || sqlState === undefined || !REPEATABLE.has(sqlState)) throw error;
    }
  }
}
