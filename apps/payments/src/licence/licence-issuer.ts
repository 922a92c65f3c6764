import { Inject, Injectable } from '@nestjs/common';
import { newId, problem } from '@svc/platform';
import type { Licence } from '@svc/protocols';
import type { EntityManager } from 'typeorm';
import { LICENCE_KEYS, type LicenceKeys } from './licence-keys.js';

export type LicenceState = 'active' | 'suspended' | 'revoked';

/** What a licence is to grant. */
export interface NewLicence {
  readonly accountId: string;
  /** `developer`, `enterprise`, … */
  readonly tier: string;
  readonly features: readonly string[];
  readonly seats: number;
  readonly expiresAt: Date;
}

/** A licence as it stands in the book of its issuer. */
export interface IssuedLicence {
  readonly licence: Licence;
  readonly state: LicenceState;
}

/** Columns of a licence; times as whole seconds. */
const COLUMNS = `licence_id, account_id, tier, features, seats, kid, state,
  extract(epoch FROM issued_at)::bigint AS iat, extract(epoch FROM expires_at)::bigint AS exp`;

type Row = Record<string, unknown>;

/**
 * The licences that were issued, in the transaction of what they are issued for. The licence key itself is not kept: it
 * is signed again when it is asked for, and comes out the same.
 */
@Injectable()
export class LicenceIssuer {
  constructor(@Inject(LICENCE_KEYS) private readonly keys: LicenceKeys) {}

  /**
   * @throws RangeError for a licence that no key can hold
   * @throws ProblemError SERVICE_UNAVAILABLE when no key may sign now
   */
  async issue(
    manager: EntityManager,
    { accountId, tier, features, seats, expiresAt }: NewLicence,
  ): Promise<{ licenceId: string; licenceKey: string }> {
    const nowMs = Date.now();
    const licence: Licence = {
      v: 1,
      id: newId('lic'),
      tier,
      acct: accountId,
      iat: Math.floor(nowMs / 1_000),
      exp: Math.floor(expiresAt.getTime() / 1_000),
      features: [...features],
      seats,
      kid: this.currentKid(nowMs),
    };
    const licenceKey = this.keys.sign(licence);
    await manager.query(
      `INSERT INTO licence (licence_id, account_id, tier, features, seats, issued_at, expires_at, kid)
       VALUES ($1, $2, $3, $4, $5, to_timestamp($6), to_timestamp($7), $8)`,
      [licence.id, accountId, tier, licence.features, seats, licence.iat, licence.exp, licence.kid],
    );
    return { licenceId: licence.id, licenceKey };
  }

  /**
   * The licence key of an issued licence: the same text every time, until the key that signed it was given up as
   * compromised, or is configured no more; then it is signed anew.
   * @throws ProblemError NOT_FOUND
   */
  async keyOf(manager: EntityManager, licenceId: string): Promise<string> {
    const issued = await this.find(manager, licenceId, 'FOR UPDATE');
    if (!issued) throw unknownLicence(licenceId);
    const { licence } = issued;
    if (this.keys.isBelieved(licence.kid, licence.iat * 1_000)) return this.keys.sign(licence);
    return this.signAnew(manager, licence);
  }

  /**
   * Lets a licence last longer, or end sooner: its new licence key. The one from before holds to its own end.
   * @throws ProblemError NOT_FOUND
   */
  async renew(manager: EntityManager, licenceId: string, expiresAt: Date): Promise<string> {
    const issued = await this.find(manager, licenceId, 'FOR UPDATE');
    if (!issued) throw unknownLicence(licenceId);
    return this.signAnew(manager, { ...issued.licence, exp: Math.floor(expiresAt.getTime() / 1_000) });
  }

