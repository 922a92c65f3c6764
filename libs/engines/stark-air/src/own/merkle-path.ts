import { ROWS_PER_PERMUTATION } from '../poseidon2-rows.js';
import { SPONGES } from '../poseidon2-sponge.js';
import { poseidon2 } from './gadgets.js';
import type { OwnStatement } from './own-trace.js';
import { bit, type ColumnTerm, type Statement, type Term } from './statement.js';

const { permutation: PERMUTATION, rate: RATE } = SPONGES.goldilocks;

/** Where a leaf lies in a tree of Poseidon2 over Goldilocks: of each level, from the leaf up, the node beside its path, and whether that path comes from the right. */
export interface MerklePath {
  readonly siblings: readonly (readonly bigint[])[];
  /** Whether the path's own node is the right one, and its sibling the left. */
  readonly isRight: readonly boolean[];
}

/** The node above two nodes of four elements: the lower half of their permutation, and the left one added. */
export const merkleParent = (left: readonly bigint[], right: readonly bigint[]): bigint[] =>
  PERMUTATION.permute([...left, ...right])
    .slice(0, RATE)
    .map((lane, i) => PERMUTATION.field.add(lane, left[i]));

/** The root above a leaf. */
export const merkleRoot = (leaf: readonly bigint[], { siblings, isRight }: MerklePath): bigint[] =>
  siblings.reduce<bigint[]>(
    (node, sibling, level) => (isRight[level] ? merkleParent(sibling, node) : merkleParent(node, sibling)),
    [...leaf],
  );

/**
 * Binds a statement to a leaf that lies under a public root, `NAME_0` …: a level takes a block of 32 rows, so that a tree of depth d has 32·d rows, which
 * are public: a verifier holds them to the depth that it knows. {@link merklePathOf} has what a statement gives for it.
 *
 * Soundness: `first` is 1 in row 0 alone. `node` is the leaf there, and in the last row of each block what its permutation and the left child that
 * was held come to. The left one of node and sibling, by a bit, begins the next block as it is held, and the other one follows from both: so each block is
 * one parent. The last row is one in which a block ends, and its node is the root.
 * @param leaf four terms of row 0, over Goldilocks: over M31 the columns do not suffice. A tree whose leaves are hashed otherwise than its nodes has no node that passes for a leaf
 * @returns the node as of each row, which a statement may look at where a block ends
 */
export function merklePath(s: Statement, name: string, leaf: readonly Term[]): readonly Term[] {
  if (s.field !== 'goldilocks') throw new RangeError(`${name} is a path over goldilocks, got ${s.field}`);
  if (leaf.length !== RATE)
    throw new RangeError(`${name} has a leaf of ${RATE} elements, got ${leaf.length}`);
  const lanes = leaf.map((_, i) => i);
  const columns = (what: string) => lanes.map(i => s.column(`${name}_${what}${i}`));
  const [sibling, held] = [columns('sibling'), columns('held')];
  const right = bit(s, `${name}_right`);
  const first = s.column(`${name}_first`);
  // From 1 it goes to 0, and stays there; written as a step, so that it is not sent.
  s.require(`${name}_once`, first.next.sub(first.mul(first.sub(1))));
  s.first(first, 1);
  const node: Term[] = [];
  const left: Term[] = [];
  const childOf = (lane: number, state: readonly ColumnTerm[]): Term => {
    const i = lane % RATE;
    const above = state[i].add(held[i]);
    node[i] ??= s.let(`${name}_node${i}`, above.add(first.mul(leaf[i].sub(above))));
    left[i] ??= s.let(`${name}_left${i}`, node[i].add(right.mul(sibling[i].sub(node[i]))));
    return lane < RATE ? left[i] : sibling[i].add(node[i]).sub(left[i]);
  };
  const { state, ends } = poseidon2(s, name, childOf);
  state.forEach((column, lane) =>
    s.require(`${name}_begins${lane}`, first.mul(column.sub(childOf(lane, state)))),
  );
  lanes.forEach(i => {
    s.require(`${name}_holds${i}`, held[i].next.sub(held[i].add(ends.mul(left[i].sub(held[i])))));
    s.require(`${name}_held${i}`, first.mul(held[i].sub(left[i])));
  });
  lanes.forEach(i => s.last(node[i] as ColumnTerm, s.public(`${name}_${i}`)));
  s.last(s.let(`${name}_at_end`, ends), 1);
  return node;
}

/** What a statement with {@link merklePath} has for it: its rows, row 0 of what follows, and the columns that are given. */
export function merklePathOf(
  name: string,
  leaf: readonly bigint[],
  { siblings, isRight }: MerklePath,
): Required<Pick<OwnStatement, 'rows' | 'start'>> & { readonly given: Record<string, bigint[]> } {
  const rows = ROWS_PER_PERMUTATION * siblings.length;
  // Row 0 has the first level; the last row of each block what begins the next.
  const levelOf = (row: number) =>
    row === 0
      ? 0
      : row % ROWS_PER_PERMUTATION === ROWS_PER_PERMUTATION - 1
        ? (row + 1) / ROWS_PER_PERMUTATION
        : -1;
  const cells = (of: (level: number) => bigint) =>
    Array.from({ length: rows }, (_, row) => (siblings[levelOf(row)] ? of(levelOf(row)) : 0n));
  const [left, other] = isRight[0] ? [siblings[0], leaf] : [leaf, siblings[0]];
  const numbered = <T>(what: string, values: readonly T[]): Record<string, T> =>
    Object.fromEntries(values.map((value, i) => [`${name}_${what}${i}`, value]));
  return {
    rows,
    start: { ...numbered('s', [...left, ...other]), ...numbered('held', left) },
    given: {
      ...numbered(
        'sibling',
        leaf.map((_, i) => cells(level => siblings[level][i])),
      ),
      [`${name}_right`]: cells(level => (isRight[level] ? 1n : 0n)),
    },
  };
}
