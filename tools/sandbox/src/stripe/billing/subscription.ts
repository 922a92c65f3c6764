import { type EmulatedAccount, randomId } from '../account/emulated-account.js';
import { type StripeObject } from '../account/object-store.js';
import { embeddedList, LIST_PARAMETERS, type ListPage, listPage } from '../api/list-page.js';
import { type Call, type Route } from '../api/route.js';
import { invalidRequest, StripeError } from '../api/stripe-error.js';
import { type Confirmation } from '../payment/payment-intent.js';
import { createCardMethod, type PaymentMethod, paymentMethodOf } from '../payment/payment-method.js';
import { type Customer } from './customer.js';
import { createInvoice, type Invoice, payInvoice } from './invoice.js';
import { type Price, priceOf } from './price.js';

export interface SubscriptionItem extends StripeObject {
  object: 'subscription_item';
  current_period_end: number;
  current_period_start: number;
  price: Price;
  quantity: number;
  [member: string]: unknown;
}

/** A plan that is paid for again and again, as in Stripe's fixture `subscription`. */
export interface Subscription extends StripeObject {
  object: 'subscription';
  cancel_at: number | null;
  cancel_at_period_end: boolean;
  canceled_at: number | null;
  cancellation_details: { comment: null; feedback: null; reason: string | null };
  created: number;
  currency: string;
  customer: string;
  default_payment_method: string | null;
  ended_at: number | null;
  items: ListPage<SubscriptionItem>;
  latest_invoice: string | null;
  metadata: Record<string, string>;
  status: 'incomplete' | 'trialing' | 'active' | 'past_due' | 'canceled';
  trial_end: number | null;
  trial_start: number | null;
  [member: string]: unknown;
}

const KIND = 'subscription';
/** A card that every bank refuses: what `fails` renews with. */
const REFUSED_CARD = '4000000000000341';

/** What a new subscription is of. */
export interface SubscriptionWish {
  customer: Customer;
  lines: { price: Price; quantity: number }[];
  metadata: Record<string, string>;
  trialDays?: number;
  description?: string | null;
}

/** A subscription that nobody has paid for, for its first period. */
export function createSubscription(account: EmulatedAccount, wish: SubscriptionWish): Subscription {
  const id = randomId('sub_');
  const start = account.now();
  const trialEnd = wish.trialDays ? start + wish.trialDays * 86_400 : null;
  const items = wish.lines.map(line => itemOf(line, id, start, trialEnd));
  return account.store.save<Subscription>({
    id,
    object: KIND,
    application: null,
    application_fee_percent: null,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null },
    billing_cycle_anchor: trialEnd ?? start,
    billing_cycle_anchor_config: null,
    billing_mode: { type: 'flexible' },
    billing_schedules: [],
    billing_thresholds: null,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation_details: { comment: null, feedback: null, reason: null },
    collection_method: 'charge_automatically',
    created: start,
    currency: wish.lines[0].price.currency,
    customer: wish.customer.id,
    customer_account: null,
    days_until_due: null,
    default_payment_method: null,
    default_source: null,
    default_tax_rates: [],
    description: wish.description ?? null,
    discounts: [],
    ended_at: null,
    invoice_settings: { account_tax_ids: null, issuer: { type: 'self' } },
    items: embeddedList(items, `/v1/subscription_items?subscription=${id}`),
    latest_invoice: null,
    livemode: false,
    managed_payments: null,
    metadata: wish.metadata,
    next_pending_invoice_item_invoice: null,
    on_behalf_of: null,
    pause_collection: null,
    payment_settings: {
      payment_method_options: null,
      payment_method_types: null,
      save_default_payment_method: 'off',
    },
    pending_invoice_item_interval: null,
    pending_setup_intent: null,
    pending_update: null,
    schedule: null,
    start_date: start,
    status: trialEnd ? 'trialing' : 'incomplete',
    test_clock: null,
    transfer_data: null,
    trial_end: trialEnd,
    trial_settings: { end_behavior: { missing_payment_method: 'create_invoice' } },
    trial_start: trialEnd ? start : null,
  });
}

/** A line of a subscription, in its first period or its trial. */
function itemOf(
  { price, quantity }: SubscriptionWish['lines'][number],
  subscription: string,
  start: number,
  trialEnd: number | null,
): SubscriptionItem {
  return {
    id: randomId('si_', 14),
    object: 'subscription_item',
    billing_thresholds: null,
    created: start,
    current_trial: null,
    current_period_end: trialEnd ?? periodEnd(start, price),
    current_period_start: start,
    discounts: [],
    metadata: {},
    plan: planOf(price),
    price,
    quantity,
    subscription,
    tax_rates: [],
  };
}

