import { Controller } from '@nestjs/common';
import {
  type Account,
  accountContract,
  type AccountLedger,
  type AccountUsage,
  type KeyHolder,
  type NewAccountKey,
  type ParsedRequestOf,
  type ReplyOf,
} from '@svc/contracts';
import { Handle, inTransaction } from '@svc/platform';
import { DataSource, type EntityManager } from 'typeorm';
import { AdminAudit, type AuditedAct } from '../admin/admin-audit.js';
import { AccountOverview } from './account-overview.js';
import { AccountStatement } from './account-statement.js';
import { Accounts } from './accounts.js';
import { ApiKeys } from './api-keys.js';
import { HolderKeys } from './holder-keys.js';

/** Whose key it is, and what its holder asks about the account of it. */
@Controller()
export class AccountNatsController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly overview: AccountOverview,
    private readonly statement: AccountStatement,
    private readonly keys: HolderKeys,
    private readonly apiKeys: ApiKeys,
    private readonly accounts: Accounts,
    private readonly audit: AdminAudit,
  ) {}

  @Handle(accountContract.authenticate)
  authenticate({
    accountKey,
    scope,
  }: ParsedRequestOf<typeof accountContract.authenticate>): Promise<KeyHolder> {
    return this.apiKeys.authenticate(accountKey, scope);
  }

  @Handle(accountContract.account)
  account({ by }: ParsedRequestOf<typeof accountContract.account>): Promise<Account> {
    return this.overview.of(this.dataSource.manager, by.accountId);
  }

  @Handle(accountContract.usage)
  usage({ by, limit, cursor }: ParsedRequestOf<typeof accountContract.usage>): Promise<AccountUsage> {
    return this.statement.usage(by.accountId, limit, cursor, Date.now());
  }

  @Handle(accountContract.ledger)
  ledger({ by, limit, cursor }: ParsedRequestOf<typeof accountContract.ledger>): Promise<AccountLedger> {
    return this.statement.ledger(by.accountId, limit, cursor);
  }

  @Handle(accountContract.createKey)
  createKey({ by, ...asked }: ParsedRequestOf<typeof accountContract.createKey>): Promise<NewAccountKey> {
    const act = { by, action: 'own-key.create', asked };
    return this.change(act, manager => this.keys.create(manager, by, asked));
  }

  @Handle(accountContract.rotateKey)
  rotateKey({ by, keyId, graceSeconds }: ParsedRequestOf<typeof accountContract.rotateKey>) {
    const act = { by, action: 'own-key.rotate', target: keyId, asked: { keyId, graceSeconds } };
    return this.change(act, manager => this.keys.rotate(manager, by, keyId, graceSeconds));
  }

  @Handle(accountContract.revokeKey)
  revokeKey({ by, keyId, force }: ParsedRequestOf<typeof accountContract.revokeKey>) {
    const act = { by, action: 'own-key.revoke', target: keyId, asked: { keyId, force } };
    return this.change(act, async (manager): Promise<ReplyOf<typeof accountContract.revokeKey>> => {
      await this.keys.revoke(manager, by.accountId, keyId, { force, by });
      return { keyId, state: 'revoked' };
    });
  }

  /** Keys of an operator's account open more than that account: what happens to them is on the operators' record. */
  private async change<T>(act: AuditedAct, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const account = await this.accounts.find(this.dataSource.manager, act.by.accountId);
    if (account?.kind === 'operator') return this.audit.act(act, work);
    return inTransaction(this.dataSource, work);
  }
}
