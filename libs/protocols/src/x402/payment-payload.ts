import { decodeJson, isRecord } from '../encoding/base64-json.js';
import { malformed, PaymentRefusal } from '../payment-refusal.js';
import { BAZAAR } from './bazaar.js';
import { findX402Network } from './network.js';
import { isPaymentId, PAYMENT_ID_CHARS, PAYMENT_IDENTIFIER } from './payment-identifier.js';
import {
  paymentRequirementsV1,
  type PaymentRequirementsV1,
  type PaymentRequirementsV2,
  paymentRequirementsV2,
  type X402Resource,
  type X402Terms,
} from './payment-required.js';

/** Bytes of the largest payment that is read, decoded. */
export const X402_PAYMENT_BYTES_MAX = 12_288;
/** Bytes of the longest signature: those of contract wallets hold more than 65. */
const SIGNATURE_BYTES_MAX = 2_048;
/** What a transfer takes to be mined: an authorisation that ends sooner is not tried. */
const SETTLEMENT_SECONDS_MIN = 6n;

/** What the payer signed (EIP-3009 TransferWithAuthorization). */
export interface TransferAuthorization {
  readonly from: string;
  readonly to: string;
  /** Units of the token, decimal. */
  readonly value: string;
  /** Unix seconds, decimal. */
  readonly validAfter: string;
  readonly validBefore: string;
  /** 32 bytes, hex. */
  readonly nonce: string;
}

/** A payment of x402 as it came, decoded and not yet verified; of either version. */
export interface X402Payment {
  readonly version: 1 | 2;
  /** CAIP-2, whatever the version calls it. */
  readonly network: string;
  readonly authorization: TransferAuthorization;
  readonly signature: string;
  /** The requirement that the client says it pays; version 2 alone has it. */
  readonly accepted?: Readonly<Record<string, unknown>>;
  /** URL of what it pays for, as the client echoes it from the offer: nothing signs it. Version 2 alone has it. */
  readonly resourceUrl?: string;
}

/**
 * Reads the value of `PAYMENT-SIGNATURE` (version 2) or `X-PAYMENT` (version 1); the value itself says which it is.
 *
 * @throws {PaymentRefusal} PAYMENT_MALFORMED, naming the member; PAYMENT_METHOD_UNSUPPORTED for another scheme, another
 * version or a chain that is not known here
 */
export function parseX402Payment(value: string): X402Payment {
  const decoded = decodeJson(value.trim(), X402_PAYMENT_BYTES_MAX);
  if (!isRecord(decoded)) {
    return malformed(
      `the x402 payment must be base64 of a JSON object of at most ${X402_PAYMENT_BYTES_MAX} bytes`,
    );
  }
  const { x402Version, payload } = decoded;
  if (x402Version !== 1 && x402Version !== 2) return unsupported('x402Version must be 2 or 1');
  const accepted = x402Version === 2 ? decoded.accepted : undefined;
  if (x402Version === 2 && !isRecord(accepted)) return malformed('accepted must be an object');
  const { scheme, network } = x402Version === 2 ? (accepted as Record<string, unknown>) : decoded;
  if (scheme !== 'exact') return unsupported('only the scheme exact is offered');
  if (!isRecord(payload)) return malformed('payload must be an object');
  if (!isRecord(payload.authorization)) {
    return malformed('payload.authorization must be the object of an EIP-3009 transfer');
  }
  const signature = signatureOf(payload);
  return {
    version: x402Version,
    network: networkOf(network, x402Version),
    authorization: authorizationOf(payload.authorization, 'payload.authorization'),
    signature,
    ...(x402Version === 2 ? { accepted: accepted as Record<string, unknown> } : {}),
    ...(x402Version === 2 ? resourceOf(decoded.resource) : {}),
  };
}

function resourceOf(resource: unknown): { resourceUrl?: string } {
  return isRecord(resource) && typeof resource.url === 'string' ? { resourceUrl: resource.url } : {};
}

