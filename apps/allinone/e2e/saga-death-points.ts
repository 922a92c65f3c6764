import type { WalKind } from '@svc/durability';
import type { Buyer, KeptSession, MortalSagas } from './saga-death-fixture.js';
import { until } from './processes.js';

/**
 * Where a saga is when its owner dies:
 * - `before` a record: what is to be recorded with it is done, and the record waits; it is lost with its transaction.
 * - `after` a record: its commit is under way, and is done when the owner is dead: nobody hears of it.
 * - `call`: the prover is about to note of the saga's call that it is in this state; it does when the owner is dead.
 * - `answer`: the saga has ended, and its answer is not kept yet.
 */
export type Point =
  | { readonly at: 'before' | 'after'; readonly kind: WalKind; readonly step?: string }
  | { readonly at: 'call'; readonly state: 'running' | 'done' | 'revoked' }
  | { readonly at: 'answer' };

export const nameOf = (point: Point): string => {
  if (point.at === 'answer') return 'before the answer is kept';
  if (point.at === 'call') return `prover: call ${point.state}`;
  return `${point.at} ${point.kind}${point.step ? ` ${point.step}` : ''}`;
};

/** The first of a pair of numbers that name an advisory lock; no other lock here has it. */
const LOCK_CLASS = 7_403;

const wanted = (point: Point) => {
  if (point.at === 'answer') return ['answer', '', ''];
  return point.at === 'call' ? ['call', point.state, ''] : [point.at, point.kind, point.step ?? ''];
};

/** Keeps sagas waiting at points of their logs, by triggers that wait for locks of the test's. */
export class SagaDeathPoints {
  private holder: Promise<KeptSession>;
  private readonly held = new Map<number, Point>();
  private next = 1;

  constructor(private readonly sagas: MortalSagas) {
    this.holder = sagas.database.connect();
  }

  /** What a test's database has beside that of the service: it belongs to the superuser, and names nothing of it anew. */
  async install(): Promise<void> {
    const waits = (name: string, licensee: string, matches: string) => `
      CREATE FUNCTION death.${name}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
      DECLARE number integer;
      BEGIN
        SELECT point.number INTO number FROM death.point
         WHERE ${licensee} AND ${matches};
        IF FOUND THEN PERFORM pg_advisory_xact_lock_shared(${LOCK_CLASS}, number); END IF;
        RETURN NEW;
      END $$;`;
    const ofSaga = (id: string) =>
      `point.licensee = (SELECT licensee FROM payments.m2m_contract_entry WHERE saga_id = ${id})`;
    const record = `point.at = TG_ARGV[0] AND point.what = NEW.kind AND point.step = coalesce(NEW.step, '')`;
    await this.sagas.database.query(`
      CREATE SCHEMA death;
      CREATE TABLE death.point (number integer PRIMARY KEY, licensee text, at text, what text, step text);
      ${waits('at_record', ofSaga('NEW.saga_id'), record)}
      ${waits('at_call', 'true', `point.at = 'call' AND point.what = NEW.state`)}
      ${waits('at_answer', ofSaga('NEW.saga_id'), `point.at = 'answer'`)}
      CREATE TRIGGER death_before BEFORE INSERT ON payments.saga_wal
        FOR EACH ROW EXECUTE FUNCTION death.at_record('before');
      CREATE CONSTRAINT TRIGGER death_after AFTER INSERT ON payments.saga_wal DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION death.at_record('after');
      CREATE TRIGGER death_call BEFORE INSERT ON prover.idempotent_call
        FOR EACH ROW EXECUTE FUNCTION death.at_call();
      CREATE TRIGGER death_call_changes BEFORE UPDATE ON prover.idempotent_call
        FOR EACH ROW WHEN (OLD.state <> NEW.state) EXECUTE FUNCTION death.at_call();
      CREATE TRIGGER death_answer BEFORE UPDATE ON payments.execution_ticket
        FOR EACH ROW WHEN (OLD.answer IS NULL AND NEW.answer IS NOT NULL) EXECUTE FUNCTION death.at_answer();`);
  }

  /** From now on the buyer's saga waits there. */
  async arm({ licensee }: Buyer, point: Point): Promise<number> {
    const number = this.next++;
    await (await this.holder).query('SELECT pg_advisory_lock($1, $2)', [LOCK_CLASS, number]);
    await this.sagas.database.query('INSERT INTO death.point VALUES ($1, $2, $3, $4, $5)', [
      ...[number, licensee],
      ...wanted(point),
    ]);
    this.held.set(number, point);
    return number;
  }

  /** Resolves when somebody waits at the point. */
  async reached(number: number): Promise<void> {
    await until(
      async () => (await this.waiting(number)).length > 0,
      () => `a saga to be at: ${nameOf(this.held.get(number)!)}`,
    );
  }

  /**
   * Nobody waits any more: what would have been recorded by the dead is lost, or is recorded, as the point says. Gives
   * the moment of the database from which on nobody waits.
   */
  async letGo(isLost = ({ at }: Point): boolean => at === 'before' || at === 'answer'): Promise<Date> {
    const { database } = this.sagas;
    const { rows } = await database.query<{ now: Date }>('SELECT clock_timestamp() AS now');
    await database.query('DELETE FROM death.point');
    for (const [number, point] of this.held) {
      const pids = isLost(point) ? await this.waiting(number) : [];
      for (const pid of pids) await database.query('SELECT pg_terminate_backend($1)', [pid]);
      await until(
        async () => pids.length === 0 || (await this.waiting(number)).length === 0,
        () => 'the sessions of the dead to end',
      );
      await (await this.holder).query('SELECT pg_advisory_unlock($1, $2)', [LOCK_CLASS, number]);
    }
    this.held.clear();
    return rows[0].now;
  }

  /** Nobody waits any more, and all that waited is lost. */
  dropWaiting(): Promise<Date> {
    return this.letGo(() => true);
  }

  /** After the death of Postgres, with which all locks are gone, and all that waited for them. */
  async reopen(): Promise<void> {
    (await this.holder).release(true);
    this.held.clear();
    this.holder = this.sagas.database.connect();
    await this.holder;
    await this.sagas.database.query('DELETE FROM death.point');
  }

  async close(): Promise<void> {
    (await this.holder).release();
  }

  private async waiting(number: number): Promise<number[]> {
    const { rows } = await this.sagas.database.query<{ pid: number }>(
      `SELECT pid FROM pg_locks
        WHERE locktype = 'advisory' AND classid = $1 AND objid = $2 AND NOT granted`,
      [LOCK_CLASS, number],
    );
    return rows.map(({ pid }) => pid);
  }
}
