import { Inject, Injectable } from '@nestjs/common';
import { problem } from '@svc/platform';
import { createHmac } from 'node:crypto';
import { DataSource } from 'typeorm';
import { MeshSettings } from '../mesh-config.js';
import { unproved } from './identity-problems.js';

/** How often something may be done within a minute. */
export interface Allowance {
  /** Of whom, and of what. */
  readonly name: string;
  readonly max: number;
}

/** A nonce that is to be used, by whoever holds the key. */
export interface NonceUse {
  /** 32 bytes. */
  readonly keyHash: Buffer;
  /** 16 bytes. */
  readonly nonce: Buffer;
  /** What the call is known again by, 32 bytes: the same call may use its nonce again. */
  readonly callKey?: Buffer;
}

interface Spent {
  readonly refused: string | null;
  readonly retry_after: number | null;
  readonly is_fresh: boolean;
}

/** A proof is of the last minute; its nonce is remembered for longer than any clock is wrong by. */
const NONCES_KEPT = '5 minutes';

/**
 * What callers may do within a minute, and the nonces that they have used: of all replicas together, in Postgres. A minute
 * begins with the first call of its name; the calls of that minute are counted exactly, whichever replica takes them.
 */
@Injectable()
export class Allowances {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(MeshSettings) private readonly settings: Pick<MeshSettings, 'perMinute' | 'addressKey'>,
  ) {}

  /** A caller's address is known by a keyed digest alone: the table does not say who called. */
  ofAddress(address: string): Allowance {
    const { addressKey, perMinute } = this.settings;
    const digest = createHmac('sha256', addressKey).update(address).digest('base64url');
    return { name: `address:${digest}`, max: perMinute.address };
  }

  /** Whoever does not show that a key is theirs spends nothing of its holder's. */
  ofKey({ keyHash, identity }: { keyHash: string; identity: 'verified' | 'unverified' }): Allowance {
    return { name: `${identity}:${keyHash}`, max: this.settings.perMinute.key };
  }

  ofInbox({ keyHash }: { keyHash: string }): Allowance {
    return { name: `inbox:${keyHash}`, max: this.settings.perMinute.inbox };
  }

  /**
   * Counts one call in each allowance, and uses the nonce if none is exceeded: one statement.
   * @throws ProblemError RATE_LIMITED; IDENTITY_UNPROVED `NONCE_USED`
   */
  async spend(allowances: readonly Allowance[], use?: NonceUse): Promise<void> {
    const [spent]: Spent[] = await this.dataSource.query(
      `WITH asked AS (SELECT * FROM unnest($1::text[], $2::int[]) AS a (name, max)),
       counted AS (
         INSERT INTO mesh_allowance AS known (name, spent, ends_at)
         SELECT name, 1, now() + interval '1 minute' FROM asked
         ON CONFLICT (name) DO UPDATE SET
           spent = CASE WHEN known.ends_at <= now() THEN 1 ELSE known.spent + 1 END,
           ends_at = CASE WHEN known.ends_at <= now() THEN excluded.ends_at ELSE known.ends_at END
         RETURNING name, spent, ends_at),
       exceeded AS (SELECT name, ends_at FROM counted JOIN asked USING (name) WHERE spent > max),
       used AS (
         INSERT INTO mesh_nonce AS known (key_hash, nonce, call_key)
         SELECT $3, $4, $5 WHERE $3::bytea IS NOT NULL AND NOT EXISTS (SELECT FROM exceeded)
         ON CONFLICT (key_hash, nonce) DO UPDATE SET used_at = now() WHERE known.call_key = excluded.call_key
         RETURNING 1)
       SELECT (SELECT min(name) FROM exceeded) AS refused,
              (SELECT ceil(extract(epoch FROM max(ends_at) - now()))::int FROM exceeded) AS retry_after,
              EXISTS (SELECT FROM used) AS is_fresh`,
      [
        ...[allowances.map(({ name }) => name), allowances.map(({ max }) => max)],
        ...[use?.keyHash ?? null, use?.nonce ?? null, use?.callKey ?? null],
      ],
    );
    const refused = allowances.find(({ name }) => name === spent.refused);
    if (refused) throw limited(refused, spent.retry_after);
    if (use && !spent.is_fresh) throw unproved('NONCE_USED');
  }

  /** Says whether {@link spend} would be refused for its allowances; counts nothing. @throws ProblemError RATE_LIMITED */
  async require(allowances: readonly Allowance[]): Promise<void> {
    const rows: { name: string; spent: number; retry_after: number }[] = await this.dataSource.query(
      `SELECT name, spent, ceil(extract(epoch FROM ends_at - now()))::int AS retry_after
         FROM mesh_allowance WHERE name = ANY ($1) AND ends_at > now()`,
      [allowances.map(({ name }) => name)],
    );
    for (const allowance of allowances) {
      const row = rows.find(({ name }) => name === allowance.name);
      if (row && row.spent >= allowance.max) throw limited(allowance, row.retry_after);
    }
  }

  /** Uses a nonce. @throws ProblemError IDENTITY_UNPROVED `NONCE_USED` */
  use(use: NonceUse): Promise<void> {
    return this.spend([], use);
  }

  /** Forgets minutes that are over; returns how many. */
  async purge(): Promise<number> {
    const [, count] = await this.dataSource.query(`DELETE FROM mesh_allowance WHERE ends_at < now()`);
    return count;
  }

  /** Forgets nonces whose proofs are too old to be believed; returns how many. */
  async purgeNonces(): Promise<number> {
    const [, count] = await this.dataSource.query(
      `DELETE FROM mesh_nonce WHERE used_at < now() - interval '${NONCES_KEPT}'`,
    );
    return count;
  }
}

function limited({ name, max }: Allowance, retryAfterSeconds: number | null) {
  const [whose] = name.split(':');
  const whom = { address: 'caller address', inbox: 'inbox key' }[whose] ?? 'peer key';
  return problem('RATE_LIMITED', `At most ${max} calls a minute of one ${whom}`, {
    retryAfterSeconds: Math.max(1, retryAfterSeconds ?? 1),
    extensions: { limit: max },
  });
}
