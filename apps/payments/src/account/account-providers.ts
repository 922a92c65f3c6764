import type { Provider } from '@nestjs/common';
import type { ServiceEnvironment } from '@svc/platform';
import { KeyClaims } from '../claim/key-claims.js';
import { Ledger } from '../ledger/ledger.js';
import { Quotas } from '../quota/quotas.js';
import { ACCOUNT_SECRETS, accountSecretsOf } from './account-secrets.js';
import { Accounts } from './accounts.js';
import { ApiKeys } from './api-keys.js';
import { DerivedCredit } from './derived-credit.js';
import { OperatorAccount } from './operator-account.js';

/** Accounts, their keys, credit and quotas, and the ledger beneath them. */
export function accountProviders(environment: ServiceEnvironment): Provider[] {
  return [
    { provide: ACCOUNT_SECRETS, useValue: accountSecretsOf(environment) },
    Ledger,
    Accounts,
    ApiKeys,
    DerivedCredit,
    OperatorAccount,
    Quotas,
    KeyClaims,
  ];
}
