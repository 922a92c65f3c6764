import type { BaseField, Ext } from './field.js';
import { goldilocks } from './goldilocks.js';

/** Bytes of a Goldilocks element. */
export const BASE_ELEMENT_BYTES = goldilocks.elementBytes;

/** Elements of a base field as machine words: 64-bit ones for Goldilocks, 32-bit ones for M31. */
export type ElementWords = BigUint64Array | Uint32Array;

/** Base elements as bytes, end to end: canonical, little-endian, `elementBytes` of the field each. */
export function baseToBytes(elements: ArrayLike<bigint>, field: BaseField = goldilocks): Uint8Array {
  const { elementBytes } = field;
  const bytes = new Uint8Array(elements.length * elementBytes);
  const view = new DataView(bytes.buffer);
  if (elementBytes === 8) {
    for (let i = 0; i < elements.length; i++) view.setBigUint64(i * 8, elements[i], true);
  } else {
    for (let i = 0; i < elements.length; i++) view.setUint32(i * elementBytes, Number(elements[i]), true);
  }
  return bytes;
}

/** Words as the bytes of the elements that they are. */
export function wordsToBytes(words: ElementWords, elementBytes: number): Uint8Array {
  if (IS_LITTLE_ENDIAN) return new Uint8Array(words.buffer, words.byteOffset, words.byteLength).slice();
  const bytes = new Uint8Array(words.length * elementBytes);
  const view = new DataView(bytes.buffer);
  if (words instanceof BigUint64Array)
    words.forEach((word, i) => view.setBigUint64(i * elementBytes, word, true));
  else words.forEach((word, i) => view.setUint32(i * elementBytes, word, true));
  return bytes;
}

/** Extension elements as bytes: coordinate after coordinate, element after element. */
export function extToBytes(elements: readonly Ext[], field: BaseField = goldilocks): Uint8Array {
  return baseToBytes(elements.flat(), field);
}

/**
 * Reads Goldilocks elements from untrusted bytes; `undefined` if the length is no multiple of 8 or an element is not
 * below p.
 */
export function baseFromBytes(bytes: Uint8Array): BigUint64Array | undefined {
  if (bytes.length % BASE_ELEMENT_BYTES !== 0) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < bytes.length; at += BASE_ELEMENT_BYTES) {
    // p = 2^64 − 2^32 + 1: only words whose high half is all ones and whose low half is not zero reach it.
    if (view.getUint32(at + 4, true) === 0xffff_ffff && view.getUint32(at, true) !== 0) return undefined;
  }
  // Copied as bytes: an element read as such would leave a BigInt to the collector.
  if (IS_LITTLE_ENDIAN) return new BigUint64Array(new Uint8Array(bytes).buffer);
  return BigUint64Array.from({ length: bytes.length / BASE_ELEMENT_BYTES }, (_, i) =>
    view.getBigUint64(i * BASE_ELEMENT_BYTES, true),
  );
}

const IS_LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** Groups `degree` words an element. */
export function extFromWords(words: ElementWords, degree: number): Ext[] {
  const elements: Ext[] = [];
  for (let i = 0; i + degree <= words.length; i += degree) {
    const element: bigint[] = [];
    for (let c = 0; c < degree; c++) element.push(BigInt(words[i + c]));
    elements.push(element);
  }
  return elements;
}
