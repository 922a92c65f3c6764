import { type EmulatedAccount } from '../account/emulated-account.js';
import { LIST_PARAMETERS, listPage } from '../api/list-page.js';
import { chargeableAmount, currencyOf, Parameters } from '../api/parameters.js';
import { type Call, type Route } from '../api/route.js';
import { searchQuery } from '../api/search-query.js';
import { invalidRequest, unexpectedState } from '../api/stripe-error.js';
import {
  attempt,
  cancelIntent,
  CANCELLATION_REASONS,
  captureIntent,
  type Confirmation,
  createIntent,
  type PaymentIntent,
  requireStatus,
} from './payment-intent.js';
import { methodOfData, type PaymentMethod, paymentMethodOf } from './payment-method.js';
import { methodOfToken } from './shared-payment-token.js';

const KIND = 'payment_intent';
const CONFIRMABLE = ['requires_payment_method', 'requires_confirmation', 'requires_action'] as const;
const TOKEN = 'shared_payment_granted_token';

/** Parameters of a confirmation; those that Stripe has and the sandbox gives no effect to are taken all the same. */
const CONFIRM = [
  'allowed_payment_method_types',
  'capture_method',
  'error_on_requires_action',
  'mandate_data',
  'off_session',
  'payment_details',
  'payment_method',
  'payment_method_data',
  'payment_method_options',
  'radar_options',
  'receipt_email',
  'return_url',
  'setup_future_usage',
  'shipping',
  'use_stripe_sdk',
  TOKEN,
] as const;

const CREATE = [
  ...CONFIRM,
  'amount',
  'amount_details',
  'automatic_payment_methods',
  'confirm',
  'confirmation_method',
  'currency',
  'customer',
  'description',
  'excluded_payment_method_types',
  'hooks',
  'metadata',
  'payment_method_configuration',
  'payment_method_types',
  'statement_descriptor',
  'statement_descriptor_suffix',
  'transfer_group',
] as const;

/** Where a request says which token pays: at the top, or in payment_method_data, by the version of the preview. */
function tokenOf({ parameters, preview }: Call): { token: string; param: string } | undefined {
  const data = parameters.map('payment_method_data');
  const top = parameters.text(TOKEN);
  const nested = data.text(TOKEN);
  const token = top ?? nested;
  if (token === undefined) return undefined;
  const param = top === undefined ? `payment_method_data[${TOKEN}]` : TOKEN;
  if (!preview) throw invalidRequest(`Received unknown parameter: ${param}`, param, 'parameter_unknown');
  if (top !== undefined && nested !== undefined) {
    throw invalidRequest('You may only specify one shared payment token.', param);
  }
  if (parameters.has('payment_method')) {
    throw invalidRequest(
      `You may only specify one of these parameters: payment_method, ${param}.`,
      'payment_method',
    );
  }
  return { token, param };
}

/** The method that a request names, if it names one. */
function methodOf(call: Call, amount: number, currency: string): { method?: PaymentMethod; token?: string } {
  const { account, parameters } = call;
  const granted = tokenOf(call);
  if (granted) {
    const { token, param } = granted;
    return { method: methodOfToken(account, token, { amount, currency, param }), token };
  }
  const id = parameters.text('payment_method');
  if (id !== undefined) return { method: paymentMethodOf(account, id) };
  const data = parameters.map('payment_method_data');
  return Object.keys(data.form).length > 0 ? { method: methodOfData(account, data) } : {};
}

function confirmationOf(parameters: Parameters, token: string | undefined): Confirmation {
  return {
    offSession: parameters.text('off_session') !== undefined && parameters.text('off_session') !== 'false',
    errorOnAction: parameters.boolean('error_on_requires_action'),
    returnUrl: parameters.text('return_url'),
    token,
  };
}

/** The list of types, under the name that the version of the API has for it. */
function typesOf(parameters: Parameters): string[] {
  return [...parameters.texts('allowed_payment_method_types'), ...parameters.texts('payment_method_types')];
}