/**
 * The id that a payment of version 2 gives its purchase (extension `payment-identifier`): the same for every retry, whatever
 * authorisation pays it. Undefined where it gives none, and for what is no payment.
 *
 * @param value of `PAYMENT-SIGNATURE`
 * @throws {PaymentRefusal} PAYMENT_MALFORMED for an id of another form
 */
export function paymentIdOf(value: string): string | undefined {
  const within = (outer: unknown, name: string) => (isRecord(outer) ? outer[name] : undefined);
  const extensions = within(decodeJson(value.trim(), X402_PAYMENT_BYTES_MAX), 'extensions');
  const id = within(within(within(extensions, PAYMENT_IDENTIFIER), 'info'), 'id');
  if (id === undefined || isPaymentId(id)) return id;
  const [least, most] = PAYMENT_ID_CHARS;
  return malformed(
    `extensions["${PAYMENT_IDENTIFIER}"].info.id must be ${least} to ${most} letters, digits, - and _`,
  );
}

/**
 * What makes an x402 payment unique, in lower case: a token moves once for one nonce of one payer. Neither the raw
 * header nor the signature, of which there are several for one authorisation.
 */
export function x402ProofKey(payment: Pick<X402Payment, 'network' | 'authorization'>, asset: string): string {
  const { from, nonce } = payment.authorization;
  return `${payment.network}:${asset}:${from}:${nonce}`.toLowerCase();
}

/** Whom an x402 payment proves to pay, once its signature is verified: `x402:0x…` in lower case. */
export function x402PayerOf({ authorization }: Pick<X402Payment, 'authorization'>): string {
  return `x402:${authorization.from.toLowerCase()}`;
}

/**
 * Holds a payment against the terms it was offered, as far as that can be done without the chain: the signature, the
 * balance and the use of the nonce are for the facilitator to look at.
 *
 * @throws {PaymentRefusal} PAYMENT_INVALID for another chain, token or receiver, or a time that is to come;
 * PAYMENT_INSUFFICIENT for less than the price; PAYMENT_EXPIRED for an authorisation that is over
 */
export function requireX402Terms(payment: X402Payment, terms: X402Terms, nowMs: number): void {
  const { network, authorization, accepted } = payment;
  if (network !== terms.network) invalid(`the payment is on ${network}, the offer on ${terms.network}`);
  if (accepted) requireAccepted(accepted, terms);
  if (!sameHex(authorization.to, terms.payTo))
    invalid('the payment goes to another address than the offer says');
  const price = BigInt(terms.amountMicroUsd);
  const value = BigInt(authorization.value);
  if (value < price) {
    throw new PaymentRefusal(
      'PAYMENT_INSUFFICIENT',
      `the price is ${price} units of the token, the payment ${value}`,
    );
  }
  // The scheme is called exact: its facilitators refuse more, too.
  if (value > price) invalid(`the price is ${price} units of the token, the payment ${value}`);
  const nowSeconds = BigInt(Math.floor(nowMs / 1_000));
  if (BigInt(authorization.validAfter) > nowSeconds)
    invalid('the authorisation is not valid yet (validAfter)');
  if (BigInt(authorization.validBefore) < nowSeconds + SETTLEMENT_SECONDS_MIN) {
    throw new PaymentRefusal(
      'PAYMENT_EXPIRED',
      'the authorisation is over, or will be before it is settled (validBefore)',
    );
  }
}

function requireAccepted(accepted: Readonly<Record<string, unknown>>, terms: X402Terms): void {
  const offered = paymentRequirementsV2(terms);
  const { asset, payTo, amount } = accepted;
  if (typeof asset !== 'string' || !sameHex(asset, offered.asset))
    invalid('accepted.asset is not the token of the offer');
  if (typeof payTo !== 'string' || !sameHex(payTo, offered.payTo))
    invalid('accepted.payTo is not that of the offer');
  if (amount !== offered.amount) invalid('accepted.amount is not the price');
}

