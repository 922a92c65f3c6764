import { types } from 'node:util';
import type { QueryRunner } from 'typeorm';
import { problem, type ProblemError } from '../problem-details/problem-error.js';

/** Socket errors of node that mean "no database there". */
const SOCKET_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/** SQLSTATEs of a server that goes away, starts, or is full (PostgreSQL manual, appendix A). */
const AWAY_SQLSTATES = new Set(['57P01', '57P02', '57P03', '53300']);
/** pg and pg-pool give these no code. */
const AWAY_MESSAGES =
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Query read timeout|Driver not Connected|Cannot use a pool after)/;

/** Whether an error says that the database is away, as opposed to one that it answered with. */
export function isConnectionLoss(error: unknown): boolean {
  if (!types.isNativeError(error)) return false;
  const { code, driverError, errors } = error as Error & {
    code?: unknown;
    driverError?: unknown;
    errors?: unknown;
  };
  if (driverError !== undefined && driverError !== error) return isConnectionLoss(driverError);
  // Node's AggregateError of a host name with several addresses.
  if (Array.isArray(errors)) return errors.some(isConnectionLoss);
  if (typeof code === 'string') {
    return SOCKET_CODES.has(code) || AWAY_SQLSTATES.has(code) || code.startsWith('08');
  }
  return AWAY_MESSAGES.test(error.message);
}

/**
 * Whether typeorm complains that a transaction's runner was released: nobody releases it but typeorm
 * itself, when the socket breaks.
 */
export function isReleasedByLoss(error: unknown): boolean {
  return types.isNativeError(error) && /^QueryRunner(Provider)?AlreadyReleasedError$/.test(error.name);
}

/** What a caller learns when the database is away. */
export function databaseAway(cause: unknown): ProblemError {
  return problem('SERVICE_UNAVAILABLE', 'The database of this service is away', {
    retryAfterSeconds: 2,
    cause,
  });
}

/** Pooled connections that are watched, and of those the ones that broke. */
const watched = new WeakSet<object>();
const broken = new WeakSet<object>();

function watch(connection: object & { once?(event: 'error', listener: () => void): void }): void {
  if (watched.has(connection)) return;
  watched.add(connection);
  connection.once?.('error', () => broken.add(connection));
}

/**
 * Makes a query runner throw SERVICE_UNAVAILABLE where its connection is lost; answers of the
 * database (a broken constraint, a serialization failure) pass as they are.
 */
export function reportConnectionLoss<R extends QueryRunner>(runner: R): R {
  let connection: object | undefined;
  const guard =
    <A extends unknown[], T>(method: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      try {
        return await method.apply(runner, args);
      } catch (error) {
        // typeorm releases a runner whose socket broke; what is asked of it next fails for that reason.
        const away = isConnectionLoss(error) || (connection !== undefined && broken.has(connection));
        throw away ? databaseAway(error) : error;
      }
    };
  const connect = guard(runner.connect.bind(runner) as () => Promise<object>);
  runner.connect = async () => {
    connection = await connect();
    watch(connection);
    return connection;
  };
  runner.query = guard(runner.query.bind(runner) as (...args: unknown[]) => Promise<never>) as R['query'];
  return runner;
}
