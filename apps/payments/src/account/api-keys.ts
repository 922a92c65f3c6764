import { Inject, Injectable } from '@nestjs/common';
import type { KeyHolder, KeyScope } from '@svc/contracts';
import { Batch, prepared, problem } from '@svc/platform';
import { makeSvcKey, SVC_KEY_BYTES } from '@svc/protocols';
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { DataSource, type EntityManager } from 'typeorm';
import { ACCOUNT_SECRETS, type AccountSecrets } from './account-secrets.js';
import { type AccountKind, EFFECTIVE_PLAN, KINDS_OF_A_PAYMENT } from './accounts.js';
import { type HashedKey, hashKey } from './key-hash.js';
import { LIMIT_COLUMNS, limitsOfRow, type ListedLimits } from './key-limits.js';

/** How long a key that was replaced goes on working unless it is said otherwise, seconds. */
export const ROTATION_GRACE_SECONDS = 24 * 60 * 60;
/** Longest such time, seconds. */
export const ROTATION_GRACE_SECONDS_MAX = 30 * 24 * 60 * 60;

/** Keys that an account may make in a day, replacements among them: each is a row, which is kept for a month after its end. */
export const KEYS_A_DAY_MAX = 200;
const KEPT_DAYS = 30;
const PURGED_AT_ONCE = 1_000;
/** Of the keys that have ended, so many are listed. */
const ENDED_LISTED_MAX = 50;

/** A key that was just made: its text is shown once. */
export interface IssuedKey {
  readonly keyId: string;
  readonly key: string;
}

/** A key as its holder may see it. */
export interface ListedKey {
  readonly keyId: string;
  readonly scopes: readonly KeyScope[];
  readonly label?: string;
  /** `revoked` also when its time has passed. */
  readonly state: 'active' | 'rotating' | 'revoked';
  readonly createdAt: Date;
  /** To the hour. */
  readonly lastUsedAt?: Date;
  readonly endsAt?: Date;
  readonly limits?: ListedLimits;
}

/** Of a key that is good now. */
const IS_LIVE = `api_key.state <> 'revoked' AND (api_key.ends_at IS NULL OR api_key.ends_at > now())`;

const LOOK_UP = prepared(
  `SELECT api_key.key_id, api_key.account_id, api_key.key_hash, api_key.scopes, account.kind, ${EFFECTIVE_PLAN} AS plan,
          coalesce(api_key.last_used_at < now() - interval '1 hour', true) AS stale,
          api_key.limit_id, (SELECT lim.operations FROM key_limit lim WHERE lim.limit_id = api_key.limit_id) AS operations
     FROM api_key JOIN account USING (account_id)
    WHERE api_key.key_id = ANY ($1) AND ${IS_LIVE}`,
);

const LISTED = `
  SELECT key_id, scopes, label, api_key.created_at, last_used_at, ends_at,
         CASE WHEN ends_at <= now() THEN 'revoked' ELSE state END AS state, ${LIMIT_COLUMNS}
    FROM api_key LEFT JOIN key_limit lim USING (limit_id)`;

const TOUCH = prepared(
  `UPDATE api_key SET last_used_at = now()
    WHERE key_id = $1 AND coalesce(last_used_at < now() - interval '1 hour', true)`,
);

/** How many keys are known without a question, and how long each: what is known of them never changes. */
const IDENTIFIED_MAX = 10_000;
const IDENTIFIED_MS = 60_000;

interface KeyRow {
  readonly key_id: string;
  readonly account_id: string;
  readonly key_hash: Buffer;
  readonly scopes: KeyScope[];
  readonly plan: KeyHolder['plan'];
  readonly kind: AccountKind;
  readonly stale: boolean;
  readonly limit_id: string | null;
  readonly operations: string[] | null;
}
type Row = Record<string, unknown>;

/** Compared with where there is no key of an id, so that a guess takes as long as a miss. */
const NO_HASH = Buffer.alloc(32);

/** Keys in Postgres: looked up by id, compared by HMAC in constant time, never stored. */
@Injectable()
export class ApiKeys {
  /** Many calls ask at once for the same few keys: they share one question. */
  private readonly lookups = new Batch<string, KeyRow | undefined>(ids => this.lookUp(ids), { sizeMax: 256 });
  /** By id: account and hash of keys that were good. */
  private readonly identified = new Map<
    string,
    { readonly accountId: string; readonly hash: Buffer; readonly untilMs: number }
  >();

