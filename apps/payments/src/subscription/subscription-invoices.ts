import { Injectable } from '@nestjs/common';
import type Stripe from 'stripe';
import { DataSource, type EntityManager } from 'typeorm';
import type { StripeAdapter } from '../card/stripe-adapter.js';
import { recordEvent } from '../checkout/webhook-event.js';
import { Ledger } from '../ledger/ledger.js';

const MICRO_USD_PER_CENT = 10_000;

/** What the invoices of subscriptions have earned, and the payments that paid them, by which what goes back is known. */
@Injectable()
export class SubscriptionInvoices {
  constructor(
    private readonly dataSource: DataSource,
    private readonly ledger: Ledger,
  ) {}

  /**
   * Books what an invoice was paid with, once for an invoice.
   * @param paymentIntentIds of the payments that have paid it
   */
  async earn(
    manager: EntityManager,
    invoice: Stripe.Invoice,
    paymentIntentIds: readonly string[],
  ): Promise<void> {
    const { id, created } = invoice;
    if (!(await recordEvent(manager, { id: `${id}:paid`, type: 'invoice', created, outcome: 'done' })))
      return;
    await this.record(manager, id, paymentIntentIds);
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

  /** Keeps that payments are of an invoice; of those that are known already nothing is changed. */
  async record(
    manager: EntityManager,
    invoiceId: string,
    paymentIntentIds: readonly string[],
  ): Promise<void> {
    await manager.query(
      `INSERT INTO subscription_payment (payment_intent_id, invoice_id) SELECT unnest($2::text[]), $1
       ON CONFLICT (payment_intent_id) DO NOTHING`,
      [invoiceId, paymentIntentIds],
    );
  }

  /** The invoice of a subscription of ours that a payment is of: by the record, else by what Stripe says. */
  async paidBy(stripe: StripeAdapter, paymentIntentId: string): Promise<string | undefined> {
    const [known]: { invoice_id: string }[] = await this.dataSource.query(
      `SELECT invoice_id FROM subscription_payment WHERE payment_intent_id = $1`,
      [paymentIntentId],
    );
    if (known) return known.invoice_id;
    for (const invoice of await stripe.invoicesOfIntent(paymentIntentId))
      if (await subscriptionOf(stripe, invoice)) return invoice.id;
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