/** A price as subscriptions name it beside `price`, from before there were prices. */
function planOf({ id, created, currency, product, recurring, unit_amount: amount }: Price) {
  return {
    id,
    object: 'plan',
    active: true,
    amount,
    amount_decimal: String(amount),
    billing_scheme: 'per_unit',
    created,
    currency,
    interval: recurring?.interval,
    interval_count: recurring?.interval_count,
    livemode: false,
    metadata: {},
    meter: null,
    nickname: null,
    product,
    tiers_mode: null,
    transform_usage: null,
    trial_period_days: null,
    usage_type: 'licensed',
  };
}

/** The end of a period that starts then; months end on the same day, or on the last one that there is. */
export function periodEnd(start: number, { recurring }: Pick<Price, 'recurring'>): number {
  const { interval, interval_count: count } = recurring!;
  if (interval === 'day' || interval === 'week') return start + count * (interval === 'day' ? 1 : 7) * 86_400;
  const from = new Date(start * 1_000);
  const months = interval === 'year' ? 12 * count : count;
  const to = new Date(from);
  to.setUTCMonth(from.getUTCMonth() + months, 1);
  const daysInMonth = new Date(Date.UTC(to.getUTCFullYear(), to.getUTCMonth() + 1, 0)).getUTCDate();
  to.setUTCDate(Math.min(from.getUTCDate(), daysInMonth));
  return Math.floor(to.getTime() / 1_000);
}

/**
 * Pays the first period.
 *
 * @throws StripeError 402 when the bank refuses
 */
export function startSubscription(
  account: EmulatedAccount,
  subscription: Subscription,
  method: PaymentMethod,
  confirmation: Confirmation = {},
): Invoice {
  const invoice = createInvoice(account, subscription, 'subscription_create');
  subscription.latest_invoice = invoice.id;
  subscription.default_payment_method = method.id;
  method.customer = subscription.customer;
  if (subscription.trial_end !== null) {
    for (const amount of ['total', 'amount_due', 'amount_remaining'] as const) invoice[amount] = 0;
  }
  account.store.save(method);
  payInvoice(account, invoice, method, { ...confirmation, errorOnAction: true });
  if (subscription.status === 'incomplete') subscription.status = 'active';
  account.store.save(subscription);
  account.emit('customer.subscription.created', subscription);
  return invoice;
}

/** An open invoice of the subscription has been paid: it is up to date again. */
export function invoicePaid(account: EmulatedAccount, subscription: Subscription): void {
  if (subscription.status !== 'past_due' && subscription.status !== 'incomplete') return;
  const previous = { status: subscription.status };
  subscription.status = 'active';
  account.store.save(subscription);
  account.emit('customer.subscription.updated', subscription, previous);
}

/** Begins the next period, and tries to be paid for it: `past_due` when the bank refuses. */
export function renewSubscription(
  account: EmulatedAccount,
  subscription: Subscription,
  { fails = false } = {},
): void {
  if (subscription.status === 'canceled') throw invalidRequest('The subscription is canceled.');
  const previous = { status: subscription.status, items: structuredClone(subscription.items) };
  if (subscription.cancel_at_period_end) return cancelSubscription(account, subscription);
  for (const item of subscription.items.data) {
    item.current_period_start = item.current_period_end;
    item.current_period_end = periodEnd(item.current_period_start, item.price);
  }
  const invoice = createInvoice(account, subscription, 'subscription_cycle');
  subscription.latest_invoice = invoice.id;
  const expYear = new Date(account.now() * 1_000).getUTCFullYear() + 1;
  const method = fails
    ? createCardMethod(account, { number: REFUSED_CARD, expMonth: 12, expYear })
    : paymentMethodOf(account, subscription.default_payment_method ?? '');
  try {
    payInvoice(account, invoice, method);
    subscription.status = 'active';
  } catch (error) {
    if (!(error instanceof StripeError) || error.status !== 402) throw error;
    subscription.status = 'past_due';
  }
  account.store.save(subscription);
  account.emit('customer.subscription.updated', subscription, previous);
}

