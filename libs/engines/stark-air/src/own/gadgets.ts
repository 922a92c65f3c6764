import type { BaseFieldName, Field } from '@svc/kernels';
import { Poseidon2Rows, ROWS_PER_PERMUTATION } from '../poseidon2-rows.js';
import { SPONGES } from '../poseidon2-sponge.js';
import { type ColumnTerm, type Statement, type Term } from './statement.js';

/** Tells commitments of this form from whatever else is hashed by the same sponge. */
const COMMITMENT_TAG = 'commit';

/** What is written for the elements of a field is written for terms: constraints of code become nodes. */
export function termField(s: Statement): Field<Term> {
  const isPolynomial = (): never => {
    throw new TypeError('a quotient of terms is no polynomial');
  };
  return {
    zero: s.constant(0),
    one: s.constant(1),
    fromBase: value => s.constant(value),
    add: (one, other) => one.add(other),
    sub: (one, other) => one.sub(other),
    mul: (one, other) => one.mul(other),
    scale: (term, factor) => term.mul(factor),
    equals: (one, other) => one.node === other.node,
    inverse: isPolynomial,
  };
}

/** Poseidon2 permutations one after another, 32 rows each. What row 0 begins with, and that the last row ends one, is left to who uses them. */
export interface PermutationColumns {
  /** In row 0 of a block what goes into its permutation, in row 31 what has come out. */
  readonly state: readonly ColumnTerm[];
  /** 1 in row 31 of each block, out of which the next block is begun: also in those behind what was committed to. */
  readonly ends: Term;
}

/**
 * Columns of Poseidon2 permutations: three for each lane, of which all but row 0 follow from one another. Width 8 over Goldilocks, 16 over M31.
 * @param begun what the state of the next block begins with, lane by lane, of cells of the row before
 */
export function poseidon2(
  s: Statement,
  name: string,
  begun: (lane: number, state: readonly ColumnTerm[]) => Term,
): PermutationColumns {
  const { permutation } = SPONGES[s.field];
  const { periodicColumns, roundConstants } = new Poseidon2Rows(permutation);
  const { width } = permutation;
  const over = termField(s);
  const lanes = Array.from({ length: width }, (_, lane) => lane);
  const state = lanes.map(lane => s.column(`${name}_s${lane}`));
  const selectors = periodicColumns.slice(0, periodicColumns.length - roundConstants.length);
  const [full, partial, linear, ends, idle] = selectors.map((values, i) =>
    s.cycle(`${name}_${['full', 'partial', 'linear', 'ends', 'idle'][i]}`, values),
  ) as [Term, Term, Term, Term, Term | undefined];
  const keyed = lanes.map(lane => state[lane].add(s.cycle(`${name}_k${lane}`, roundConstants[lane])));
  const cubes = keyed.map((x, lane) => s.let(`${name}_c${lane}`, x.mul(x).mul(x)));
  const powers = keyed.map((x, lane) =>
    s.let(`${name}_p${lane}`, permutation.sboxFromCube<Term>(over, cubes[lane], x)),
  );
  const afterFull = permutation.externalMatrix<Term>(over, powers);
  const afterPartial = permutation.internalMatrix<Term>(over, [powers[0], ...state.slice(1)]);
  const afterLinear = permutation.externalMatrix<Term>(over, state);
  for (const lane of lanes) {
    const rounds = full
      .mul(afterFull[lane])
      .add(partial.mul(afterPartial[lane]))
      .add(linear.mul(afterLinear[lane]));
    const waits = idle ? rounds.add(idle.mul(state[lane])) : rounds;
    s.require(`${name}_step${lane}`, state[lane].next.sub(waits.add(ends.mul(begun(lane, state)))));
  }
  return { state, ends };
}

/**
 * Binds a statement to hidden values that were committed to before: in row 31 of each block of 32 rows but the last, `values` are what is
 * committed to, and `NAME_0` … are the public digest of {@link commitmentOf}. A statement of n blocks of values has {@link committedRows} rows.
 *
 * Soundness: the capacity begins at a tag and is not given; each block of values is added to the rate before a permutation; the last row that the
 * statement speaks of is one in which a permutation has ended. So the digest is that of the sponge over a salt and the values, of which two that
 * differ are a collision; `rows`, which is public, tells how many there are.
 * @param values at most as many as the rate has lanes, 4 over Goldilocks and 8 over M31, of cells of the current row
 */
export function commit(s: Statement, name: string, values: readonly Term[]): PermutationColumns {
  const sponge = SPONGES[s.field];
  const { rate } = sponge;
  if (values.length < 1 || values.length > rate)
    throw new RangeError(`${name} commits to 1 to ${rate} values a block, got ${values.length}`);
  const digest = Array.from({ length: rate }, (_, i) => s.public(`${name}_${i}`));
  const blocks = poseidon2(s, name, (lane, state) =>
    lane < values.length ? state[lane].add(values[lane]) : state[lane],
  );
  const begun = sponge.initialState(COMMITMENT_TAG);
  for (let lane = rate; lane < begun.length; lane++) s.first(blocks.state[lane], begun[lane]);
  digest.forEach((value, lane) => s.last(blocks.state[lane], value));
  const atEnd = s.let(`${name}_at_end`, blocks.ends);
  s.last(atEnd, 1);
  return blocks;
}

/** Rows of a statement with so many blocks of committed values. */
export const committedRows = (blocks: number): number => ROWS_PER_PERMUTATION * (blocks + 1);

/**
 * The digest of values under a salt, as {@link commit} has it: salt and values show what was committed to.
 * @param salt as many random elements as the rate has lanes: `NAME_s0` … of row 0
 * @param blocks in their order, each of at most as many values
 */
export function commitmentOf(
  field: BaseFieldName,
  salt: readonly bigint[],
  blocks: readonly (readonly bigint[])[],
): bigint[] {
  const sponge = SPONGES[field];
  const { permutation, rate } = sponge;
  const add = (state: readonly bigint[], values: readonly bigint[]) =>
    state.map((lane, i) => (i < values.length ? permutation.field.add(lane, values[i]) : lane));
  let state = permutation.permute(add(sponge.initialState(COMMITMENT_TAG), salt.slice(0, rate)));
  for (const values of blocks) state = permutation.permute(add(state, values));
  return state.slice(0, rate);
}
