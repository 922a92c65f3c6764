import { cardChargeMicroUsd } from '@svc/protocols';
import { PaymentRefusedError, WalletError } from '../errors.js';
import type { AuthorizedPayment } from '../payment.js';
import { requireAmount, statedPriceMicroUsd } from './stated-price.js';

const MICRO_USD_PER_CENT = 10_000;

/** What a shared payment token has to be granted for. */
export interface TokenRequest {
  /** Cents, decimal. */
  readonly amount: string;
  readonly currency: 'usd';
  /** Stripe profile that the token is granted to. */
  readonly networkId: string;
  readonly paymentMethodTypes: readonly string[];
  /** RFC 3339 */
  readonly expiresAt: string;
}

/** Has shared payment tokens granted, for a card that it knows. */
export interface SharedPaymentTokenWallet {
  /** Most that one call may charge, cents. */
  readonly centsMax: number;
  /** A token for exactly this. It moves nothing: the seller charges it, once. */
  createToken(request: TokenRequest): Promise<string>;
}

/**
 * Has a card token granted for what the 402 offers; undefined where it offers none.
 *
 * @throws {PaymentRefusedError} for an offer that does not fit the 402 or the limit
 * @throws {WalletError} when the wallet fails
 */
export async function authorizeByCardToken(
  headers: Headers,
  body: Record<string, unknown> | undefined,
  wallet: SharedPaymentTokenWallet,
): Promise<AuthorizedPayment | undefined> {
  const offer = body?.['sharedPaymentToken'];
  const challengeToken = headers.get('x-402-challenge');
  if (typeof offer !== 'object' || offer === null) return undefined;
  const request = tokenRequestOf(offer as Record<string, unknown>);
  if (request === undefined || challengeToken === null)
    throw new PaymentRefusedError(
      'CHALLENGE_MALFORMED',
      'the offer of a shared payment token cannot be read',
    );
  // A card is charged no less than its least amount; the rest becomes credit.
  const charge = cardChargeMicroUsd(statedPriceMicroUsd(headers, body));
  requireAmount(
    'the card offer',
    Number(request.amount) * MICRO_USD_PER_CENT,
    charge,
    wallet.centsMax * MICRO_USD_PER_CENT,
  );
  const token = await wallet.createToken(request).catch((error: unknown) => {
    throw new WalletError('the wallet had no shared payment token granted', false, { cause: error });
  });
  if (!/^[A-Za-z0-9_-]{1,255}$/.test(token)) throw new WalletError('the wallet gave what is no token', false);
  return {
    rail: 'spt',
    headers: { 'Payment-Credential': `SPT ${token}`, 'X-402-Challenge': challengeToken },
    amountMicroUsd: charge,
  };
}

function tokenRequestOf(offer: Record<string, unknown>): TokenRequest | undefined {
  const { amount, currency, networkId, paymentMethodTypes, expiresAt } = offer;
  if (typeof amount !== 'string' || !/^[1-9]\d{0,8}$/.test(amount) || currency !== 'usd') return undefined;
  if (typeof networkId !== 'string' || typeof expiresAt !== 'string') return undefined;
  if (!Array.isArray(paymentMethodTypes) || !paymentMethodTypes.every(type => typeof type === 'string'))
    return undefined;
  return { amount, currency, networkId, paymentMethodTypes, expiresAt };
}
