import { Controller, Inject } from '@nestjs/common';
import { type ParsedRequestOf, paymentsContract, type ReplyOf } from '@svc/contracts';
import { Handle, problem } from '@svc/platform';
import { mayPayFor } from '@svc/protocols';
import { DataSource } from 'typeorm';
import { ACCOUNT_SECRETS, type AccountSecrets } from '../account/account-secrets.js';
import { ApiKeys } from '../account/api-keys.js';
import { notAllowed } from '../account/key-limits.js';
import { addressSubject } from './client-subject.js';
import { accountSubject, monthBefore, Quotas } from './quotas.js';

const SUBJECT = /^(account:acct_[a-z0-9]{20}|address:[0-9a-f]{64})$/;

/** Requests of routes with a quota, counted for the gateway. */
@Controller()
export class QuotaNatsController {
  constructor(
    private readonly quotas: Quotas,
    private readonly keys: ApiKeys,
    private readonly dataSource: DataSource,
    @Inject(ACCOUNT_SECRETS) private readonly secrets: AccountSecrets,
  ) {}

  @Handle(paymentsContract.count)
  async count({
    operationId,
    accountKey,
    address,
  }: ParsedRequestOf<typeof paymentsContract.count>): Promise<ReplyOf<typeof paymentsContract.count>> {
    const byAddress = () => this.counted(addressSubject(this.secrets.address, address), 'demo');
    if (accountKey === undefined) return byAddress();
    const { accountId, plan, isDerived, limits } = await this.keys.authenticate(accountKey);
    if (!mayPayFor(limits?.operations, operationId)) throw notAllowed(operationId, limits?.operations);
    if (isDerived) return byAddress();
    return this.counted(accountSubject(accountId), plan);
  }

  @Handle(paymentsContract.uncount)
  async uncount({ subject, resetsAt, callKey }: ParsedRequestOf<typeof paymentsContract.uncount>) {
    if (!SUBJECT.test(subject)) throw problem('VALIDATION_FAILED', 'subject: nothing is counted under it');
    const month = monthBefore(resetsAt);
    if (callKey === undefined) await this.quotas.uncount(this.dataSource.manager, subject, month);
    else await this.quotas.uncountOnce(callKey, subject, month);
    return {};
  }

  private async counted(subject: string, plan: Parameters<Quotas['count']>[1]) {
    return { subject, ...(await this.quotas.count(subject, plan)) };
  }
}
