import { Inject, Injectable } from '@nestjs/common';
import { INVOICE_WAIT_DAYS } from '@svc/contracts';
import { inTransaction, SERVICE_ENVIRONMENT, type ServiceEnvironment } from '@svc/platform';
import { DataSource, type EntityManager } from 'typeorm';
import { DerivedCredit } from '../account/derived-credit.js';
import { clearingOf } from '../claim/claim-postings.js';
import { customer, Ledger } from '../ledger/ledger.js';
import { type Rail, type RailFamily, RAILS, type RefundOutcome, type RefundPort } from '../rail/rail.js';
import { postingOf, type StandingRefund } from './refund-row.js';
import { RefundStore } from './refund-store.js';
import { showRefunded } from './shown-on-claim.js';

/** Refunds of one round. */
const ROUND_MAX = 20;
/** A rail is asked again after a quarter of the refund's age, between these bounds, seconds. */
const WAIT_SECONDS_MIN = 2;
const WAIT_SECONDS_MAX = 300;
/** Between two looks at a refund that waits for an invoice, seconds. */
const INVOICE_SECONDS = 3_600;
/**
 * So long after it was marked a refund may still be handed to its rail, milliseconds. A process that stood still for longer leaves it to
 * the enquiry: a rail that has no word of it by then is taken never to have heard of it, and another may be on its way.
 */
const HANDED_WITHIN_MS = 60_000;

/**
 * Has rails move refunds, and asks them what became of those whose answer was lost. A refund is marked as sent, on the disk, before its
 * rail hears of it, and only by who marked it: whatever dies after that, it is asked about and never sent again.
 */
@Injectable()
export class RefundSender {
  constructor(
    private readonly dataSource: DataSource,
    private readonly store: RefundStore,
    private readonly ledger: Ledger,
    private readonly derived: DerivedCredit,
    @Inject(RAILS) private readonly rails: readonly Rail[],
    @Inject(SERVICE_ENVIRONMENT) private readonly environment: Pick<ServiceEnvironment, 'logger'>,
  ) {}

  /**
   * Sends a refund that was requested, once; does nothing for any other, nor for one that waits for an invoice. Where its rail is not
   * ready yet, the upkeep sends it.
   * @returns how it stands then
   */
  async send(refund: StandingRefund): Promise<StandingRefund> {
    const port = this.portOf(refund);
    if (!port?.plan || refund.state !== 'requested') return refund;
    const plan = await port.plan(refund).catch((error: Error) => this.notReady(refund, error));
    const beforeMs = performance.now();
    const mine = plan && (await this.store.markSent(refund.refundId, plan));
    return mine ? this.sendMarked(mine, beforeMs) : (await this.store.find(refund.refundId))!;
  }

  /**
   * Hands a refund to its rail that the caller has marked as sent, and nobody else.
   * @param beforeMs of `performance.now()` before it was marked
   * @returns how it stands then
   */
  async sendMarked(refund: StandingRefund, beforeMs: number): Promise<StandingRefund> {
    const port = this.portOf(refund);
    const isInTime = performance.now() - beforeMs < HANDED_WITHIN_MS;
    if (port && isInTime) await this.record(refund, await port.send(refund, refund.plan));
    return (await this.store.find(refund.refundId))!;
  }

  /** Asks a rail what became of a refund, and records it. */
  async enquire(refund: StandingRefund): Promise<void> {
    const port = this.portOf(refund);
    if (!port || !refund.sentAt) return;
    await this.record(refund, await port.enquire(refund, refund.plan, refund.sentAt.getTime()));
  }

  /**
   * Takes back a refund that was done, because what it moved came back to its rail: the amount goes to where it was before.
   * @param by what the rail knows it by; another is none of this refund
   * @returns whether it was done
   */
  async takeBack(
    manager: EntityManager,
    refundId: string,
    { reference, detail }: { reference: string; detail: string },
  ): Promise<boolean> {
    const refund = await this.store.lock(manager, refundId);
    if (refund?.state !== 'done' || refund.reference !== reference) return false;
    const { family, amountMicroUsd, claimId } = refund;
    const legs = [
      { account: 'holds' as const, amountMicroUsd },
      { account: clearingOf(family as RailFamily), amountMicroUsd: -amountMicroUsd },
    ];
    await this.ledger.post(manager, postingOf(refund, 'refund-sent', legs));
    await this.refused(manager, refund, detail);
    await showRefunded(manager, claimId);
    return true;
  }

  /** One round over what is due: what nobody has sent is sent, and what was sent is asked about. Returns how many it looked at. */
  async round(): Promise<number> {
    const due = await this.store.takeDue(ROUND_MAX);
    await Promise.all(due.map(refund => this.goOn(refund)));
    return due.length;
  }

  private notReady({ refundId }: StandingRefund, { message: reason }: Error): undefined {
    this.environment.logger.warn({ refundId, reason }, 'A refund cannot be sent yet');
  }

  private async goOn(refund: StandingRefund): Promise<void> {
    try {
      if (refund.state !== 'requested') await this.enquire(refund);
      else if (isByInvoice(refund)) await this.wait(refund);
      else await this.send(refund);
    } catch (error) {
      const { refundId } = refund;
      this.environment.logger.warn({ refundId, reason: (error as Error).message }, 'A refund did not go on');
    }
  }

