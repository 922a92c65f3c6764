import type { Provider } from '@nestjs/common';
import type { ServiceEnvironment } from '@svc/platform';
import { LicenceCheckService } from './licence-check.js';
import { LicenceIssuer } from './licence-issuer.js';
import { M2mContracts } from '../m2m/m2m-contracts.js';
import { LICENCE_KEYS, licenceKeysOf } from './licence-keys.js';

/** What issues and checks licences. @throws ConfigError without signing secrets */
export function licenceProviders(environment: Pick<ServiceEnvironment, 'secrets'>): Provider[] {
  return [
    { provide: LICENCE_KEYS, useValue: licenceKeysOf(environment) },
    LicenceIssuer,
    LicenceCheckService,
    M2mContracts,
  ];
}
