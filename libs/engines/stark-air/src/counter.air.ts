import { type BaseField, type Field, goldilocks, m31 } from '@svc/kernels';
import type { TransitionFrame } from './air.js';
import { elementFromJson, elementToJson, recordFromJson } from './public-input.js';
import {
  assertElements,
  defineRawAir,
  type RawAir,
  type RawPublicInputs,
  type RawWitness,
  rowsFromJson,
  witnessRows,
} from './raw-air.js';
import { witnessElement, witnessRecord } from './witness-json.js';

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

    publicInputElements: ({ rows, start, step, end }) => [BigInt(rows), start, step, end],

    publicInputsOf: (columns, rows) => ({
      rows,
      start: columns[COUNT][0],
      step: columns[STEP][0],
      end: columns[COUNT][rows - 1],
    }),

    publicInputsFromJson(json) {
      const { rows, start, step, end } = recordFromJson(json, ['rows', 'start', 'step', 'end']);
      return {
        rows: rowsFromJson(rows),
        start: elementFromJson(start, 'start', field),
        step: elementFromJson(step, 'step', field),
        end: elementFromJson(end, 'end', field),
      };
    },

    publicInputsToJson: ({ rows, start, step, end }) => ({
      rows,
      start: elementToJson(start, field),
      step: elementToJson(step, field),
      end: elementToJson(end, field),
    }),

    inputsFromJson(json) {
      const { start, step, rows } = witnessRecord(json, ['start', 'step'], ['rows']);
      return {
        start: witnessElement(start, 'inputs.start', field),
        step: witnessElement(step, 'inputs.step', field),
        ...witnessRows(rows),
      };
    },

    rowsOf: ({ rows }) => rows,

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
