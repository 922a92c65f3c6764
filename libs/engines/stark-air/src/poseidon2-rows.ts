import type { BaseField, Field, Poseidon2, Poseidon2Round } from '@svc/kernels';
import type { OperationCount, TransitionFrame } from './air.js';

/** Rows of one permutation: absorption, the initial linear layer, the rounds, and rows that wait for the next absorption. */
export const ROWS_PER_PERMUTATION = 32;

const LINEAR_ROW = 0;
const ABSORB_ROW = ROWS_PER_PERMUTATION - 1;
const SELECTOR_NAMES = ['full', 'partial', 'linear', 'absorb', 'idle'] as const;
type Selector = (typeof SELECTOR_NAMES)[number];

/**
 * What must vanish for `lane` when a row of the next permutation follows: `next − current` where the state passes on as it
 * is, nothing where any value may be added. Of degree 2 at most.
 */
export type AbsorbTerm<E> = (lane: number) => E | undefined;

/**
 * Poseidon2 permutations one after another in a trace, one round a row (docs/stark-format.md, section 11).
 *
 * Columns 0 … 3·width − 1: the state before the row's step, the cubes of the state with the row's round constants, and the
 * S-boxes' results. Row 0 of a permutation holds the state after absorption, row 1 after the initial linear layer, row 1 + k
 * after round k; the rows after the last round repeat its state, and the step out of row 31 absorbs.
 */
export class Poseidon2Rows {
  /** Columns that the permutation takes, from column 0. */
  readonly columnCount: number;
  /** Selectors of the steps, then the round constants of each lane. */
  readonly periodicColumns: readonly (readonly bigint[])[];
  /** For the constraints that `evaluate` gives, in their order. */
  readonly transitionNames: readonly string[];
  private readonly width: number;
  private readonly selectors: readonly Selector[];
  private readonly lanes: readonly number[];

  constructor(readonly permutation: Poseidon2) {
    const { width, rounds } = permutation;
    if (rounds.length > ROWS_PER_PERMUTATION - 2)
      throw new RangeError('the rounds must fit between the layers');
    this.width = width;
    this.columnCount = 3 * width;
    this.lanes = Array.from({ length: width }, (_, lane) => lane);
    const hasIdleRows = rounds.length < ROWS_PER_PERMUTATION - 2;
    this.selectors = SELECTOR_NAMES.filter(name => name !== 'idle' || hasIdleRows);
    this.periodicColumns = this.createPeriodicColumns();
    this.transitionNames = [
      ...this.lanes.map(lane => `cube of lane ${lane}`),
      ...this.lanes.map(lane => `S-box of lane ${lane}`),
      ...this.lanes.map(lane => `step of lane ${lane}`),
    ];
  }

  /** The selector of the step out of a permutation's last row, for constraints about what is absorbed. */
  absorbSelector<E>(periodic: readonly E[]): E {
    return periodic[this.selectors.indexOf('absorb')];
  }

  /** For each lane what is added before the S-box in each row of a permutation: zero where no round steps out of it. */
  get roundConstants(): readonly (readonly bigint[])[] {
    return this.periodicColumns.slice(this.selectors.length);
  }

  /** The 3·width constraints: cubes, S-boxes, steps. Degree 3. */
  evaluate<E>(field: Field<E>, frame: TransitionFrame<E>, absorbTerm: AbsorbTerm<E>): E[] {
    const { width, permutation } = this;
    const { current, periodic } = frame;
    const constants = this.selectors.length;
    const keyed = this.lanes.map(i => field.add(current[i], periodic[constants + i]));
    const cubes = keyed.map((x, i) => field.sub(current[width + i], field.mul(field.mul(x, x), x)));
    const powers = keyed.map((x, i) =>
      field.sub(current[2 * width + i], permutation.sboxFromCube(field, current[width + i], x)),
    );
    return [...cubes, ...powers, ...this.evaluateSteps(field, frame, absorbTerm)];
  }

