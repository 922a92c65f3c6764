import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { RefundSender } from './refund-sender.js';
import { RefundStore } from './refund-store.js';

/** Tells the refunds of a card's payment that were made here from those that were made at the processor. */
@Injectable()
export class CardRefundBook {
  constructor(
    private readonly store: RefundStore,
    private readonly sender: RefundSender,
  ) {}

  /** Has those ended that are under way and that the processor has made: it may tell of one before it answers. */
  async ask(paymentIntentId: string): Promise<void> {
    const open = await this.store.openOfPayment(paymentIntentId);
    await Promise.all(open.map(refund => this.sender.enquire(refund)));
  }

  /** What was refunded here of a payment, micro-USD. */
  async doneOf(manager: EntityManager, paymentIntentId: string): Promise<number> {
    const [{ done }]: { done: string }[] = await manager.query(
      `SELECT coalesce(sum(amount_micro_usd), 0) AS done FROM refund
        WHERE rail_family = 'stripe' AND payment_reference = $1 AND state = 'done'`,
      [paymentIntentId],
    );
    return Number(done);
  }
}
