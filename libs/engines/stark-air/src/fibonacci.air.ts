import { isCanonical, type Field } from '@svc/kernels';
import type { Air, Execution, TransitionFrame } from './air.js';
import { elementFromJson, elementToJson, recordFromJson } from './public-input.js';
import { WitnessError } from './witness-error.js';

/** `result` is the element after traceLength steps of the recurrence that starts with `first`, `second`. */
export interface FibonacciPublicInputs {
  readonly first: bigint;
  readonly second: bigint;
  readonly result: bigint;
}

export interface FibonacciWitness {
  readonly first: bigint;
  readonly second: bigint;
}

/** The Fibonacci recurrence over the field: row k holds terms k and k + 1. See docs/stark-proof-format.md, section 11. */
export const fibonacciAir: Air<FibonacciPublicInputs, FibonacciWitness> = {
  id: 'raw/fibonacci/v1',
  field: 'goldilocks',
  zeroKnowledge: 'optional',
  columnCount: 2,
  constraintDegree: 1,
  transitionNames: ['shift of the pair', 'sum of the pair'],
  traceLengthMin: 64,
  periodicColumns: [],
  transitionOperations: { additions: 3, multiplications: 0 },

  evaluateTransition<E>(field: Field<E>, { current, next }: TransitionFrame<E>): E[] {
    return [field.sub(next[0], current[1]), field.sub(next[1], field.add(current[0], current[1]))];
  },

  boundaryConstraints({ first, second, result }, traceLength) {
    return [
      { column: 0, row: 0, value: first },
      { column: 1, row: 0, value: second },
      { column: 1, row: traceLength - 1, value: result },
    ];
  },

  publicInputElements({ first, second, result }) {
    return [first, second, result];
  },

  publicInputsFromJson(json): FibonacciPublicInputs {
    const record = recordFromJson(json, ['first', 'second', 'result']);
    return {
      first: elementFromJson(record.first, 'first'),
      second: elementFromJson(record.second, 'second'),
      result: elementFromJson(record.result, 'result'),
    };
  },

  publicInputsToJson({ first, second, result }) {
    return { first: elementToJson(first), second: elementToJson(second), result: elementToJson(result) };
  },

  rowsNeeded: () => 2,

  execute(field, { first, second }, traceLength): Execution<FibonacciPublicInputs> {
    for (const [name, value] of Object.entries({ first, second })) {
      if (!isCanonical(value))
        throw new WitnessError('malformed-element', name, 'must be a canonical field element');
    }
    const columns = [new BigUint64Array(traceLength), new BigUint64Array(traceLength)];
    columns[0][0] = first;
    columns[1][0] = second;
    for (let row = 1; row < traceLength; row++) {
      columns[0][row] = columns[1][row - 1];
      columns[1][row] = field.add(columns[0][row - 1], columns[1][row - 1]);
    }
    return { columns, publicInputs: { first, second, result: columns[1][traceLength - 1] } };
  },

  executionOperations: traceLength => ({ additions: traceLength - 1, multiplications: 0 }),
};