function automaticMethods(parameters: Parameters): PaymentIntent['automatic_payment_methods'] {
  const given = parameters.map('automatic_payment_methods').only(['enabled', 'allow_redirects']);
  const types = typesOf(parameters);
  const enabled = given.boolean('enabled');
  if (types.length > 0 && enabled) {
    const names = 'automatic_payment_methods, payment_method_types';
    throw invalidRequest(`You may only specify one of these parameters: ${names}.`, 'payment_method_types');
  }
  if (types.length > 0 || enabled === false) return null;
  return { allow_redirects: given.oneOf('allow_redirects', ['always', 'never']) ?? 'always', enabled: true };
}

function requireReturnUrl(
  intent: Pick<PaymentIntent, 'automatic_payment_methods'>,
  confirmation: Confirmation,
) {
  if (intent.automatic_payment_methods?.allow_redirects !== 'always') return;
  if (confirmation.returnUrl || confirmation.errorOnAction || confirmation.offSession) return;
  throw invalidRequest(
    'This PaymentIntent is configured to accept payment methods that might redirect your customer off of your ' +
      "page: you must provide a `return_url`, or set `automatic_payment_methods[allow_redirects]` to 'never'.",
    'return_url',
  );
}

function customerOf(account: EmulatedAccount, parameters: Parameters): string | null {
  const id = parameters.text('customer');
  return id === undefined ? null : account.require('customer', id, 'customer').id;
}

function create(call: Call): PaymentIntent {
  const { account, parameters } = call;
  const currency = currencyOf(parameters) ?? parameters.missing('currency');
  const amount = chargeableAmount(parameters, 'amount', currency) ?? parameters.missing('amount');
  const automatic = automaticMethods(parameters);
  const types = typesOf(parameters);
  const { method, token } = methodOf(call, amount, currency);
  const confirm = parameters.boolean('confirm') ?? false;
  const confirmation = confirmationOf(parameters, token);
  if (confirm) {
    if (!method) parameters.missing('payment_method');
    requireReturnUrl({ automatic_payment_methods: automatic }, confirmation);
  } else if (token) {
    throw invalidRequest('A shared payment token pays at once: set `confirm` to true.', 'confirm');
  }
  const intent = createIntent(account, {
    amount,
    currency,
    automatic_payment_methods: automatic,
    capture_method: parameters.oneOf('capture_method', ['automatic', 'automatic_async', 'manual']),
    customer: customerOf(account, parameters),
    description: parameters.text('description') ?? null,
    metadata: parameters.metadata(),
    payment_method: method?.id ?? null,
    payment_method_types: types.length > 0 ? types : ['card'],
    receipt_email: parameters.text('receipt_email') ?? null,
    setup_future_usage: parameters.oneOf('setup_future_usage', ['off_session', 'on_session']) ?? null,
    transfer_group: parameters.text('transfer_group') ?? null,
  });
  return confirm ? attempt(account, intent, method!, confirmation) : intent;
}

function confirm(call: Call): PaymentIntent {
  const { account, parameters, id } = call;
  const intent = account.require<PaymentIntent>(KIND, id, 'intent');
  requireStatus(intent, CONFIRMABLE, ['confirm', 'confirmed']);
  const { method = undefined, token } = methodOf(call, intent.amount, intent.currency);
  const chosen = method ?? (intent.payment_method && paymentMethodOf(account, intent.payment_method));
  if (!chosen) {
    throw unexpectedState(
      'You cannot confirm this PaymentIntent because it is missing a payment method.',
      structuredClone(intent),
    );
  }
  const confirmation = confirmationOf(parameters, token);
  requireReturnUrl(intent, confirmation);
  return attempt(account, intent, chosen, confirmation);
}

