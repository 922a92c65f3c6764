import { type Field, isCanonical } from '@svc/kernels';
import type { Air, Execution, TransitionFrame } from './air.js';
import { elementsFromJson, elementToJson, recordFromJson } from './public-input.js';
import { WitnessError } from './witness-error.js';

/** `output` is the state after traceLength − 1 steps from `input`. */
export interface Cubic8PublicInputs {
  readonly input: readonly bigint[];
  readonly output: readonly bigint[];
}

export interface Cubic8Witness {
  /** 8 canonical elements. */
  readonly input: readonly bigint[];
}

const WIDTH = 8;

/**
 * Eight columns, each the cube of itself plus its right neighbour: a step that costs nothing to state, so that provers are
 * compared and not statements. See docs/stark-proof-format.md, section 11.
 */
export const cubic8Air: Air<Cubic8PublicInputs, Cubic8Witness> = {
  id: 'raw/cubic8/v1',
  field: 'goldilocks',
  zeroKnowledge: 'optional',
  columnCount: WIDTH,
  constraintDegree: 3,
  transitionNames: Array.from({ length: WIDTH }, (_, i) => `step of column ${i}`),
  traceLengthMin: 64,
  periodicColumns: [],
  transitionOperations: { additions: 16, multiplications: 16 },

  evaluateTransition<E>(field: Field<E>, { current, next }: TransitionFrame<E>): E[] {
    return step(field, current).map((value, i) => field.sub(next[i], value));
  },

  boundaryConstraints({ input, output }, traceLength) {
    return [
      ...input.map((value, column) => ({ column, row: 0, value })),
      ...output.map((value, column) => ({ column, row: traceLength - 1, value })),
    ];
  },

  publicInputElements: ({ input, output }) => [...input, ...output],

  publicInputsFromJson(json): Cubic8PublicInputs {
    const record = recordFromJson(json, ['input', 'output']);
    return {
      input: elementsFromJson(record.input, 'input', WIDTH),
      output: elementsFromJson(record.output, 'output', WIDTH),
    };
  },

  publicInputsToJson: ({ input, output }) => ({
    input: input.map(elementToJson),
    output: output.map(elementToJson),
  }),

  rowsNeeded: () => 2,

  execute(field, { input }, traceLength): Execution<Cubic8PublicInputs> {
    if (input.length !== WIDTH || !input.every(isCanonical)) {
      throw new WitnessError('malformed-element', 'input', `must be ${WIDTH} canonical field elements`);
    }
    const columns = Array.from({ length: WIDTH }, () => new BigUint64Array(traceLength));
    let state: readonly bigint[] = input;
    for (let row = 0; row < traceLength; row++) {
      if (row > 0) state = step(field, state);
      state.forEach((value, column) => (columns[column][row] = value));
    }
    return { columns, publicInputs: { input, output: state } };
  },

  executionOperations: traceLength => ({
    additions: WIDTH * (traceLength - 1),
    multiplications: 2 * WIDTH * (traceLength - 1),
  }),
};

function step<E>(field: Field<E>, state: readonly E[]): E[] {
  return state.map((x, i) => field.add(field.mul(field.mul(x, x), x), state[(i + 1) % WIDTH]));
}
