import { concatBytes, crc32 } from '@svc/kernels';
import { bitAt, packBits } from './fingerprint.js';

/** Bits that a key is made of, and the words of the code that they are covered with. */
export const KEY_BLOCKS = 4;
export const BLOCK_BITS = 255;
export const KEY_BITS = KEY_BLOCKS * BLOCK_BITS;
/** Bits of message of each word, ascending: BCH(255, 87) corrects 26 errors, the others 18, 9 and 7. */
export const BLOCK_DIMENSIONS = [87, 131, 187, 199] as const;
export type BlockDimension = (typeof BLOCK_DIMENSIONS)[number];

const VERSION = 1;
export const SALT_BYTES = 16;
const HEADER_BYTES = 4;
const OFFSET_BYTES = Math.ceil(KEY_BITS / 8);
const CRC_BYTES = 4;
/** Of fingerprints that helper data is made for. */
export const FINGERPRINT_BITS_MAX = 16_384;

/** What is public of a key: with the surface it gives the key again, without it next to nothing. */
export interface HelperData {
  readonly dimension: BlockDimension;
  /** Bits of the fingerprints that it is for. */
  readonly bitCount: number;
  readonly salt: Uint8Array;
  /** Places in the fingerprint, ascending. */
  readonly positions: readonly number[];
  /** {@link KEY_BITS} bits of 0 or 1: the fingerprint's at `positions` and a codeword's, added. */
  readonly offset: Uint8Array;
}

/**
 * Version 1, dimension, number of bits of the fingerprint (2 bytes, the higher first), salt (16), a 1 for every place that is
 * used (packed, the first bit highest), the offset (128, packed alike), and CRC-32 of all that (4, the highest first).
 */
export function encodeHelperData({ dimension, bitCount, salt, positions, offset }: HelperData): Uint8Array {
  const used = new Uint8Array(bitCount);
  for (const position of positions) used[position] = 1;
  const header = Uint8Array.of(VERSION, dimension, bitCount >> 8, bitCount & 0xff);
  const body = concatBytes(header, salt, packBits(used), packBits(offset));
  const crc = new Uint8Array(CRC_BYTES);
  new DataView(crc.buffer).setUint32(0, crc32(body));
  return concatBytes(body, crc);
}

/**
 * Undoes {@link encodeHelperData}; of every value there is one encoding.
 * @returns undefined for bytes that are none
 */
export function decodeHelperData(bytes: Uint8Array): HelperData | undefined {
  if (bytes.length < HEADER_BYTES) return undefined;
  const dimension = BLOCK_DIMENSIONS.find(bits => bits === bytes[1]);
  const bitCount = (bytes[2] << 8) | bytes[3];
  if (bytes[0] !== VERSION || !dimension || bitCount > FINGERPRINT_BITS_MAX) return undefined;
  const usedAt = HEADER_BYTES + SALT_BYTES;
  const offsetAt = usedAt + Math.ceil(bitCount / 8);
  const crcAt = offsetAt + OFFSET_BYTES;
  if (bytes.length !== crcAt + CRC_BYTES) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(crcAt) !== crc32(bytes.subarray(0, crcAt))) return undefined;
  const positions = placesOf(bytes.subarray(usedAt, offsetAt));
  if (positions.length !== KEY_BITS || positions[KEY_BITS - 1] >= bitCount) return undefined;
  const offset = unpackBits(bytes.subarray(offsetAt, crcAt), 8 * OFFSET_BYTES);
  if (offset.subarray(KEY_BITS).includes(1)) return undefined;
  const salt = bytes.slice(HEADER_BYTES, usedAt);
  return { dimension, bitCount, salt, positions, offset: offset.slice(0, KEY_BITS) };
}

/** The first bits of what is packed, a byte of 0 or 1 each. */
export function unpackBits(packed: Uint8Array, count: number): Uint8Array {
  return Uint8Array.from({ length: count }, (_, at) => bitAt(packed, at));
}

function placesOf(packed: Uint8Array): number[] {
  const places: number[] = [];
  for (let at = 0; at < 8 * packed.length; at++) if (bitAt(packed, at)) places.push(at);
  return places;
}
