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

/** A count that starts at `start` stands at `end` after `rows − 1` steps of `step`. */
export interface CounterPublicInputs extends RawPublicInputs {
  readonly start: bigint;
  readonly step: bigint;
  readonly end: bigint;
}

export interface CounterInputs {
  readonly start: bigint;
  readonly step: bigint;
  readonly rows?: number;
}

export type CounterWitness = RawWitness<CounterInputs>;

const COUNT = 0;
const STEP = 1;

/** A counter with a constant step, over the field. See docs/stark-format.md, section 11. */
export const counterAir = createCounterAir(goldilocks);
/** The same over M31. */
export const counterM31Air = createCounterAir(m31);

function createCounterAir(field: BaseField): RawAir<CounterPublicInputs, CounterWitness> {
  return defineRawAir<CounterPublicInputs, CounterInputs>({
    ...elementStatement(['start', 'step'], ['end'], field),
    id: 'raw/counter/v1',
    field: field.name,
    columnNames: ['count', 'step'],
    inputColumns: [],
    constraintDegree: 1,
    transitionNames: ['count rises by the step', 'step is constant'],

    evaluateTransition<E>(over: Field<E>, { current, next }: TransitionFrame<E>): E[] {
      return [
        over.sub(next[COUNT], over.add(current[COUNT], current[STEP])),
        over.sub(next[STEP], current[STEP]),
      ];
    },

    boundary: ({ start, step, end }) => ({
      first: [
        [COUNT, start],
        [STEP, step],
      ],
      last: [[COUNT, end]],
    }),

    publicInputsOf: (columns, rows) => ({
      rows,
      start: columns[COUNT][0],
      step: columns[STEP][0],
      end: columns[COUNT][rows - 1],
    }),

    begin({ start, step }, columns) {
      assertElements({ start, step }, field);
      columns[COUNT][0] = start;
      columns[STEP][0] = step;
    },

    fill(over, columns) {
      const [counts, steps] = columns;
      steps.fill(steps[0]);
      for (let row = 1; row < counts.length; row++) counts[row] = over.add(counts[row - 1], steps[0]);
    },

    executionOperations: rowCount => ({ additions: rowCount - 1, multiplications: 0 }),
  });
}
