import type { Field } from '@svc/kernels';
import type { BoundaryConstraint, TransitionFrame } from './air.js';
import { type Poseidon2Rows, ROWS_PER_PERMUTATION } from './poseidon2-rows.js';
import type { Poseidon2Sponge } from './poseidon2-sponge.js';

/**
 * Columns that show every block of a sponge to consist of limbs, integers of 56 bits over Goldilocks and of 24 over M31
 * (docs/stark-format.md, section 11). They follow the permutation's columns: first a sum for each lane of the rate, then each
 * lane's bits.
 *
 * While a permutation runs, the sums gather the limbs of the block that is absorbed after it, lowest bits first, as many bits
 * a row as there are bit columns for a lane. Sound: a sum begins at zero, by the boundary in row 0 and by the absorbing step
 * in every later permutation, and adds a bit times each weight, a power of two, once. So in the row that absorbs it is an
 * integer below 2^56 or 2^24, hence below p, and the absorbing step adds it and nothing else.
 */
export class SpongeLimbs {
  readonly columnCount: number;
  /** The periodic column: what the first of a lane's bits is worth in each row of a permutation. */
  readonly weights: readonly bigint[];
  /** For the constraints that `evaluate` gives, in their order. */
  readonly transitionNames: readonly string[];
  private readonly rate: number;
  private readonly bitsPerRow: number;
  private readonly weighedRows: number;
  private readonly firstColumn: number;

  constructor(
    sponge: Poseidon2Sponge,
    private readonly rows: Poseidon2Rows,
  ) {
    const limbBits = 8 * sponge.limbBytes;
    this.rate = sponge.rate;
    // The absorbing row has no weight, so that it can hold the finished sum.
    this.bitsPerRow = Math.ceil(limbBits / (ROWS_PER_PERMUTATION - 1));
    this.weighedRows = limbBits / this.bitsPerRow;
    this.firstColumn = rows.columnCount;
    this.columnCount = this.rate * (1 + this.bitsPerRow);
    this.weights = Array.from({ length: ROWS_PER_PERMUTATION }, (_, row) =>
      row < this.weighedRows ? 1n << BigInt(row * this.bitsPerRow) : 0n,
    );
    const lanes = Array.from({ length: this.rate }, (_, lane) => lane);
    this.transitionNames = [
      ...lanes.map(lane => `sum of limb ${lane}`),
      ...lanes.flatMap(lane =>
        Array.from({ length: this.bitsPerRow }, (_, bit) => `bit ${bit} of limb ${lane}`),
      ),
    ];
  }

  /** The limb that the absorbing step adds to a lane of the rate. */
  limb<E>({ current }: TransitionFrame<E>, lane: number): E {
    return current[this.sumColumn(lane)];
  }

  /** The sums' constraints, then the bits'. Degree 2. @param frame whose last periodic column is `weights` */
  evaluate<E>(field: Field<E>, frame: TransitionFrame<E>): E[] {
    const { current, next, periodic } = frame;
    const weight = periodic[periodic.length - 1];
    const kept = field.sub(field.one, this.rows.absorbSelector(periodic));
    const sums: E[] = [];
    const booleans: E[] = [];
    for (let lane = 0; lane < this.rate; lane++) {
      const bits = Array.from({ length: this.bitsPerRow }, (_, bit) => current[this.bitColumn(lane, bit)]);
      const digit = bits.reduceRight((sum, bit) => field.add(field.add(sum, sum), bit));
      const sum = this.sumColumn(lane);
      const reached = field.add(field.mul(kept, current[sum]), field.mul(weight, digit));
      sums.push(field.sub(next[sum], reached));
      booleans.push(...bits.map(bit => field.mul(bit, field.sub(bit, field.one))));
    }
    return [...sums, ...booleans];
  }

  /** Every sum begins at zero. */
  boundaryConstraints(): BoundaryConstraint[] {
    return Array.from({ length: this.rate }, (_, lane) => ({
      column: this.sumColumn(lane),
      row: 0,
      value: 0n,
    }));
  }

  /**
   * Sets the cells that are not zero.
   * @param blocks what each permutation absorbs, from that of row 0 on, which no sum speaks of
   */
  fill(
    blocks: readonly (readonly bigint[])[],
    rowCount: number,
    set: (column: number, row: number, value: bigint) => void,
  ): void {
    const bitsPerRow = BigInt(this.bitsPerRow);
    for (let p = 1; p < blocks.length; p++) {
      const firstRow = (p - 1) * ROWS_PER_PERMUTATION;
      const end = Math.min(ROWS_PER_PERMUTATION, rowCount - firstRow);
      for (let lane = 0; lane < this.rate; lane++) {
        const limb = blocks[p][lane];
        for (let j = 0; j < end; j++) {
          const place = bitsPerRow * BigInt(Math.min(j, this.weighedRows));
          set(this.sumColumn(lane), firstRow + j, limb & ((1n << place) - 1n));
          for (let bit = 0; bit < this.bitsPerRow; bit++) {
            set(this.bitColumn(lane, bit), firstRow + j, (limb >> (place + BigInt(bit))) & 1n);
          }
        }
      }
    }
  }

  /** The column that gathers the limb of a lane. */
  sumColumn(lane: number): number {
    return this.firstColumn + lane;
  }

  /** A column of bits of the limb of a lane, `bit` from the lowest. */
  bitColumn(lane: number, bit: number): number {
    return this.firstColumn + this.rate + lane * this.bitsPerRow + bit;
  }
}