/** A payment and its terms, in the form in which facilitators take them. */
export interface FacilitatorRequest {
  readonly paymentPayload: Readonly<Record<string, unknown>>;
  readonly paymentRequirements: PaymentRequirementsV1 | PaymentRequirementsV2;
}

/**
 * What a facilitator is asked to verify and settle: made anew from what was read and from the terms of the server, so
 * that no other reading of the header's bytes can be settled than the one that was looked at.
 */
export function facilitatorRequestOf(
  payment: X402Payment,
  terms: X402Terms,
  { bazaar, ...resource }: X402Resource,
): FacilitatorRequest {
  const { version, authorization, signature } = payment;
  const payload = { authorization: { ...authorization }, signature };
  if (version === 2) {
    const accepted = paymentRequirementsV2(terms);
    const extensions = bazaar && { extensions: { [BAZAAR]: bazaar } };
    const paymentPayload = { x402Version: 2, resource, accepted, payload, ...extensions };
    return { paymentPayload, paymentRequirements: accepted };
  }
  const requirements = paymentRequirementsV1(terms, resource);
  if (requirements === undefined) {
    return unsupported(`x402 version 1 has no name for ${terms.network}; pay with version 2`);
  }
  const { scheme, network } = requirements;
  return { paymentPayload: { x402Version: 1, scheme, network, payload }, paymentRequirements: requirements };
}

function networkOf(name: unknown, version: 1 | 2): string {
  if (typeof name !== 'string' || name.length > 64) return malformed('network must be the name of a chain');
  const found = findX402Network(name);
  if (!found || (version === 2 ? found.caip2 : found.v1Name) !== name) {
    return unsupported('the network is not one that is offered here in this version of x402');
  }
  return found.caip2;
}

/** The signature of a payload. @throws {PaymentRefusal} PAYMENT_MALFORMED */
export function signatureOf({ signature }: Readonly<Record<string, unknown>>): string {
  if (typeof signature === 'string' && isBytes(signature, SIGNATURE_BYTES_MAX)) return signature;
  return malformed(`payload.signature must be 0x and 1 to ${SIGNATURE_BYTES_MAX} bytes in hexadecimal`);
}

/** The authorisation that these members hold. @throws {PaymentRefusal} PAYMENT_MALFORMED, naming the member below `path` */
export function authorizationOf(
  members: Readonly<Record<string, unknown>>,
  path: string,
): TransferAuthorization {
  const read = (name: string, is: (value: string) => boolean, what: string): string => {
    const value = members[name];
    if (typeof value === 'string' && is(value)) return value;
    return malformed(`${path}.${name} must be ${what}`);
  };
  return {
    from: read('from', isAddress, 'an address'),
    to: read('to', isAddress, 'an address'),
    value: read('value', isUint256, 'a decimal number below 2^256'),
    validAfter: read('validAfter', isUint256, 'a decimal number below 2^256'),
    validBefore: read('validBefore', isUint256, 'a decimal number below 2^256'),
    nonce: read('nonce', isNonce, '0x and 32 bytes in hexadecimal'),
  };
}

const isAddress = (value: string) => /^0x[0-9a-fA-F]{40}$/.test(value);
const isNonce = (value: string) => /^0x[0-9a-fA-F]{64}$/.test(value);
const isUint256 = (value: string) => /^(?:0|[1-9][0-9]{0,77})$/.test(value) && BigInt(value) < 1n << 256n;
const isBytes = (value: string, bytesMax: number) =>
  value.length <= 2 + 2 * bytesMax && /^0x(?:[0-9a-fA-F]{2})+$/.test(value);
const sameHex = (left: string, right: string) => left.toLowerCase() === right.toLowerCase();

function invalid(detail: string): never {
  throw new PaymentRefusal('PAYMENT_INVALID', detail);
}

function unsupported(detail: string): never {
  throw new PaymentRefusal('PAYMENT_METHOD_UNSUPPORTED', detail);
}
