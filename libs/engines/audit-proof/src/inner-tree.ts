import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { TransparencyTree } from '@svc/kernels';
import type { RulesLeaf } from '@svc/stark-air';
import { type AuditStatement, contentDigest, ONLY_PART } from './audit-leaves.js';
import { rulesetHash } from './audit-rule.js';
import { toHex } from './byte-text.js';
import { canonicalDigest } from './canonical-digest.js';

/** Answers of one inner tree. */
export const INNER_LEAVES_MAX = 256;
/** Tells leaves of an inner tree, and the leaf of a batch that stands for one, from all others. */
export const INNER_TREE_ID = 'svc/audit-inner/v1';

/** Nodes, and leaves with the tag, by RFC 6962. */
const TREE = new TransparencyTree();
const TAG = concatBytes(Uint8Array.of(INNER_TREE_ID.length), utf8ToBytes(INNER_TREE_ID));

/** An answer's place in the inner tree of its batch. */
export interface InnerPlace {
  readonly index: number;
  readonly count: number;
  /** 16 bytes. */
  readonly salt: Uint8Array;
  /** Siblings from the leaf upwards, 32 bytes each; at most 8. */
  readonly path: readonly Uint8Array[];
}

/**
 * SHA-256(0x00 ‖ u8 length ‖ tag ‖ salt ‖ ruleset hash ‖ content digest), both hashes as a leaf of the batch has them.
 * @param statement without rules
 */
export function innerLeafHash(
  { rulesetId, rules: _none, ...content }: AuditStatement,
  salt: Uint8Array,
): Uint8Array {
  const digests = [rulesetHash(rulesetId, []), contentDigest(content, ONLY_PART)];
  return TREE.leafHash(concatBytes(TAG, salt, ...digests));
}

/** The leaf of a batch that stands for an inner tree. @param root 32 bytes @param salt 16 bytes */
export function outerLeaf(root: Uint8Array, count: number, salt: Uint8Array): RulesLeaf {
  return {
    salt,
    rulesetHash: rulesetHash(INNER_TREE_ID, []),
    contentDigest: canonicalDigest({ version: 3, innerRoot: toHex(root), innerCount: count }),
    rules: [],
  };
}

/** Root that a place leads to, 32 bytes; undefined where its path has not the length that index and count ask for. */
export function innerRootOf(
  statement: AuditStatement,
  { index, count, salt, path }: InnerPlace,
): Uint8Array | undefined {
  return TREE.rootOfInclusion({ leaf: innerLeafHash(statement, salt), index, leafCount: count, path });
}

/** A tree over answers without rules, whose root is one leaf of a batch. Every node of it is made once. */
export class InnerTree {
  /** From the leaves to the root; a last node without a sibling rises as it is. */
  private readonly levels: Uint8Array[][];

  /** @param leaves 1 to 256, of {@link innerLeafHash} */
  constructor(leaves: readonly Uint8Array[]) {
    if (leaves.length < 1 || leaves.length > INNER_LEAVES_MAX)
      throw new RangeError(`an inner tree has 1 to ${INNER_LEAVES_MAX} leaves, got ${leaves.length}`);
    this.levels = [[...leaves]];
    for (let level = this.levels[0]; level.length > 1; this.levels.push(level)) level = parentsOf(level);
  }

  get count(): number {
    return this.levels[0].length;
  }

  get root(): Uint8Array {
    return this.levels.at(-1)![0];
  }

  /** Siblings of a leaf, from it upwards. */
  path(index: number): Uint8Array[] {
    return this.levels.slice(0, -1).flatMap((level, height) => {
      const at = Math.floor(index / 2 ** height);
      return level[at % 2 === 0 ? at + 1 : at - 1] ?? [];
    });
  }
}

const parentsOf = (level: readonly Uint8Array[]): Uint8Array[] =>
  Array.from({ length: Math.ceil(level.length / 2) }, (_, i) =>
    2 * i + 1 < level.length ? TREE.nodeHash(level[2 * i], level[2 * i + 1]) : level[2 * i],
  );
