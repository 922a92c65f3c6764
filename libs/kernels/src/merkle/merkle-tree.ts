import { concatBytes } from '@noble/hashes/utils.js';
import { blake3Many, DIGEST_BYTES, domainKey, type HashMany } from '../hash/blake3.js';
import { log2Exact } from '../poly/ntt.js';

/** Leaves and inner nodes are hashed under different keys, so that neither can pass for the other. */
export const LEAF_KEY: Uint8Array = domainKey('svc/stark/v2/leaf');
export const NODE_KEY: Uint8Array = domainKey('svc/stark/v2/node');

/** Nodes that a commitment consists of, unless the tree has fewer leaves. */
export const CAP_NODES_MAX = 16;

/** Nodes in the cap of a tree of `leafCount` leaves. */
export function capNodeCount(leafCount: number): number {
  return Math.min(CAP_NODES_MAX, leafCount);
}

/** A binary BLAKE3 Merkle tree that is committed to by its cap, the level of at most 16 nodes. */
export class MerkleTree {
  /** Digests end to end, from the leaves' level to the cap. */
  private readonly levels: readonly Uint8Array[];

  /**
   * @param leaves the leaves' bytes end to end; their number is a power of two
   * @throws RangeError if it is not
   */
  constructor(
    private readonly leaves: Uint8Array,
    private readonly leafBytes: number,
    hashMany: HashMany = blake3Many,
  ) {
    const leafCount = leaves.length / leafBytes;
    log2Exact(leafCount);
    const levels = [hashMany(LEAF_KEY, leaves, leafBytes)];
    for (let count = leafCount; count > CAP_NODES_MAX; count /= 2) {
      levels.push(hashMany(NODE_KEY, levels[levels.length - 1], 2 * DIGEST_BYTES));
    }
    this.levels = levels;
  }

  get cap(): Uint8Array {
    return this.levels[this.levels.length - 1];
  }

  /** @param indices distinct leaf indices, ascending */
  open(indices: readonly number[]): { leaves: Uint8Array; nodes: Uint8Array } {
    const leaves = concatBytes(
      ...indices.map(i => this.leaves.subarray(i * this.leafBytes, (i + 1) * this.leafBytes)),
    );
    const nodes: Uint8Array[] = [];
    let known = indices;
    for (const level of this.levels.slice(0, -1)) {
      for (let i = 0; i < known.length; i++) {
        if (known[i + 1] === (known[i] ^ 1)) {
          i++;
          continue;
        }
        const sibling = known[i] ^ 1;
        nodes.push(level.subarray(sibling * DIGEST_BYTES, (sibling + 1) * DIGEST_BYTES));
      }
      known = parentsOf(known);
    }
    return { leaves, nodes: concatBytes(...nodes) };
  }
}

/** The single node above a cap. @param cap a power of two of digests */
export function rootOfCap(cap: Uint8Array, hashMany: HashMany = blake3Many): Uint8Array {
  let level = cap;
  while (level.length > DIGEST_BYTES) level = hashMany(NODE_KEY, level, 2 * DIGEST_BYTES);
  return level;
}

/** The distinct parents of ascending indices, ascending. */
export function parentsOf(indices: readonly number[]): number[] {
  const parents: number[] = [];
  for (const index of indices) {
    const parent = index >> 1;
    if (parents[parents.length - 1] !== parent) parents.push(parent);
  }
  return parents;
}
