import { sha256Bytes } from '#sha256';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { canonicalJson } from '../wal/canonical-json.js';
import type { JsonObject } from '../wal/wal-record.js';

/** Inputs can be few and guessable: a log stays for good, so what it says of one is salted. */
export const INPUT_SALT_BYTES = 16;

/**
 * What the log says of a saga's input: SHA-256(salt ‖ canonical JSON of the input), hexadecimal. Whoever has both
 * can show that a log began from this input.
 *
 * @param saltHex 16 bytes
 * @throws PayloadError
 */
export function inputDigest(saltHex: string, input: JsonObject): string {
  return bytesToHex(sha256Bytes(hexToBytes(saltHex), new TextEncoder().encode(canonicalJson(input))));
}
