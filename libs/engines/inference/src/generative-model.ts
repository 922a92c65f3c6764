import {
  InferenceInputError,
  requireArray,
  requireInteger,
  requireNumber,
  requireObject,
} from './inference-input-error.js';

export const STATES_MAX = 256;
export const OBSERVATIONS_MAX = 256;
export const ACTIONS_MAX = 64;
export const READINGS_MAX = 64;
export const POLICY_LENGTH_MAX = 8;
/** Policies of one call, actions^policyLength: each has four numbers in the answer. */
export const POLICIES_MAX = 16_384;
/** Multiply-adds of one call: a quarter of a second or so. */
export const MULTIPLY_ADDS_MAX = 100_000_000;
export const LOG_PREFERENCE_MAX = 1_000;
export const PRECISION_MAX = 1_000;
export const PRECISION_DEFAULT = 16;
/** How far the sum of a distribution may be from 1; what is nearer is divided by its sum. */
export const SUM_TOLERANCE = 1e-6;

/** A discrete generative model of one factor and one modality, and what was seen of it. */
export interface ActiveInferenceInput {
  /** P(observation | state): rows are observations, columns states. */
  readonly A: readonly (readonly number[])[];
  /** P(next | current, action): `B[action][next][current]`. */
  readonly B: readonly (readonly (readonly number[])[])[];
  /** Log preferences over observations, up to a constant. */
  readonly C: readonly number[];
  /** Prior over the present state. */
  readonly D: readonly number[];
  /** Prior over policies in the order of their action sequences, the first action counting slowest; uniform if absent. */
  readonly E?: readonly number[];
  /** Independent readings of the one present state, each the row of A that was seen. */
  readonly observations: readonly number[];
  /** Actions of a policy, from 1; 1 if absent. */
  readonly policyLength?: number;
  /** Precision of policies; 16 if absent. */
  readonly gamma?: number;
  /** Precision of actions; 16 if absent. */
  readonly alpha?: number;
}

/** A checked model in flat arrays, its distributions summing to 1 to the last bit but rounding. */
export interface GenerativeModel {
  readonly states: number;
  readonly outcomes: number;
  readonly actions: number;
  /** `A[outcome · states + state]` */
  readonly A: Float64Array;
  /** One a matrix: `B[action][next · states + current]` */
  readonly B: readonly Float64Array[];
  readonly C: Float64Array;
  readonly D: Float64Array;
  readonly E?: Float64Array;
  readonly observations: readonly number[];
  readonly policyLength: number;
  readonly policies: number;
  readonly gamma: number;
  readonly alpha: number;
}

/**
 * Checks a model whole before anything is computed of it.
 *
 * @param input any value, as it came: what is not an `ActiveInferenceInput` is an error
 * @throws InferenceInputError with the path of the first fault
 */
export function readGenerativeModel(input: unknown): GenerativeModel {
  const given = requireObject('input', input);
  const rows = requireArray('A', given.A, 1, OBSERVATIONS_MAX);
  const states = requireArray('A[0]', rows[0], 1, STATES_MAX).length;
  const outcomes = rows.length;
  const matrices = requireArray('B', given.B, 1, ACTIONS_MAX);
  const actions = matrices.length;
  const policyLength = requireInteger('policyLength', orDefault(given.policyLength, 1), 1, POLICY_LENGTH_MAX);
  const policies = requirePolicies(actions, policyLength, states, outcomes);
  const model = {
    states,
    outcomes,
    actions,
    A: stochasticMatrix('A', rows, outcomes, states),
    B: matrices.map((matrix, action) => stochasticMatrix(`B[${action}]`, matrix, states, states)),
    C: Float64Array.from(requireArray('C', given.C, outcomes, outcomes), (value, at) =>
      requireNumber(`C[${at}]`, value, -LOG_PREFERENCE_MAX, LOG_PREFERENCE_MAX),
    ),
    D: distribution('D', given.D, states),
    observations: requireArray('observations', given.observations, 1, READINGS_MAX).map((value, at) =>
      requireInteger(`observations[${at}]`, value, 0, outcomes - 1),
    ),
    policyLength,
    policies,
    gamma: requireNumber('gamma', orDefault(given.gamma, PRECISION_DEFAULT), 0, PRECISION_MAX),
    alpha: requireNumber('alpha', orDefault(given.alpha, PRECISION_DEFAULT), 0, PRECISION_MAX),
  };
  return given.E === undefined ? model : { ...model, E: distribution('E', given.E, policies) };
}

/** Absent alone takes the default: null is a fault. */
const orDefault = (value: unknown, absent: number) => (value === undefined ? absent : value);

/** @returns actions^policyLength @throws InferenceInputError `TOO_LARGE` past the bounds of policies and of work */
function requirePolicies(actions: number, length: number, states: number, outcomes: number): number {
  const policies = actions ** length;
  if (policies > POLICIES_MAX) {
    const message = `makes ${policies} policies (${actions} actions, each of ${length} steps), at most ${POLICIES_MAX}`;
    throw new InferenceInputError('TOO_LARGE', 'policyLength', message, {
      bound: POLICIES_MAX,
      got: policies,
    });
  }
  const work = multiplyAdds(actions, length, states, outcomes);
  if (work > MULTIPLY_ADDS_MAX) {
    const message = `takes ${work} multiply-adds (${states} states, ${outcomes} observations, ${policies} policies), at most ${MULTIPLY_ADDS_MAX}`;
    throw new InferenceInputError('TOO_LARGE', 'policyLength', message, {
      bound: MULTIPLY_ADDS_MAX,
      got: work,
    });
  }
  return policies;
}

/** Work of a call: beginnings of policies are computed once for all that share them. */
export function multiplyAdds(actions: number, length: number, states: number, outcomes: number): number {
  let beginnings = 0;
  for (let depth = 1; depth <= length; depth++) beginnings += actions ** depth;
  return beginnings * states * (states + outcomes);
}

function distribution(path: string, value: unknown, length: number): Float64Array {
  const entries = requireArray(path, value, length, length);
  const checked = Float64Array.from(entries, (entry, at) => requireNumber(`${path}[${at}]`, entry, 0, 1));
  let sum = 0;
  for (const entry of checked) sum += entry;
  requireSum(path, sum);
  return checked.map(entry => entry / sum);
}

/** A matrix whose columns are distributions. */
function stochasticMatrix(path: string, value: unknown, rows: number, columns: number): Float64Array {
  const matrix = new Float64Array(rows * columns);
  const sums = new Float64Array(columns);
  requireArray(path, value, rows, rows).forEach((row, r) => {
    requireArray(`${path}[${r}]`, row, columns, columns).forEach((entry, c) => {
      const checked = requireNumber(`${path}[${r}][${c}]`, entry, 0, 1);
      matrix[r * columns + c] = checked;
      sums[c] += checked;
    });
  });
  for (let c = 0; c < columns; c++) requireSum(`${path}[*][${c}]`, sums[c]);
  for (let at = 0; at < matrix.length; at++) matrix[at] /= sums[at % columns];
  return matrix;
}

function requireSum(path: string, sum: number): void {
  if (Math.abs(sum - 1) <= SUM_TOLERANCE) return;
  throw new InferenceInputError('NOT_STOCHASTIC', path, `must sum to 1 within ${SUM_TOLERANCE}, got ${sum}`, {
    bound: 1,
    got: sum,
  });
}