  /** Nobody brought an invoice: after a time it is credit, and until then it is looked at now and then. */
  private async wait({ refundId }: StandingRefund): Promise<void> {
    await inTransaction(this.dataSource, async manager => {
      const refund = await this.store.lock(manager, refundId);
      if (refund?.state !== 'requested') return;
      const isOver = Date.now() - refund.requestedAt.getTime() > INVOICE_WAIT_DAYS * 86_400_000;
      if (isOver) await this.becomeCredit(manager, refund);
      else await this.dueIn(manager, refundId, INVOICE_SECONDS);
    });
  }

  private async becomeCredit(manager: EntityManager, refund: StandingRefund): Promise<void> {
    const { refundId, claimId, proofKey, amountMicroUsd } = refund;
    const family = refund.claimFamily as RailFamily;
    const accountId = refund.accountId ?? (await this.derived.ensure(manager, family, proofKey));
    const legs = [
      { account: 'holds' as const, amountMicroUsd: -amountMicroUsd },
      { account: customer(accountId), amountMicroUsd },
    ];
    await this.ledger.post(manager, postingOf(refund, 'refund-credit', legs));
    await manager.query(
      `UPDATE refund SET state = 'done', rail_family = 'account', account_id = $2, ended_at = now(), due_at = NULL,
              detail = 'nobody brought an invoice: it became credit'
        WHERE refund_id = $1`,
      [refundId, accountId],
    );
    await showRefunded(manager, claimId);
  }

  /** Of any number of tellings the first counts. */
  private async record({ refundId }: StandingRefund, outcome: RefundOutcome): Promise<void> {
    await inTransaction(this.dataSource, async manager => {
      const refund = await this.store.lock(manager, refundId);
      if (refund?.state !== 'sent' && refund?.state !== 'unknown') return;
      if (outcome.outcome === 'done') return this.done(manager, refund, outcome.reference);
      if (outcome.outcome === 'refused') return this.refused(manager, refund, outcome.detail);
      await manager.query(`UPDATE refund SET state = 'unknown', detail = $2 WHERE refund_id = $1`, [
        refundId,
        outcome.detail.slice(0, 500),
      ]);
      await this.dueIn(manager, refundId, waitSecondsOf(refund));
    });
    const line = { refundId, outcome: outcome.outcome };
    if (outcome.outcome === 'unknown')
      this.environment.logger.warn(
        { ...line, err: outcome.cause },
        'It is not known what became of a refund',
      );
    else this.environment.logger.info(line, 'A refund has ended');
  }

  private async done(manager: EntityManager, refund: StandingRefund, reference: string): Promise<void> {
    const { refundId, claimId, family, amountMicroUsd } = refund;
    const legs = [
      { account: 'holds' as const, amountMicroUsd: -amountMicroUsd },
      { account: clearingOf(family as RailFamily), amountMicroUsd },
    ];
    await this.ledger.post(manager, postingOf(refund, 'refund-sent', legs));
    await manager.query(
      `UPDATE refund SET state = 'done', reference = $2, detail = NULL, ended_at = now(), due_at = NULL
        WHERE refund_id = $1`,
      [refundId, reference],
    );
    await showRefunded(manager, claimId);
  }

  /** The amount goes back to where it was. A payer may bring another invoice where one could not be paid. */
  private async refused(manager: EntityManager, refund: StandingRefund, detail: string): Promise<void> {
    const { refundId, amountMicroUsd, fromCreditMicroUsd, accountId } = refund;
    if (isByInvoice(refund)) {
      await manager.query(
        `UPDATE refund SET state = 'requested', plan = NULL, invoice_hash = NULL, sent_at = NULL, detail = $2 WHERE refund_id = $1`,
        [refundId, detail.slice(0, 500)],
      );
      return this.dueIn(manager, refundId, INVOICE_SECONDS);
    }
    const legs = [
      { account: 'holds' as const, amountMicroUsd: -amountMicroUsd },
      { account: 'treasury' as const, amountMicroUsd: amountMicroUsd - fromCreditMicroUsd },
      ...(fromCreditMicroUsd > 0
        ? [{ account: customer(accountId!), amountMicroUsd: fromCreditMicroUsd }]
        : []),
    ];
    await this.ledger.post(manager, postingOf(refund, 'refund-return', legs));
    await manager.query(
      `UPDATE refund SET state = 'refused', detail = $2, ended_at = now(), due_at = NULL WHERE refund_id = $1`,
      [refundId, detail.slice(0, 500)],
    );
  }

  private async dueIn(manager: EntityManager, refundId: string, seconds: number): Promise<void> {
    const due = `UPDATE refund SET due_at = now() + make_interval(secs => $2) WHERE refund_id = $1`;
    await manager.query(due, [refundId, seconds]);
  }

  /** None while the rail is configured for other money: it would pay in that, or say that what was paid was not. */
  private portOf({ family, money }: StandingRefund): RefundPort | undefined {
    return this.rails.find(rail => rail.family === family && rail.money === money)?.refunds;
  }
}

/** It is due also where its rail is configured no more. */
const isByInvoice = ({ family }: StandingRefund): boolean => family === 'lightning';

function waitSecondsOf({ sentAt }: StandingRefund): number {
  const ageSeconds = (Date.now() - (sentAt?.getTime() ?? 0)) / 1_000;
  return Math.min(WAIT_SECONDS_MAX, Math.max(WAIT_SECONDS_MIN, Math.ceil(ageSeconds / 4)));
}
