import { poseidon2Goldilocks } from '@svc/kernels';
import { HEADER_BLOCKS, LEAF_BLOCKS, RULES_TREE_DEPTH } from './rules-leaf.js';

export const WIDTH = poseidon2Goldilocks.width;
/** Rows of one permutation: eleven of rounds, one of its output, three that hold it, one in which the next input forms. */
export const ROWS_PER_PERMUTATION = 16;
/** Permutations of one leaf: its blocks, then its path. */
export const PERMUTATIONS_PER_LEAF = LEAF_BLOCKS + RULES_TREE_DEPTH;
export const ROWS_PER_LEAF = ROWS_PER_PERMUTATION * PERMUTATIONS_PER_LEAF;
/** S-boxes of one row: those of one full round, or as many partial rounds. */
export const SBOX_COUNT = WIDTH;
/** Partial rounds of the rows that make them. */
export const PARTIAL_ROUNDS = [8, 8, 6] as const;
/** Ternary digits of one comparison in one row; 32 in a permutation. */
export const DIGITS_PER_ROW = 2;

// First column of each group.
export const STATE = 0;
export const INPUT = STATE + WIDTH;
export const CUBE = INPUT + SBOX_COUNT;
export const SEVENTH = CUBE + SBOX_COUNT;
export const HELD = SEVENTH + SBOX_COUNT;
export const DIGIT = HELD + 4;
export const ACCUMULATOR = DIGIT + 2 * DIGITS_PER_ROW;
export const HOLDS = ACCUMULATOR + 2;
export const DIRECTION = HOLDS + 2;
export const INDEX = DIRECTION + 1;
export const RULES_COLUMN_COUNT = INDEX + 1;

/** Periodic columns by name; a round key for each S-box follows. */
export const Periodic = {
  /** Row 0 of a permutation: its input is mixed, then a full round. */
  first: 0,
  /** A full round. */
  full: 1,
  /** Eight partial rounds. */
  partial: 2,
  /** Six partial rounds. */
  partialEnd: 3,
  /** Rows 11 to 14: the state stays. */
  output: 4,
  /** Row 15. */
  last: 5,
  /** Row 15 before a permutation that absorbs a further block. */
  absorbNext: 6,
  /** Row 15 before a compression. */
  compressNext: 7,
  /** Row 11 of a compression. */
  compressed: 8,
  /** Row 15 of a permutation that absorbed two rules. */
  ruleEnd: 9,
  leafFirst: 10,
  leafLast: 11,
  /** Row 15 before the compression of level j: 2^j. */
  indexWeight: 12,
} as const;
export const ROUND_KEYS = 13;

const HALF_FULL_ROUNDS = 4;
export const OUTPUT_ROW = 2 * HALF_FULL_ROUNDS + PARTIAL_ROUNDS.length;
const LAST_ROW = ROWS_PER_PERMUTATION - 1;

/** Partial rounds that a row of a permutation makes: 0 for a full round, and for no round. */
export function partialRoundsOfRow(row: number): number {
  return PARTIAL_ROUNDS[row - HALF_FULL_ROUNDS] ?? 0;
}

/** Round keys of a row of a permutation, one an S-box; zeros where it has none. */
export const KEYS_OF_ROW: readonly (readonly bigint[])[] = keysOfRows();

/** The periodic columns: those of a permutation have period 16, those of a leaf 256. */
export const PERIODIC_COLUMNS: readonly (readonly bigint[])[] = [
  ofPermutation(row => row === 0),
  ofPermutation(row => row > 0 && row < OUTPUT_ROW && partialRoundsOfRow(row) === 0),
  ofPermutation(row => partialRoundsOfRow(row) === 8),
  ofPermutation(row => partialRoundsOfRow(row) === 6),
  ofPermutation(row => row >= OUTPUT_ROW && row < LAST_ROW),
  ofPermutation(row => row === LAST_ROW),
  ofLeaf((permutation, row) => row === LAST_ROW && permutation < LEAF_BLOCKS - 1),
  ofLeaf((permutation, row) => row === LAST_ROW && isBeforeCompression(permutation)),
  ofLeaf((permutation, row) => row === OUTPUT_ROW && permutation >= LEAF_BLOCKS),
  ofLeaf((permutation, row) => row === LAST_ROW && permutation >= HEADER_BLOCKS && permutation < LEAF_BLOCKS),
  ofLeaf((permutation, row) => permutation === 0 && row === 0),
  ofLeaf((permutation, row) => permutation === PERMUTATIONS_PER_LEAF - 1 && row === LAST_ROW),
  ofLeaf((permutation, row) =>
    row === LAST_ROW && isBeforeCompression(permutation) ? 2 ** (permutation - LEAF_BLOCKS + 1) : 0,
  ),
  ...Array.from({ length: SBOX_COUNT }, (_, k) => KEYS_OF_ROW.map(keys => keys[k])),
];

function keysOfRows(): bigint[][] {
  const rounds = [...poseidon2Goldilocks.rounds];
  return Array.from({ length: ROWS_PER_PERMUTATION }, (_, row) => {
    const count = row < OUTPUT_ROW ? partialRoundsOfRow(row) || 1 : 0;
    const keys = rounds
      .splice(0, count)
      .flatMap(({ full, constants }) => (full ? constants : [constants[0]]));
    return Array.from({ length: SBOX_COUNT }, (_, k) => keys[k] ?? 0n);
  });
}

function isBeforeCompression(permutation: number): boolean {
  return permutation >= LEAF_BLOCKS - 1 && permutation < PERMUTATIONS_PER_LEAF - 1;
}

function ofPermutation(selects: (row: number) => boolean): bigint[] {
  return Array.from({ length: ROWS_PER_PERMUTATION }, (_, row) => (selects(row) ? 1n : 0n));
}

function ofLeaf(valueAt: (permutation: number, row: number) => number | boolean): bigint[] {
  return Array.from({ length: ROWS_PER_LEAF }, (_, i) =>
    BigInt(valueAt(Math.floor(i / ROWS_PER_PERMUTATION), i % ROWS_PER_PERMUTATION)),
  );
}
