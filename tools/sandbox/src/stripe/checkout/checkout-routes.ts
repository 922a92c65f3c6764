import { type EmulatedAccount, randomId } from '../account/emulated-account.js';
import { type Includable } from '../api/expansion.js';
import { LIST_PARAMETERS, listPage } from '../api/list-page.js';
import { type Parameters, requireChargeable } from '../api/parameters.js';
import { type Call, type Route } from '../api/route.js';
import { invalidRequest } from '../api/stripe-error.js';
import { type Customer } from '../billing/customer.js';
import { priceOf } from '../billing/price.js';
import {
  type CheckoutSession,
  expireCheckout,
  type LineItem,
  lineItem,
  lineItemsOf,
  SESSION_KIND,
  type SessionParts,
} from './checkout-session.js';

const LINES_MAX = 100;
const EXPIRES_SECONDS_MIN = 30 * 60;
const EXPIRES_SECONDS_MAX = 24 * 3_600;
const METHOD_TYPES = ['card', 'us_bank_account', 'link'] as const;
const REFERENCE_CHARACTERS_MAX = 200;

/** What a session is made of here; the rest of what Stripe takes changes nothing at the page of the sandbox. */
const CREATE = [
  'adaptive_pricing',
  'allow_promotion_codes',
  'allowed_payment_method_types',
  'automatic_tax',
  'billing_address_collection',
  'cancel_url',
  'client_reference_id',
  'consent_collection',
  'currency',
  'custom_text',
  'customer',
  'customer_creation',
  'customer_email',
  'expires_at',
  'invoice_creation',
  'line_items',
  'locale',
  'metadata',
  'mode',
  'payment_intent_data',
  'payment_method_collection',
  'payment_method_options',
  'payment_method_types',
  'phone_number_collection',
  'submit_type',
  'subscription_data',
  'success_url',
  'tax_id_collection',
  'ui_mode',
] as const;

const includable: Includable = (object, member, account) =>
  object.object === SESSION_KIND && member === 'line_items'
    ? lineItemsOf(account, object as unknown as CheckoutSession)
    : undefined;

function webAddress(parameters: Parameters, name: string): string | null {
  const text = parameters.text(name);
  if (text === undefined) return null;
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw invalidRequest('Not a valid URL', name, 'url_invalid');
}

function linesOf(
  account: EmulatedAccount,
  parameters: Parameters,
  mode: CheckoutSession['mode'],
): LineItem[] {
  const items = parameters.maps('line_items');
  if (items.length === 0) parameters.missing('line_items');
  if (items.length > LINES_MAX) throw invalidRequest(`At most ${LINES_MAX} line items.`, 'line_items');
  const lines = items.map((item, index) => {
    item.only(['adjustable_quantity', 'price', 'price_data', 'quantity']);
    const quantity = item.integer('quantity', { min: 1, max: 999_999 }) ?? item.missing('quantity');
    const price = priceOf(account, item);
    if (mode === 'payment' && price.recurring) {
      const message = 'You must use `subscription` mode to have recurring prices.';
      throw invalidRequest(message, `line_items[${index}]`);
    }
    return lineItem(account, price, quantity);
  });
  if (mode === 'subscription' && !lines.some(({ price }) => price.recurring)) {
    throw invalidRequest('You must provide at least one recurring price in `subscription` mode.', 'mode');
  }
  if (new Set(lines.map(({ currency }) => currency)).size > 1) {
    throw invalidRequest('All line items must have the same currency.', 'line_items');
  }
  return lines;
}

function expiryOf(account: EmulatedAccount, parameters: Parameters): number {
  const now = account.now();
  const expiresAt = parameters.integer('expires_at') ?? now + EXPIRES_SECONDS_MAX;
  // A clock of another machine may be a minute off.
  const [least, most] = [now + EXPIRES_SECONDS_MIN - 60, now + EXPIRES_SECONDS_MAX + 60];
  if (expiresAt >= least && expiresAt <= most) return expiresAt;
  const message = 'The `expires_at` timestamp must be between 30 minutes and 24 hours from now.';
  throw invalidRequest(message, 'expires_at');
}

