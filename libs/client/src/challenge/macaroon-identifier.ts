import { decodeBase64, toHex } from './byte-text.js';

/** The identifier of an L402 macaroon: what the token is bound to. */
export interface MacaroonIdentifier {
  /** SHA-256 of the preimage that completes the token, 64 hex digits. */
  readonly paymentHash: string;
  readonly tokenId: string;
}

const MACAROON_V2 = 2;
const FIELD_END = 0;
const FIELD_LOCATION = 1;
const FIELD_IDENTIFIER = 2;
/** Version 0 as uint16, payment hash, token id (L402 protocol specification). */
const IDENTIFIER_BYTES = 2 + 32 + 32;

/** Reads an unsigned LEB128 number of at most two bytes: enough for any field of a header. */
function readLength(bytes: Uint8Array, at: number): { value: number; next: number } | undefined {
  const low = bytes[at];
  if (low === undefined) return undefined;
  if (low < 0x80) return { value: low, next: at + 1 };
  const high = bytes[at + 1];
  return high === undefined || high >= 0x80 ? undefined : { value: (low & 0x7f) | (high << 7), next: at + 2 };
}

/**
 * Reads the identifier of a binary (version 2) macaroon. The payer cannot check the signature, but
 * it can see before it pays that the token belongs to the invoice it is asked to pay.
 * Undefined where the bytes are no such macaroon; never throws.
 */
export function readMacaroonIdentifier(macaroon: string): MacaroonIdentifier | undefined {
  const bytes = decodeBase64(macaroon);
  if (bytes === undefined || bytes[0] !== MACAROON_V2) return undefined;
  let at = 1;
  while (at < bytes.length) {
    const field = bytes[at];
    if (field === FIELD_END) return undefined;
    const length = readLength(bytes, at + 1);
    if (length === undefined || length.next + length.value > bytes.length) return undefined;
    const content = bytes.subarray(length.next, length.next + length.value);
    if (field === FIELD_IDENTIFIER) {
      if (content.length !== IDENTIFIER_BYTES || content[0] !== 0 || content[1] !== 0) return undefined;
      return { paymentHash: toHex(content.subarray(2, 34)), tokenId: toHex(content.subarray(34)) };
    }
    if (field !== FIELD_LOCATION) return undefined;
    at = length.next + length.value;
  }
  return undefined;
}