  constructor(
    private readonly dataSource: DataSource,
    @Inject(ACCOUNT_SECRETS) private readonly secrets: AccountSecrets,
  ) {}

  /**
   * Whose key a text is.
   * @throws ProblemError UNKNOWN_CREDENTIAL when it is nobody's, was revoked or has ended; FORBIDDEN without the scope
   */
  async authenticate(keyText: string, scope?: KeyScope): Promise<KeyHolder> {
    const { keyId, hash } = this.hash(keyText);
    const row = await this.lookups.add(keyId);
    const isEqual = timingSafeEqual(hash, row?.key_hash ?? NO_HASH);
    if (!row || !isEqual)
      throw problem('UNKNOWN_CREDENTIAL', 'The account key is not known here, or was revoked');
    if (row.stale) this.touch(row.key_id);
    if (scope !== undefined && !row.scopes.includes(scope))
      throw problem('FORBIDDEN', `The account key lacks the scope ${scope}`);
    const { account_id: accountId, key_id: heldKeyId, plan, scopes } = row;
    // A plan was bought for it, or an operator gave it: it is no longer one of many.
    const isDerived = plan === 'demo' && KINDS_OF_A_PAYMENT.includes(row.kind);
    const limits = row.limit_id === null ? undefined : limitsOfHolder(row.limit_id, row.operations);
    return {
      accountId,
      keyId: heldKeyId,
      plan,
      scopes,
      ...(isDerived && { isDerived }),
      ...(limits && { limits }),
    };
  }

  /**
   * Whose key a text is or was, without a question where it was lately asked for: whether it is good now is for the statement to say that
   * books what it pays for.
   * @throws ProblemError UNKNOWN_CREDENTIAL for a text that is no key of an account
   */
  async identify(keyText: string): Promise<HashedKey & { readonly accountId: string }> {
    const hashed = this.hash(keyText);
    const known = this.identified.get(hashed.keyId);
    if (known && known.untilMs > Date.now() && timingSafeEqual(known.hash, hashed.hash)) {
      return { ...hashed, accountId: known.accountId };
    }
    const { accountId } = await this.authenticate(keyText);
    this.identified.delete(hashed.keyId);
    this.identified.set(hashed.keyId, {
      ...{ accountId, hash: hashed.hash },
      untilMs: Date.now() + IDENTIFIED_MS,
    });
    if (this.identified.size > IDENTIFIED_MAX) this.forget(this.identified.keys().next().value as string);
    return { ...hashed, accountId };
  }

  /** Asks for a key the next time that it comes. */
  forget(keyId: string): void {
    this.identified.delete(keyId);
  }

