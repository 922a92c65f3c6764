import { type BaseField, type Field, goldilocks, m31 } from '@svc/kernels';
import type { TransitionFrame } from './air.js';
import { elementsFromJson, elementsToJson, recordFromJson } from './public-input.js';
import {
  defineRawAir,
  type RawAir,
  type RawPublicInputs,
  type RawWitness,
  rowsFromJson,
  witnessRows,
} from './raw-air.js';
import { WitnessError } from './witness-error.js';
import { witnessElements, witnessRecord } from './witness-json.js';

/** `output` is the row after `rows − 1` steps from `input`. */
export interface Cubic8PublicInputs extends RawPublicInputs {
  readonly input: readonly bigint[];
  readonly output: readonly bigint[];
}

export interface Cubic8Inputs {
  /** 8 canonical elements. */
  readonly input: readonly bigint[];
  readonly rows?: number;
}

export type Cubic8Witness = RawWitness<Cubic8Inputs>;

const WIDTH = 8;

/**
 * Eight columns, each the cube of itself plus its right neighbour: a step that costs nothing to state, so that provers are
 * compared and not statements. See docs/stark-format.md, section 11.
 */
export const cubic8Air = createCubic8Air(goldilocks);
/** The same over M31. */
export const cubic8M31Air = createCubic8Air(m31);

function createCubic8Air(field: BaseField): RawAir<Cubic8PublicInputs, Cubic8Witness> {
  const columns = Array.from({ length: WIDTH }, (_, i) => i);
  const rowAt = (trace: readonly ArrayLike<bigint>[], row: number) => trace.map(column => column[row]);
  return defineRawAir<Cubic8PublicInputs, Cubic8Inputs>({
    id: 'raw/cubic8/v1',
    field: field.name,
    columnNames: columns.map(i => `c${i}`),
    inputColumns: [],
    constraintDegree: 3,
    transitionNames: columns.map(i => `step of column ${i}`),

    evaluateTransition<E>(over: Field<E>, { current, next }: TransitionFrame<E>): E[] {
      return step(over, current).map((value, i) => over.sub(next[i], value));
    },

    boundary: ({ input, output }) => ({
      first: input.map((value, column) => [column, value] as const),
      last: output.map((value, column) => [column, value] as const),
    }),

    publicInputElements: ({ rows, input, output }) => [BigInt(rows), ...input, ...output],

    publicInputsOf: (trace, rows) => ({ rows, input: rowAt(trace, 0), output: rowAt(trace, rows - 1) }),

    publicInputsFromJson(json) {
      const { rows, input, output } = recordFromJson(json, ['rows', 'input', 'output']);
      return {
        rows: rowsFromJson(rows),
        input: elementsFromJson(input, 'input', WIDTH, field),
        output: elementsFromJson(output, 'output', WIDTH, field),
      };
    },

    publicInputsToJson: ({ rows, input, output }) => ({
      rows,
      input: elementsToJson(input, field),
      output: elementsToJson(output, field),
    }),

    inputsFromJson(json) {
      const { input, rows } = witnessRecord(json, ['input'], ['rows'], 'inputs');
      return { input: witnessElements(input, 'inputs.input', WIDTH, field), ...witnessRows(rows) };
    },

    rowsOf: ({ rows }) => rows,

    begin({ input }, trace) {
      if (input.length !== WIDTH || !input.every(value => value >= 0n && value < field.modulus)) {
        throw new WitnessError('malformed-element', 'input', `must be ${WIDTH} canonical field elements`);
      }
      input.forEach((value, column) => (trace[column][0] = value));
    },

    fill(over, trace) {
      let state = rowAt(trace, 0);
      for (let row = 1; row < trace[0].length; row++) {
        state = step(over, state);
        state.forEach((value, column) => (trace[column][row] = value));
      }
    },

    executionOperations: rowCount => ({
      additions: WIDTH * (rowCount - 1),
      multiplications: 2 * WIDTH * (rowCount - 1),
    }),
  });
}

function step<E>(field: Field<E>, state: readonly E[]): E[] {
  return state.map((x, i) => field.add(field.mul(field.mul(x, x), x), state[(i + 1) % WIDTH]));
}
