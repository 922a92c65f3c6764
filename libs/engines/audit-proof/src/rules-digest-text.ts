import { baseFromBytes, baseToBytes } from '@svc/kernels';
import type { RulesDigest } from '@svc/stark-air';
import { fromHex, toHex } from './byte-text.js';

const DIGEST_BYTES = 32;

/** A node of the tree as text: its 4 elements, 8 little-endian bytes each. */
export function rulesDigestToText(digest: RulesDigest): string {
  return toHex(baseToBytes(digest));
}

/** The node that a text stands for; undefined unless its elements are canonical. */
export function rulesDigestFromText(text: unknown): RulesDigest | undefined {
  const bytes = fromHex(text, DIGEST_BYTES);
  const words = bytes && baseFromBytes(bytes);
  return words && [...words];
}