  /** Makes a key of an account; the text is in the answer and nowhere else. */
  async issue(
    manager: EntityManager,
    accountId: string,
    given: { scopes?: readonly KeyScope[]; label?: string; limitId?: string; endsAt?: Date } = {},
  ): Promise<IssuedKey> {
    const issued = makeSvcKey(this.secrets.mode, randomBytes(SVC_KEY_BYTES));
    const { scopes = [], label = null, limitId = null, endsAt = null } = given;
    await manager.query(
      `INSERT INTO api_key (key_id, account_id, key_hash, scopes, label, limit_id, ends_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [issued.keyId, accountId, this.hash(issued.key).hash, scopes, label, limitId, endsAt],
    );
    return issued;
  }

  /** @throws ProblemError RATE_LIMITED where the account has made {@link KEYS_A_DAY_MAX} keys within a day */
  async requireRoom(manager: EntityManager, accountId: string): Promise<void> {
    const [{ made, wait }]: { made: number; wait: number }[] = await manager.query(
      `SELECT count(*)::int AS made, ceil(extract(epoch FROM min(created_at) + interval '1 day' - now()))::int AS wait
         FROM (SELECT created_at FROM api_key WHERE account_id = $1 AND created_at > now() - interval '1 day'
                ORDER BY created_at DESC LIMIT $2) newest`,
      [accountId, KEYS_A_DAY_MAX],
    );
    if (made < KEYS_A_DAY_MAX) return;
    const detail = `The account has made ${made} keys within a day, the most that it may; wait, or use one that it has`;
    throw problem('RATE_LIMITED', detail, {
      retryAfterSeconds: Math.max(1, wait),
      extensions: { max: KEYS_A_DAY_MAX, got: made },
    });
  }

  /**
   * Replaces a key by a new one with its scopes, label, limits and end; the old one goes on working for the time of grace, and both spend
   * from the same caps.
   * @throws ProblemError NOT_FOUND when it is no key of the account; CONFLICT when it was replaced or revoked before
   */
  async rotate(
    manager: EntityManager,
    accountId: string,
    keyId: string,
    { graceSeconds = ROTATION_GRACE_SECONDS }: { graceSeconds?: number } = {},
  ): Promise<IssuedKey & { readonly label?: string; readonly replacedEndsAt: Date }> {
    if (!Number.isInteger(graceSeconds) || graceSeconds < 0 || graceSeconds > ROTATION_GRACE_SECONDS_MAX)
      throw problem('VALIDATION_FAILED', `graceSeconds must be 0 to ${ROTATION_GRACE_SECONDS_MAX}`);
    const [rows]: [Row[], number] = await manager.query(
      `UPDATE api_key SET state = 'rotating', ends_at = least(api_key.ends_at, now() + make_interval(secs => $3))
         FROM api_key old
        WHERE api_key.key_id = $1 AND old.key_id = $1 AND api_key.account_id = $2 AND api_key.state = 'active' AND ${IS_LIVE}
        RETURNING api_key.scopes, api_key.label, api_key.limit_id, api_key.ends_at, old.ends_at AS expires_at`,
      [keyId, accountId, graceSeconds],
    );
    const [old] = rows;
    if (!old) throw await this.notActive(manager, accountId, keyId);
    const label = (old.label as string | null) ?? undefined;
    const issued = await this.issue(manager, accountId, {
      ...{ scopes: old.scopes as KeyScope[], label },
      limitId: (old.limit_id as string | null) ?? undefined,
      endsAt: (old.expires_at as Date | null) ?? undefined,
    });
    return { ...issued, ...(label === undefined ? {} : { label }), replacedEndsAt: old.ends_at as Date };
  }

  /**
   * Whether a holder may read what a claim of the account has bought: with limits, only what was paid under them. What such an answer holds,
   * a ticket say, may buy more than those let through.
   */
  async mayRead({ limits }: Pick<KeyHolder, 'limits'>, claimId: string): Promise<boolean> {
    if (!limits) return true;
    const rows: unknown[] = await this.dataSource.query(
      `SELECT 1 FROM payment_claim JOIN key_limit paid USING (limit_id) WHERE claim_id = $1 AND $2 = ANY (paid.lineage)`,
      [claimId, limits.limitId],
    );
    return rows.length > 0;
  }

  /**
   * Ends a key at once, and with it what was made under its limits, unless another key that works has the same: who found a key may have
   * made others by it. One that was ended before stays so.
   * @throws ProblemError NOT_FOUND when it is no key of the account
   */
  async revoke(manager: EntityManager, accountId: string, keyId: string): Promise<void> {
    const [, count]: [Row[], number] = await manager.query(
      `UPDATE api_key SET state = 'revoked', ends_at = least(ends_at, now())
        WHERE key_id = $1 AND account_id = $2`,
      [keyId, accountId],
    );
    if (count !== 1) throw problem('NOT_FOUND', `The account has no key ${keyId}`);
    await manager.query(
      `UPDATE api_key made SET state = 'revoked', ends_at = least(made.ends_at, now())
         FROM api_key ended JOIN key_limit own ON ended.limit_id = ANY (own.lineage)
        WHERE ended.key_id = $1 AND made.account_id = $2 AND made.limit_id = own.limit_id AND made.state <> 'revoked'
          AND NOT EXISTS (SELECT FROM api_key WHERE limit_id = ended.limit_id AND ${IS_LIVE})`,
      [keyId, accountId],
    );
  }

  /** The keys of an account that work, and the newest of those that have ended; the newest first. */
  async list(manager: EntityManager, accountId: string): Promise<ListedKey[]> {
    const rows: Row[] = await manager.query(
      `WITH own AS (${LISTED} WHERE api_key.account_id = $1)
       SELECT * FROM own WHERE state <> 'revoked'
       UNION ALL (SELECT * FROM own WHERE state = 'revoked' ORDER BY created_at DESC, key_id LIMIT $2)
       ORDER BY created_at DESC, key_id`,
      [accountId, ENDED_LISTED_MAX],
    );
    return rows.map(listedOf);
  }

  /** The keys of an account that work. */
  async live(manager: EntityManager, accountId: string): Promise<ListedKey[]> {
    const rows: Row[] = await manager.query(`${LISTED} WHERE api_key.account_id = $1 AND ${IS_LIVE}`, [
      accountId,
    ]);
    return rows.map(listedOf);
  }

  /**
   * Forgets keys whose end lies a month back: such a key is unknown as it was revoked. Two kinds stay: what a checkout has shown, and
   * the first key of a payment's rest, which whoever shows that payment would be told anew. Returns how many went.
   */
  async purge(): Promise<number> {
    const [, count]: [unknown[], number] = await this.dataSource.query(
      `DELETE FROM api_key WHERE key_id IN (
         SELECT key_id FROM api_key ended JOIN account USING (account_id)
          WHERE ended.ends_at < now() - make_interval(days => $1)
            AND NOT (account.kind = 'derived' AND ended.created_at = account.created_at)
            AND NOT EXISTS (SELECT FROM checkout_session shown WHERE shown.key_id = ended.key_id)
          ORDER BY ended.ends_at LIMIT $2 FOR UPDATE OF ended SKIP LOCKED)`,
      [KEPT_DAYS, PURGED_AT_ONCE],
    );
    // Limits go with the last key that has them or was made under them.
    await this.dataSource.query(
      `DELETE FROM key_limit lim WHERE limit_id IN (
         SELECT old.limit_id FROM key_limit old
          WHERE old.created_at < now() - make_interval(days => $1)
            AND NOT EXISTS (SELECT FROM api_key WHERE api_key.limit_id = old.limit_id)
            AND NOT EXISTS (SELECT FROM key_limit made
                             WHERE made.account_id = old.account_id AND old.limit_id = ANY (made.lineage)
                               AND made.limit_id <> old.limit_id) LIMIT $2)`,
      [KEPT_DAYS, PURGED_AT_ONCE],
    );
    return count;
  }

  /** Whether it is the key of ADMIN_KEY, which every start makes good again. */
  isConfigured(keyId: string): boolean {
    return this.hash(this.secrets.adminKey).keyId === keyId;
  }

  /** Id and hash of a key's text, as they are stored. */
  hash(keyText: string): HashedKey {
    return hashKey(this.secrets.pepper, this.secrets.mode, keyText);
  }

  private async lookUp(ids: readonly string[]): Promise<(KeyRow | undefined)[]> {
    const rows: KeyRow[] = await this.dataSource.query(LOOK_UP, [[...new Set(ids)]]);
    const byId = new Map(rows.map(row => [row.key_id, row]));
    return ids.map(id => byId.get(id));
  }

  /** When a key was last used is known to the hour: a call does not wait for it, nor fail with it. */
  private touch(keyId: string): void {
    this.dataSource.query(TOUCH, [keyId]).catch(() => undefined);
  }

  private async notActive(manager: EntityManager, accountId: string, keyId: string) {
    const rows: Row[] = await manager.query(`SELECT 1 FROM api_key WHERE key_id = $1 AND account_id = $2`, [
      keyId,
      accountId,
    ]);
    return rows.length === 0
      ? problem('NOT_FOUND', `The account has no key ${keyId}`)
      : problem('CONFLICT', `The key ${keyId} was replaced or revoked before`);
  }
}

const limitsOfHolder = (limitId: string, operations: string[] | null): KeyHolder['limits'] => ({
  limitId,
  ...(operations && { operations }),
});

function listedOf(row: Row): ListedKey {
  return {
    keyId: row.key_id as string,
    scopes: row.scopes as KeyScope[],
    label: (row.label as string | null) ?? undefined,
    state: row.state as ListedKey['state'],
    createdAt: row.created_at as Date,
    lastUsedAt: (row.last_used_at as Date | null) ?? undefined,
    endsAt: (row.ends_at as Date | null) ?? undefined,
    limits: limitsOfRow(row),
  };
}
