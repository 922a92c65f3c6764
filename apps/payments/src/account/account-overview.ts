import { Injectable } from '@nestjs/common';
import type { Account, AccountKey } from '@svc/contracts';
import { problem } from '@svc/platform';
import { AUDIT_CREDIT_MICRO_USD } from '@svc/protocols';
import type { EntityManager } from 'typeorm';
import { Quotas } from '../quota/quotas.js';
import { Accounts } from './accounts.js';
import { ApiKeys, type ListedKey } from './api-keys.js';
import { shownLimits } from './key-limits.js';

/** An account as its holder sees it. */
@Injectable()
export class AccountOverview {
  constructor(
    private readonly accounts: Accounts,
    private readonly keys: ApiKeys,
    private readonly quotas: Quotas,
  ) {}

  /** @throws ProblemError NOT_FOUND */
  async of(manager: EntityManager, accountId: string): Promise<Account> {
    const account = await this.accounts.find(manager, accountId);
    if (!account) throw problem('NOT_FOUND', `There is no account ${accountId}`);
    const [{ limit, used, resetsAt }, keys] = [
      (await this.quotas.state(accountId, manager))!,
      await this.keys.list(manager, accountId),
    ];
    return {
      accountId,
      plan: account.plan,
      planState: account.planState,
      ...(account.planUntil === undefined ? {} : { planUntil: account.planUntil.toISOString() }),
      balanceMicroUsd: account.balanceMicroUsd,
      credits: Math.floor(account.balanceMicroUsd / AUDIT_CREDIT_MICRO_USD),
      quota: { limit, used, resetsAt },
      keys: keys.map(keyOf),
    };
  }
}

const keyOf = ({ keyId, label, state, scopes, limits, ...times }: ListedKey): AccountKey => ({
  keyId,
  ...(label === undefined ? {} : { label }),
  state,
  scopes: [...scopes],
  createdAt: times.createdAt.toISOString(),
  ...(times.lastUsedAt && { lastUsedAt: times.lastUsedAt.toISOString() }),
  ...(times.endsAt && { endsAt: times.endsAt.toISOString() }),
  ...shownLimits(limits),
});
