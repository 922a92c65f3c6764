import { PaymentRefusedError } from '../errors.js';
import type { LightningPayment } from '../payment.js';
import { type Bolt11Invoice, decodeBolt11, type LightningNetwork } from './bolt11.js';
import { decodeBase64JsonObject, encodeBase64Url } from './byte-text.js';
import { readMacaroonIdentifier } from './macaroon-identifier.js';
import { type AuthChallenge, parseWwwAuthenticate } from './www-authenticate.js';

/** Seconds that an invoice must still live when the wallet is asked to pay it. */
const EXPIRY_MARGIN_SECONDS = 5;

/** One way to pay a 402 over Lightning, checked and ready for the wallet. */
export interface LightningOffer {
  readonly rail: LightningPayment['rail'];
  readonly invoice: string;
  readonly paymentHash: string;
  readonly amountSats: number;
  /** The `Authorization` value that the preimage (hex) completes. */
  authorize(preimage: string): string;
}

export interface SpendingRules {
  readonly network: LightningNetwork;
  readonly satsMax: number;
  readonly nowSeconds: number;
}

/** What the 402 itself says about price and payment, each where it came from. */
interface Claims {
  readonly sats: ReadonlyArray<readonly [source: string, sats: number]>;
  readonly paymentHashes: ReadonlyArray<readonly [source: string, hash: string]>;
}

interface Candidate {
  readonly rail: LightningPayment['rail'];
  readonly invoice: string;
  readonly claims: Claims;
  authorize(preimage: string): string;
}

function claimsOf(source: string, sats: unknown, paymentHash: unknown): Claims {
  const amount = typeof sats === 'string' && /^\d{1,15}$/.test(sats) ? Number(sats) : sats;
  return {
    sats: typeof amount === 'number' ? [[source, amount]] : [],
    paymentHashes: typeof paymentHash === 'string' ? [[source, paymentHash.toLowerCase()]] : [],
  };
}

function joinClaims(...parts: readonly Claims[]): Claims {
  return { sats: parts.flatMap(part => part.sats), paymentHashes: parts.flatMap(part => part.paymentHashes) };
}

/** Claims of the 402's body and of its challenge token, `v1.<b64url JSON>.<b64url HMAC>`. */
function claimsOfAnswer(headers: Headers, body: Record<string, unknown> | undefined): Claims {
  const token = headers.get('x-402-challenge') ?? body?.['challengeToken'];
  const payload = typeof token === 'string' ? decodeBase64JsonObject(token.split('.')[1] ?? '') : undefined;
  return joinClaims(
    claimsOf('priceSats of the answer', body?.['priceSats'], undefined),
    claimsOf('the challenge token', payload?.['sats'], payload?.['paymentHash']),
  );
}

function l402Candidate(challenge: AuthChallenge, shared: Claims): Candidate {
  const macaroon = challenge.parameters.get('macaroon') ?? challenge.parameters.get('token');
  const invoice = challenge.parameters.get('invoice');
  if (macaroon === undefined || invoice === undefined)
    throw new PaymentRefusedError(
      'CHALLENGE_MALFORMED',
      'the L402 challenge lacks its macaroon or its invoice',
    );
  const identifier = readMacaroonIdentifier(macaroon);
  if (identifier === undefined)
    throw new PaymentRefusedError(
      'CHALLENGE_MALFORMED',
      'the macaroon of the L402 challenge cannot be read: it is not binary version 2 with an L402 identifier',
    );
  return {
    rail: 'l402',
    invoice,
    claims: joinClaims(shared, claimsOf('the macaroon', undefined, identifier.paymentHash)),
    authorize: preimage => `L402 ${macaroon}:${preimage}`,
  };
}

function mppCandidate(challenge: AuthChallenge, shared: Claims): Candidate {
  const request = decodeBase64JsonObject(challenge.parameters.get('request') ?? '');
  const details = request?.['methodDetails'];
  const lightning =
    typeof details === 'object' && details !== null ? (details as Record<string, unknown>) : undefined;
  const invoice = lightning?.['invoice'];
  if (request === undefined || typeof invoice !== 'string')
    throw new PaymentRefusedError('CHALLENGE_MALFORMED', 'the lightning challenge lacks a readable request');
  if (request['currency'] !== 'sat')
    throw new PaymentRefusedError('CHALLENGE_MALFORMED', 'the lightning challenge is not priced in sat', {
      expected: 'sat',
      got: request['currency'],
    });
  return {
    rail: 'mpp-lightning',
    invoice,
    claims: joinClaims(
      shared,
      claimsOf('the lightning challenge', request['amount'], lightning?.['paymentHash']),
    ),
    authorize: preimage => {
      const credential = { challenge: Object.fromEntries(challenge.parameters), payload: { preimage } };
      return `Payment ${encodeBase64Url(new TextEncoder().encode(JSON.stringify(credential)))}`;
    },
  };
}

