import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js';
import { concatBytes } from '@noble/hashes/utils.js';

/** SHA-256 of parts end to end, 32 bytes. */
export type Sha256 = (...parts: readonly Uint8Array[]) => Uint8Array;

/** A leaf in a tree, by the hash of the leaf and its audit path. */
export interface MerkleInclusion {
  readonly leaf: Uint8Array;
  readonly index: number;
  readonly leafCount: number;
  readonly path: readonly Uint8Array[];
}

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

/**
 * The Merkle tree of Certificate Transparency, RFC 6962 section 2.1: SHA-256, leaves and nodes told apart by a byte, any
 * number of leaves.
 *
 * @example
 * const tree = new TransparencyTree();
 * const leaves = [tree.leafHash(bytes), tree.leafHash(others)];
 * tree.root(leaves);
 */
export class TransparencyTree {
  /** @param sha256 a faster one, where the platform has it */
  constructor(private readonly sha256: Sha256 = (...parts) => nobleSha256(concatBytes(...parts))) {}

  /** Hash of a leaf: SHA-256(0x00 ‖ data). */
  leafHash(data: Uint8Array): Uint8Array {
    return this.sha256(LEAF, data);
  }

  /** Hash of two subtrees: SHA-256(0x01 ‖ left ‖ right). */
  nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
    return this.sha256(NODE, left, right);
  }

  /** Root over the hashes of leaves, 32 bytes each; of none it is the hash of nothing. */
  root(leaves: readonly Uint8Array[]): Uint8Array {
    const tree = new MerkleAccumulator(this);
    for (const leaf of leaves) tree.add(leaf);
    return tree.root() ?? this.sha256();
  }

  /**
   * The audit path of a leaf, from its sibling up to the root (RFC 6962 section 2.1.1).
   * @throws {RangeError} for a leaf that there is not
   */
  inclusionPath(leaves: readonly Uint8Array[], index: number): Uint8Array[] {
    if (!Number.isSafeInteger(index) || index < 0 || index >= leaves.length)
      throw new RangeError(`there is no leaf ${index} of ${leaves.length}`);
    const path: Uint8Array[] = [];
    let level = leaves;
    // Level by level: a last node without a sibling rises as it is, which gives the same tree as splitting from the top.
    for (let at = index; level.length > 1; at = Math.floor(at / 2)) {
      const sibling = at % 2 === 0 ? at + 1 : at - 1;
      if (sibling < level.length) path.push(level[sibling]);
      level = this.parents(level);
    }
    return path;
  }

  /**
   * Root that an audit path leads to (RFC 9162 section 2.1.3.2); undefined where the path has not the length that index
   * and count ask for.
   */
  rootOfInclusion({ leaf, index, leafCount, path }: MerkleInclusion): Uint8Array | undefined {
    if (!Number.isSafeInteger(index) || !Number.isSafeInteger(leafCount)) return undefined;
    if (index < 0 || index >= leafCount) return undefined;
    let [node, last, root] = [index, leafCount - 1, leaf];
    for (const sibling of path) {
      if (last === 0 || sibling.length !== 32) return undefined;
      if (node % 2 === 1 || node === last) {
        root = this.nodeHash(sibling, root);
        while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)];
      } else {
        root = this.nodeHash(root, sibling);
      }
      [node, last] = [half(node), half(last)];
    }
    return last === 0 ? root : undefined;
  }

  private parents(level: readonly Uint8Array[]): Uint8Array[] {
    const above: Uint8Array[] = [];
    for (let left = 0; left < level.length; left += 2) {
      above.push(left + 1 < level.length ? this.nodeHash(level[left], level[left + 1]) : level[left]);
    }
    return above;
  }
}

/** The root over leaves that come one after the other, kept in the logarithm of their count. */
export class MerkleAccumulator {
  /** Roots of complete subtrees, larger ones first: one for each bit that is set in the count. */
  private readonly peaks: Uint8Array[] = [];
  private leaves = 0;

  constructor(private readonly tree: TransparencyTree = new TransparencyTree()) {}

  get count(): number {
    return this.leaves;
  }

  add(leaf: Uint8Array): void {
    let subtree = leaf;
    for (let bits = this.leaves; bits % 2 === 1; bits = (bits - 1) / 2) {
      subtree = this.tree.nodeHash(this.peaks.pop() as Uint8Array, subtree);
    }
    this.peaks.push(subtree);
    this.leaves += 1;
  }

  /** Of the leaves so far; undefined before the first. */
  root(): Uint8Array | undefined {
    if (this.leaves === 0) return undefined;
    return this.peaks.reduceRight((right, left) => this.tree.nodeHash(left, right));
  }
}

const half = (value: number) => Math.floor(value / 2);
