import { type Field, goldilocks, poseidon2Goldilocks as P } from '@svc/kernels';
import type { OperationCount } from './air.js';
import {
  leafBlocks,
  leafInitialState,
  RULES_LEAVES_MAX,
  RULES_PER_BLOCK,
  RULES_TREE_DEPTH,
  RulesLeafError,
  rememberLeafDigest,
  RulesTree,
  HEADER_BLOCKS,
  LEAF_BLOCKS,
  type RuleComparison,
  type RulesDigest,
  type RulesLeaf,
} from './rules-leaf.js';
import {
  ACCUMULATOR,
  CUBE,
  DIGIT,
  DIGITS_PER_ROW,
  DIRECTION,
  HELD,
  HOLDS,
  INDEX,
  INPUT,
  KEYS_OF_ROW,
  OUTPUT_ROW,
  partialRoundsOfRow,
  PERMUTATIONS_PER_LEAF,
  ROWS_PER_LEAF,
  ROWS_PER_PERMUTATION,
  RULES_COLUMN_COUNT,
  SEVENTH,
  STATE,
} from './rules-layout.js';
import { WitnessError } from './witness-error.js';

export interface RulesWitness {
  /** 1 … 16 leaves, as many as the trace has room for. */
  readonly leaves: readonly RulesLeaf[];
}

type Columns = readonly BigUint64Array[];

const DIGEST_LANES = 4;
const DIGITS = DIGITS_PER_ROW * ROWS_PER_PERMUTATION;
const EMPTY_LEAF: RulesLeaf = {
  salt: new Uint8Array(16),
  rulesetHash: new Uint8Array(32),
  contentDigest: new Uint8Array(32),
  rules: [],
};
const ABSENT_RULE: RuleComparison = { value: 0n, threshold: 0n, holds: true };

/**
 * The trace of a tree of leaves, 256 rows a leaf; rows past the last leaf repeat an empty one that no boundary mentions.
 * A verdict that is wrong is written as it stands, and breaks the comparison's constraint.
 * @throws WitnessError for no leaf, too many, or one that no tree can hold
 */
export function rulesTrace(
  field: Field<bigint>,
  { leaves }: RulesWitness,
  rowCount: number,
): { columns: BigUint64Array[]; root: RulesDigest } {
  const max = Math.min(RULES_LEAVES_MAX, Math.floor(rowCount / ROWS_PER_LEAF));
  const got = leaves.length;
  if (got < 1 || got > max) {
    throw new WitnessError('malformed-element', 'leaves', `must be 1 to ${max} leaves, got ${got}`, {
      max,
      got,
    });
  }
  const columns = Array.from({ length: RULES_COLUMN_COUNT }, () => new BigUint64Array(rowCount));
  const digests = leaves.map((leaf, i) =>
    rememberLeafDigest(leaf, writeBlocks(field, columns, i * ROWS_PER_LEAF, leaf)),
  );
  const tree = new RulesTree(digests);
  digests.forEach((digest, i) => writePath(field, columns, i * ROWS_PER_LEAF, digest, i, tree.path(i)));
  fillWithEmptyLeaves(columns, got * ROWS_PER_LEAF, rowCount);
  return { columns, root: tree.root };
}

/** What {@link rulesTrace} costs over its field: the tree's nodes and the empty leaf are made with plain arithmetic. */
export function rulesTraceOperations(leafCount: number): OperationCount {
  // A permutation: 64 + 22 keys added, as many cubes and sevenths, 9 external and 22 internal matrices.
  const permutation = { additions: 64 + 22 + 9 * 34 + 22 * 15, multiplications: 4 * (64 + 22) + 22 * 8 };
  const absorbed = (LEAF_BLOCKS - 1) * DIGEST_LANES;
  const fedForward = RULES_TREE_DEPTH * DIGEST_LANES;
  return {
    additions: leafCount * (PERMUTATIONS_PER_LEAF * permutation.additions + absorbed + fedForward),
    multiplications: leafCount * PERMUTATIONS_PER_LEAF * permutation.multiplications,
  };
}

// The permutations that absorb a leaf. Returns its digest.
function writeBlocks(field: Field<bigint>, columns: Columns, firstRow: number, leaf: RulesLeaf): RulesDigest {
  let state: readonly bigint[] = leafInitialState(leaf.rules.length);
  blocksOf(leaf).forEach((block, b) => {
    const row = firstRow + b * ROWS_PER_PERMUTATION;
    // The first block meets a rate of zeros.
    const absorb = (lane: bigint, i: number) => (b === 0 ? block[i] : field.add(lane, block[i]));
    const input = state.map((lane, i) => (i < DIGEST_LANES ? absorb(lane, i) : lane));
    state = writePermutation(field, columns, row, input);
    writeOutput(columns, row, state, block);
    if (b >= HEADER_BLOCKS) writeComparisons(columns, row, leaf.rules, (b - HEADER_BLOCKS) * RULES_PER_BLOCK);
  });
  return state.slice(0, DIGEST_LANES);
}

function blocksOf(leaf: RulesLeaf): bigint[][] {
  try {
    return leafBlocks(leaf);
  } catch (error) {
    if (!(error instanceof RulesLeafError)) throw error;
    throw new WitnessError('malformed-element', `leaves.${error.field}`, error.reason);
  }
}

