import { type BaseField, type Field, goldilocks, m31 } from '@svc/kernels';
import type { TransitionFrame } from './air.js';
import {
  assertElements,
  defineRawAir,
  elementStatement,
  type RawAir,
  type RawPublicInputs,
  type RawWitness,
} from './raw-air.js';

/** `result` is the element after `rows` steps of the recurrence that starts with `first`, `second`. */
export interface FibonacciPublicInputs extends RawPublicInputs {
  readonly first: bigint;
  readonly second: bigint;
  readonly result: bigint;
}

export interface FibonacciInputs {
  readonly first: bigint;
  readonly second: bigint;
  readonly rows?: number;
}

export type FibonacciWitness = RawWitness<FibonacciInputs>;

/** The Fibonacci recurrence over the field: row k holds terms k and k + 1. See docs/stark-format.md, section 11. */
export const fibonacciAir = createFibonacciAir(goldilocks);
/** The same over M31. */
export const fibonacciM31Air = createFibonacciAir(m31);

function createFibonacciAir(field: BaseField): RawAir<FibonacciPublicInputs, FibonacciWitness> {
  return defineRawAir<FibonacciPublicInputs, FibonacciInputs>({
    ...elementStatement(['first', 'second'], ['result'], field),
    id: 'raw/fibonacci/v1',
    field: field.name,
    columnNames: ['term', 'next term'],
    inputColumns: [],
    constraintDegree: 1,
    transitionNames: ['shift of the pair', 'sum of the pair'],

    evaluateTransition<E>(over: Field<E>, { current, next }: TransitionFrame<E>): E[] {
      return [over.sub(next[0], current[1]), over.sub(next[1], over.add(current[0], current[1]))];
    },

    boundary: ({ first, second, result }) => ({
      first: [
        [0, first],
        [1, second],
      ],
      last: [[1, result]],
    }),

    publicInputsOf: ([terms, nextTerms], rows) => ({
      rows,
      first: terms[0],
      second: nextTerms[0],
      result: nextTerms[rows - 1],
    }),

    begin({ first, second }, columns) {
      assertElements({ first, second }, field);
      columns[0][0] = first;
      columns[1][0] = second;
    },

    fill(over, [terms, nextTerms]) {
      for (let row = 1; row < terms.length; row++) {
        terms[row] = nextTerms[row - 1];
        nextTerms[row] = over.add(terms[row - 1], nextTerms[row - 1]);
      }
    },

    executionOperations: rowCount => ({ additions: rowCount - 1, multiplications: 0 }),
  });
}
