import { type EmulatedAccount, randomId } from '../account/emulated-account.js';
import { type StripeObject } from '../account/object-store.js';
import { embeddedList, LIST_PARAMETERS, listPage } from '../api/list-page.js';
import { type Call, type Route } from '../api/route.js';
import { invalidRequest } from '../api/stripe-error.js';
import { attempt, type Confirmation, createIntent, type PaymentIntent } from '../payment/payment-intent.js';
import { type PaymentMethod, paymentMethodOf } from '../payment/payment-method.js';
import { type Customer } from './customer.js';
import { invoicePaid, type Subscription } from './subscription.js';

/** What one period of a subscription costs, as in Stripe's fixture `invoice`. */
export interface Invoice extends StripeObject {
  object: 'invoice';
  amount_due: number;
  amount_paid: number;
  amount_remaining: number;
  attempt_count: number;
  attempted: boolean;
  billing_reason: 'subscription_create' | 'subscription_cycle';
  created: number;
  currency: string;
  customer: string;
  customer_email: string | null;
  next_payment_attempt: number | null;
  parent: { subscription_details: { metadata: Record<string, string>; subscription: string } };
  period_end: number;
  period_start: number;
  status: 'draft' | 'open' | 'paid' | 'void' | 'uncollectible';
  status_transitions: { finalized_at: number | null; paid_at: number | null; [member: string]: unknown };
  total: number;
  [member: string]: unknown;
}

/** Which invoice an intent pays: the invoice itself names no intent any more. */
interface InvoicePayment extends StripeObject {
  object: 'invoice_payment';
  amount_requested: number;
  invoice: string;
  payment: { payment_intent: string; type: 'payment_intent' };
  [member: string]: unknown;
}

const RETRY_SECONDS = 3 * 86_400;

/** The invoice of the current period of a subscription, open to be paid. */
export function createInvoice(
  account: EmulatedAccount,
  subscription: Subscription,
  billingReason: Invoice['billing_reason'],
): Invoice {
  const id = randomId('in_');
  const customer = account.require<Customer>('customer', subscription.customer);
  const [item] = subscription.items.data;
  const period = { start: item.current_period_start, end: item.current_period_end };
  const lines = linesOf(subscription, id);
  const total = lines.reduce((sum, { amount }) => sum + amount, 0);
  const number = `${customer.invoice_prefix}-${String(customer.next_invoice_sequence++).padStart(4, '0')}`;
  account.store.save(customer);
  const invoice = account.store.save<Invoice>({
    ...unusedMembers(),
    ...amountsOf(total),
    id,
    object: 'invoice',
    attempt_count: 0,
    attempted: false,
    auto_advance: true,
    billing_reason: billingReason,
    collection_method: 'charge_automatically',
    created: account.now(),
    currency: item.price.currency,
    customer: customer.id,
    customer_email: customer.email,
    customer_name: customer.name,
    effective_at: account.now(),
    lines: embeddedList(lines, `/v1/invoices/${id}/lines`),
    livemode: false,
    metadata: {},
    next_payment_attempt: null,
    number,
    parent: {
      quote_details: null,
      subscription_details: { metadata: { ...subscription.metadata }, subscription: subscription.id },
      type: 'subscription_details',
    } as Invoice['parent'],
    period_end: period.end,
    period_start: period.start,
    status: 'open',
    status_transitions: {
      finalized_at: account.now(),
      marked_uncollectible_at: null,
      paid_at: null,
      voided_at: null,
    },
  });
  account.emit('invoice.created', { ...invoice, status: 'draft' });
  account.emit('invoice.finalized', invoice);
  return invoice;
}

/** A line for each item, for the period that the item is in. */
function linesOf(subscription: Subscription, invoiceId: string) {
  return subscription.items.data.map(item => ({
    id: randomId('il_'),
    object: 'line_item',
    amount: item.price.unit_amount * item.quantity,
    currency: item.price.currency,
    description: null,
    discount_amounts: [],
    discountable: true,
    discounts: [],
    invoice: invoiceId,
    livemode: false,
    metadata: { ...subscription.metadata },
    parent: {
      invoice_item_details: null,
      subscription_item_details: {
        invoice_item: null,
        proration: false,
        proration_details: { credited_items: null },
        subscription: subscription.id,
        subscription_item: item.id,
      },
      type: 'subscription_item_details',
    },
    period: { start: item.current_period_start, end: item.current_period_end },
    pretax_credit_amounts: [],
    pricing: {
      price_details: { price: item.price.id, product: item.price.product },
      type: 'price_details',
      unit_amount_decimal: item.price.unit_amount_decimal,
    },
    quantity: item.quantity,
    quantity_decimal: String(item.quantity),
    subscription: subscription.id,
    subtotal: item.price.unit_amount * item.quantity,
    taxes: [],
  }));
}

/** Members of the fixture that nothing here gives a value. */
function unusedMembers() {
  return {
    account_country: 'US',
    account_name: 'Sandbox',
    account_tax_ids: null,
    application: null,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null, provider: null, status: null },
    automatically_finalizes_at: null,
    custom_fields: null,
    customer_account: null,
    customer_address: null,
    customer_phone: null,
    customer_shipping: null,
    customer_tax_exempt: 'none',
    customer_tax_ids: [],
    default_payment_method: null,
    default_source: null,
    default_tax_rates: [],
    description: null,
    discounts: [],
    due_date: null,
    footer: null,
    from_invoice: null,
    hosted_invoice_url: null,
    invoice_pdf: null,
    issuer: { type: 'self' },
    last_finalization_error: null,
    latest_revision: null,
    on_behalf_of: null,
    payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    receipt_number: null,
    rendering: null,
    shipping_cost: null,
    shipping_details: null,
    statement_descriptor: null,
    test_clock: null,
    webhooks_delivered_at: null,
  };
}