function partsOf(id: string, lines: LineItem[], parameters: Parameters): SessionParts {
  const intent = parameters
    .map('payment_intent_data')
    .only(['capture_method', 'description', 'metadata', 'receipt_email', 'setup_future_usage']);
  const subscription = parameters
    .map('subscription_data')
    .only(['description', 'metadata', 'trial_period_days', 'trial_settings']);
  return {
    id,
    object: 'emulator.session_parts',
    lines,
    intentData: {
      capture_method:
        intent.oneOf('capture_method', ['automatic', 'automatic_async', 'manual']) ?? 'automatic_async',
      description: intent.text('description') ?? null,
      metadata: intent.metadata(),
      receipt_email: intent.text('receipt_email') ?? null,
    },
    subscriptionData: {
      description: subscription.text('description') ?? null,
      metadata: subscription.metadata(),
      trialDays: subscription.integer('trial_period_days', { min: 1, max: 730 }),
    },
  };
}

function customerOf(account: EmulatedAccount, parameters: Parameters) {
  const id = parameters.text('customer');
  const email = parameters.text('customer_email', 512) ?? null;
  if (email !== null && !/^[^\s@]+@[^\s@]+$/.test(email)) {
    throw invalidRequest(`Invalid email address: ${email}`, 'customer_email', 'email_invalid');
  }
  if (id === undefined) return { customer: null, email };
  if (email !== null) {
    throw invalidRequest(
      'You may only specify one of these parameters: customer, customer_email.',
      'customer',
    );
  }
  const customer = account.require<Customer>('customer', id, 'customer');
  return { customer: customer.id, email: customer.email };
}

function create({ account, parameters }: Call): CheckoutSession {
  const mode = parameters.oneOf('mode', ['payment', 'subscription']) ?? parameters.missing('mode');
  const other = mode === 'payment' ? 'subscription_data' : 'payment_intent_data';
  if (parameters.has(other))
    throw invalidRequest(`You can not pass \`${other}\` in \`${mode}\` mode.`, other);
  const successUrl = webAddress(parameters, 'success_url') ?? parameters.missing('success_url');
  const { customer, email } = customerOf(account, parameters);
  // Two names for it, by the version of the API.
  const types = [
    ...parameters.texts('allowed_payment_method_types'),
    ...parameters.texts('payment_method_types'),
  ];
  const unknownType = types.find(type => !METHOD_TYPES.some(known => known === type));
  if (unknownType)
    throw invalidRequest(`Invalid payment_method_types: ${unknownType}`, 'payment_method_types');
  const rest = {
    cancel_url: webAddress(parameters, 'cancel_url'),
    client_reference_id: parameters.text('client_reference_id', REFERENCE_CHARACTERS_MAX) ?? null,
    customer_creation: parameters.oneOf('customer_creation', ['always', 'if_required']),
    expires_at: expiryOf(account, parameters),
    metadata: parameters.metadata(),
  };
  const id = randomId('cs_test_', 58);
  partsOf(id, [], parameters);
  const lines = linesOf(account, parameters, mode);
  const total = lines.reduce((sum, { amount_total: amount }) => sum + amount, 0);
  const [{ currency }] = lines;
  if (total > 0) requireChargeable(total, currency, 'line_items');
  account.store.save(partsOf(id, lines, parameters));
  return account.store.save<CheckoutSession>({
    ...unusedMembers(total),
    ...rest,
    id,
    object: SESSION_KIND,
    amount_total: total,
    created: account.now(),
    currency,
    customer,
    customer_creation: mode === 'payment' ? (rest.customer_creation ?? 'if_required') : 'always',
    customer_details: email === null ? null : { email, name: null, phone: null, address: null },
    customer_email: customer === null ? email : null,
    invoice: null,
    mode,
    payment_intent: null,
    payment_method_types: types.length > 0 ? types : ['card'],
    payment_status: total === 0 ? 'no_payment_required' : 'unpaid',
    status: 'open',
    subscription: null,
    success_url: successUrl,
    url: `${account.url}/c/pay/${id}`,
  });
}

