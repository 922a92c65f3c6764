import { blake3Many, DIGEST_BYTES, type HashMany } from '../hash/blake3.js';
import { capNodeCount, LEAF_KEY, NODE_KEY, parentsOf } from './merkle-tree.js';

/**
 * Nodes in the multiproof of ascending distinct `indices` in a tree of `leafCount` leaves; it depends on nothing else, so a
 * reader knows where the multiproof ends.
 */
export function multiproofNodeCount(indices: readonly number[], leafCount: number): number {
  let nodes = 0;
  let known = indices;
  for (let count = leafCount; count > capNodeCount(leafCount); count /= 2) {
    const parents = parentsOf(known);
    // Every parent has two children; those not known are sent.
    nodes += 2 * parents.length - known.length;
    known = parents;
  }
  return nodes;
}

/** An opening to check: what the prover sent, and what it was bound to. */
export interface MultiproofClaim {
  readonly cap: Uint8Array;
  readonly leafCount: number;
  /** Ascending and distinct. */
  readonly indices: readonly number[];
  /** The leaves' bytes in the order of the indices. */
  readonly leaves: Uint8Array;
  readonly leafBytes: number;
  readonly nodes: Uint8Array;
}

/** Whether the leaves lie under the cap at the indices. Never throws on wrong sizes: they are a false claim. */
export function verifyMultiproof(claim: MultiproofClaim, hashMany: HashMany = blake3Many): boolean {
  const { cap, leafCount, indices, leaves, leafBytes, nodes } = claim;
  const capNodes = capNodeCount(leafCount);
  if (cap.length !== capNodes * DIGEST_BYTES || leaves.length !== indices.length * leafBytes) return false;
  if (nodes.length !== multiproofNodeCount(indices, leafCount) * DIGEST_BYTES) return false;

  let known = indices;
  let digests = hashMany(LEAF_KEY, leaves, leafBytes);
  let nodeOffset = 0;
  for (let count = leafCount; count > capNodes; count /= 2) {
    const parents = parentsOf(known);
    const pairs = new Uint8Array(parents.length * 2 * DIGEST_BYTES);
    let k = 0;
    for (let slot = 0; slot < 2 * parents.length; slot++) {
      const child = 2 * parents[slot >> 1] + (slot & 1);
      const sent = known[k] !== child;
      const source = sent ? nodes : digests;
      const offset = sent ? nodeOffset : k * DIGEST_BYTES;
      pairs.set(source.subarray(offset, offset + DIGEST_BYTES), slot * DIGEST_BYTES);
      if (sent) nodeOffset += DIGEST_BYTES;
      else k++;
    }
    digests = hashMany(NODE_KEY, pairs, 2 * DIGEST_BYTES);
    known = parents;
  }
  return known.every((index, i) => equalDigests(cap, index, digests, i));
}

function equalDigests(a: Uint8Array, indexInA: number, b: Uint8Array, indexInB: number): boolean {
  for (let i = 0; i < DIGEST_BYTES; i++) {
    if (a[indexInA * DIGEST_BYTES + i] !== b[indexInB * DIGEST_BYTES + i]) return false;
  }
  return true;
}
