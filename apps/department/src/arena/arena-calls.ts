import { Injectable } from '@nestjs/common';
import { canonicalDigest } from '@svc/audit-proof';
import { inTransaction, KeyedDigests, otherRequest, problem } from '@svc/platform';
import { DataSource, type EntityManager } from 'typeorm';

export type CallState = 'unknown' | 'running' | 'done' | 'revoked';

/** A call that has begun. */
export interface BegunCall {
  /** When it came first: what it was late for is known by that, however often it is made. */
  readonly begunAt: Date;
}

/** How long the key of a call is known: longer than any copy of it can be on its way. */
const KEPT_DAYS = 30;

/**
 * The keys under which the arena is called: each stands for one request, and comes to nothing once it was revoked. What a
 * call does is done in the transaction that finds its key still good, so that nothing has to be taken back while it runs.
 */
@Injectable()
export class ArenaCalls {
  constructor(
    private readonly dataSource: DataSource,
    private readonly digests: KeyedDigests,
  ) {}

  /** @throws ProblemError CONFLICT where the key was revoked, UNPROCESSABLE where it is of another request */
  async begin(idemKey: string, request: object): Promise<BegunCall> {
    const digest = this.digests.of(canonicalDigest(request), idemKey);
    const [row]: { state: CallState; request_digest: Buffer; begun_at: Date }[] = await this.dataSource.query(
      `INSERT INTO arena_call AS call (idem_key, request_digest, state) VALUES (decode($1, 'hex'), $2, 'running')
       ON CONFLICT (idem_key) DO UPDATE SET state = call.state RETURNING state, request_digest, begun_at`,
      [idemKey, digest.bytes],
    );
    if (row.state === 'revoked') throw revoked();
    if (!digest.matches(row.request_digest)) throw otherRequest();
    return { begunAt: row.begun_at };
  }

  /** Does what a call does, and marks it done, both or neither. @throws ProblemError CONFLICT where the key was revoked */
  complete<T>(idemKey: string, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return inTransaction(this.dataSource, async manager => {
      const rows: { state: CallState }[] = await manager.query(
        `SELECT state FROM arena_call WHERE idem_key = decode($1, 'hex') FOR UPDATE`,
        [idemKey],
      );
      if (rows[0]?.state !== 'running' && rows[0]?.state !== 'done') throw revoked();
      const result = await work(manager);
      await manager.query(`UPDATE arena_call SET state = 'done' WHERE idem_key = decode($1, 'hex')`, [
        idemKey,
      ]);
      return result;
    });
  }

  /**
   * Revokes a key for good, also one that never came.
   * @param undo takes back what was done under it, in the same transaction
   */
  revoke(idemKey: string, undo: (manager: EntityManager) => Promise<void>): Promise<CallState> {
    return inTransaction(this.dataSource, async manager => {
      const inserted: unknown[] = await manager.query(
        `INSERT INTO arena_call (idem_key, state) VALUES (decode($1, 'hex'), 'revoked')
         ON CONFLICT (idem_key) DO NOTHING RETURNING 1`,
        [idemKey],
      );
      if (inserted.length > 0) return 'unknown';
      const [{ state }]: { state: CallState }[] = await manager.query(
        `SELECT state FROM arena_call WHERE idem_key = decode($1, 'hex') FOR UPDATE`,
        [idemKey],
      );
      await manager.query(`UPDATE arena_call SET state = 'revoked' WHERE idem_key = decode($1, 'hex')`, [
        idemKey,
      ]);
      await undo(manager);
      return state;
    });
  }

  async stateOf(idemKey: string): Promise<CallState> {
    const rows: { state: CallState }[] = await this.dataSource.query(
      `SELECT state FROM arena_call WHERE idem_key = decode($1, 'hex')`,
      [idemKey],
    );
    return rows[0]?.state ?? 'unknown';
  }

  /** Forgets calls that were made long ago; returns how many. */
  async purge(): Promise<number> {
    const [, count]: [unknown[], number] = await this.dataSource.query(
      `DELETE FROM arena_call WHERE begun_at < now() - make_interval(days => $1)`,
      [KEPT_DAYS],
    );
    return count;
  }
}

const revoked = () =>
  problem('CONFLICT', 'The call was revoked and is not made any more', { extensions: { state: 'revoked' } });