function capture({ account, parameters, id }: Call): PaymentIntent {
  const intent = account.require<PaymentIntent>(KIND, id, 'intent');
  requireStatus(intent, ['requires_capture'], ['capture', 'captured']);
  const amount = parameters.integer('amount_to_capture', { min: 1 }) ?? intent.amount_capturable;
  if (amount > intent.amount_capturable) {
    const message = `The amount ${amount} is more than what can be captured, ${intent.amount_capturable}.`;
    throw invalidRequest(message, 'amount_to_capture', 'amount_too_large');
  }
  intent.metadata = parameters.metadata(intent.metadata);
  return captureIntent(account, intent, amount);
}

function cancel({ account, parameters, id }: Call): PaymentIntent {
  const intent = account.require<PaymentIntent>(KIND, id, 'intent');
  requireStatus(intent, [...CONFIRMABLE, 'requires_capture'], ['cancel', 'canceled']);
  return cancelIntent(account, intent, parameters.oneOf('cancellation_reason', CANCELLATION_REASONS) ?? null);
}

function update({ account, parameters, id }: Call): PaymentIntent {
  const intent = account.require<PaymentIntent>(KIND, id, 'intent');
  const amount = chargeableAmount(parameters, 'amount', intent.currency);
  if (amount !== undefined) requireStatus(intent, CONFIRMABLE, ['update', 'updated']);
  const metadata = parameters.metadata(intent.metadata);
  const method = parameters.text('payment_method');
  const chosen = method === undefined ? undefined : paymentMethodOf(account, method);
  if (chosen) {
    requireStatus(intent, CONFIRMABLE, ['update', 'updated']);
    intent.payment_method = chosen.id;
    intent.status = 'requires_confirmation';
  }
  intent.amount = amount ?? intent.amount;
  intent.metadata = metadata;
  intent.description = parameters.text('description') ?? intent.description;
  intent.receipt_email = parameters.text('receipt_email') ?? intent.receipt_email;
  return account.store.save(intent);
}

function search({ account, parameters }: Call) {
  const matches = searchQuery(parameters.requiredText('query', 2_000));
  const limit = parameters.integer('limit', { min: 1, max: 100 }) ?? 10;
  const found = account.store.all<PaymentIntent>(KIND).filter(matches);
  const start = parameters.integer('page') ?? 0;
  const more = start + limit < found.length;
  return {
    object: 'search_result',
    data: found.slice(start, start + limit),
    has_more: more,
    next_page: more ? String(start + limit) : null,
    url: '/v1/payment_intents/search',
  };
}

export const paymentIntentRoutes: readonly Route[] = [
  { method: 'POST', path: '/v1/payment_intents', accepts: CREATE, run: create },
  {
    method: 'GET',
    path: '/v1/payment_intents',
    accepts: [...LIST_PARAMETERS, 'customer'],
    run: ({ account, parameters }) => {
      const customer = parameters.text('customer');
      const all = account.store.all<PaymentIntent>(KIND);
      const found = customer === undefined ? all : all.filter(intent => intent.customer === customer);
      return listPage(found, parameters, '/v1/payment_intents');
    },
  },
  { method: 'GET', path: '/v1/payment_intents/search', accepts: ['query', 'limit', 'page'], run: search },
  {
    method: 'GET',
    path: '/v1/payment_intents/:id',
    accepts: ['client_secret'],
    run: ({ account, id }) => account.require<PaymentIntent>(KIND, id, 'intent'),
  },
  {
    method: 'POST',
    path: '/v1/payment_intents/:id',
    accepts: ['amount', 'description', 'metadata', 'payment_method', 'receipt_email'],
    run: update,
  },
  { method: 'POST', path: '/v1/payment_intents/:id/confirm', accepts: CONFIRM, run: confirm },
  {
    method: 'POST',
    path: '/v1/payment_intents/:id/capture',
    accepts: ['amount_to_capture', 'final_capture', 'metadata', 'statement_descriptor'],
    run: capture,
  },
  { method: 'POST', path: '/v1/payment_intents/:id/cancel', accepts: ['cancellation_reason'], run: cancel },
];