  /**
   * Fills the rows of a permutation from `firstRow`, as many as there are.
   * @returns the state in its row 31
   */
  write(
    field: BaseField,
    columns: readonly BigUint64Array[],
    firstRow: number,
    absorbed: readonly bigint[],
  ): bigint[] {
    const { width, permutation, lanes } = this;
    const end = Math.min(ROWS_PER_PERMUTATION, columns[0].length - firstRow);
    let state = [...absorbed];
    for (let j = 0; j < end; j++) {
      const round = this.roundAt(j);
      const keyed = state.map((lane, i) => field.add(lane, round?.constants[i] ?? 0n));
      const cubes = keyed.map(x => field.mul(field.mul(x, x), x));
      const powers = keyed.map((x, i) => permutation.sboxFromCube(field, cubes[i], x));
      for (const i of lanes) {
        columns[i][firstRow + j] = state[i];
        columns[width + i][firstRow + j] = cubes[i];
        columns[2 * width + i][firstRow + j] = powers[i];
      }
      if (j === LINEAR_ROW) state = permutation.externalMatrix(field, state);
      else if (round?.full) state = permutation.externalMatrix(field, powers);
      else if (round) state = permutation.internalMatrix(field, [powers[0], ...state.slice(1)]);
    }
    return state;
  }

  /** What writing `rowCount` rows costs, absorption excluded. */
  operations(rowCount: number): OperationCount {
    const { width } = this;
    let additions = rowCount * width;
    let multiplications = 4 * rowCount * width;
    for (let j = 0; j < Math.min(ROWS_PER_PERMUTATION, rowCount); j++) {
      const rows = Math.ceil((rowCount - j) / ROWS_PER_PERMUTATION);
      const round = this.roundAt(j);
      if (j === LINEAR_ROW || round?.full) {
        // Eleven additions a block of four lanes, the blocks' sums, and one addition a lane.
        additions += rows * (11 * (width / 4) + (width - 4) + width);
      } else if (round) {
        additions += rows * (2 * width - 1);
        multiplications += rows * width;
      }
    }
    return { additions, multiplications };
  }

  // The selectors exclude one another, so the sum of the cases vanishes only if the one in force does.
  private evaluateSteps<E>(
    field: Field<E>,
    { current, next, periodic }: TransitionFrame<E>,
    absorbTerm: AbsorbTerm<E>,
  ): E[] {
    const { width, permutation, lanes } = this;
    const state = current.slice(0, width);
    const powers = current.slice(2 * width, 3 * width);
    const full = permutation.externalMatrix(field, powers);
    const partial = permutation.internalMatrix(field, [powers[0], ...state.slice(1)]);
    const linear = permutation.externalMatrix(field, state);
    const absorb = this.absorbSelector(periodic);
    const notAbsorb = field.sub(field.one, absorb);
    const idle = this.selectors.indexOf('idle');
    return lanes.map(i => {
      const rounds = field.add(field.mul(periodic[0], full[i]), field.mul(periodic[1], partial[i]));
      let reached = field.add(rounds, field.mul(periodic[2], linear[i]));
      if (idle >= 0) reached = field.add(reached, field.mul(periodic[idle], state[i]));
      const step = field.sub(reached, field.mul(notAbsorb, next[i]));
      const term = absorbTerm(i);
      return term === undefined ? step : field.sub(step, field.mul(absorb, term));
    });
  }

  private roundAt(row: number): Poseidon2Round | undefined {
    return row === LINEAR_ROW ? undefined : this.permutation.rounds[row - 1];
  }

  private createPeriodicColumns(): bigint[][] {
    const rows = Array.from({ length: ROWS_PER_PERMUTATION }, (_, row) => {
      const round = this.roundAt(row);
      const inForce = this.selectorAt(row, round);
      const constants = round?.constants ?? this.lanes.map(() => 0n);
      return [...this.selectors.map(name => (name === inForce ? 1n : 0n)), ...constants];
    });
    return rows[0].map((_, column) => rows.map(row => row[column]));
  }

  private selectorAt(row: number, round: Poseidon2Round | undefined): Selector {
    if (round) return round.full ? 'full' : 'partial';
    if (row === LINEAR_ROW) return 'linear';
    return row === ABSORB_ROW ? 'absorb' : 'idle';
  }
}
