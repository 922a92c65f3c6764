import { createHash } from 'node:crypto';
import { Client, type ClientConfig, type QueryResult, type QueryResultRow } from 'pg';

const NAME_DIGITS = 24;
const namesOf = new Map<string, string>();
/**
 * What a pooler answers that hands a connection on to another client between two transactions and keeps no statements: the one of that name
 * is not there, or somebody else's. Both come before anything is executed.
 */
const NOT_KEPT = new Set(['26000', '42P05']);

/**
 * Has each connection of a service's pool prepare a statement once, and execute it by name from then on: Postgres neither parses it again
 * nor, once it has seen that one plan does for all values, plans it again. For statements that paid calls wait for.
 *
 * @param sql one statement, the same text in each call: values are its parameters
 * @returns the text, as it is given to `query`
 * @example const BALANCE_SQL = prepared('SELECT balance FROM account WHERE account_id = $1');
 */
export function prepared(sql: string): string {
  namesOf.set(sql, `svc_${createHash('sha256').update(sql).digest('hex').slice(0, NAME_DIGITS)}`);
  return sql;
}

/** Whether this process names statements: behind a pooler that keeps none it stops. */
let isNaming = true;

interface PreparingConfig extends ClientConfig {
  /** Is told once where statements are not named any more, and why. */
  readonly onUnprepared?: (reason: string) => void;
}

/** A connection that executes what is {@link prepared} by name. */
export class PreparingClient extends Client {
  private readonly onUnprepared: PreparingConfig['onUnprepared'];

  constructor(config: PreparingConfig) {
    super(config);
    this.onUnprepared = config.onUnprepared;
  }

  /* eslint-disable @typescript-eslint/no-explicit-any -- the overloads of pg, which say what comes back for what */
  override query<Row extends QueryResultRow = any>(query: string, values?: any[]): Promise<QueryResult<Row>>;
  override query(query: any, values?: any, callback?: any): any;
  override query(query: any, values?: any, callback?: any): any {
    /* eslint-enable @typescript-eslint/no-explicit-any */
    const name = isNaming && typeof query === 'string' && !callback ? namesOf.get(query) : undefined;
    if (name === undefined) return super.query(query, values, callback);
    const named: Promise<unknown> = super.query({ name, text: query, values });
    return named.catch((error: { code?: string; message: string }) => {
      if (!NOT_KEPT.has(error.code ?? '')) throw error;
      if (isNaming) this.onUnprepared?.(error.message);
      isNaming = false;
      // A transaction has failed with the statement; its caller repeats it.
      if (transactionOf(this) !== 'I') throw error;
      return super.query(query, values);
    });
  }
}

/** `I` outside of a transaction. pg has it, its types do not know it. */
const transactionOf = (client: PreparingClient) =>
  (client as unknown as { getTransactionStatus(): string | null }).getTransactionStatus();
