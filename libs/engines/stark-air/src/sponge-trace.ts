import type { BaseField } from '@svc/kernels';
import type { Air, Execution } from './air.js';
import { type Poseidon2Rows, ROWS_PER_PERMUTATION } from './poseidon2-rows.js';
import type { Poseidon2Sponge } from './poseidon2-sponge.js';
import type { SpongeLimbs } from './sponge-limbs.js';

/**
 * How a trace comes about that is one sponge from the first row to the last: a permutation's rows after another, with a
 * block absorbed before each until there is none left. Kernels make such a trace from this alone.
 */
export interface SpongeTrace<PublicInputs = unknown, Witness = unknown> {
  readonly sponge: Poseidon2Sponge;
  /** What the sponge's columns hold; they come first. */
  readonly rows: Poseidon2Rows;
  /** A column past the sponge's own that is 1 in the rows of permutations that absorb a block, and 0 after them. */
  readonly absorbingColumn?: number;
  /** Columns past the sponge's own that check the limbs of every block but the first; not beside `absorbingColumn`. */
  readonly limbs?: SpongeLimbs;
  /**
   * Where it starts. `rowCount` is what `execute` is asked to fill.
   * @throws WitnessError
   */
  begin(witness: Witness, rowCount: number): SpongeStart<PublicInputs>;
}

/** An AIR whose every trace is one sponge. */
export interface SpongeAir<PublicInputs = unknown, Witness = unknown> extends Air<PublicInputs, Witness> {
  readonly spongeTrace: SpongeTrace<PublicInputs, Witness>;
}

/** What a sponge is run from, and what its rows then make true. */
export interface SpongeStart<PublicInputs = unknown> {
  /** All lanes before the first block. */
  readonly initial: readonly bigint[];
  /** At least one, and no more than there are whole permutations in the rows. */
  readonly blocks: readonly (readonly bigint[])[];
  /**
   * @param stateAt the lanes in a row
   * @throws WitnessError
   */
  publicInputsOf(stateAt: (row: number) => bigint[]): PublicInputs;
}

/** The row in which a sponge has absorbed so many blocks: its state is what the last of them leads to. */
export function absorbedRow(blockCount: number): number {
  return blockCount * ROWS_PER_PERMUTATION - 1;
}

/** Makes the trace over `field`: what kernels do, by definition. @throws WitnessError */
export function executeSponge<PublicInputs, Witness>(
  trace: SpongeTrace<PublicInputs, Witness>,
  field: BaseField,
  witness: Witness,
  rowCount: number,
): Execution<PublicInputs> {
  const { sponge, rows, absorbingColumn, limbs } = trace;
  const { initial, blocks, publicInputsOf } = trace.begin(witness, rowCount);
  const columnCount = rows.columnCount + (absorbingColumn === undefined ? 0 : 1) + (limbs?.columnCount ?? 0);
  const columns = Array.from({ length: columnCount }, () => new BigUint64Array(rowCount));
  const nothing = Array<bigint>(sponge.rate).fill(0n);
  let state = initial;
  for (let p = 0; p * ROWS_PER_PERMUTATION < rowCount; p++) {
    const absorbed = sponge.add(state, blocks[p] ?? nothing, field);
    state = rows.write(field, columns, p * ROWS_PER_PERMUTATION, absorbed);
  }
  if (absorbingColumn !== undefined) columns[absorbingColumn].fill(1n, 0, absorbedRow(blocks.length) + 1);
  limbs?.fill(blocks, rowCount, (column, row, value) => (columns[column][row] = value));
  const lanes = columns.slice(0, sponge.permutation.width);
  return { columns, publicInputs: publicInputsOf(row => lanes.map(lane => lane[row])) };
}