/** Members of the fixture that nothing here gives a value. */
function unusedMembers(total: number) {
  return {
    adaptive_pricing: null,
    after_expiration: null,
    allow_promotion_codes: null,
    allowed_payment_method_types: null,
    amount_subtotal: total,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    billing_address_collection: null,
    client_secret: null,
    collected_information: null,
    consent: null,
    consent_collection: null,
    currency_conversion: null,
    customer_account: null,
    custom_fields: [],
    custom_text: {
      after_submit: null,
      shipping_address: null,
      submit: null,
      terms_of_service_acceptance: null,
    },
    discounts: [],
    integration_identifier: null,
    invoice_creation: null,
    livemode: false,
    locale: null,
    managed_payments: null,
    origin_context: null,
    payment_link: null,
    payment_method_collection: 'if_required',
    payment_method_configuration_details: null,
    payment_method_options: {},
    permissions: null,
    phone_number_collection: { enabled: false },
    recovered_from: null,
    saved_payment_method_options: null,
    setup_intent: null,
    shipping_address_collection: null,
    shipping_cost: null,
    shipping_options: [],
    submit_type: null,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: 'hosted',
    wallet_options: null,
  };
}

function list({ account, parameters }: Call) {
  const wanted = (['customer', 'payment_intent', 'status', 'subscription'] as const).flatMap(name => {
    const value = parameters.text(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  const email = parameters.map('customer_details').text('email');
  const found = account.store
    .all<CheckoutSession>(SESSION_KIND)
    .filter(session => wanted.every(([name, value]) => session[name] === value))
    .filter(session => email === undefined || session.customer_details?.email === email);
  return listPage(found, parameters, '/v1/checkout/sessions');
}

export const checkoutRoutes: readonly Route[] = [
  { method: 'POST', path: '/v1/checkout/sessions', accepts: CREATE, includable, run: create },
  {
    method: 'GET',
    path: '/v1/checkout/sessions',
    accepts: [...LIST_PARAMETERS, 'customer', 'customer_details', 'payment_intent', 'status', 'subscription'],
    includable,
    run: list,
  },
  {
    method: 'GET',
    path: '/v1/checkout/sessions/:id',
    accepts: [],
    includable,
    run: ({ account, id }) => account.require<CheckoutSession>(SESSION_KIND, id, 'session'),
  },
  {
    method: 'POST',
    path: '/v1/checkout/sessions/:id',
    accepts: ['metadata'],
    run: ({ account, parameters, id }) => {
      const session = account.require<CheckoutSession>(SESSION_KIND, id, 'session');
      session.metadata = parameters.metadata(session.metadata);
      return account.store.save(session);
    },
  },
  {
    method: 'POST',
    path: '/v1/checkout/sessions/:id/expire',
    accepts: [],
    run: ({ account, id }) => {
      const session = account.require<CheckoutSession>(SESSION_KIND, id, 'session');
      if (session.status === 'open') return expireCheckout(account, session);
      const only = 'Only Checkout Sessions with a status in ["open"] can be expired.';
      throw invalidRequest(`${only} This Checkout Session has a status of ${session.status}.`);
    },
  },
  {
    method: 'GET',
    path: '/v1/checkout/sessions/:id/line_items',
    accepts: LIST_PARAMETERS,
    run: ({ account, parameters, id }) => {
      const session = account.require<CheckoutSession>(SESSION_KIND, id, 'session');
      const { data, url } = lineItemsOf(account, session);
      return listPage(data, parameters, url);
    },
  },
];