// The compressions from a leaf to the root.
function writePath(
  field: Field<bigint>,
  columns: Columns,
  firstRow: number,
  digest: RulesDigest,
  leafIndex: number,
  path: readonly RulesDigest[],
): void {
  let node = digest;
  let index = 0;
  path.forEach((sibling, level) => {
    const row = firstRow + (LEAF_BLOCKS + level) * ROWS_PER_PERMUTATION;
    const direction = (leafIndex >> level) & 1;
    const [left, right] = direction ? [sibling, node] : [node, sibling];
    const output = writePermutation(field, columns, row, [...left, ...right]);
    node = left.map((lane, i) => field.add(output[i], lane));
    writeOutput(columns, row, [...node, ...output.slice(DIGEST_LANES)], left);
    index += direction << level;
    columns[DIRECTION].fill(BigInt(direction), row, row + ROWS_PER_PERMUTATION);
    columns[INDEX].fill(BigInt(index), row, row + ROWS_PER_PERMUTATION);
  });
}

// The rows of a permutation's rounds with their S-boxes. Returns its output.
function writePermutation(
  field: Field<bigint>,
  columns: Columns,
  firstRow: number,
  input: readonly bigint[],
): readonly bigint[] {
  let state = input;
  for (let r = 0; r < OUTPUT_ROW; r++) {
    const row = firstRow + r;
    const keys = KEYS_OF_ROW[r];
    writeLanes(columns, STATE, row, state);
    const partialRounds = partialRoundsOfRow(r);
    for (let k = 0; k < partialRounds; k++) {
      const seventh = writeSbox(field, columns, row, k, field.add(state[0], keys[k]));
      state = P.internalMatrix(field, [seventh, ...state.slice(1)]);
    }
    if (partialRounds > 0) continue;
    if (r === 0) state = P.externalMatrix(field, state);
    const keyed = state.map((lane, k) => field.add(lane, keys[k]));
    state = P.externalMatrix(
      field,
      keyed.map((x, k) => writeSbox(field, columns, row, k, x)),
    );
  }
  writeLanes(columns, STATE, firstRow + OUTPUT_ROW, state);
  return state;
}

function writeSbox(field: Field<bigint>, columns: Columns, row: number, k: number, x: bigint): bigint {
  const cube = field.mul(field.mul(x, x), x);
  const seventh = field.mul(field.mul(cube, cube), x);
  columns[INPUT + k][row] = x;
  columns[CUBE + k][row] = cube;
  columns[SEVENTH + k][row] = seventh;
  return seventh;
}

// The state from row 12 to the last, and what the permutation holds from its first row to its last.
function writeOutput(
  columns: Columns,
  firstRow: number,
  state: readonly bigint[],
  held: readonly bigint[],
): void {
  const end = firstRow + ROWS_PER_PERMUTATION;
  for (let row = firstRow + OUTPUT_ROW + 1; row < end; row++) writeLanes(columns, STATE, row, state);
  for (let row = firstRow; row < end; row++) writeLanes(columns, HELD, row, held);
}

function writeComparisons(
  columns: Columns,
  firstRow: number,
  rules: readonly RuleComparison[],
  firstRule: number,
): void {
  for (let j = 0; j < RULES_PER_BLOCK; j++) {
    const { value, threshold, holds } = rules[firstRule + j] ?? ABSENT_RULE;
    columns[HOLDS + j].fill(holds ? 1n : 0n, firstRow, firstRow + ROWS_PER_PERMUTATION);
    let rest = BigInt.asUintN(64, holds ? value - threshold : threshold - value - 1n);
    const digits: bigint[] = [];
    for (let d = 0; d < DIGITS; d++, rest /= 3n) digits.unshift(rest % 3n);
    let sum = 0n;
    for (let r = 0; r < ROWS_PER_PERMUTATION; r++) {
      columns[ACCUMULATOR + j][firstRow + r] = sum;
      for (let d = 0; d < DIGITS_PER_ROW; d++) {
        const digit = digits[r * DIGITS_PER_ROW + d];
        columns[DIGIT + j * DIGITS_PER_ROW + d][firstRow + r] = digit;
        sum = 3n * sum + digit;
      }
    }
  }
}

function writeLanes(columns: Columns, first: number, row: number, lanes: readonly bigint[]): void {
  for (let i = 0; i < lanes.length; i++) columns[first + i][row] = lanes[i];
}

// Whole empty leaves, then the beginning of one.
function fillWithEmptyLeaves(columns: Columns, firstRow: number, rowCount: number): void {
  const template = (emptyLeaf ??= emptyLeafColumns());
  for (let row = firstRow; row < rowCount; row += ROWS_PER_LEAF) {
    const length = Math.min(ROWS_PER_LEAF, rowCount - row);
    columns.forEach((column, i) => column.set(template[i].subarray(0, length), row));
  }
}

let emptyLeaf: Columns | undefined;

function emptyLeafColumns(): Columns {
  const columns = Array.from({ length: RULES_COLUMN_COUNT }, () => new BigUint64Array(ROWS_PER_LEAF));
  const zero = Array.from({ length: DIGEST_LANES }, () => 0n);
  const path = Array.from({ length: RULES_TREE_DEPTH }, () => zero);
  const digest = writeBlocks(goldilocks, columns, 0, EMPTY_LEAF);
  writePath(goldilocks, columns, 0, digest, 0, path);
  return columns;
}
