import { CountingField } from '@svc/kernels';
import type { Air } from './air.js';
import { fieldOf } from './check-trace.js';

/** An AIR but for what can be told from the rest. */
export type AirDefinition<PublicInputs, Witness> = Omit<Air<PublicInputs, Witness>, 'transitionOperations'>;

/**
 * Completes an AIR: runs its transition constraints once to count what they cost and to check that its shape is what it says.
 * @throws RangeError, when the module loads, on a shape that the proof system has no place for
 */
export function defineAir<PublicInputs, Witness>(
  definition: AirDefinition<PublicInputs, Witness>,
): Air<PublicInputs, Witness> {
  const { id, columnCount, constraintDegree, transitionNames, traceLengthMin, periodicColumns } = definition;
  const demand = (holds: boolean, what: string) => {
    if (!holds) throw new RangeError(`${id}: ${what}`);
  };
  demand(constraintDegree >= 1 && constraintDegree <= 3, 'constraintDegree must be 1, 2 or 3');
  demand(isPowerOfTwo(traceLengthMin) && traceLengthMin >= 64, 'traceLengthMin must be a power of two ≥ 64');
  for (const { length } of periodicColumns) {
    demand(
      isPowerOfTwo(length) && length <= traceLengthMin,
      'a period must be a power of two ≤ traceLengthMin',
    );
  }
  const field = new CountingField(fieldOf(definition));
  const ones = (count: number) => Array<bigint>(count).fill(field.one);
  const values = definition.evaluateTransition(field, {
    current: ones(columnCount),
    next: ones(columnCount),
    periodic: ones(periodicColumns.length),
  });
  demand(values.length === transitionNames.length, 'every transition constraint must have a name');
  demand(new Set(transitionNames).size === transitionNames.length, 'names of constraints must differ');
  const { additions, multiplications } = field;
  return { ...definition, transitionOperations: { additions, multiplications } };
}

function isPowerOfTwo(value: number): boolean {
  return Number.isInteger(Math.log2(value));
}
