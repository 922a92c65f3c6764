import { Injectable } from '@nestjs/common';
import {
  type AccountsQuery,
  adminContract,
  type AdminAccountDetail,
  type AdminSaga,
  type AuditQuery,
  type CreditGrant,
  type KeyHolder,
  type NewAccountKey,
  type ParsedRequestOf,
  type ReconciliationReport,
  type SagasQuery,
  type SetSpotPriceRequest,
  type SpotPrice,
  type SpotPriceList,
} from '@svc/contracts';
import { problem } from '@svc/platform';
import type { EntityManager } from 'typeorm';
import { AccountOverview } from '../account/account-overview.js';
import { Accounts } from '../account/accounts.js';
import { HolderKeys } from '../account/holder-keys.js';
import { SagaRegister } from '../execute/saga-register.js';
import { LicenceIssuer } from '../licence/licence-issuer.js';
import { LedgerReconciliation } from '../reconcile/ledger-reconciliation.js';
import { SpotPrices } from '../spot/spot-prices.js';
import { AccountRegister } from './account-register.js';
import { AdminAudit, type AuditedAct } from './admin-audit.js';
import { CreditGrants } from './credit-grants.js';

type Contract = typeof adminContract;
type Asked<P extends keyof Contract> = Omit<ParsedRequestOf<Contract[P]>, 'accountKey'>;

/** What operators may do. Every act is recorded with the act itself, refusals too. */
@Injectable()
export class AdminService {
  constructor(
    private readonly audit: AdminAudit,
    private readonly register: AccountRegister,
    private readonly overview: AccountOverview,
    private readonly accounts: Accounts,
    private readonly holderKeys: HolderKeys,
    private readonly grants: CreditGrants,
    private readonly licences: LicenceIssuer,
    private readonly prices: SpotPrices,
    private readonly reconciliation: LedgerReconciliation,
    private readonly sagas: SagaRegister,
  ) {}

  findAccounts(by: KeyHolder, query: AccountsQuery) {
    const act = { by, action: 'accounts.list', asked: { ...query } };
    return this.audit.act(act, manager => this.register.list(manager, by, query));
  }

  account(by: KeyHolder, accountId: string): Promise<AdminAccountDetail> {
    const act = on(accountId, { by, action: 'account.read', asked: { accountId } });
    return this.audit.act(act, manager => this.detail(manager, by, accountId));
  }

  createAccount(by: KeyHolder, asked: Asked<'createAccount'>): Promise<AdminAccountDetail> {
    return this.audit.act({ by, action: 'account.create', asked }, async manager => {
      if (asked.kind === 'operator') refuseScopesBeyond(by, ['admin:keys']);
      return this.detail(manager, by, await this.accounts.create(manager, asked));
    });
  }

  setPlan(by: KeyHolder, { accountId, plan, until }: Asked<'setPlan'>): Promise<AdminAccountDetail> {
    const act = on(accountId, { by, action: 'account.set-plan', asked: { accountId, plan, until } });
    return this.audit.act(act, async manager => {
      const account = await this.accountOf(manager, accountId);
      if (account.stripeSubscriptionId !== undefined && account.planState !== 'lapsed') {
        throw problem('CONFLICT', `A subscription keeps the plan of ${accountId}; change or cancel that`);
      }
      const end = until === undefined ? undefined : new Date(until);
      if (end !== undefined && end.getTime() <= Date.now()) {
        const errors = [
          { path: 'until', message: 'has passed', bound: new Date().toISOString(), got: until },
        ];
        throw problem('VALIDATION_FAILED', 'until: has passed', { errors });
      }
      await this.accounts.setPlan(manager, accountId, { plan, state: 'active', until: end });
      return this.detail(manager, by, accountId);
    });
  }

  grantCredit(by: KeyHolder, asked: Asked<'grantCredit'>): Promise<CreditGrant> {
    const act = on(asked.accountId, { by, action: 'account.grant-credit', asked });
    return this.audit.act(act, async manager => {
      await this.accountOf(manager, asked.accountId);
      return this.grants.grant(manager, by, asked);
    });
  }

