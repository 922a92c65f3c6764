import type { BoundaryConstraint, OperationCount } from './air.js';
import { type AirDefinition, defineAir } from './define-air.js';
import { Poseidon2Rows, ROWS_PER_PERMUTATION } from './poseidon2-rows.js';
import type { Poseidon2Sponge } from './poseidon2-sponge.js';
import { PublicInputError } from './public-input.js';
import { SpongeLimbs } from './sponge-limbs.js';
import { absorbedRow, executeSponge, type SpongeAir, type SpongeTrace } from './sponge-trace.js';
import { WitnessError } from './witness-error.js';

/** After what is public, some `blockCount` blocks lead to this digest. */
export interface SpongeClaim {
  /** All lanes with the last block of what is public added, and not yet permuted. */
  readonly publicState: readonly bigint[];
  readonly blockCount: number;
  /** The rate after the last block. */
  readonly digest: readonly bigint[];
}

/** A witness of a claim: what the digest is made from. */
export interface SpongeOpening<PublicInputs> {
  /** As `publicState` of the claim; a function, since what is public may take long to hash. */
  publicStateOf(): readonly bigint[];
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

/** What is demanded of the blocks: that they are elements of the field, or that each of their elements is a limb of bytes. */
export type SpongeBlocks = 'elements' | 'limbs';

/**
 * An AIR of statements "I know blocks that, absorbed after what is public, give this digest" (docs/stark-format.md, section 11).
 *
 * Sound with blocks of elements: the boundary fixes the capacity of row 0, so that whatever stands in its rate is the rate
 * after what is public plus some first block. Each permutation's rows are forced round by round; the absorbing step passes
 * the capacity on and leaves the rate free, which is to say that some block was added. The boundary fixes the rate after
 * permutation `blockCount`. So a trace holds such blocks of any elements, bytes or not.
 *
 * Sound with blocks of limbs: permutation 0 is the last one of what is public, all lanes of its row 0 fixed by the boundary;
 * every later absorbing step adds limbs ({@link SpongeLimbs}) and nothing else. So a trace holds `blockCount` blocks of bytes.
 */
export function defineSpongeStatement<PublicInputs, Witness>(
  sponge: Poseidon2Sponge,
  blocksAre: SpongeBlocks,
  statement: SpongeStatement<PublicInputs, Witness>,
): SpongeAir<PublicInputs, Witness> {
  const { rate, permutation } = sponge;
  const rows = new Poseidon2Rows(permutation);
  const limbs = blocksAre === 'limbs' ? new SpongeLimbs(sponge, rows) : undefined;
  const leadingCount = limbs ? 1 : 0;
  const blocksMax = (rowCount: number) => Math.floor(rowCount / ROWS_PER_PERMUTATION) - leadingCount;
  const lastRowOf = (blockCount: number) => absorbedRow(leadingCount + blockCount);
  const trace = openingTrace(sponge, rows, limbs, statement);
  const air = defineAir<PublicInputs, Witness>({
    ...statement,
    field: permutation.field.name,
    zeroKnowledge: 'always',
    columnCount: rows.columnCount + (limbs?.columnCount ?? 0),
    constraintDegree: 3,
    transitionNames: [...rows.transitionNames, ...(limbs?.transitionNames ?? [])],
    traceLengthMin: 64,
    periodicColumns: [...rows.periodicColumns, ...(limbs ? [limbs.weights] : [])],

    evaluateTransition(field, frame) {
      const steps = rows.evaluate(field, frame, lane => {
        if (lane < rate && !limbs) return undefined;
        const change = field.sub(frame.next[lane], frame.current[lane]);
        return lane < rate && limbs ? field.sub(change, limbs.limb(frame, lane)) : change;
      });
      return limbs ? [...steps, ...limbs.evaluate(field, frame)] : steps;
    },

    boundaryConstraints(publicInputs, rowCount): BoundaryConstraint[] {
      const { publicState, blockCount, digest } = statement.claimOf(publicInputs);
      const max = blocksMax(rowCount);
      if (blockCount > max) {
        throw new PublicInputError(
          'privateBlocks',
          `must be at most ${max} in this trace, got ${blockCount}`,
        );
      }
      const at = (row: number, first: number, values: readonly bigint[]) =>
        values.map((value, i) => ({ column: first + i, row, value }));
      const start = limbs
        ? [...at(0, 0, publicState), ...limbs.boundaryConstraints()]
        : at(0, rate, permutation.permute(publicState).slice(rate));
      return [...start, ...at(lastRowOf(blockCount), 0, digest)];
    },

    rowsNeeded: witness => ROWS_PER_PERMUTATION * (leadingCount + statement.open(witness).blocks.length),

    execute: (field, witness, rowCount) => executeSponge(trace, field, witness, rowCount),

    executionOperations(rowCount): OperationCount {
      const { additions, multiplications } = rows.operations(rowCount);
      return { additions: additions + rate * Math.ceil(rowCount / ROWS_PER_PERMUTATION), multiplications };
    },
  });
  return { ...air, spongeTrace: trace };
}

function openingTrace<PublicInputs, Witness>(
  sponge: Poseidon2Sponge,
  rows: Poseidon2Rows,
  limbs: SpongeLimbs | undefined,
  statement: SpongeStatement<PublicInputs, Witness>,
): SpongeTrace<PublicInputs, Witness> {
  const { rate, permutation } = sponge;
  const leading = limbs ? [Array<bigint>(rate).fill(0n)] : [];
  return {
    sponge,
    rows,
    ...(limbs ? { limbs } : {}),
    begin(witness, rowCount) {
      const { publicStateOf, blocks, publicInputsOf } = statement.open(witness);
      const max = Math.floor(rowCount / ROWS_PER_PERMUTATION) - leading.length;
      if (blocks.length > max) {
        const message = `fills ${blocks.length} blocks, but a trace of ${rowCount} rows absorbs ${max}`;
        throw new WitnessError('input-exceeds-trace', 'privateWitness', message, { max, got: blocks.length });
      }
      const all = [...leading, ...blocks];
      return {
        initial: limbs ? publicStateOf() : permutation.permute(publicStateOf()),
        blocks: all,
        publicInputsOf: stateAt => publicInputsOf(stateAt(absorbedRow(all.length)).slice(0, rate)),
      };
    },
  };
}
