import { type Field, goldilocks, GOLDILOCKS_MODULUS, poseidon2Goldilocks } from '@svc/kernels';

/** Levels between a leaf and the root. */
export const RULES_TREE_DEPTH = 4;
/** Leaves that a tree has places for. */
export const RULES_LEAVES_MAX = 2 ** RULES_TREE_DEPTH;
/** Comparisons that one leaf carries. */
export const RULES_PER_LEAF = 18;
/** Exclusive bound of the magnitude of compared values: −2^49 ≤ value < 2^49. */
export const RULE_VALUE_BOUND = 2n ** 49n;

export const RULES_PER_BLOCK = 2;
export const HEADER_BLOCKS = 3;
export const RULE_BLOCKS = RULES_PER_LEAF / RULES_PER_BLOCK;
/** Permutations that absorb a leaf. */
export const LEAF_BLOCKS = HEADER_BLOCKS + RULE_BLOCKS;
/** The ASCII bytes of `rules:1`, little-endian: first lane of a leaf's capacity. */
export const LEAF_TAG = 0x31_3a73_656c_7572n;

const BLOCK_LIMBS = 4;
const SALT_WORDS = 2;
const LIMB_BYTES = 7;

/** Four field elements: a leaf's, a node's or the root's. */
export type RulesDigest = readonly bigint[];

/** One rule applied: it holds if the measured value is at least the threshold. */
export interface RuleComparison {
  readonly value: bigint;
  readonly threshold: bigint;
  readonly holds: boolean;
}

/** What one leaf commits to. */
export interface RulesLeaf {
  /** 16 bytes: two words below p, little-endian. */
  readonly salt: Uint8Array;
  /** 32 bytes. */
  readonly rulesetHash: Uint8Array;
  /** 32 bytes: digest of whatever was answered. */
  readonly contentDigest: Uint8Array;
  /** At most {@link RULES_PER_LEAF}. */
  readonly rules: readonly RuleComparison[];
}

/** A leaf that no tree can hold: `field` says what of it. */
export class RulesLeafError extends Error {
  override readonly name = 'RulesLeafError';
  readonly code = 'invalid-rules-leaf';

  constructor(
    readonly field: string,
    readonly reason: string,
  ) {
    super(`${field} ${reason}`);
  }
}

/** Whether both 8-byte words of a salt are canonical elements. */
export function isCanonicalSalt(salt: Uint8Array): boolean {
  return salt.length === 8 * SALT_WORDS && saltWords(salt).every(word => word < GOLDILOCKS_MODULUS);
}

/** The lanes that a leaf's sponge starts from, before its first block: zeros, then tag and number of rules. */
export function leafInitialState(ruleCount: number): bigint[] {
  return [0n, 0n, 0n, 0n, LEAF_TAG, BigInt(ruleCount), 0n, 0n];
}

/**
 * The 12 blocks of 4 elements that a leaf absorbs: salt, ruleset hash and content digest, then two rules a block, each as
 * value + 2^49 and 2·(threshold + 2^49) + holds; rules that are not there read 0 ≥ 0.
 * @throws RulesLeafError
 */
export function leafBlocks(leaf: RulesLeaf): bigint[][] {
  const { salt, rulesetHash, contentDigest, rules } = leaf;
  if (!isCanonicalSalt(salt)) throw new RulesLeafError('salt', 'must be two canonical words of 8 bytes');
  if (rules.length > RULES_PER_LEAF) {
    throw new RulesLeafError('rules', `must be at most ${RULES_PER_LEAF}, got ${rules.length}`);
  }
  const elements = [
    ...saltWords(salt),
    ...digestLimbs(rulesetHash, 'rulesetHash'),
    ...digestLimbs(contentDigest, 'contentDigest'),
    ...Array.from({ length: RULES_PER_LEAF }, (_, i) =>
      i < rules.length ? ruleElements(rules[i], i) : [0n, 1n],
    ).flat(),
  ];
  return Array.from({ length: LEAF_BLOCKS }, (_, block) =>
    elements.slice(block * BLOCK_LIMBS, (block + 1) * BLOCK_LIMBS),
  );
}

