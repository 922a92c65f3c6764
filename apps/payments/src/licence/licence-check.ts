import { Inject, Injectable } from '@nestjs/common';
import type { LicenceVerdict } from '@svc/contracts';
import { DatabasePulse } from '@svc/platform';
import { checkLicenceKey, type Licence } from '@svc/protocols';
import { DataSource } from 'typeorm';
import type { z } from 'zod';
import { type IssuedLicence, LicenceIssuer } from './licence-issuer.js';
import { LICENCE_KEYS, type LicenceKeys, verifyEd25519 } from './licence-keys.js';

type Verdict = z.output<typeof LicenceVerdict>;
type VerdictCode = Verdict['code'];

/** Says what a licence key is worth now. */
@Injectable()
export class LicenceCheckService {
  constructor(
    @Inject(LICENCE_KEYS) private readonly keys: LicenceKeys,
    private readonly issuer: LicenceIssuer,
    private readonly dataSource: DataSource,
    private readonly database: DatabasePulse,
  ) {}

  /**
   * What the signature alone decides is said without the database. Nothing that a key claims is repeated before it is
   * known to be signed here.
   * @throws ProblemError SERVICE_UNAVAILABLE while the book of licences cannot be read
   */
  async check(licenceKey: string): Promise<Verdict> {
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

function verdict(code: VerdictCode, nowMs: number, licence?: Licence): Verdict {
  return {
    valid: code === 'VALID',
    code,
    tier: licence?.tier ?? null,
    features: [...(licence?.features ?? [])],
    expiresAt: licence ? new Date(licence.exp * 1_000).toISOString() : null,
    licenseId: licence?.id ?? null,
    keyId: licence?.kid ?? null,
    checkedAt: new Date(nowMs).toISOString(),
  };
}
