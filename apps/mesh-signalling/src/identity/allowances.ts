import { Inject, Injectable } from '@nestjs/common';
import { problem } from '@svc/platform';
import { createHmac } from 'node:crypto';
import { DataSource } from 'typeorm';
import { MeshSettings } from '../mesh-config.js';
import type { Peer } from '../peer/peer.js';
import { StatementBatch } from '../persistence/statement-batch.js';
import { unproved } from './identity-problems.js';

/** How often something may be done within a minute. */
export interface Allowance {
  /** Of whom, and of what. */
  readonly name: string;
  readonly max: number;
}

/** Who calls. */
interface Caller {
  readonly address: string;
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

/** One call, as it is counted. */
interface Spending {
  readonly allowances: readonly Allowance[];
  readonly use?: NonceUse;
}

interface Spent {
  readonly refused: string | null;
  readonly retry_after: number | null;
  readonly is_fresh: boolean;
}

interface Standing {
  readonly name: string;
  readonly spent: number;
  readonly retry_after: number;
}

/** Calls of one statement. */
const CALLS_MAX = 128;
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

  private readonly spendings = new StatementBatch<Spending, Spent>(calls => this.spendAll(calls), {
    sizeMax: CALLS_MAX,
    // Of two uses of a nonce the second has to know whether the first was let through.
    apart: ({ use }) => (use ? [`${use.keyHash.toString('hex')}:${use.nonce.toString('hex')}`] : []),
  });
  private readonly looks = new StatementBatch<readonly string[], ReadonlyMap<string, Standing>>(
    calls => this.lookAll(calls),
    { sizeMax: CALLS_MAX },
  );

  /** Whoever does not show that a key is theirs spends nothing of its holder's. */
  ofRendezvous({ keyHash, identity }: Pick<Peer, 'keyHash' | 'identity'>, caller: Caller): Allowance[] {
    const ofKey = { name: `${identity}:${keyHash}`, max: this.settings.perMinute.key };
    return [ofKey, this.ofAddress('address', caller)];
  }

  /** Of those behind one address who come back to their inboxes all at once, none takes a rendezvous from another. */
  ofInbox({ keyHash }: Pick<Peer, 'keyHash'>, caller: Caller): Allowance[] {
    const ofKey = { name: `inbox:${keyHash}`, max: this.settings.perMinute.inbox };
    return [ofKey, this.ofAddress('inbox-address', caller)];
  }

  /** A caller's address is known by a keyed digest alone: the tables do not say who called. */
  nameOfAddress({ address }: Caller): string {
    return createHmac('sha256', this.settings.addressKey).update(address).digest('base64url');
  }

  private ofAddress(what: 'address' | 'inbox-address', caller: Caller): Allowance {
    return { name: `${what}:${this.nameOfAddress(caller)}`, max: this.settings.perMinute.address };
  }

  /**
   * Counts one call in each allowance, and uses the nonce if none is exceeded. Calls that come together are counted in
   * their order.
   * @throws ProblemError RATE_LIMITED; IDENTITY_UNPROVED `NONCE_USED`
   */
  async spend(allowances: readonly Allowance[], use?: NonceUse): Promise<void> {
    const spent = await this.spendings.add({ allowances, use });
    const refused = allowances.find(({ name }) => name === spent.refused);
    if (refused) throw limited(refused, spent.retry_after);
    if (use && !spent.is_fresh) throw unproved('NONCE_USED');
  }

