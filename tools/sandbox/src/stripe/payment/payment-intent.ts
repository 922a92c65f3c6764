import { type EmulatedAccount, randomId } from '../account/emulated-account.js';
import { type StripeObject } from '../account/object-store.js';
import { StripeError, unexpectedState } from '../api/stripe-error.js';
import { type Charge, createCharge, disputeIfSo } from './charge.js';
import { type Decline, effectOf, type PaymentMethod } from './payment-method.js';
import { consumeToken } from './shared-payment-token.js';

/** How long a bank holds an authorised amount that nobody captures. */
const AUTHORISATION_SECONDS = 7 * 86_400;

export const CANCELLATION_REASONS = [
  'abandoned',
  'duplicate',
  'fraudulent',
  'requested_by_customer',
] as const;

/** A payment from its wish to its end, as in Stripe's fixture `payment_intent`. */
export interface PaymentIntent extends StripeObject {
  object: 'payment_intent';
  amount: number;
  amount_capturable: number;
  amount_received: number;
  automatic_payment_methods: { allow_redirects: 'always' | 'never'; enabled: boolean } | null;
  canceled_at: number | null;
  cancellation_reason: string | null;
  capture_method: 'automatic' | 'automatic_async' | 'manual';
  client_secret: string;
  created: number;
  currency: string;
  customer: string | null;
  description: string | null;
  last_payment_error: unknown;
  latest_charge: string | null;
  metadata: Record<string, string>;
  next_action: unknown;
  payment_method: string | null;
  payment_method_types: string[];
  receipt_email: string | null;
  setup_future_usage: string | null;
  status:
    | 'requires_payment_method'
    | 'requires_confirmation'
    | 'requires_action'
    | 'processing'
    | 'requires_capture'
    | 'canceled'
    | 'succeeded';
  transfer_group: string | null;
  [member: string]: unknown;
}

/** What the maker of an intent decides. */
export type IntentWish = Pick<PaymentIntent, 'amount' | 'currency'> &
  Partial<
    Pick<
      PaymentIntent,
      | 'automatic_payment_methods'
      | 'capture_method'
      | 'customer'
      | 'description'
      | 'metadata'
      | 'payment_method'
      | 'payment_method_types'
      | 'receipt_email'
      | 'setup_future_usage'
      | 'transfer_group'
    >
  >;

/** How a payment is confirmed. */
export interface Confirmation {
  offSession?: boolean;
  errorOnAction?: boolean;
  returnUrl?: string;
  /** The holder has confirmed the payment to the bank. */
  authenticated?: boolean;
  /** The shared payment token that pays. */
  token?: string;
}

/** A new intent that nobody has confirmed. */
export function createIntent(account: EmulatedAccount, wish: IntentWish): PaymentIntent {
  const id = randomId('pi_');
  const intent = account.store.save<PaymentIntent>({
    id,
    object: 'payment_intent',
    allowed_payment_method_types: null,
    amount: wish.amount,
    amount_capturable: 0,
    amount_details: { tip: {} },
    amount_received: 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: wish.automatic_payment_methods ?? null,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: wish.capture_method ?? 'automatic_async',
    client_secret: `${id}_secret_${randomId('', 25)}`,
    confirmation_method: 'automatic',
    created: account.now(),
    currency: wish.currency,
    customer: wish.customer ?? null,
    customer_account: null,
    description: wish.description ?? null,
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    managed_payments: null,
    metadata: wish.metadata ?? {},
    next_action: null,
    on_behalf_of: null,
    payment_method: wish.payment_method ?? null,
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: wish.payment_method_types ?? ['card'],
    payment_record: null,
    processing: null,
    receipt_email: wish.receipt_email ?? null,
    review: null,
    setup_future_usage: wish.setup_future_usage ?? null,
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: wish.payment_method ? 'requires_confirmation' : 'requires_payment_method',
    transfer_data: null,
    transfer_group: wish.transfer_group ?? null,
  });
  account.emit('payment_intent.created', intent);
  return intent;
}

/** Refuses a step on an intent that is elsewhere. */
export function requireStatus(
  intent: PaymentIntent,
  allowed: readonly PaymentIntent['status'][],
  [verb, done]: readonly [verb: string, done: string],
): void {
  if (allowed.includes(intent.status)) return;
  const message = `You cannot ${verb} this PaymentIntent because it has a status of ${intent.status}.`;
  const only = `Only a PaymentIntent with one of the following statuses may be ${done}: ${allowed.join(', ')}.`;
  throw unexpectedState(`${message} ${only}`, intent);
}

/**
 * Tries to pay an intent.
 *
 * @throws StripeError 402 with the intent in it when the bank refuses; the attempt stays on record.
 */
export function attempt(
  account: EmulatedAccount,
  intent: PaymentIntent,
  method: PaymentMethod,
  confirmation: Confirmation,
): PaymentIntent {
  const { decline, authentication } = effectOf(method);
  intent.payment_method = method.id;
  intent.next_action = null;
  intent.last_payment_error = null;
  account.store.save(intent);
  if (authentication && !confirmation.authenticated) {
    return requireAuthentication(account, intent, method, confirmation);
  }
  if (decline) throw refused(account, intent, method, decline);
  if (method.type === 'us_bank_account') return process(account, intent, method);
  const charge = createCharge(account, intent, method);
  intent.latest_charge = charge.id;
  account.emit('charge.succeeded', charge);
  if (confirmation.token) consumeToken(account, confirmation.token, charge.amount_captured);
  if (intent.capture_method === 'manual') {
    intent.status = 'requires_capture';
    intent.amount_capturable = intent.amount;
    account.emit('payment_intent.amount_capturable_updated', intent);
  } else {
    intent.status = 'succeeded';
    intent.amount_received = intent.amount;
    account.emit('payment_intent.succeeded', intent);
    disputeIfSo(account, charge, method);
  }
  return intent;
}

