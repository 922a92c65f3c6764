import { Injectable } from '@nestjs/common';
import type Stripe from 'stripe';
import type { EntityManager } from 'typeorm';
import { RefundSender } from './refund-sender.js';
import { RefundStore } from './refund-store.js';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

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

  /**
   * What was refunded here of a payment, micro-USD, of what the processor counts as refunded: that is also what it has not brought to the
   * payer yet, and nothing that it has not heard of.
   * @param listed the refunds of the payment as the processor lists them
   */
  async ownOf(
    manager: EntityManager,
    paymentIntentId: string,
    listed: readonly Stripe.Refund[],
  ): Promise<number> {
    const counted = listed.filter(({ status }) => status !== 'failed' && status !== 'canceled');
    const [{ own }]: { own: string }[] = await manager.query(
      `SELECT coalesce(sum(amount_micro_usd), 0) AS own FROM refund
        WHERE rail_family = 'stripe' AND payment_reference = $1 AND refund_id::text = ANY ($2)`,
      [paymentIntentId, counted.map(({ metadata }) => metadata?.refund_id ?? '')],
    );
    return Number(own);
  }

  /** Takes back a refund of ours that the processor had made and could not bring to its payer. Does nothing for any other. */
  async failed(manager: EntityManager, { id, metadata }: Stripe.Refund): Promise<boolean> {
    const refundId = metadata?.refund_id ?? '';
    if (!UUID.test(refundId)) return false;
    return this.sender.takeBack(manager, refundId, {
      reference: id,
      detail: `The refund ${id} failed after it was made: the money came back`,
    });
  }
}
