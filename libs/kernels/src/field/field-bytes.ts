import type { Cubic } from './cubic-extension.js';
import { isCanonical } from './goldilocks.js';

/** Bytes of a base-field element: canonical, little-endian. */
export const BASE_ELEMENT_BYTES = 8;
/** Bytes of an extension element: c0, c1, c2. */
export const CUBIC_ELEMENT_BYTES = 24;

/** Base elements as bytes, end to end. */
export function baseToBytes(elements: ArrayLike<bigint>): Uint8Array {
  const bytes = new Uint8Array(elements.length * BASE_ELEMENT_BYTES);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < elements.length; i++) view.setBigUint64(i * BASE_ELEMENT_BYTES, elements[i], true);
  return bytes;
}

/** Extension elements as bytes, end to end. */
export function cubicToBytes(elements: readonly Cubic[]): Uint8Array {
  return baseToBytes(elements.flat());
}

/**
 * Reads base elements from untrusted bytes; `undefined` if the length is no multiple of 8 or an element is not below p.
 */
export function baseFromBytes(bytes: Uint8Array): BigUint64Array | undefined {
  if (bytes.length % BASE_ELEMENT_BYTES !== 0) return undefined;
  const elements = new BigUint64Array(bytes.length / BASE_ELEMENT_BYTES);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let i = 0; i < elements.length; i++) {
    // p = 2^64 − 2^32 + 1: only words whose high half is all ones can reach it.
    const high = view.getUint32(i * BASE_ELEMENT_BYTES + 4, true);
    const word = view.getBigUint64(i * BASE_ELEMENT_BYTES, true);
    if (high === 0xffff_ffff && !isCanonical(word)) return undefined;
    elements[i] = word;
  }
  return elements;
}

/** Groups three words an element. */
export function cubicsFromWords(words: BigUint64Array): Cubic[] {
  const elements: Cubic[] = [];
  for (let i = 0; i + 2 < words.length; i += 3) elements.push([words[i], words[i + 1], words[i + 2]]);
  return elements;
}