/** The digest of a leaf, which is not to be changed afterwards: it is hashed once. @throws RulesLeafError */
export function rulesLeafDigest(leaf: RulesLeaf): RulesDigest {
  const known = digests.get(leaf);
  if (known) return known;
  let state = leafInitialState(leaf.rules.length);
  for (const block of leafBlocks(leaf)) {
    state = poseidon2Goldilocks.permute(
      state.map((lane, i) => (i < BLOCK_LIMBS ? goldilocks.add(lane, block[i]) : lane)),
    );
  }
  return rememberLeafDigest(leaf, state.slice(0, BLOCK_LIMBS));
}

/** Spares a leaf that a trace has hashed already from being hashed again. */
export function rememberLeafDigest(leaf: RulesLeaf, digest: RulesDigest): RulesDigest {
  digests.set(leaf, digest);
  return digest;
}

const digests = new WeakMap<RulesLeaf, RulesDigest>();

/** The parent of two nodes: the first 4 lanes of P(left ‖ right), plus left (Poseidon2's compression, ePrint 2023/323). */
export function rulesParent(
  left: RulesDigest,
  right: RulesDigest,
  field: Field<bigint> = goldilocks,
): RulesDigest {
  const permuted = poseidon2Goldilocks.permute([...left, ...right], field);
  return left.map((lane, i) => field.add(permuted[i], lane));
}

/** The tree over up to 16 leaves; places without a leaf hold the zero digest. */
export class RulesTree {
  /** Nodes by level, leaves first; nodes past the last leaf are left out, being those of an empty subtree. */
  private readonly levels: (readonly RulesDigest[])[];

  constructor(leafDigests: readonly RulesDigest[]) {
    this.levels = [leafDigests];
    for (let level = 0; level < RULES_TREE_DEPTH; level++) {
      const nodes = this.levels[level];
      const parents = Array.from({ length: Math.ceil(nodes.length / 2) }, (_, i) =>
        rulesParent(nodes[2 * i], nodes[2 * i + 1] ?? emptySubtree(level)),
      );
      this.levels.push(parents);
    }
  }

  get root(): RulesDigest {
    return this.levels[RULES_TREE_DEPTH][0];
  }

  /** The 4 siblings from the leaf upwards. */
  path(leafIndex: number): RulesDigest[] {
    return Array.from({ length: RULES_TREE_DEPTH }, (_, level) => {
      const sibling = (leafIndex >> level) ^ 1;
      return this.levels[level][sibling] ?? emptySubtree(level);
    });
  }
}

/** The root that a leaf's path leads to. */
export function rulesRootOf(leaf: RulesDigest, leafIndex: number, path: readonly RulesDigest[]): RulesDigest {
  return path.reduce(
    (node, sibling, level) =>
      (leafIndex >> level) & 1 ? rulesParent(sibling, node) : rulesParent(node, sibling),
    leaf,
  );
}

const EMPTY_SUBTREES: RulesDigest[] = [[0n, 0n, 0n, 0n]];

function emptySubtree(level: number): RulesDigest {
  for (let i = EMPTY_SUBTREES.length; i <= level; i++) {
    EMPTY_SUBTREES.push(rulesParent(EMPTY_SUBTREES[i - 1], EMPTY_SUBTREES[i - 1]));
  }
  return EMPTY_SUBTREES[level];
}

function ruleElements({ value, threshold, holds }: RuleComparison, index: number): [bigint, bigint] {
  const raised = [value, threshold].map(operand => operand + RULE_VALUE_BOUND);
  if (raised.some(operand => operand < 0n || operand >= 2n * RULE_VALUE_BOUND)) {
    throw new RulesLeafError(`rules.${index}`, `must compare values from −2^49 to 2^49 − 1`);
  }
  return [raised[0], 2n * raised[1] + (holds ? 1n : 0n)];
}

function saltWords(salt: Uint8Array): bigint[] {
  const view = new DataView(salt.buffer, salt.byteOffset, salt.byteLength);
  return Array.from({ length: SALT_WORDS }, (_, i) => view.getBigUint64(8 * i, true));
}

// 32 bytes as limbs of 7, 7, 7, 7 and 4 little-endian bytes: injective, and canonical whatever the bytes.
function digestLimbs(digest: Uint8Array, field: string): bigint[] {
  if (digest.length !== 32) throw new RulesLeafError(field, `must be 32 bytes, got ${digest.length}`);
  const limbs: bigint[] = [];
  for (let start = 0; start < digest.length; start += LIMB_BYTES) {
    const bytes = digest.subarray(start, start + LIMB_BYTES);
    limbs.push(bytes.reduceRight((limb, byte) => (limb << 8n) | BigInt(byte), 0n));
  }
  return limbs;
}