function requireAuthentication(
  account: EmulatedAccount,
  intent: PaymentIntent,
  method: PaymentMethod,
  { offSession, errorOnAction, returnUrl }: Confirmation,
): PaymentIntent {
  if (offSession || errorOnAction) {
    throw refused(account, intent, method, {
      code: 'authentication_required',
      declineCode: 'authentication_required',
      message: 'Your card was declined. This transaction requires authentication.',
    });
  }
  const url = `${account.url}/pay/${intent.client_secret}`;
  intent.status = 'requires_action';
  intent.next_action = returnUrl
    ? { type: 'redirect_to_url', redirect_to_url: { return_url: returnUrl, url } }
    : { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_redirect', stripe_js: url } };
  account.emit('payment_intent.requires_action', intent);
  return intent;
}

function refused(
  account: EmulatedAccount,
  intent: PaymentIntent,
  method: PaymentMethod,
  decline: Decline,
): StripeError {
  const charge = createCharge(account, intent, method, { decline });
  account.emit('charge.failed', charge);
  intent.latest_charge = charge.id;
  const error = failIntent(account, intent, {
    code: decline.code,
    decline_code: decline.declineCode,
    message: decline.message,
    charge: charge.id,
    payment_method: structuredClone(method),
  });
  return new StripeError(402, { type: 'card_error', ...error, payment_intent: structuredClone(intent) });
}

interface PaymentFailure {
  code: string;
  message: string;
  decline_code?: string;
  charge?: string;
  payment_method?: unknown;
}

/** The payment did not come about: the intent asks for another method. */
export function failIntent(
  account: EmulatedAccount,
  intent: PaymentIntent,
  error: PaymentFailure,
): PaymentFailure {
  intent.status = 'requires_payment_method';
  intent.payment_method = null;
  intent.next_action = null;
  intent.last_payment_error = { type: error.charge ? 'card_error' : 'invalid_request_error', ...error };
  account.store.save(intent);
  account.emit('payment_intent.payment_failed', intent);
  return error;
}

/** A bank debit: taken now, known in days. */
function process(account: EmulatedAccount, intent: PaymentIntent, method: PaymentMethod): PaymentIntent {
  const charge = createCharge(account, intent, method, { pending: true });
  intent.latest_charge = charge.id;
  intent.status = 'processing';
  account.emit('charge.pending', charge);
  account.emit('payment_intent.processing', intent);
  return intent;
}

/** The end of a bank debit. */
export function settleDebit(account: EmulatedAccount, intent: PaymentIntent, fails: boolean): void {
  const charge = account.require<Charge>('charge', intent.latest_charge!);
  charge.status = fails ? 'failed' : 'succeeded';
  charge.paid = !fails;
  charge.captured = !fails;
  charge.amount_captured = fails ? 0 : charge.amount;
  account.store.save(charge);
  account.emit(fails ? 'charge.failed' : 'charge.succeeded', charge);
  if (fails) {
    const message = 'The customer’s account has insufficient funds to cover this payment.';
    failIntent(account, intent, { code: 'payment_intent_payment_attempt_failed', message });
    return;
  }
  intent.status = 'succeeded';
  intent.amount_received = intent.amount;
  account.store.save(intent);
  account.emit('payment_intent.succeeded', intent);
}

/** Takes an authorised amount or a part of it; what is left over is let go. */
export function captureIntent(
  account: EmulatedAccount,
  intent: PaymentIntent,
  amount: number,
): PaymentIntent {
  const charge = account.require<Charge>('charge', intent.latest_charge!);
  charge.captured = true;
  charge.amount_captured = amount;
  // As Stripe counts it: what is let go was refunded.
  charge.amount_refunded = charge.amount - amount;
  charge.balance_transaction = randomId('txn_');
  intent.status = 'succeeded';
  intent.amount_received = amount;
  intent.amount_capturable = 0;
  account.store.save(charge);
  account.store.save(intent);
  account.emit('charge.captured', charge);
  account.emit('payment_intent.succeeded', intent);
  return intent;
}

/** Ends an intent that took nothing; an authorised amount is let go. */
export function cancelIntent(
  account: EmulatedAccount,
  intent: PaymentIntent,
  reason: (typeof CANCELLATION_REASONS)[number] | 'automatic' | null,
): PaymentIntent {
  const charge = intent.latest_charge && account.store.find<Charge>('charge', intent.latest_charge);
  if (charge && intent.status === 'requires_capture') {
    charge.amount_refunded = charge.amount;
    charge.refunded = true;
    account.store.save(charge);
    account.emit('charge.refunded', charge);
  }
  intent.status = 'canceled';
  intent.canceled_at = account.now();
  intent.cancellation_reason = reason;
  intent.amount_capturable = 0;
  intent.next_action = null;
  account.store.save(intent);
  account.emit('payment_intent.canceled', intent);
  return intent;
}

/** Lets go what was authorised seven days ago. */
export function expireAuthorisations(account: EmulatedAccount): void {
  for (const intent of account.store.all<PaymentIntent>('payment_intent')) {
    if (intent.status !== 'requires_capture') continue;
    // The oldest charges are forgotten, and with them when their amount was held.
    const charge = account.store.find<Charge>('charge', intent.latest_charge!) ?? intent;
    if (charge.created + AUTHORISATION_SECONDS <= account.now()) cancelIntent(account, intent, 'automatic');
  }
}
