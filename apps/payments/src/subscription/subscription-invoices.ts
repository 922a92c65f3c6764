import { Injectable } from '@nestjs/common';
import type Stripe from 'stripe';
import { DataSource, type EntityManager } from 'typeorm';
import type { StripeAdapter } from '../card/stripe-adapter.js';
import { recordEvent } from '../checkout/webhook-event.js';
import { Ledger } from '../ledger/ledger.js';

const MICRO_USD_PER_CENT = 10_000;

/** An invoice of a subscription of ours. */
export interface SubscriptionInvoice {
  readonly invoiceId: string;
  /** The checkout that the subscription began with; undefined where it is on record already. */
  readonly checkoutId?: string;
}

/** What the invoices of subscriptions have earned, and the payments that paid them, by which what goes back is known. */
@Injectable()
export class SubscriptionInvoices {
  constructor(
    private readonly dataSource: DataSource,
    private readonly ledger: Ledger,
  ) {}

  /**
   * Books what an invoice was paid with, once for an invoice.
   * @param by the payments that have paid it, and the checkout that its subscription began with
   */
  async earn(
    manager: EntityManager,
    invoice: Stripe.Invoice,
    by: { readonly paymentIntentIds: readonly string[]; readonly checkoutId: string },
  ): Promise<void> {
    const { id, created } = invoice;
    if (!(await recordEvent(manager, { id: `${id}:paid`, type: 'invoice', created, outcome: 'done' })))
      return;
    await this.record(manager, { invoiceId: id, checkoutId: by.checkoutId }, by.paymentIntentIds);
    const amountMicroUsd = invoice.amount_paid * MICRO_USD_PER_CENT;
    await this.ledger.post(manager, {
      kind: 'subscription',
      reference: id,
      legs: [
        { account: 'processor-clearing', amountMicroUsd: -amountMicroUsd },
        { account: 'treasury', amountMicroUsd },
      ],
    });
  }

  /** Keeps that payments are of an invoice; of those that are known already no more than the checkout, where it was not kept. */
  async record(
    manager: EntityManager,
    { invoiceId, checkoutId }: SubscriptionInvoice,
    paymentIntentIds: readonly string[],
  ): Promise<void> {
    await manager.query(
      `INSERT INTO subscription_payment (payment_intent_id, invoice_id, checkout_id) SELECT unnest($2::text[]), $1, $3
       ON CONFLICT (payment_intent_id) DO UPDATE SET checkout_id = excluded.checkout_id
        WHERE subscription_payment.checkout_id IS NULL`,
      [invoiceId, paymentIntentIds, checkoutId ?? null],
    );
  }

  /** The invoice of a subscription of ours that a payment is of: by the record, else by what Stripe says. */
  async paidBy(stripe: StripeAdapter, paymentIntentId: string): Promise<SubscriptionInvoice | undefined> {
    // One that was recorded before its checkout was kept is asked about once more.
    const [known]: { invoiceId: string }[] = await this.dataSource.query(
      `SELECT invoice_id AS "invoiceId" FROM subscription_payment
        WHERE payment_intent_id = $1 AND checkout_id IS NOT NULL`,
      [paymentIntentId],
    );
    if (known) return known;
    for (const invoice of await stripe.invoicesOfIntent(paymentIntentId)) {
      const subscription = await subscriptionOf(stripe, invoice);
      if (subscription) return { invoiceId: invoice.id, checkoutId: subscription.metadata.checkout_id };
    }
    return undefined;
  }
}

/** The subscription of an invoice as Stripe says it now; undefined where it was not bought here. */
export async function subscriptionOf(
  stripe: StripeAdapter,
  { parent }: Stripe.Invoice,
): Promise<Stripe.Subscription | undefined> {
  const of = parent?.subscription_details?.subscription;
  if (!of) return undefined;
  const subscription = await stripe.retrieveSubscription(typeof of === 'string' ? of : of.id);
  return subscription.metadata.checkout_id === undefined ? undefined : subscription;
}
