import { type EmulatedAccount, randomId } from '../account/emulated-account.js';
import { type StripeObject } from '../account/object-store.js';
import { type ListPage } from '../api/list-page.js';
import { unexpectedState } from '../api/stripe-error.js';
import { createCustomer, type Customer } from '../billing/customer.js';
import { type Price, type Product } from '../billing/price.js';
import { createSubscription, startSubscription } from '../billing/subscription.js';
import { type Charge } from '../payment/charge.js';
import {
  attempt,
  type Confirmation,
  createIntent,
  type PaymentIntent,
  settleDebit,
} from '../payment/payment-intent.js';
import { effectOf, type PaymentMethod } from '../payment/payment-method.js';

export const SESSION_KIND = 'checkout.session';
/** How long a bank debit of the sandbox takes; days at a bank. */
const DEBIT_SECONDS = 10;
/** Last digits of the bank account whose debits come to nothing, as in Stripe's test set. */
const EMPTY_ACCOUNT = '2227';

export interface LineItem extends StripeObject {
  object: 'item';
  amount_total: number;
  currency: string;
  description: string;
  price: Price;
  quantity: number;
  [member: string]: unknown;
}

/** A hosted checkout, as in Stripe's fixture `checkout.session`. */
export interface CheckoutSession extends StripeObject {
  object: typeof SESSION_KIND;
  amount_total: number;
  cancel_url: string | null;
  client_reference_id: string | null;
  created: number;
  currency: string;
  customer: string | null;
  customer_creation: 'always' | 'if_required' | null;
  customer_details: { email: string | null; [member: string]: unknown } | null;
  customer_email: string | null;
  expires_at: number;
  invoice: string | null;
  metadata: Record<string, string>;
  mode: 'payment' | 'subscription';
  payment_intent: string | null;
  payment_method_types: string[];
  payment_status: 'paid' | 'unpaid' | 'no_payment_required';
  status: 'open' | 'complete' | 'expired';
  subscription: string | null;
  success_url: string;
  url: string | null;
  [member: string]: unknown;
}

/** What belongs to a session and is no member of it. */
export interface SessionParts extends StripeObject {
  object: 'emulator.session_parts';
  lines: LineItem[];
  intentData: Pick<PaymentIntent, 'capture_method' | 'description' | 'metadata' | 'receipt_email'>;
  subscriptionData: { description: string | null; metadata: Record<string, string>; trialDays?: number };
}

export function partsOf(account: EmulatedAccount, session: Pick<CheckoutSession, 'id'>): SessionParts {
  return account.require<SessionParts>('emulator.session_parts', session.id);
}

/** A line of a checkout. */
export function lineItem(account: EmulatedAccount, price: Price, quantity: number): LineItem {
  const amount = price.unit_amount * quantity;
  return {
    id: randomId('li_'),
    object: 'item',
    adjustable_quantity: null,
    amount_discount: 0,
    amount_subtotal: amount,
    amount_tax: 0,
    amount_total: amount,
    currency: price.currency,
    description: account.store.find<Product>('product', price.product)?.name ?? '',
    metadata: {},
    price,
    quantity,
  };
}

export function lineItemsOf(account: EmulatedAccount, session: CheckoutSession): ListPage<LineItem> {
  const { lines } = partsOf(account, session);
  const url = `/v1/checkout/sessions/${session.id}/line_items`;
  return { object: 'list', data: lines, has_more: false, url };
}

/** What a step at the page came to. */
export type StepResult = 'complete' | 'authentication';

/** How the customer pays. */
export interface Payer {
  email: string | null;
  method: PaymentMethod;
  authenticated?: boolean;
}

/**
 * Pays an open session.
 *
 * @throws StripeError 402 when the bank refuses: the session stays open; 400 for one that is not open
 */
export function payCheckout(account: EmulatedAccount, session: CheckoutSession, payer: Payer): StepResult {
  if (session.status !== 'open') throw unexpectedState('This checkout is not open any more.', null);
  const result =
    session.amount_total === 0 && session.mode === 'payment'
      ? free(session)
      : session.mode === 'payment'
        ? payOnce(account, session, payer)
        : subscribe(account, session, payer);
  if (result === 'complete') complete(account, session, payer);
  return result;
}

