import type Stripe from 'stripe';
import { periodEnd } from '../src/stripe/billing/subscription.js';
import type { StripeEmulator } from '../src/stripe/stripe-emulator.js';
import { CARD, refusalOf, startEmulatedStripe, submitPage } from './emulated-stripe.js';

let emulator: StripeEmulator;
let stripe: Stripe;

beforeAll(async () => {
  ({ emulator, stripe } = await startEmulatedStripe());
});
afterAll(() => emulator.close());

async function subscribe(number: string = CARD.number) {
  const session = await stripe.checkout.sessions.create({
    mode: 'subscription',
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: 'usd',
          unit_amount: 4_900,
          product_data: { name: 'Developer' },
          recurring: { interval: 'month' },
        },
      },
    ],
    success_url: 'http://127.0.0.1:9/done',
    subscription_data: { metadata: { account: 'acct_1' } },
  });
  const answer = await submitPage(session.url!, { ...CARD, number, email: 'dev@example.com' });
  return { answer, session: await stripe.checkout.sessions.retrieve(session.id) };
}

const eventsSince = async (id: string) =>
  (await stripe.events.list({ ending_before: id, limit: 100 })).data.map(({ type }) => type).reverse();
const newestEvent = async () => (await stripe.events.list({ limit: 1 })).data[0].id;

it('a checkout makes a customer, a subscription and a paid invoice that names them', async () => {
  const { session } = await subscribe();
  expect(session).toMatchObject({ status: 'complete', payment_status: 'paid', payment_intent: null });
  const subscription = await stripe.subscriptions.retrieve(session.subscription as string, {
    expand: ['latest_invoice', 'customer'],
  });
  expect(subscription).toMatchObject({
    status: 'active',
    metadata: { account: 'acct_1' },
    customer: { email: 'dev@example.com' },
    latest_invoice: {
      status: 'paid',
      amount_paid: 4_900,
      billing_reason: 'subscription_create',
      parent: {
        subscription_details: { subscription: session.subscription, metadata: { account: 'acct_1' } },
      },
    },
  });
});

it('a declined card leaves the checkout open and no subscription', async () => {
  const before = (await stripe.subscriptions.list({ status: 'all' })).data.length;
  const { answer, session } = await subscribe('4000000000000341');
  expect([answer.status, session.status, session.subscription]).toEqual([402, 'open', null]);
  expect((await stripe.subscriptions.list({ status: 'all' })).data).toHaveLength(before);
});

it('renews, falls past due when the bank refuses, and is active again when the invoice is paid', async () => {
  const { session } = await subscribe();
  const id = session.subscription as string;
  const first = (await stripe.subscriptions.retrieve(id)).items.data[0];
  let since = await newestEvent();
  emulator.control.renewSubscription(id);
  const second = (await stripe.subscriptions.retrieve(id)).items.data[0];
  expect(second.current_period_start).toBe(first.current_period_end);
  expect(await eventsSince(since)).toEqual(
    expect.arrayContaining(['invoice.paid', 'customer.subscription.updated']),
  );
  since = await newestEvent();
  emulator.control.renewSubscription(id, { fails: true });
  const overdue = await stripe.subscriptions.retrieve(id);
  expect(overdue.status).toBe('past_due');
  expect(await eventsSince(since)).toEqual(
    expect.arrayContaining(['invoice.payment_failed', 'customer.subscription.updated']),
  );
  const paid = await stripe.invoices.pay(overdue.latest_invoice as string);
  expect(paid).toMatchObject({ status: 'paid', attempt_count: 2 });
  expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'active' });
  // Of the payment that the bank refused, and of the one that it took.
  const invoice = paid.id;
  const { data } = await stripe.invoicePayments.list({ invoice });
  expect(data.map(({ status }) => status).sort()).toEqual(['open', 'paid']);
  const [taken] = (await stripe.invoicePayments.list({ invoice, status: 'paid' })).data;
  const payment = taken.payment as { type: 'payment_intent'; payment_intent: string };
  const found = await stripe.invoicePayments.list({ payment, expand: ['data.invoice'] });
  expect(found.data).toMatchObject([{ id: taken.id, invoice: { id: invoice, object: 'invoice' } }]);
  const another = { ...payment, payment_intent: 'pi_of_no_invoice' };
  expect((await stripe.invoicePayments.list({ payment: another })).data).toEqual([]);
  const untyped = { payment_intent: payment.payment_intent } as typeof payment;
  const refused = await refusalOf(stripe.invoicePayments.list({ payment: untyped }));
  expect(refused.param).toBe('payment[type]');
});

it('renews by the clock, once for each period that has ended', async () => {
  const { session } = await subscribe();
  const id = session.subscription as string;
  emulator.control.advance(95 * 86_400);
  const invoices = await stripe.invoices.list({ subscription: id });
  expect(invoices.data).toHaveLength(4);
  expect(new Set(invoices.data.map(({ status }) => status))).toEqual(new Set(['paid']));
});

it('is canceled at once, or when its period ends', async () => {
  const { session } = await subscribe();
  const now = await stripe.subscriptions.cancel(session.subscription as string);
  expect(now).toMatchObject({ status: 'canceled' });
  expect((await stripe.events.list({ limit: 1 })).data[0].type).toBe('customer.subscription.deleted');
  const again = await refusalOf(stripe.subscriptions.cancel(now.id));
  expect(again.statusCode).toBe(400);
  const { session: later } = await subscribe();
  const id = later.subscription as string;
  await stripe.subscriptions.update(id, { cancel_at_period_end: true });
  expect(await stripe.subscriptions.retrieve(id)).toMatchObject({
    status: 'active',
    cancel_at_period_end: true,
  });
  emulator.control.advance(32 * 86_400);
  expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'canceled' });
});

it('is made by the API of a customer with a payment method, and of none without', async () => {
  const price = await stripe.prices.create({
    currency: 'usd',
    unit_amount: 100,
    recurring: { interval: 'year' },
    product_data: { name: 'Yearly' },
  });
  const customer = await stripe.customers.create({ email: 'api@example.com' });
  const items = [{ price: price.id }];
  await refusalOf(stripe.subscriptions.create({ customer: customer.id, items }));
  const made = await stripe.subscriptions.create({
    customer: customer.id,
    items,
    default_payment_method: 'pm_card_visa',
  });
  expect(made).toMatchObject({ status: 'active', currency: 'usd' });
  await stripe.customers.update(customer.id, { name: 'A. Payer', metadata: { k: 'v' } });
  const [found] = (await stripe.customers.list({ email: 'api@example.com' })).data;
  expect(found).toMatchObject({ id: customer.id, name: 'A. Payer', metadata: { k: 'v' } });
  expect(await stripe.customers.del(customer.id)).toMatchObject({ deleted: true });
});

it('months end on the day they began, or on the last day that there is', () => {
  const monthly = { recurring: { interval: 'month' as const, interval_count: 1 } };
  const end = (date: string) => new Date(periodEnd(Date.parse(date) / 1_000, monthly) * 1_000).toISOString();
  expect(end('2027-01-31T10:00:00Z')).toBe('2027-02-28T10:00:00.000Z');
  expect(end('2028-01-31T10:00:00Z')).toBe('2028-02-29T10:00:00.000Z');
  expect(end('2026-12-15T10:00:00Z')).toBe('2027-01-15T10:00:00.000Z');
});
