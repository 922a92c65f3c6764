import { Injectable } from '@nestjs/common';
import { inTransaction } from '@svc/platform';
import { DataSource } from 'typeorm';

/** A call whose process has not been heard of for this long has lost it. */
export const CALL_LEASE_SECONDS = 5;
/** How long a key is known: as long as the proof that was made for it. */
export const CALL_RETENTION_DAYS = 30;
/** How long a proof is kept once it is taken back: a sale that is told to fail costs nothing, and must not fill the disk. */
export const REVOKED_RETENTION_HOURS = 24;
/** Marks a proof as taken back. */
const REVOKE_PROOF = `UPDATE proof SET revoked_at = now(),
  kept_until = least(kept_until, now() + make_interval(hours => ${REVOKED_RETENTION_HOURS}))`;

export type CallKind = 'execution' | 'tool';

/** What became of a key; `unknown`: nothing, or nobody is at it any more. */
export type CallState = 'unknown' | 'running' | 'done' | 'revoked';

/** A call as it is recorded. */
export interface StoredCall {
  readonly kind: CallKind;
  readonly state: CallState;
  readonly requestDigest?: Buffer;
  /** Sealed. */
  readonly reply?: Buffer;
}

interface Row {
  kind: CallKind;
  state: Exclude<CallState, 'unknown'>;
  request_digest: Buffer | null;
  reply: Buffer | null;
  proof_id: string | null;
  is_forsaken: boolean | null;
}

const COLUMNS = 'kind, state, request_digest, reply, proof_id, lease_until < now() AS is_forsaken';
const bytesOf = (idemKey: string) => Buffer.from(idemKey, 'hex');

/**
 * Idempotent calls in Postgres, where every replica sees them. Of any number of concurrent runs of one key exactly one
 * acquires it, and only the run that has it when it ends leaves its result.
 */
@Injectable()
export class IdempotentCallStore {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Takes a key that is new, or whose process has gone; true if, and only if, `owner` has it now.
   * @param digests of the request: the first is recorded, and any of them is the same request
   */
  async acquire(
    idemKey: string,
    kind: CallKind,
    digests: readonly Buffer[],
    owner: string,
  ): Promise<boolean> {
    const rows: unknown[] = await this.dataSource.query(
      `INSERT INTO idempotent_call AS call (idem_key, kind, state, request_digest, owner, lease_until)
       VALUES ($1, $2, 'running', $3, $4, now() + make_interval(secs => $5))
       ON CONFLICT (idem_key) DO UPDATE
         SET owner = excluded.owner, lease_until = excluded.lease_until, changed_at = now()
         WHERE call.state = 'running' AND call.lease_until < now()
           AND call.kind = excluded.kind AND call.request_digest = ANY($6)
       RETURNING 1`,
      [bytesOf(idemKey), kind, digests[0], owner, CALL_LEASE_SECONDS, [...digests]],
    );
    return rows.length === 1;
  }

  /** The call of a key; undefined where nothing is recorded. */
  async find(idemKey: string): Promise<StoredCall | undefined> {
    const rows: Row[] = await this.dataSource.query(
      `SELECT ${COLUMNS} FROM idempotent_call WHERE idem_key = $1`,
      [bytesOf(idemKey)],
    );
    const row = rows[0];
    if (!row) return undefined;
    return {
      kind: row.kind,
      state: stateOf(row),
      ...(row.request_digest ? { requestDigest: row.request_digest } : {}),
      ...(row.reply ? { reply: row.reply } : {}),
    };
  }

  /** Says that the runs go on, and returns those of them that still have their key. */
  async renew(owners: readonly string[]): Promise<Set<string>> {
    const [rows]: [{ owner: string }[], number] = await this.dataSource.query(
      `UPDATE idempotent_call SET lease_until = now() + make_interval(secs => $2)
        WHERE state = 'running' AND owner = ANY($1::uuid[]) RETURNING owner`,
      [[...owners], CALL_LEASE_SECONDS],
    );
    return new Set(rows.map(row => row.owner));
  }

  /**
   * Records the result of a run, and drops the proofs of runs that died before they came to that; false where the key was
   * revoked meanwhile, or is another run's.
   */
  complete(idemKey: string, owner: string, reply: Buffer, proofId: string | undefined): Promise<boolean> {
    const key = bytesOf(idemKey);
    return inTransaction(this.dataSource, async manager => {
      const [, count] = await manager.query(
        `UPDATE idempotent_call
            SET state = 'done', reply = $3, proof_id = $4, owner = NULL, lease_until = NULL, changed_at = now()
          WHERE idem_key = $1 AND owner = $2 AND state = 'running'`,
        [key, owner, reply, proofId ?? null],
      );
      if (count !== 1) return false;
      await manager.query('DELETE FROM proof WHERE idem_key = $1 AND proof_id IS DISTINCT FROM $2', [
        key,
        proofId ?? null,
      ]);
      return true;
    });
  }

  /** Forgets a run that came to nothing, so that the next one begins anew. */
  async abandon(idemKey: string, owner: string): Promise<void> {
    await this.dataSource.query(
      `DELETE FROM idempotent_call WHERE idem_key = $1 AND owner = $2 AND state = 'running'`,
      [bytesOf(idemKey), owner],
    );
  }

  /**
   * Takes a call back for good, also one that never came, and marks what was proved for it. Idempotent.
   * @returns what it was; undefined where the key is one of another kind, which stays as it is
   */
  revoke(idemKey: string, kind: CallKind): Promise<CallState | undefined> {
    return inTransaction(this.dataSource, async manager => {
      const key = bytesOf(idemKey);
      for (;;) {
        const inserted: unknown[] = await manager.query(
          `INSERT INTO idempotent_call (idem_key, kind, state) VALUES ($1, $2, 'revoked')
           ON CONFLICT DO NOTHING RETURNING 1`,
          [key, kind],
        );
        if (inserted.length === 1) {
          await manager.query(`${REVOKE_PROOF} WHERE idem_key = $1 AND revoked_at IS NULL`, [key]);
          return 'unknown';
        }
        const rows: Row[] = await manager.query(
          `SELECT ${COLUMNS} FROM idempotent_call WHERE idem_key = $1 FOR UPDATE`,
          [key],
        );
        const row = rows[0];
        // A run that came to nothing was forgotten in between.
        if (!row) continue;
        if (row.kind !== kind) return undefined;
        if (row.state === 'revoked') return 'revoked';
        await manager.query(
          `UPDATE idempotent_call
              SET state = 'revoked', owner = NULL, lease_until = NULL, reply = NULL, changed_at = now()
            WHERE idem_key = $1`,
          [key],
        );
        // Also the proof of a run that died before it was recorded; from now on none is kept for the key.
        await manager.query(`${REVOKE_PROOF} WHERE (proof_id = $1 OR idem_key = $2) AND revoked_at IS NULL`, [
          row.proof_id,
          key,
        ]);
        return stateOf(row);
      }
    });
  }

  /** Deletes what is past its retention, and returns how many calls went. */
  async purgeExpired(retentionDays = CALL_RETENTION_DAYS): Promise<number> {
    const [, count] = await this.dataSource.query(
      `DELETE FROM idempotent_call
        WHERE changed_at < now() - make_interval(days => $1) AND (lease_until < now()) IS NOT FALSE`,
      [retentionDays],
    );
    return count as number;
  }
}

const stateOf = ({ state, is_forsaken }: Row): CallState =>
  state === 'running' && is_forsaken === true ? 'unknown' : state;
