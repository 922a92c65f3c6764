import type { ProofGeometry } from './profile.js';
import { type ElementWords, wordsToBytes } from '@svc/kernels';
import { FOLDING_FACTOR } from './profile-facts.js';

/** Slots whose value no query's fold gives. */
const NOT_FOLDED = -1;

/**
 * For every slot of the opened leaves of a layer, leaf by leaf, the ordinal of the coset above that folds into it, or −1.
 * Values that a fold gives are not in the proof (docs/stark-format.md, section 9).
 * @param layer 1 … r − 1
 * @param above opened leaves of the layer above, ascending
 * @param leaves opened leaves of the layer, ascending
 */
export function foldedSlots(
  { profile, leafCounts }: ProofGeometry,
  layer: number,
  above: readonly number[],
  leaves: readonly number[],
): Int32Array {
  const ordinalOf = new Map(leaves.map((leaf, ordinal) => [leaf, ordinal]));
  const slots = new Int32Array(leaves.length * FOLDING_FACTOR).fill(NOT_FOLDED);
  above.forEach((coset, i) => {
    const { leaf, slot } = profile.locate(coset, leafCounts[layer]);
    slots[(ordinalOf.get(leaf) as number) * FOLDING_FACTOR + slot] = i;
  });
  return slots;
}

/** Bytes that a proof holds of these leaves. */
export function sentBytes({ extensionBytes }: ProofGeometry, slots: Int32Array): number {
  return slots.filter(fold => fold === NOT_FOLDED).length * extensionBytes;
}

/** The values of whole leaves that no fold gives, in order. */
export function withoutFolds(
  { extensionBytes }: ProofGeometry,
  slots: Int32Array,
  leaves: Uint8Array,
): Uint8Array {
  const kept: Uint8Array[] = [];
  slots.forEach((fold, slot) => {
    if (fold === NOT_FOLDED) kept.push(leaves.subarray(slot * extensionBytes, (slot + 1) * extensionBytes));
  });
  const sent = new Uint8Array(kept.length * extensionBytes);
  kept.forEach((value, i) => sent.set(value, i * extensionBytes));
  return sent;
}

/**
 * Whole leaves from what the proof holds of them and from the folds.
 * @param sent `sentBytes` bytes
 * @param folded one extension element for each coset above
 */
export function withFolds(
  { profile, extensionBytes }: ProofGeometry,
  slots: Int32Array,
  sent: Uint8Array,
  folded: ElementWords,
): Uint8Array {
  const folds = wordsToBytes(folded, profile.base.elementBytes);
  const leaves = new Uint8Array(slots.length * extensionBytes);
  let offset = 0;
  slots.forEach((fold, slot) => {
    const isSent = fold === NOT_FOLDED;
    const start = isSent ? offset : fold * extensionBytes;
    leaves.set((isSent ? sent : folds).subarray(start, start + extensionBytes), slot * extensionBytes);
    if (isSent) offset += extensionBytes;
  });
  return leaves;
}
