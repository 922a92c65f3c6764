import type { BoundaryConstraint, OperationCount } from './air.js';
import { type AirDefinition, defineAir } from './define-air.js';
import { Poseidon2Rows, ROWS_PER_PERMUTATION } from './poseidon2-rows.js';
import type { Poseidon2Sponge } from './poseidon2-sponge.js';
import { PublicInputError } from './public-input.js';
import { absorbedRow, executeSponge, type SpongeAir, type SpongeTrace } from './sponge-trace.js';
import { WitnessError } from './witness-error.js';

/** From this state, some `blockCount` blocks lead to this digest. */
export interface SpongeClaim {
  /** All lanes after whatever is hashed in public. Only the capacity matters: the rate is anybody's to choose. */
  readonly initial: readonly bigint[];
  readonly blockCount: number;
  /** The rate after the last block. */
  readonly digest: readonly bigint[];
}

/** A witness of a claim: what the digest is made from. */
export interface SpongeOpening<PublicInputs> {
  /** The state that the blocks are absorbed from: what is public may take long to hash. */
  initialOf(): readonly bigint[];
  readonly blocks: readonly (readonly bigint[])[];
  /** @throws WitnessError if this is not the digest that the statement has */
  publicInputsOf(digest: readonly bigint[]): PublicInputs;
}

type Derived =
  | 'field'
  | 'zeroKnowledge'
  | 'columnCount'
  | 'constraintDegree'
  | 'transitionNames'
  | 'traceLengthMin'
  | 'periodicColumns'
  | 'evaluateTransition'
  | 'boundaryConstraints'
  | 'rowsNeeded'
  | 'execute'
  | 'executionOperations';

/** What is particular to a statement about a sponge's hidden input. */
export interface SpongeStatement<PublicInputs, Witness> extends Omit<
  AirDefinition<PublicInputs, Witness>,
  Derived
> {
  claimOf(publicInputs: PublicInputs): SpongeClaim;
  /** @throws WitnessError */
  open(witness: Witness): SpongeOpening<PublicInputs>;
}

/**
 * An AIR of statements "I know blocks that, absorbed from this state on, give this digest" (docs/stark-format.md, section 11).
 *
 * Sound: the boundary fixes the capacity of row 0, so that whatever stands in its rate is the initial rate plus some first
 * block. Each permutation's rows are forced round by round; the absorbing step passes the capacity on and leaves the rate
 * free, which is to say that some block was added. The boundary fixes the rate after permutation `blockCount`. So a trace
 * holds such blocks, and finding them without knowing a preimage is finding a preimage or a collision on the capacity.
 */
export function defineSpongeStatement<PublicInputs, Witness>(
  sponge: Poseidon2Sponge,
  statement: SpongeStatement<PublicInputs, Witness>,
): SpongeAir<PublicInputs, Witness> {
  const { rate, permutation } = sponge;
  const rows = new Poseidon2Rows(permutation);
  const trace: SpongeTrace<PublicInputs, Witness> = {
    sponge,
    rows,
    begin(witness, rowCount) {
      const { initialOf, blocks, publicInputsOf } = statement.open(witness);
      const max = Math.floor(rowCount / ROWS_PER_PERMUTATION);
      if (blocks.length > max) {
        const message = `fills ${blocks.length} blocks, but a trace of ${rowCount} rows absorbs ${max}`;
        throw new WitnessError('input-exceeds-trace', 'privateWitness', message, { max, got: blocks.length });
      }
      return {
        initial: initialOf(),
        blocks,
        publicInputsOf: stateAt => publicInputsOf(stateAt(absorbedRow(blocks.length)).slice(0, rate)),
      };
    },
  };
  const air = defineAir<PublicInputs, Witness>({
    ...statement,
    field: permutation.field.name,
    zeroKnowledge: 'always',
    columnCount: rows.columnCount,
    constraintDegree: 3,
    transitionNames: rows.transitionNames,
    traceLengthMin: 64,
    periodicColumns: rows.periodicColumns,

    evaluateTransition: (field, frame) =>
      rows.evaluate(field, frame, lane =>
        lane < rate ? undefined : field.sub(frame.next[lane], frame.current[lane]),
      ),

    boundaryConstraints(publicInputs, rowCount): BoundaryConstraint[] {
      const { initial, blockCount, digest } = statement.claimOf(publicInputs);
      const max = Math.floor(rowCount / ROWS_PER_PERMUTATION);
      if (blockCount > max) {
        throw new PublicInputError(
          'privateBlocks',
          `must be at most ${max} in this trace, got ${blockCount}`,
        );
      }
      const lastRow = absorbedRow(blockCount);
      return [
        ...initial.slice(rate).map((value, i) => ({ column: rate + i, row: 0, value })),
        ...digest.map((value, i) => ({ column: i, row: lastRow, value })),
      ];
    },

    rowsNeeded: witness => ROWS_PER_PERMUTATION * statement.open(witness).blocks.length,

    execute: (field, witness, rowCount) => executeSponge(trace, field, witness, rowCount),

    executionOperations(rowCount): OperationCount {
      const { additions, multiplications } = rows.operations(rowCount);
      return { additions: additions + rate * Math.ceil(rowCount / ROWS_PER_PERMUTATION), multiplications };
    },
  });
  return { ...air, spongeTrace: trace };
}