  /** Says whether {@link spend} would be refused for its allowances; counts nothing. @throws ProblemError RATE_LIMITED */
  async require(allowances: readonly Allowance[]): Promise<void> {
    const standings = await this.looks.add(allowances.map(({ name }) => name));
    for (const allowance of allowances) {
      const standing = standings.get(allowance.name);
      if (standing && standing.spent >= allowance.max) throw limited(allowance, standing.retry_after);
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

  /**
   * Rows are written in the order of their names, so that two replicas never wait for each other. Nothing waits here for the
   * flush of the log: what a call is let through for is committed after it, and that flush has this in it, too.
   */
  private spendAll(calls: readonly Spending[]): Promise<Spent[]> {
    const asked = calls.flatMap(({ allowances }, call) => allowances.map(each => ({ call, ...each })));
    const uses = calls.flatMap(({ use }, call) => (use ? [{ call, ...use }] : []));
    return this.dataSource.query(
      `WITH asked AS (SELECT * FROM unnest($1::int[], $2::text[], $3::int[]) AS a (call, name, max)),
       uses AS (SELECT * FROM unnest($4::int[], $5::bytea[], $6::bytea[], $7::bytea[]) AS u (call, key_hash, nonce, call_key)),
       total AS (SELECT name, count(*)::int AS calls FROM asked GROUP BY name),
       counted AS (
         INSERT INTO mesh_allowance AS known (name, spent, ends_at)
         SELECT name, calls, now() + interval '1 minute' FROM total ORDER BY name
         ON CONFLICT (name) DO UPDATE SET
           spent = CASE WHEN known.ends_at <= now() THEN excluded.spent ELSE known.spent + excluded.spent END,
           ends_at = CASE WHEN known.ends_at <= now() THEN excluded.ends_at ELSE known.ends_at END
         RETURNING name, spent, ends_at),
       placed AS (SELECT *, row_number() OVER (PARTITION BY name ORDER BY call) AS place FROM asked),
       exceeded AS (SELECT call, min(name) AS name, max(ends_at) AS ends_at
                      FROM placed JOIN counted USING (name) JOIN total USING (name)
                     WHERE spent - calls + place > max GROUP BY call),
       used AS (
         INSERT INTO mesh_nonce AS known (key_hash, nonce, call_key)
         SELECT key_hash, nonce, call_key FROM uses WHERE NOT EXISTS (SELECT FROM exceeded WHERE exceeded.call = uses.call)
          ORDER BY key_hash, nonce
         ON CONFLICT (key_hash, nonce) DO UPDATE SET used_at = now() WHERE known.call_key = excluded.call_key
         RETURNING key_hash, nonce)
       SELECT exceeded.name AS refused, ceil(extract(epoch FROM ends_at - now()))::int AS retry_after,
              EXISTS (SELECT FROM used JOIN uses USING (key_hash, nonce) WHERE uses.call = each.call) AS is_fresh
         FROM set_config('synchronous_commit', 'off', true), generate_series(0, $8::int - 1) AS each (call)
         LEFT JOIN exceeded USING (call) ORDER BY call`,
      [
        ...[asked.map(({ call }) => call), asked.map(({ name }) => name), asked.map(({ max }) => max)],
        ...[uses.map(({ call }) => call), uses.map(({ keyHash }) => keyHash)],
        ...[uses.map(({ nonce }) => nonce), uses.map(({ callKey }) => callKey ?? null), calls.length],
      ],
    );
  }

  private async lookAll(calls: readonly (readonly string[])[]): Promise<ReadonlyMap<string, Standing>[]> {
    const rows: Standing[] = await this.dataSource.query(
      `SELECT name, spent, ceil(extract(epoch FROM ends_at - now()))::int AS retry_after
         FROM mesh_allowance WHERE name = ANY ($1) AND ends_at > now()`,
      [[...new Set(calls.flat())]],
    );
    const standings = new Map(rows.map(row => [row.name, row]));
    return calls.map(() => standings);
  }
}

const LIMITED: Readonly<Record<string, string>> = {
  verified: 'rendezvous a minute of one peer key',
  address: 'rendezvous a minute of one caller address',
  inbox: 'openings of inboxes a minute of one peer key',
  'inbox-address': 'openings of inboxes a minute of one caller address',
};

function limited({ name, max }: Allowance, retryAfterSeconds: number | null) {
  const [whose] = name.split(':');
  return problem('RATE_LIMITED', `At most ${max} ${LIMITED[whose] ?? LIMITED.verified}`, {
    retryAfterSeconds: Math.max(1, retryAfterSeconds ?? 1),
    extensions: { limit: max },
  });
}
