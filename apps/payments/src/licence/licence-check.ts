import { Inject, Injectable } from '@nestjs/common';
import type { LicenceVerdict } from '@svc/contracts';
import { DatabasePulse } from '@svc/platform';
import {
  checkLicenceKey,
  checkM2mToken,
  isM2mTokenLike,
  type Licence,
  type M2mLicence,
} from '@svc/protocols';
import { DataSource } from 'typeorm';
import type { z } from 'zod';
import { M2mContracts, type M2mEntry } from '../m2m/m2m-contracts.js';
import { type IssuedLicence, LicenceIssuer } from './licence-issuer.js';
import { LICENCE_KEYS, type LicenceKeys, verifyEd25519 } from './licence-keys.js';

type Verdict = z.output<typeof LicenceVerdict>;
type VerdictCode = Verdict['code'];

/** What a verdict repeats of what was signed. */
interface SaidOfLicence {
  readonly tier: string;
  readonly features: readonly string[];
  /** Unix seconds; null: never. */
  readonly exp: number | null;
  readonly id: string;
  readonly kid: string;
}

/** Says what a licence key, or the token of a licence between machines, is worth now. */
@Injectable()
export class LicenceCheckService {
  constructor(
    @Inject(LICENCE_KEYS) private readonly keys: LicenceKeys,
    private readonly issuer: LicenceIssuer,
    private readonly dataSource: DataSource,
    private readonly database: DatabasePulse,
    private readonly contracts: M2mContracts,
  ) {}

  /**
   * What the signature alone decides is said without the database. Nothing that a key claims is repeated before it is
   * known to be signed here.
   * @throws ProblemError SERVICE_UNAVAILABLE while the book of licences cannot be read
   */
  check(text: string): Promise<Verdict> {
    return isM2mTokenLike(text) ? this.checkToken(text) : this.checkKey(text);
  }

  private async checkKey(licenceKey: string): Promise<Verdict> {
    const nowMs = Date.now();
    const checked = await checkLicenceKey(licenceKey, this.keys.published(), nowMs, verifyEd25519);
    if (!('licence' in checked)) return verdict(checked.code, nowMs);
    this.database.assertPresent();
    const issued = await this.issuer.find(this.dataSource.manager, checked.licence.id);
    if (!issued || !isIssuedAs(checked.licence, issued)) return verdict('UNKNOWN', nowMs);
    // Of a licence that was shortened, the key from before names the later end.
    const exp = Math.min(checked.licence.exp, issued.licence.exp);
    return verdict(codeOf(issued, exp, nowMs), nowMs, { ...checked.licence, exp });
  }

  private async checkToken(token: string): Promise<Verdict> {
    const nowMs = Date.now();
    const checked = await checkM2mToken(token, this.keys.published(), nowMs, verifyEd25519);
    if (!('licence' in checked)) return verdict(checked.code, nowMs);
    this.database.assertPresent();
    const { licence } = checked;
    const entry = await this.contracts.ofToken(this.dataSource.manager, licence.jti);
    if (!entry || !isSoldAs(licence, entry)) return verdict('UNKNOWN', nowMs);
    const { jti: id, tier, capability, exp, kid } = licence;
    const features = capability === null ? [] : [capability];
    const code = entry.state === 'void' ? 'REVOKED' : checked.code;
    return verdict(code, nowMs, { id, tier, features, exp, kid });
  }
}

function codeOf({ state }: IssuedLicence, exp: number, nowMs: number): VerdictCode {
  if (state === 'revoked') return 'REVOKED';
  if (state === 'suspended') return 'SUSPENDED';
  return exp * 1_000 <= nowMs ? 'EXPIRED' : 'VALID';
}

/** Whether the book says the same of a licence as its key: somebody else may have the signing key too. */
function isIssuedAs(signed: Licence, { licence }: IssuedLicence): boolean {
  return (
    signed.acct === licence.acct &&
    signed.tier === licence.tier &&
    signed.seats === licence.seats &&
    signed.features.join() === licence.features.join()
  );
}

/** Whether the book says the same of a sale as its token; one that was never settled has none. */
function isSoldAs(signed: M2mLicence, { licence, kid }: M2mEntry): boolean {
  return Object.entries({ ...licence, kid }).every(
    ([name, value]) => signed[name as keyof M2mLicence] === value,
  );
}

function verdict(code: VerdictCode, nowMs: number, licence?: SaidOfLicence): Verdict {
  return {
    valid: code === 'VALID',
    code,
    tier: licence?.tier ?? null,
    features: [...(licence?.features ?? [])],
    expiresAt: typeof licence?.exp === 'number' ? new Date(licence.exp * 1_000).toISOString() : null,
    licenseId: licence?.id ?? null,
    keyId: licence?.kid ?? null,
    checkedAt: new Date(nowMs).toISOString(),
  };
}