  /**
   * Lets the licences of an account last as long as was paid. Those that do already keep their licence key; what lies in the past renews
   * nothing.
   * @returns how many were signed anew
   */
  async renewOfAccount(manager: EntityManager, accountId: string, expiresAt: Date): Promise<number> {
    const due: { licence_id: string }[] = await manager.query(
      `SELECT licence_id FROM licence
        WHERE account_id = $1 AND expires_at <> date_trunc('second', $2::timestamptz) AND $2 > now() AND state <> 'revoked'
        ORDER BY licence_id`,
      [accountId, expiresAt],
    );
    for (const { licence_id: licenceId } of due) await this.renew(manager, licenceId, expiresAt);
    return due.length;
  }

  /**
   * Suspends, restores or revokes all licences of an account. What was revoked stays revoked.
   * @returns how many licences are in that state by it now
   */
  async setState(manager: EntityManager, accountId: string, state: LicenceState): Promise<number> {
    const [, count]: [Row[], number] = await manager.query(
      `UPDATE licence SET state = $2, state_changed_at = now()
        WHERE account_id = $1 AND state <> $2 AND state <> 'revoked'`,
      [accountId, state],
    );
    return count;
  }

  /** The licences of an account, newest first. */
  async ofAccount(manager: EntityManager, accountId: string): Promise<IssuedLicence[]> {
    const rows: Row[] = await manager.query(
      `SELECT ${COLUMNS} FROM licence WHERE account_id = $1 ORDER BY issued_at DESC, licence_id LIMIT 100`,
      [accountId],
    );
    return rows.map(issuedOf);
  }

  /** The licences of an account, newest first, with the licence keys of those that are active and not over. */
  async keysOfAccount(
    manager: EntityManager,
    accountId: string,
  ): Promise<(IssuedLicence & { readonly licenceKey?: string })[]> {
    const nowSeconds = Date.now() / 1_000;
    const isGood = ({ licence, state }: IssuedLicence) => state === 'active' && licence.exp > nowSeconds;
    const keys = new Map<string, string>();
    for (const issued of (await this.ofAccount(manager, accountId)).filter(isGood))
      keys.set(issued.licence.id, await this.keyOf(manager, issued.licence.id));
    // As they stand now: a licence whose signing key was given up has just been signed anew.
    return (await this.ofAccount(manager, accountId)).map(issued => {
      const licenceKey = keys.get(issued.licence.id);
      return licenceKey === undefined || !isGood(issued) ? issued : { ...issued, licenceKey };
    });
  }

  async find(
    manager: EntityManager,
    licenceId: string,
    lock: '' | 'FOR UPDATE' = '',
  ): Promise<IssuedLicence | undefined> {
    const rows: Row[] = await manager.query(`SELECT ${COLUMNS} FROM licence WHERE licence_id = $1 ${lock}`, [
      licenceId,
    ]);
    return rows[0] && issuedOf(rows[0]);
  }

  private async signAnew(manager: EntityManager, before: Licence): Promise<string> {
    const nowMs = Date.now();
    const licence = { ...before, iat: Math.floor(nowMs / 1_000), kid: this.currentKid(nowMs) };
    const licenceKey = this.keys.sign(licence);
    await manager.query(
      `UPDATE licence SET issued_at = to_timestamp($2), expires_at = to_timestamp($3), kid = $4 WHERE licence_id = $1`,
      [licence.id, licence.iat, licence.exp, licence.kid],
    );
    return licenceKey;
  }

  private currentKid(nowMs: number): string {
    const kid = this.keys.currentKid(nowMs);
    if (kid === undefined) throw problem('SERVICE_UNAVAILABLE', 'No key may sign licences today');
    return kid;
  }
}

function unknownLicence(licenceId: string) {
  return problem('NOT_FOUND', `There is no licence ${licenceId.slice(0, 64)}`);
}

function issuedOf(row: Row): IssuedLicence {
  return {
    licence: {
      v: 1,
      id: row.licence_id as string,
      tier: row.tier as string,
      acct: row.account_id as string,
      iat: Number(row.iat),
      exp: Number(row.exp),
      features: row.features as string[],
      seats: row.seats as number,
      kid: row.kid as string,
    },
    state: row.state as LicenceState,
  };
}
