import { encodeBase64Url } from '../encoding/base64.js';
import { decodeJson, isRecord } from '../encoding/base64-json.js';
import { canonicalJson } from '../encoding/jcs.js';
import { encodeX402, type X402Terms } from './payment-required.js';

/** Name of the x402 extension by which a server signs its offers and its receipts. */
export const OFFER_RECEIPT = 'offer-receipt';
/** Header of every paid answer: its signed receipt, a compact JWS. */
export const SIGNED_RECEIPT_HEADER = 'SVC-Receipt';
/** The headers that a client of x402 reads its settlement from. */
const SETTLEMENT_HEADERS = ['PAYMENT-RESPONSE', 'X-PAYMENT-RESPONSE'] as const;
const SETTLEMENT_BYTES_MAX = 4_096;

/** Signs as the key that `kid` names, a DID URL; Ed25519, 64 bytes. */
export interface JwsSigner {
  readonly kid: string;
  readonly sign: (message: Uint8Array) => Uint8Array;
}

/** An offer, or a receipt, as the extension carries it. */
export interface SignedArtifact {
  readonly format: 'jws';
  /** A compact JWS, with its payload. */
  readonly signature: string;
}

/**
 * What the hash of a request is made over: method, path with query as it was sent, and the SHA-256 of the body's bytes, on two lines.
 * The request hash is the SHA-256 of this text in UTF-8.
 * @param bodySha256 lower-case hex; of no bytes where there is no body
 */
export const requestHashText = (method: string, target: string, bodySha256: string): string =>
  `${method} ${target}\n${bodySha256}`;

/** A compact JWS (RFC 7515) of `EdDSA`: the same text for the same payload, whatever the order of its members. */
export function compactJws(payload: object, { kid, sign }: JwsSigner): string {
  const parts = [canonicalJson({ alg: 'EdDSA', kid }), canonicalJson(payload)];
  const input = parts.map(part => encodeBase64Url(part)).join('.');
  return `${input}.${encodeBase64Url(sign(new TextEncoder().encode(input)))}`;
}

/**
 * The extension of a 402 that commits to its one offer (x402 "Offer and Receipt Extension", 4.2).
 * @param resourceUrl of our own origin: what a caller says of it must not get a signature
 */
export function signedOffers(
  terms: X402Terms,
  { resourceUrl, expiresAtMs }: { resourceUrl: string; expiresAtMs: number },
  signer: JwsSigner,
): Readonly<Record<string, unknown>> {
  const { network, asset, payTo, amountMicroUsd } = terms;
  const payload = {
    ...{ version: 1, resourceUrl, scheme: 'exact', network, asset: asset.address, payTo },
    ...{ amount: String(amountMicroUsd), validUntil: Math.floor(expiresAtMs / 1_000) },
  };
  const offer = { ...artifact(compactJws(payload, signer)), acceptIndex: 0 };
  return { [OFFER_RECEIPT]: { info: { offers: [offer] }, schema: OFFERS_SCHEMA } };
}

/** The headers of a paid answer with its signed receipt: in one of its own, and within what x402 says of the settlement. */
export function withSignedReceipt(
  headers: Readonly<Record<string, string>>,
  jws: string,
): Record<string, string> {
  const shown: Record<string, string> = { ...headers, [SIGNED_RECEIPT_HEADER]: jws };
  for (const name of SETTLEMENT_HEADERS) {
    if (headers[name] === undefined) continue;
    const settlement = decodeJson(headers[name], SETTLEMENT_BYTES_MAX);
    if (!isRecord(settlement)) continue;
    const extensions = { [OFFER_RECEIPT]: { info: { receipt: artifact(jws) } } };
    shown[name] = encodeX402({ ...settlement, extensions });
  }
  return shown;
}

const artifact = (signature: string): SignedArtifact => ({ format: 'jws', signature });

const OFFERS_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: { offers: { type: 'array', items: { type: 'object', required: ['format', 'signature'] } } },
  required: ['offers'],
} as const;