const isL402 = (challenge: AuthChallenge) => /^(l402|lsat)$/i.test(challenge.scheme);
const isMppLightning = (challenge: AuthChallenge) =>
  /^payment$/i.test(challenge.scheme) &&
  challenge.parameters.get('method') === 'lightning' &&
  challenge.parameters.get('intent') === 'charge';

/** A kind of offer by name, one that is not known here too. */
const offerName = ({ scheme, parameters }: AuthChallenge): string =>
  [scheme, parameters.get('method'), parameters.get('intent')].filter(Boolean).join(' ').slice(0, 80);

function candidateOf(headers: Headers, body: Record<string, unknown> | undefined): Candidate {
  const parsed = parseWwwAuthenticate(headers.get('www-authenticate') ?? '');
  if (!parsed.ok)
    throw new PaymentRefusedError(
      'CHALLENGE_MALFORMED',
      `WWW-Authenticate cannot be read: ${parsed.reason}, at character ${parsed.offset}`,
    );
  const shared = claimsOfAnswer(headers, body);
  const l402 = parsed.challenges.find(isL402);
  if (l402 !== undefined) return l402Candidate(l402, shared);
  const lightning = parsed.challenges.find(isMppLightning);
  if (lightning !== undefined) return mppCandidate(lightning, shared);
  const offered = parsed.challenges.map(offerName).join(', ') || 'no challenge';
  throw new PaymentRefusedError(
    'CHALLENGE_UNSUPPORTED',
    `the 402 offers no Lightning payment (schemes L402, or Payment with the method lightning), but ${offered}`,
    { got: offered },
  );
}

function checkPrice(invoice: Bolt11Invoice, claims: Claims, satsMax: number): number {
  const { amountMsats } = invoice;
  if (amountMsats === undefined || amountMsats % 1_000n !== 0n)
    throw new PaymentRefusedError('INVOICE_INVALID', 'the invoice does not ask for a whole number of sats', {
      got: `${amountMsats ?? 'any'} msat`,
    });
  const amountSats = Number(amountMsats / 1_000n);
  if (claims.sats.length === 0)
    throw new PaymentRefusedError('PRICE_NOT_STATED', 'the 402 states no price to hold the invoice against');
  for (const [source, sats] of claims.sats)
    if (sats !== amountSats)
      throw new PaymentRefusedError(
        'PRICE_MISMATCH',
        `the invoice asks for ${amountSats} sats, ${source} says ${sats}`,
        { expected: sats, got: amountSats },
      );
  if (amountSats > satsMax)
    throw new PaymentRefusedError(
      'PRICE_ABOVE_LIMIT',
      `the price of ${amountSats} sats is above the limit of ${satsMax} sats a call`,
      { max: satsMax, got: amountSats },
    );
  return amountSats;
}

function checkInvoice(invoice: Bolt11Invoice, claims: Claims, rules: SpendingRules): void {
  if (invoice.network !== rules.network)
    throw new PaymentRefusedError(
      'INVOICE_OF_OTHER_NETWORK',
      `the invoice is for ${invoice.network}, the wallet pays on ${rules.network}`,
      { expected: rules.network, got: invoice.network },
    );
  if (invoice.expiresAt - EXPIRY_MARGIN_SECONDS <= rules.nowSeconds)
    throw new PaymentRefusedError('INVOICE_EXPIRED', 'the invoice has expired, or is about to', {
      got: new Date(invoice.expiresAt * 1_000).toISOString(),
    });
  for (const [source, hash] of claims.paymentHashes)
    if (hash !== invoice.paymentHash)
      throw new PaymentRefusedError(
        'PAYMENT_HASH_MISMATCH',
        `the invoice's payment hash is not the one of ${source}: paying it would not pay for this call`,
        { expected: hash, got: invoice.paymentHash },
      );
}

/** Decodes an invoice that a person or a challenge handed over. @throws {PaymentRefusedError} */
export function readInvoice(invoice: string): Bolt11Invoice {
  const decoded = decodeBolt11(invoice);
  if (!decoded.ok) throw new PaymentRefusedError('INVOICE_INVALID', `the invoice ${decoded.reason}`);
  return decoded.invoice;
}

/**
 * Chooses how to pay a 402 (L402 first, then MPP lightning) and checks everything that a payer can
 * know before the money moves: amount against every price in the answer, spending limit, network,
 * expiry, and that the token is bound to this very invoice.
 *
 * @throws {PaymentRefusedError}
 */
export function chooseLightningOffer(
  headers: Headers,
  body: Record<string, unknown> | undefined,
  rules: SpendingRules,
): LightningOffer {
  const { rail, invoice: text, claims, authorize } = candidateOf(headers, body);
  const invoice = readInvoice(text);
  checkInvoice(invoice, claims, rules);
  return {
    rail,
    invoice: text,
    paymentHash: invoice.paymentHash,
    amountSats: checkPrice(invoice, claims, rules.satsMax),
    authorize,
  };
}