function free(session: CheckoutSession): StepResult {
  session.payment_status = 'no_payment_required';
  return 'complete';
}

function payOnce(account: EmulatedAccount, session: CheckoutSession, payer: Payer): StepResult {
  const { email, method, authenticated } = payer;
  if (!session.customer && session.customer_creation === 'always') {
    session.customer = createCustomer(account, { email }).id;
  }
  const intent = session.payment_intent
    ? account.require<PaymentIntent>('payment_intent', session.payment_intent)
    : createIntent(account, {
        ...partsOf(account, session).intentData,
        amount: session.amount_total,
        currency: session.currency,
        customer: session.customer,
        payment_method_types: session.payment_method_types,
      });
  session.payment_intent = intent.id;
  account.store.save(session);
  const confirmation: Confirmation = { authenticated, returnUrl: session.url ?? undefined };
  attempt(account, intent, method, confirmation);
  if (intent.status === 'requires_action') return 'authentication';
  session.payment_status = intent.status === 'succeeded' ? 'paid' : 'unpaid';
  return 'complete';
}

function subscribe(account: EmulatedAccount, session: CheckoutSession, payer: Payer): StepResult {
  const { email, method, authenticated } = payer;
  const { lines, subscriptionData } = partsOf(account, session);
  const { decline, authentication } = effectOf(method);
  if (authentication && !authenticated) return 'authentication';
  // At Stripe a refused card leaves no subscription behind: the attempt is made without one.
  if (decline) return payOnce(account, session, payer);
  const customer = session.customer
    ? account.require<Customer>('customer', session.customer)
    : createCustomer(account, { email });
  const subscription = createSubscription(account, {
    customer,
    lines: lines.map(({ price, quantity }) => ({ price, quantity })),
    ...subscriptionData,
  });
  const invoice = startSubscription(account, subscription, method, { authenticated });
  session.customer = customer.id;
  session.subscription = subscription.id;
  session.payment_intent = null;
  session.invoice = invoice.id;
  session.payment_status = subscription.trial_end === null ? 'paid' : 'no_payment_required';
  return 'complete';
}

function complete(account: EmulatedAccount, session: CheckoutSession, { email }: Payer): void {
  session.status = 'complete';
  session.url = null;
  session.customer_details = {
    address: null,
    business_name: null,
    email,
    individual_name: null,
    name: null,
    phone: null,
    tax_exempt: 'none',
    tax_ids: [],
  };
  account.store.save(session);
  account.emit('checkout.session.completed', session);
}

/** Ends an open session that nobody will pay. */
export function expireCheckout(account: EmulatedAccount, session: CheckoutSession): CheckoutSession {
  session.status = 'expired';
  session.url = null;
  account.store.save(session);
  account.emit('checkout.session.expired', session);
  return session;
}

/** What a bank debit came to: the session is told, some time after it was completed. */
export function settleCheckout(account: EmulatedAccount, session: CheckoutSession, fails: boolean): void {
  const intent = account.require<PaymentIntent>('payment_intent', session.payment_intent ?? '');
  if (intent.status !== 'processing') throw unexpectedState('No debit of this checkout is under way.', null);
  settleDebit(account, intent, fails);
  session.payment_status = fails ? 'unpaid' : 'paid';
  account.store.save(session);
  account.emit(`checkout.session.async_payment_${fails ? 'failed' : 'succeeded'}`, session);
}

/** Expires what was not paid in time, and settles debits that have waited long enough. */
export function checkoutsDue(account: EmulatedAccount): void {
  const now = account.now();
  for (const session of account.store.all<CheckoutSession>(SESSION_KIND)) {
    if (session.status === 'open' && session.expires_at <= now) expireCheckout(account, session);
    if (session.status !== 'complete' || session.payment_status !== 'unpaid') continue;
    const intent = session.payment_intent
      ? account.store.find<PaymentIntent>('payment_intent', session.payment_intent)
      : undefined;
    if (intent?.status !== 'processing') continue;
    const charge = account.store.find<Charge>('charge', intent.latest_charge!);
    if (!charge || charge.created + DEBIT_SECONDS > now) continue;
    const method = account.store.find<PaymentMethod>('payment_method', intent.payment_method!);
    settleCheckout(account, session, method?.us_bank_account?.last4 === EMPTY_ACCOUNT);
  }
}
