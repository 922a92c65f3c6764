import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import { malformed } from '../payment-refusal.js';

const VERSION = 0;
/** uint16 version, big-endian, then payment hash and token id of 32 bytes each. */
export const IDENTIFIER_BYTES = 66;

/** What an L402 macaroon's identifier says (L402 specification, "Macaroon identifier", version 0). */
export interface L402Identifier {
  /** SHA-256 of the preimage that proves the payment, lower-case hex. */
  readonly paymentHash: string;
  /** 32 random bytes, lower-case hex. */
  readonly tokenId: string;
}

export function encodeIdentifier(identifier: L402Identifier): Uint8Array {
  return concatBytes(
    Uint8Array.of(VERSION >> 8, VERSION & 0xff),
    hexToBytes(identifier.paymentHash),
    hexToBytes(identifier.tokenId),
  );
}

/** @throws {PaymentRefusal} PAYMENT_MALFORMED for another length or version */
export function decodeIdentifier(bytes: Uint8Array): L402Identifier {
  if (bytes.length !== IDENTIFIER_BYTES) {
    malformed(`the L402 identifier has ${bytes.length} bytes, not ${IDENTIFIER_BYTES}`);
  }
  const version = (bytes[0] << 8) | bytes[1];
  if (version !== VERSION) malformed(`the L402 identifier has version ${version}, only 0 is known`);
  return { paymentHash: bytesToHex(bytes.slice(2, 34)), tokenId: bytesToHex(bytes.slice(34)) };
}
