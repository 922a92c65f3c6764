import type { Provider } from '@nestjs/common';
import { paced, Retention, type ServiceEnvironment } from '@svc/platform';
import { BundleDesk } from '../bundle/bundle-desk.js';
import { BundleNatsController } from '../bundle/bundle.nats.controller.js';
import { Bundles } from '../bundle/bundles.js';
import { KeyClaims } from '../claim/key-claims.js';
import { Ledger } from '../ledger/ledger.js';
import { QuotaNatsController } from '../quota/quota.nats.controller.js';
import { Quotas } from '../quota/quotas.js';
import { ClaimUpkeep, inBatches } from '../reconcile/claim-upkeep.js';
import { LedgerReconciliation } from '../reconcile/ledger-reconciliation.js';
import { ACCOUNT_SECRETS, accountSecretsOf } from './account-secrets.js';
import { Accounts } from './accounts.js';
import { ApiKeys } from './api-keys.js';
import { DerivedCredit } from './derived-credit.js';
import { KeyLimitStore, noticeRulesOf } from './key-limits.js';
import { LowBalanceNotices } from './low-balance-notices.js';
import { KeyRecovery } from './key-recovery.js';
import { OperatorAccount } from './operator-account.js';
import { PayerAccounts } from './payer-accounts.js';

/** How often the ledger is reconciled, milliseconds. */
const RECONCILE_INTERVAL_MS = 60_000;
/** How often counters of months long past, and keys that ended long ago, are dropped, milliseconds. */
const PURGE_INTERVAL_MS = 60 * 60 * 1_000;
/** How often it is looked for keys that have little left, milliseconds. */
const NOTICE_INTERVAL_MS = 2_000;
const NOTICE_UPKEEP = Symbol('NOTICE_UPKEEP');
const LEDGER_UPKEEP = Symbol('LEDGER_UPKEEP');
const ACCOUNT_RETENTION = Symbol('ACCOUNT_RETENTION');

export const ACCOUNT_CONTROLLERS = [QuotaNatsController, BundleNatsController];

/** Accounts, their keys, credit and quotas, and the ledger beneath them. */
export function accountProviders(environment: ServiceEnvironment): Provider[] {
  return [
    { provide: ACCOUNT_SECRETS, useValue: accountSecretsOf(environment) },
    Ledger,
    Accounts,
    ApiKeys,
    DerivedCredit,
    PayerAccounts,
    KeyRecovery,
    OperatorAccount,
    Quotas,
    { provide: KeyLimitStore, useFactory: () => new KeyLimitStore(noticeRulesOf(environment)) },
    KeyClaims,
    Bundles,
    BundleDesk,
    LedgerReconciliation,
    LowBalanceNotices,
    {
      provide: NOTICE_UPKEEP,
      inject: [LowBalanceNotices],
      useFactory: (notices: LowBalanceNotices) =>
        new ClaimUpkeep(
          paced(environment, NOTICE_INTERVAL_MS),
          { notices: () => notices.round() },
          environment.logger,
        ),
    },
    {
      provide: LEDGER_UPKEEP,
      inject: [LedgerReconciliation],
      useFactory: (reconciliation: LedgerReconciliation) =>
        new ClaimUpkeep(RECONCILE_INTERVAL_MS, { ledger: () => reconciliation.round() }, environment.logger),
    },
    {
      provide: ACCOUNT_RETENTION,
      inject: [Quotas, ApiKeys, KeyRecovery],
      useFactory: (quotas: Quotas, keys: ApiKeys, recovery: KeyRecovery) =>
        new Retention(
          PURGE_INTERVAL_MS,
          {
            quotas: () => quotas.purge(),
            keys: () => inBatches(() => keys.purge()),
            recoveries: () => inBatches(() => recovery.purge()),
          },
          environment.logger,
        ),
    },
  ];
}
