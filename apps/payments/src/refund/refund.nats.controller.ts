import { Controller } from '@nestjs/common';
import {
  type LightningRefund,
  type ParsedRequestOf,
  type Refund,
  REFUND_SCOPE,
  refundsContract,
  type ReplyOf,
} from '@svc/contracts';
import { Handle, problem } from '@svc/platform';
import { ApiKeys } from '../account/api-keys.js';
import { AdminAudit } from '../admin/admin-audit.js';
import { LightningClaimants } from './lightning-claimants.js';
import { RefundRequests } from './refund-requests.js';
import { shownRefund } from './refund-row.js';
import { RefundSender } from './refund-sender.js';
import { RefundStore } from './refund-store.js';

type Asked<P extends keyof typeof refundsContract> = ParsedRequestOf<(typeof refundsContract)[P]>;

/** Refunds. Looks itself whose key an operator's call came with, and records each with what it does. */
@Controller()
export class RefundNatsController {
  constructor(
    private readonly keys: ApiKeys,
    private readonly audit: AdminAudit,
    private readonly requests: RefundRequests,
    private readonly sender: RefundSender,
    private readonly store: RefundStore,
    private readonly claimants: LightningClaimants,
  ) {}

  /** It is on record, with its amount held, before its rail is asked. */
  @Handle(refundsContract.refund)
  async refund({ accountKey, ...asked }: Asked<'refund'>): Promise<Refund> {
    const by = await this.keys.authenticate(accountKey, REFUND_SCOPE);
    const act = { by, action: 'refund.create', target: asked.claimId, asked };
    const refund = await this.audit.act(act, manager => this.requests.request(manager, by, asked));
    return shownRefund(await this.sender.send(refund));
  }

  @Handle(refundsContract.refunds)
  async refunds({
    accountKey,
    ...query
  }: Asked<'refunds'>): Promise<ReplyOf<typeof refundsContract.refunds>> {
    const by = await this.keys.authenticate(accountKey, REFUND_SCOPE);
    const act = { by, action: 'refunds.list', asked: { ...query } };
    const { items, nextCursor } = await this.audit.act(act, manager => this.store.list(query, manager));
    return { items: items.map(shownRefund), nextCursor };
  }

  @Handle(refundsContract.findRefund)
  async findRefund({ accountKey, refundId }: Asked<'findRefund'>): Promise<Refund> {
    const by = await this.keys.authenticate(accountKey, REFUND_SCOPE);
    const act = { by, action: 'refund.read', target: refundId, asked: { refundId } };
    const refund = await this.audit.act(act, manager => this.store.find(refundId, manager));
    if (refund) return shownRefund(refund);
    throw problem('NOT_FOUND', `There is no refund ${refundId}`);
  }

  @Handle(refundsContract.lightning)
  lightning(asked: Asked<'lightning'>): Promise<LightningRefund> {
    return this.claimants.pay(asked);
  }
}
