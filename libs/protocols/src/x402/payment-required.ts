import { encodeBase64 } from '../encoding/base64.js';
import { BAZAAR, type BazaarDeclaration } from './bazaar.js';
import { PAYMENT_IDENTIFIER_EXTENSION } from './payment-identifier.js';
import { findX402Network, type StablecoinAsset } from './network.js';

/** What an x402 offer asks for: an amount of one token on one chain, to one address. */
export interface X402Terms {
  /** CAIP-2, `eip155:84532`. */
  readonly network: string;
  readonly asset: StablecoinAsset;
  /** Address that is to be paid. */
  readonly payTo: string;
  /** The price; the token has six decimals, so it is the number of its units too. */
  readonly amountMicroUsd: number;
  /** How long an authorisation must hold at most, seconds. */
  readonly maxTimeoutSeconds: number;
  /**
   * Unguessable id of the challenge. Clients of version 2 echo it, and no chain ever sees it: it tells the payer from
   * somebody who has read the settled authorisation there.
   */
  readonly jti?: string;
  /** What is bought, as the price list names it. Clients of version 2 echo it: nothing signs it. */
  readonly operationId?: string;
}

/** What is sold, as both versions describe it. */
export interface X402Resource {
  /** Absolute URL: clients of version 1 refuse what is none. */
  readonly url: string;
  readonly description: string;
  readonly mimeType: string;
  /** Of version 2, for catalogues: at most 32 characters of printable ASCII. */
  readonly serviceName?: string;
  /** Of version 2, for catalogues: at most five, each of at most 32 characters of printable ASCII. */
  readonly tags?: readonly string[];
  /** How it is called, where it has an address of its own: version 2. */
  readonly bazaar?: BazaarDeclaration;
}

/**
 * Characters that `PAYMENT-REQUIRED` has at most: proxies in use refuse headers of 8 KB, and the 402 has others beside it. The payer
 * sends as much back.
 */
export const PAYMENT_REQUIRED_CHARS_MAX = 6_144;

/** One way to pay, version 2 (x402 specification v2, "PaymentRequirements"). */
export interface PaymentRequirementsV2 {
  readonly scheme: 'exact';
  readonly network: string;
  readonly amount: string;
  readonly asset: string;
  readonly payTo: string;
  readonly maxTimeoutSeconds: number;
  readonly extra: { readonly name: string; readonly version: string };
}

/** One way to pay, version 1. */
export interface PaymentRequirementsV1 extends Omit<PaymentRequirementsV2, 'amount'> {
  readonly maxAmountRequired: string;
  readonly resource: string;
  readonly description: string;
  readonly mimeType: string;
}

/** What a client without a payment is told in `error`. */
const NO_PAYMENT = 'Payment required';

export function paymentRequirementsV2(terms: X402Terms): PaymentRequirementsV2 {
  return {
    scheme: 'exact',
    network: terms.network,
    amount: String(terms.amountMicroUsd),
    asset: terms.asset.address,
    payTo: terms.payTo,
    maxTimeoutSeconds: terms.maxTimeoutSeconds,
    extra: { name: terms.asset.name, version: terms.asset.version },
  };
}

/** The same in version 1; `undefined` where that has no name for the chain. */
export function paymentRequirementsV1(
  terms: X402Terms,
  resource: X402Resource,
): PaymentRequirementsV1 | undefined {
  const v1Name = findX402Network(terms.network)?.v1Name;
  if (v1Name === undefined) return undefined;
  const { amount, ...rest } = paymentRequirementsV2(terms);
  const { url, description, mimeType } = resource;
  return { ...rest, network: v1Name, maxAmountRequired: amount, resource: url, description, mimeType };
}

/** An offer of x402, for both of its versions, as the parts of one 402. */
export interface X402Offer {
  /** `PAYMENT-REQUIRED`: clients of version 2 read the header and never the body. */
  readonly headers: Readonly<Record<string, string>>;
  /** `x402Version` 1, `accepts` and `error`: clients of version 1 read the body and never the header. */
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * Offers a price over x402. The versions do not meet: 2 lives in the header, 1 in the body, so that each client finds
 * its own and nothing else. A declaration that makes the header too long is left out: it helps catalogues, and is not needed to pay.
 * @param extensions of version 2, beside those of every offer
 */
export function offerX402(
  terms: X402Terms,
  { bazaar, ...resource }: X402Resource,
  extensions: Readonly<Record<string, unknown>> = {},
): X402Offer {
  const { extra, ...requirements } = paymentRequirementsV2(terms);
  // A member that is undefined is not written.
  const { jti, operationId } = terms;
  const requiredWith = (more: object) =>
    encodeX402({
      x402Version: 2,
      error: NO_PAYMENT,
      resource,
      accepts: [{ ...requirements, extra: { ...extra, jti, operationId } }],
      extensions: { ...PAYMENT_IDENTIFIER_EXTENSION, ...extensions, ...more },
    });
  const declared = bazaar && requiredWith({ [BAZAAR]: bazaar });
  const isShort = declared !== undefined && declared.length <= PAYMENT_REQUIRED_CHARS_MAX;
  const v1 = paymentRequirementsV1(terms, resource);
  return {
    headers: { 'PAYMENT-REQUIRED': isShort ? declared : requiredWith({}) },
    body: v1 === undefined ? {} : { x402Version: 1, error: NO_PAYMENT, accepts: [v1] },
  };
}

/** Base64 of JSON, with padding, as every header of x402 is written. */
export function encodeX402(value: object): string {
  return encodeBase64(JSON.stringify(value));
}
