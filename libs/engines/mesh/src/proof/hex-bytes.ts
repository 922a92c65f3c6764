import { hexToBytes } from '@noble/hashes/utils.js';

const HEX = /^(?:0x)?((?:[0-9a-fA-F]{2})+)$/;

/** The bytes of pairs of hex digits in either case, with or without `0x`; undefined for any other text, or a longer one. */
export function readHex(text: string, bytesMax: number): Uint8Array | undefined {
  // Before anything looks at its characters.
  if (text.length > '0x'.length + 2 * bytesMax) return undefined;
  const digits = HEX.exec(text)?.[1];
  if (digits === undefined || digits.length > 2 * bytesMax) return undefined;
  return hexToBytes(digits);
}

/** Bytes as a number, the highest first. */
export function toBigInt(bytes: Uint8Array): bigint {
  return bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
}
