import { Injectable } from '@nestjs/common';
import { inTransaction } from '@svc/platform';
import type Stripe from 'stripe';
import { DataSource, type EntityManager } from 'typeorm';
import { Accounts } from '../account/accounts.js';
import { CreditReversals } from '../card/credit-reversals.js';
import { Leads } from '../lead/leads.js';
import { customer, Ledger } from '../ledger/ledger.js';
import { LicenceIssuer } from '../licence/licence-issuer.js';
import { paidUntil, Subscriptions } from '../subscription/subscriptions.js';
import { type Checkout, CheckoutStore } from './checkout-store.js';
import { type Product, productOf } from './products.js';

const MICRO_USD_PER_CENT = 10_000;

/** What came of a checkout that was looked at. */
export type Fulfilled =
  | { readonly outcome: 'fulfilled'; readonly checkout: Checkout }
  /** It has not been paid, or its payment is still on its way. */
  | { readonly outcome: 'unpaid' }
  /** The session is none of ours. */
  | { readonly outcome: 'unknown' };

/**
 * Gives what a checkout has bought, once, whoever asks first: the browser that comes back, or the webhook. Gated on
 * the payment's own status as Stripe says it now, never on the event that told of it.
 */
@Injectable()
export class Fulfilment {
  constructor(
    private readonly dataSource: DataSource,
    private readonly checkouts: CheckoutStore,
    private readonly ledger: Ledger,
    private readonly accounts: Accounts,
    private readonly leads: Leads,
    private readonly licences: LicenceIssuer,
    private readonly subscriptions: Subscriptions,
    private readonly reversals: CreditReversals,
  ) {}

  /** @param session as Stripe says it now, its payment's charge and its subscription within */
  fulfil(session: Stripe.Checkout.Session): Promise<Fulfilled> {
    return inTransaction(this.dataSource, manager => this.fulfilWithin(manager, session));
  }

  /** {@link fulfil} as a part of a transaction. */
  async fulfilWithin(manager: EntityManager, session: Stripe.Checkout.Session): Promise<Fulfilled> {
    const checkout = session.client_reference_id
      ? await this.checkouts.lock(manager, session.client_reference_id)
      : undefined;
    if (!checkout || (checkout.sessionId ?? session.id) !== session.id) return { outcome: 'unknown' };
    if (checkout.fulfilledAt) return { outcome: 'fulfilled', checkout };
    if (session.payment_status !== 'paid') return { outcome: 'unpaid' };
    assertPaidInFull(session, checkout);
    const product = productOf(checkout.kind, checkout.productId);
    const email = session.customer_details?.email ?? checkout.email;
    const given =
      product.kind === 'pack'
        ? await this.givePack(manager, { session, checkout, email })
        : await this.giveSubscription(manager, { session, checkout, email, product });
    if (email) {
      const detail = { product: product.productId, paid: true };
      await this.leads.record(manager, { source: 'checkout', email, accountId: given.accountId, detail });
    }
    const paymentIntent = expanded(session.payment_intent);
    const done = await this.checkouts.fulfilled(manager, checkout.checkoutId, {
      ...given,
      sessionId: session.id,
      ...(paymentIntent && { paymentIntentId: paymentIntent.id }),
    });
    // A refund or a dispute may have come before the purchase was known here.
    const charge = paymentIntent && expanded(paymentIntent.latest_charge);
    if (charge && charge.amount_refunded > 0) await this.reversals.refund(manager, charge, given);
    if (paymentIntent) {
      const credit = { accountId: given.accountId, creditedMicroUsd: checkout.amountMicroUsd };
      await this.reversals.collect(manager, paymentIntent.id, credit);
    }
    return { outcome: 'fulfilled', checkout: done };
  }

  private async givePack(
    manager: EntityManager,
    { session, checkout, email }: { session: Stripe.Checkout.Session; checkout: Checkout; email?: string },
  ): Promise<{ accountId: string }> {
    const { topUpAccountId, amountMicroUsd } = checkout;
    const accountId = topUpAccountId ?? (await this.accounts.create(manager, { kind: 'purchased', email }));
    await this.ledger.post(manager, {
      kind: 'top-up',
      reference: session.id,
      legs: [
        { account: 'processor-clearing', amountMicroUsd: -amountMicroUsd },
        { account: customer(accountId), amountMicroUsd },
      ],
    });
    return { accountId };
  }

  private async giveSubscription(
    manager: EntityManager,
    {
      session,
      email,
      product,
    }: { session: Stripe.Checkout.Session; checkout: Checkout; email?: string; product: Product },
  ): Promise<{ accountId: string; licenceId?: string }> {
    const subscription = expanded(session.subscription);
    if (!subscription) throw new Error(`the session ${session.id} has no subscription`);
    const accountId = await this.accounts.create(manager, { kind: 'purchased', email });
    let licenceId: string | undefined;
    if (product.licence) {
      const { tier, features, seats } = product.licence;
      // One that is over by now was paid all the same, and its licence is on record as over.
      const expiresAt = new Date(Math.max(paidUntil(subscription).getTime(), Date.now()));
      const licence = { accountId, tier, features: [...features], seats, expiresAt };
      ({ licenceId } = await this.licences.issue(manager, licence));
    }
    await this.subscriptions.begin(manager, { subscription, accountId, product });
    return { accountId, ...(licenceId === undefined ? {} : { licenceId }) };
  }
}

/** The object that Stripe put in the place of its id. */
function expanded<T extends { id: string }>(value: string | T | null | undefined): T | undefined {
  return typeof value === 'object' && value !== null ? value : undefined;
}

/** A session that another price was paid for is no purchase of ours: nothing is given, and somebody has to look. */
function assertPaidInFull(session: Stripe.Checkout.Session, { amountMicroUsd }: Checkout): void {
  const paidMicroUsd = (session.amount_total ?? 0) * MICRO_USD_PER_CENT;
  if (session.currency === 'usd' && paidMicroUsd === amountMicroUsd) return;
  throw new Error(
    `the session ${session.id} was paid with ${session.amount_total} ${session.currency}, not ${amountMicroUsd} µUSD`,
  );
}
