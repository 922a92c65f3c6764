import { Controller, Inject } from '@nestjs/common';
import { licencesContract, type ParsedRequestOf, type ReplyOf } from '@svc/contracts';
import { Handle } from '@svc/platform';
import { LicenceCheckService } from './licence-check.js';
import { LICENCE_KEYS, type LicenceKeys } from './licence-keys.js';

@Controller()
export class LicenceNatsController {
  constructor(
    private readonly licences: LicenceCheckService,
    @Inject(LICENCE_KEYS) private readonly keys: LicenceKeys,
  ) {}

  @Handle(licencesContract.check)
  check({
    licenseKey,
  }: ParsedRequestOf<typeof licencesContract.check>): Promise<ReplyOf<typeof licencesContract.check>> {
    return this.licences.check(licenseKey);
  }

  @Handle(licencesContract.keys)
  publicKeys(): ReplyOf<typeof licencesContract.keys> {
    return { keys: this.keys.published() };
  }
}