export function cancelSubscription(account: EmulatedAccount, subscription: Subscription): void {
  subscription.status = 'canceled';
  subscription.canceled_at ??= account.now();
  subscription.ended_at = account.now();
  subscription.cancellation_details.reason ??= 'cancellation_requested';
  account.store.save(subscription);
  account.emit('customer.subscription.deleted', subscription);
}

/** Renews what has come to the end of its period; a period at a time, so that each has its invoice. */
export function renewDue(account: EmulatedAccount): void {
  for (const subscription of account.store.all<Subscription>(KIND)) {
    while (
      (subscription.status === 'active' || subscription.status === 'trialing') &&
      subscription.items.data[0].current_period_end <= account.now()
    ) {
      renewSubscription(account, subscription);
    }
  }
}

function create({ account, parameters }: Call): Subscription {
  const customer = account.require<Customer>('customer', parameters.requiredText('customer'), 'customer');
  const lines = parameters.maps('items').map(item => {
    const price = priceOf(account, item);
    if (!price.recurring) throw invalidRequest('The price is not of a recurring type.', 'items[0][price]');
    return { price, quantity: item.integer('quantity', { min: 1, max: 999_999 }) ?? 1 };
  });
  if (lines.length === 0) parameters.missing('items');
  const methodId =
    parameters.text('default_payment_method') ?? customer.invoice_settings.default_payment_method;
  if (!methodId) {
    throw invalidRequest(
      'This customer has no attached payment source or default payment method.',
      'customer',
    );
  }
  const method = paymentMethodOf(account, methodId);
  const trialDays = parameters.integer('trial_period_days', { max: 730 });
  const metadata = parameters.metadata();
  const subscription = createSubscription(account, { customer, lines, metadata, trialDays });
  startSubscription(account, subscription, method);
  return subscription;
}

function update({ account, parameters, id }: Call): Subscription {
  const subscription = account.require<Subscription>(KIND, id);
  if (subscription.status === 'canceled') throw invalidRequest('A canceled subscription can only be read.');
  const previous = {
    cancel_at_period_end: subscription.cancel_at_period_end,
    metadata: subscription.metadata,
  };
  const method = parameters.text('default_payment_method');
  const chosen = method === undefined ? undefined : paymentMethodOf(account, method);
  const atPeriodEnd = parameters.boolean('cancel_at_period_end');
  subscription.metadata = parameters.metadata(subscription.metadata);
  if (chosen) subscription.default_payment_method = chosen.id;
  if (atPeriodEnd !== undefined) {
    subscription.cancel_at_period_end = atPeriodEnd;
    subscription.cancel_at = atPeriodEnd ? subscription.items.data[0].current_period_end : null;
    subscription.canceled_at = atPeriodEnd ? account.now() : null;
    subscription.cancellation_details.reason = atPeriodEnd ? 'cancellation_requested' : null;
  }
  account.store.save(subscription);
  account.emit('customer.subscription.updated', subscription, previous);
  return subscription;
}

export const subscriptionRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/v1/subscriptions',
    accepts: ['customer', 'default_payment_method', 'items', 'metadata', 'off_session', 'trial_period_days'],
    run: create,
  },
  {
    method: 'GET',
    path: '/v1/subscriptions',
    accepts: [...LIST_PARAMETERS, 'customer', 'status'],
    run: ({ account, parameters }) => {
      const [customer, status] = [parameters.text('customer'), parameters.text('status')];
      const found = account.store
        .all<Subscription>(KIND)
        .filter(subscription => (customer ?? subscription.customer) === subscription.customer)
        // Canceled ones are listed only when asked for.
        .filter(({ status: is }) =>
          status === undefined ? is !== 'canceled' : status === 'all' || is === status,
        );
      return listPage(found, parameters, '/v1/subscriptions');
    },
  },
  {
    method: 'GET',
    path: '/v1/subscriptions/:id',
    accepts: [],
    run: ({ account, id }) => account.require<Subscription>(KIND, id),
  },
  {
    method: 'POST',
    path: '/v1/subscriptions/:id',
    accepts: ['cancel_at_period_end', 'default_payment_method', 'metadata', 'proration_behavior'],
    run: update,
  },
  {
    method: 'DELETE',
    path: '/v1/subscriptions/:id',
    accepts: ['invoice_now', 'prorate'],
    run: ({ account, id }) => {
      const subscription = account.require<Subscription>(KIND, id);
      if (subscription.status === 'canceled') throw invalidRequest(`No such subscription: ${id}`, 'id');
      cancelSubscription(account, subscription);
      return subscription;
    },
  },
];
