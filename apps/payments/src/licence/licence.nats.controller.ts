import { Controller, Inject } from '@nestjs/common';
import { licencesContract, type ParsedRequestOf, type ReplyOf } from '@svc/contracts';
import { Handle, inTransaction } from '@svc/platform';
import { DataSource } from 'typeorm';
import { LicenceCheckService } from './licence-check.js';
import { LicenceIssuer } from './licence-issuer.js';
import { LICENCE_KEYS, type LicenceKeys } from './licence-keys.js';

@Controller()
export class LicenceNatsController {
  constructor(
    private readonly licences: LicenceCheckService,
    private readonly issuer: LicenceIssuer,
    private readonly dataSource: DataSource,
    @Inject(LICENCE_KEYS) private readonly keys: LicenceKeys,
  ) {}

  @Handle(licencesContract.check)
  check({
    licenseKey,
  }: ParsedRequestOf<typeof licencesContract.check>): Promise<ReplyOf<typeof licencesContract.check>> {
    return this.licences.check(licenseKey);
  }

  @Handle(licencesContract.ofAccount)
  async ofAccount({
    accountId,
  }: ParsedRequestOf<typeof licencesContract.ofAccount>): Promise<
    ReplyOf<typeof licencesContract.ofAccount>
  > {
    const licences = await inTransaction(this.dataSource, manager =>
      this.issuer.keysOfAccount(manager, accountId),
    );
    const at = (seconds: number) => new Date(seconds * 1_000).toISOString();
    return {
      items: licences.map(({ licence, state, licenceKey }) => ({
        ...{ licenseId: licence.id, state, tier: licence.tier },
        ...{ features: [...licence.features], seats: licence.seats },
        ...{ issuedAt: at(licence.iat), expiresAt: at(licence.exp) },
        ...(licenceKey === undefined ? {} : { licenseKey: licenceKey }),
      })),
    };
  }

  @Handle(licencesContract.keys)
  publicKeys(): ReplyOf<typeof licencesContract.keys> {
    return { keys: this.keys.published() };
  }
}
