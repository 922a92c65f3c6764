import { type EmulatedAccount, randomId } from '../account/emulated-account.js';
import { type StripeObject } from '../account/object-store.js';
import { currencyOf, type Parameters } from '../api/parameters.js';
import { type Call, type Route } from '../api/route.js';
import { invalidRequest, noSuch, StripeError } from '../api/stripe-error.js';
import { cloneMethod, type PaymentMethod, paymentMethodOf } from './payment-method.js';

/** A limited right to charge somebody's payment method, as in the fixture `shared_payment.granted_token`. */
export interface SharedPaymentToken extends StripeObject {
  object: 'shared_payment.granted_token';
  agent_details: { network_business_profile: null };
  created: number;
  deactivated_at: number | null;
  deactivated_reason: 'consumed' | 'expired' | 'revoked' | null;
  livemode: false;
  payment_method_details: Record<string, unknown>;
  shared_metadata: Record<string, string> | null;
  usage_details: { amount_captured: { currency: string; value: number } };
  usage_limits: { currency: string; expires_at: number; max_amount: number };
}

/** What Stripe keeps of a token and does not show: whose payment method it is, and for which seller. */
interface TokenSource extends StripeObject {
  object: 'emulator.token_source';
  payment_method: string;
}

const KIND = 'shared_payment.granted_token';

/** Shared payment tokens exist in preview versions of the API alone. */
function requirePreview({ preview }: Call, method: string, path: string): void {
  if (preview) return;
  const hint = 'Shared payment tokens need a Stripe-Version that ends in ".preview".';
  throw new StripeError(404, {
    type: 'invalid_request_error',
    message: `Unrecognized request URL (${method}: ${path}). ${hint}`,
  });
}

/** A token by id, expired if its time has come. */
export function sharedPaymentToken(account: EmulatedAccount, id: string, param?: string): SharedPaymentToken {
  const token = account.store.find<SharedPaymentToken>(KIND, id);
  if (!token) throw noSuch('shared_payment_granted_token', id, param);
  if (!token.deactivated_at && token.usage_limits.expires_at <= account.now()) {
    deactivate(account, token, 'expired');
  }
  return token;
}

function deactivate(
  account: EmulatedAccount,
  token: SharedPaymentToken,
  reason: 'consumed' | 'expired' | 'revoked',
): void {
  token.deactivated_at = account.now();
  token.deactivated_reason = reason;
  account.store.save(token);
  account.emit('shared_payment.granted_token.deactivated', token);
}

/**
 * The payment method of a token that may pay this amount; the token itself stays as it is.
 *
 * @throws StripeError 404 for no token, 400 for one that is used, revoked or expired, or does not reach
 */
export function methodOfToken(
  account: EmulatedAccount,
  id: string,
  { amount, currency, param }: { amount: number; currency: string; param: string },
): PaymentMethod {
  const token = sharedPaymentToken(account, id, param);
  const refuse = (message: string) => invalidRequest(message, param, 'shared_payment_granted_token_unusable');
  if (token.deactivated_at) {
    throw refuse(
      `The shared payment token ${id} is no longer active (${token.deactivated_reason}) and cannot be used.`,
    );
  }
  const { currency: granted, max_amount: max } = token.usage_limits;
  if (currency !== granted)
    throw refuse(`The shared payment token is for ${granted}, and not for ${currency}.`);
  if (amount > max) {
    throw refuse(`The amount ${amount} exceeds the max_amount of the shared payment token, ${max}.`);
  }
  const source = account.require<TokenSource>('emulator.token_source', id);
  return cloneMethod(account, paymentMethodOf(account, source.payment_method));
}

/** Ends a token that has paid: it pays once, however much of its limit is left. */
export function consumeToken(account: EmulatedAccount, id: string, amount: number): void {
  const token = sharedPaymentToken(account, id);
  token.usage_details.amount_captured.value += amount;
  account.emit('shared_payment.granted_token.used', token);
  deactivate(account, token, 'consumed');
}

function mint(account: EmulatedAccount, parameters: Parameters): SharedPaymentToken {
  const method = paymentMethodOf(account, parameters.requiredText('payment_method'));
  const limits = parameters.map('usage_limits').only(['currency', 'max_amount', 'expires_at']);
  const currency = currencyOf(limits) ?? limits.missing('currency');
  const maxAmount = limits.integer('max_amount', { min: 1 }) ?? limits.missing('max_amount');
  const expiresAt = limits.integer('expires_at', { min: 1 }) ?? limits.missing('expires_at');
  if (expiresAt <= account.now()) {
    throw invalidRequest('usage_limits[expires_at] must be in the future.', 'usage_limits[expires_at]');
  }
  parameters
    .map('seller_details')
    .only(['network_id', 'external_id', 'network_business_profile'])
    .text('network_id');
  const shared = { ...parameters.metadata(), ...parameters.metadata({}, 'shared_metadata') };
  const token = account.store.save<SharedPaymentToken>({
    id: randomId('spt_'),
    object: KIND,
    agent_details: { network_business_profile: null },
    created: account.now(),
    deactivated_at: null,
    deactivated_reason: null,
    livemode: false,
    payment_method_details: {
      billing_details: method.billing_details,
      type: method.type,
      card: method.card && {
        brand: method.card.brand,
        last4: method.card.last4,
        funding: method.card.funding,
      },
    },
    shared_metadata: Object.keys(shared).length > 0 ? shared : null,
    usage_details: { amount_captured: { currency, value: 0 } },
    usage_limits: { currency, expires_at: expiresAt, max_amount: maxAmount },
  });
  const source: TokenSource = { id: token.id, object: 'emulator.token_source', payment_method: method.id };
  account.store.save(source);
  return token;
}

export const sharedPaymentTokenRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/v1/test_helpers/shared_payment/granted_tokens',
    accepts: ['payment_method', 'usage_limits', 'seller_details', 'metadata', 'shared_metadata', 'customer'],
    run: call => {
      requirePreview(call, 'POST', '/v1/test_helpers/shared_payment/granted_tokens');
      return mint(call.account, call.parameters);
    },
  },
  {
    method: 'GET',
    path: '/v1/shared_payment/granted_tokens/:id',
    accepts: [],
    run: call => {
      requirePreview(call, 'GET', '/v1/shared_payment/granted_tokens');
      return sharedPaymentToken(call.account, call.id);
    },
  },
  {
    method: 'POST',
    path: '/v1/test_helpers/shared_payment/granted_tokens/:id/revoke',
    accepts: [],
    run: call => {
      requirePreview(call, 'POST', '/v1/test_helpers/shared_payment/granted_tokens');
      const token = sharedPaymentToken(call.account, call.id);
      if (token.deactivated_at) throw invalidRequest(`The token ${call.id} is no longer active.`);
      deactivate(call.account, token, 'revoked');
      return token;
    },
  },
];