  issueKey(by: KeyHolder, { accountId, label, scopes }: Asked<'issueKey'>): Promise<NewAccountKey> {
    const act = on(accountId, { by, action: 'key.issue', asked: { accountId, label, scopes } });
    return this.audit.act(act, async manager => {
      const account = await this.accountOf(manager, accountId);
      refuseScopesBeyond(by, scopes);
      if (scopes.length > 0 && account.kind !== 'operator') {
        throw problem('CONFLICT', `${accountId} is no operator's account: its keys have no scopes`);
      }
      return this.holderKeys.create(manager, { accountId }, { label, scopes });
    });
  }

  revokeKey(by: KeyHolder, accountId: string, keyId: string) {
    const act = { by, action: 'key.revoke', target: keyId, asked: { accountId, keyId } };
    return this.audit.act(act, async manager => {
      if (keyId === by.keyId) throw problem('CONFLICT', 'A key does not revoke itself; use another one');
      await this.holderKeys.revoke(manager, accountId, keyId, { force: true });
      return { keyId, state: 'revoked' as const };
    });
  }

  setLicences(by: KeyHolder, { accountId, state }: Asked<'setLicences'>) {
    const act = on(accountId, { by, action: 'licences.set', asked: { accountId, state } });
    return this.audit.act(act, async manager => {
      await this.accountOf(manager, accountId);
      await this.licences.setState(manager, accountId, state);
      return { accountId, state };
    });
  }

  spotPrices(by: KeyHolder, metal?: SpotPrice['metal']): Promise<SpotPriceList> {
    const act = { by, action: 'spot-prices.list', asked: { metal } };
    return this.audit.act(act, async manager => ({ items: await this.prices.newest(manager, metal) }));
  }

  setSpotPrice(by: KeyHolder, price: SetSpotPriceRequest): Promise<SpotPrice> {
    const act = {
      by,
      action: 'spot-price.set',
      target: `${price.metal}/${price.currency}`,
      asked: { ...price },
    };
    return this.audit.act(act, manager => this.prices.set(manager, price, by.keyId));
  }

  /** On a connection of its own: what it finds is what others have committed. */
  reconcile(by: KeyHolder): Promise<ReconciliationReport> {
    return this.audit.act({ by, action: 'ledger.reconcile', asked: {} }, async () => {
      const { findings, ...report } = await this.reconciliation.run();
      return { ...report, findings: [...findings] };
    });
  }

  findSagas(by: KeyHolder, query: SagasQuery) {
    const act = { by, action: 'sagas.list', asked: { ...query } };
    return this.audit.act(act, manager => this.sagas.list(manager, query));
  }

  /** On connections of its own: what it does is in transactions of the saga. */
  async resumeSaga(by: KeyHolder, sagaId: string): Promise<AdminSaga> {
    const act = { by, action: 'saga.resume', target: sagaId, asked: { sagaId } };
    await this.audit.act(act, manager => this.sagas.requireStuck(manager, sagaId));
    return this.sagas.resume(sagaId);
  }

  /** Reading the record is on the record too. */
  records(by: KeyHolder, query: AuditQuery) {
    const act = { by, action: 'audit.list', asked: { ...query } };
    return this.audit.act(act, manager => this.audit.list(manager, query));
  }

  private async accountOf(manager: EntityManager, accountId: string) {
    const account = await this.accounts.find(manager, accountId);
    if (!account) throw problem('NOT_FOUND', `There is no account ${accountId}`);
    return account;
  }

  private async detail(
    manager: EntityManager,
    by: KeyHolder,
    accountId: string,
  ): Promise<AdminAccountDetail> {
    const account = await this.register.find(manager, by, accountId);
    if (!account) throw problem('NOT_FOUND', `There is no account ${accountId}`);
    const { kind, email, createdAt } = account;
    return { ...(await this.overview.of(manager, accountId)), kind, email, createdAt };
  }
}

const on = (accountId: string, act: Omit<AuditedAct, 'target'>): AuditedAct => ({
  ...act,
  target: accountId,
});

/** Nobody gives what he does not have. */
function refuseScopesBeyond(
  { scopes: held }: KeyHolder,
  scopes: readonly KeyHolder['scopes'][number][],
): void {
  const missing = scopes.filter(scope => !held.includes(scope));
  if (missing.length === 0) return;
  throw problem('FORBIDDEN', `Your key has no scope ${missing.join(', ')}, so it cannot give it`);
}