function amountsOf(total: number) {
  return {
    amount_due: total,
    amount_overpaid: 0,
    amount_paid: 0,
    amount_remaining: total,
    amount_shipping: 0,
    ending_balance: 0,
    starting_balance: 0,
    subtotal: total,
    subtotal_excluding_tax: total,
    total,
    total_discount_amounts: [],
    total_excluding_tax: total,
    total_pretax_credit_amounts: [],
    total_taxes: [],
  };
}

/**
 * Tries to pay an open invoice.
 *
 * @throws StripeError 402 when the bank refuses; the invoice stays open
 */
export function payInvoice(
  account: EmulatedAccount,
  invoice: Invoice,
  method: PaymentMethod,
  confirmation: Confirmation = { offSession: true },
): Invoice {
  invoice.attempted = true;
  invoice.attempt_count += 1;
  account.store.save(invoice);
  if (invoice.total > 0) {
    const intent = createIntent(account, {
      amount: invoice.total,
      currency: invoice.currency,
      customer: invoice.customer,
      description: 'Subscription payment',
      payment_method: method.id,
      receipt_email: invoice.customer_email,
      setup_future_usage: 'off_session',
    });
    linkPayment(account, invoice, intent);
    try {
      attempt(account, intent, method, confirmation);
    } catch (error) {
      invoice.next_payment_attempt = account.now() + RETRY_SECONDS;
      account.emit('invoice.payment_failed', invoice);
      throw error;
    }
  }
  invoice.status = 'paid';
  invoice.amount_paid = invoice.total;
  invoice.amount_remaining = 0;
  invoice.next_payment_attempt = null;
  invoice.status_transitions.paid_at = account.now();
  account.store.save(invoice);
  account.emit('invoice.paid', invoice);
  account.emit('invoice.payment_succeeded', invoice);
  return invoice;
}

function linkPayment(account: EmulatedAccount, invoice: Invoice, intent: PaymentIntent): void {
  account.store.save<InvoicePayment>({
    id: randomId('inpay_'),
    object: 'invoice_payment',
    amount_paid: null,
    amount_requested: invoice.total,
    created: account.now(),
    currency: invoice.currency,
    invoice: invoice.id,
    is_default: true,
    livemode: false,
    payment: { payment_intent: intent.id, type: 'payment_intent' },
    status: 'open',
    status_transitions: { canceled_at: null, paid_at: null },
  });
}

/** Payments of invoices, with the status that their intents have: of an invoice, of an intent, in a status. */
function listPayments({ account, parameters }: Call) {
  const [invoice, wanted] = [parameters.text('invoice'), parameters.text('status')];
  const of = parameters.map('payment').only(['payment_intent', 'payment_record', 'type']);
  const intent = of.text('payment_intent');
  const type = of.oneOf('type', ['payment_intent', 'payment_record']);
  if (parameters.has('payment') && type === undefined) of.missing('type');
  const found = account.store
    .all<InvoicePayment>('invoice_payment')
    .filter(payment => (invoice ?? payment.invoice) === payment.invoice)
    .filter(({ payment }) => (type ?? payment.type) === payment.type)
    .filter(({ payment }) => (intent ?? payment.payment_intent) === payment.payment_intent)
    .map(payment => {
      const intent = account.store.find<PaymentIntent>('payment_intent', payment.payment.payment_intent);
      const paid = intent?.status === 'succeeded';
      return {
        ...payment,
        status: paid ? 'paid' : 'open',
        amount_paid: paid ? payment.amount_requested : null,
      };
    })
    .filter(({ status }) => (wanted ?? status) === status);
  return listPage(found, parameters, '/v1/invoice_payments');
}

function pay({ account, parameters, id }: Call): Invoice {
  const invoice = account.require<Invoice>('invoice', id);
  if (invoice.status !== 'open') throw invalidRequest(`Invoice is ${invoice.status} and cannot be paid.`);
  const { subscription: subscriptionId } = invoice.parent.subscription_details;
  const subscription = account.require<Subscription>('subscription', subscriptionId);
  const methodId = parameters.text('payment_method') ?? subscription.default_payment_method;
  if (!methodId)
    throw invalidRequest('There is no payment method to pay the invoice with.', 'payment_method');
  payInvoice(account, invoice, paymentMethodOf(account, methodId));
  invoicePaid(account, subscription);
  return invoice;
}

export const invoiceRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/v1/invoices',
    accepts: [...LIST_PARAMETERS, 'customer', 'status', 'subscription'],
    run: ({ account, parameters }) => {
      const [customer, status] = [parameters.text('customer'), parameters.text('status')];
      const subscription = parameters.text('subscription');
      const found = account.store
        .all<Invoice>('invoice')
        .filter(invoice => (customer ?? invoice.customer) === invoice.customer)
        .filter(invoice => (status ?? invoice.status) === invoice.status)
        .filter(({ parent }) => {
          const { subscription: of } = parent.subscription_details;
          return (subscription ?? of) === of;
        });
      return listPage(found, parameters, '/v1/invoices');
    },
  },
  {
    method: 'GET',
    path: '/v1/invoices/:id',
    accepts: [],
    run: ({ account, id }) => account.require<Invoice>('invoice', id),
  },
  {
    method: 'POST',
    path: '/v1/invoices/:id/pay',
    accepts: ['off_session', 'payment_method'],
    run: pay,
  },
  {
    method: 'GET',
    path: '/v1/invoice_payments',
    accepts: [...LIST_PARAMETERS, 'invoice', 'payment', 'status'],
    run: listPayments,
  },
];
