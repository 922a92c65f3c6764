import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { activeInference } from './active-inference.js';
import { type ActiveInferenceInput, MULTIPLY_ADDS_MAX, POLICIES_MAX } from './generative-model.js';
import { InferenceInputError } from './inference-input-error.js';

interface Answer {
  readonly qs: number[];
  readonly F: number;
  readonly negEFE: number[];
  readonly utility: number[];
  readonly infoGain: number[];
  readonly qPi: number[];
  readonly action: number;
  readonly actionProbabilities: number[];
}
const {
  cases,
}: { cases: { input: ActiveInferenceInput & { name: string }; pymdp: Answer; exact: Answer }[] } = JSON.parse(
  readFileSync(new URL('./active-inference.vectors.json', import.meta.url), 'utf8'),
);

const known = cases[0].input;
const change = (changed: object) => ({ ...known, ...changed }) as ActiveInferenceInput;

function faultOf(input: unknown): InferenceInputError {
  try {
    activeInference(input as ActiveInferenceInput);
  } catch (error) {
    if (error instanceof InferenceInputError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

function near(got: readonly number[], expected: readonly number[], tolerance: number): void {
  expect(got).toHaveLength(expected.length);
  got.forEach((value, i) => expect(Math.abs(value - expected[i])).toBeLessThanOrEqual(tolerance));
}

describe('active inference', () => {
  it('gives the known answer of three states that stay or turn, to ten digits', () => {
    const { qs, F, negEFE, qPi, action } = activeInference(known);
    near(qs, [0.2307692308, 0.6461538462, 0.123076923], 1e-9);
    near([F], [1.1239300967], 1e-9);
    near(negEFE.total, [-3.1237549652, -3.1821473386, -3.240539712, -2.7465231659], 1e-9);
    near(negEFE.total, [-3.1237542899, -3.1821466634, -3.2405390368, -2.7465224907], 1e-5);
    near(qPi, [0.0023829821, 0.0009362008, 0.0003678047, 0.9963130124], 1e-9);
    expect(action).toBe(1);
  });

  it.each(cases.map(each => [each.input.name, each] as const))(
    'agrees with the formulas to 1e-9 and with pymdp to 1e-5: %s',
    (_, { input, pymdp, exact }) => {
      const got = activeInference(input);
      const ofPolicies = {
        negEFE: got.negEFE.total,
        utility: got.negEFE.utility,
        infoGain: got.negEFE.infoGain,
      };
      const all = { ...ofPolicies, qs: got.qs, qPi: got.qPi, actionProbabilities: got.actionProbabilities };
      for (const [field, value] of Object.entries(all)) {
        near(value, exact[field as 'qs'], 1e-9);
        near(value, pymdp[field as 'qs'], 1e-5);
      }
      near([got.F], [exact.F], 1e-9);
      near([got.F], [pymdp.F], 1e-5);
      expect(got.action).toBe(exact.action);
    },
  );

  it('has for F minus the logarithm of the probability of what was seen, for any model', () => {
    fc.assert(
      fc.property(models(), input => {
        const { F } = activeInference(input);
        let probability = 0;
        input.D.forEach((prior, s) => {
          probability += input.observations.reduce((product, o) => product * input.A[o][s], prior);
        });
        expect(F).toBeCloseTo(-Math.log(probability), 9);
      }),
      { numRuns: 200 },
    );
  });

  it('answers distributions, information gains from 0 to ln of the smaller count, and finite numbers alone', () => {
    fc.assert(
      fc.property(models(), input => {
        const got = activeInference(input);
        const length = input.policyLength ?? 1;
        for (const sums of [got.qs, got.qPi, got.actionMarginal, got.actionProbabilities]) {
          expect(sums.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 9);
        }
        const gainMax = length * Math.log(Math.min(input.D.length, input.A.length)) + 1e-9;
        for (const gain of got.negEFE.infoGain) expect(gain >= 0 && gain <= gainMax).toBe(true);
        for (const value of got.negEFE.total) expect(Number.isFinite(value)).toBe(true);
        expect(got.actionMarginal[got.action]).toBeCloseTo(Math.max(...got.actionMarginal), 8);
      }),
      { numRuns: 200 },
    );
  });

  it('takes the readings of one state in any order', () => {
    fc.assert(
      fc.property(models(), input => {
        const turned = activeInference({ ...input, observations: [...input.observations].reverse() });
        near(turned.qs, activeInference(input).qs, 1e-12);
      }),
      { numRuns: 100 },
    );
  });

  it('keeps what many unlikely readings say, where their product is no number any more', () => {
    const A = [
      [1 - 1e-12, 1 - 2e-12],
      [1e-12, 2e-12],
    ];
    const { qs, F } = activeInference(
      change({ A, D: [0.5, 0.5], B: [identity(2)], C: [0, 0], observations: new Array(40).fill(1) }),
    );
    expect(qs[1]).toBeCloseTo(1, 11);
    expect(F).toBeCloseTo(-(40 * Math.log(2e-12) + Math.log(0.5)), 6);
  });

  it('needs no small number inside its logarithms: certain models give zeros and no NaN', () => {
    const got = activeInference({
      A: identity(2),
      B: [identity(2), [[0, 1], [1, 0]]], // prettier-ignore
      C: [0, 4],
      D: [1, 0],
      E: [0, 1],
      observations: [0],
    });
    expect(got.qs).toEqual([1, 0]);
    expect(got.F).toBe(0);
    expect(got.negEFE.infoGain).toEqual([0, 0]);
    expect(got.qPi).toEqual([0, 1]);
    expect(got.actionProbabilities).toEqual([0, 1]);
  });

  it('takes the first of actions that mirror each other, whatever their last bits', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.01, max: 0.99, noNaN: true }),
        fc.integer({ min: 1, max: 5 }),
        (p, length) => {
          const A = [[p, 0.2, 1 - p], [1 - p, 0.2, p], [0, 0.6, 0]]; // prettier-ignore
          const up = [[1, p, 0], [0, 1 - p, p], [0, 0, 1 - p]]; // prettier-ignore
          const mirrored = up.map(row => [...row].reverse()).reverse();
          const symmetric = { A, C: [1, 1, 0], D: [0.3, 0.4, 0.3], observations: [2], policyLength: length };
          expect(activeInference({ ...symmetric, B: [up, mirrored] }).action).toBe(0);
          expect(activeInference({ ...symmetric, B: [mirrored, up] }).action).toBe(0);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('never draws what the prior forbids, not even with a precision of 0', () => {
    const got = activeInference(change({ E: [0, 0, 0.5, 0.5], alpha: 0, gamma: 1_000 }));
    expect(got.actionProbabilities).toEqual([0, 1]);
    expect(activeInference(change({ alpha: 0, gamma: 1_000 })).actionProbabilities).toEqual([0.5, 0.5]);
  });

  it('refuses an observation that no state of the prior could have made, and names the reading', () => {
    const A = [
      [1, 0],
      [0, 1],
    ];
    const input = { A, B: [identity(2)], C: [0, 0], D: [1, 0], observations: [0, 0, 1] };
    expect(faultOf(input)).toMatchObject({ code: 'IMPOSSIBLE', path: 'observations[2]', got: 1 });
  });

  it.each([
    [null, 'TYPE', 'input'],
    [[], 'TYPE', 'input'],
    [{}, 'TYPE', 'A'],
    [change({ A: [] }), 'SHAPE', 'A'],
    [change({ A: [[]] }), 'SHAPE', 'A[0]'],
    [change({ A: [[0.5, 0.5, 0.5], [0.5, 0.5]] }), 'SHAPE', 'A[1]'], // prettier-ignore
    [change({ A: [[0.8, 0.1, 0.3], [0.15, 0.7, 0.2], [0.05, 0.2, 0.6]] }), 'NOT_STOCHASTIC', 'A[*][2]'], // prettier-ignore
    [change({ A: [[NaN, 1, 1], [0, 0, 0]] }), 'RANGE', 'A[0][0]'], // prettier-ignore
    [change({ A: [[1, 1, 1.5], [0, 0, -0.5]] }), 'RANGE', 'A[0][2]'], // prettier-ignore
    [change({ A: [[1, 1, '1']] }), 'TYPE', 'A[0][2]'],
    [change({ B: [] }), 'SHAPE', 'B'],
    [change({ B: [identity(3), identity(2)] }), 'SHAPE', 'B[1]'],
    [change({ B: [identity(3), [[1, 0, 0], [0, 1, 0], [0, 0]]] }), 'SHAPE', 'B[1][2]'], // prettier-ignore
    [change({ B: [[[1, 0, 0], [0, 1, 0], [0, -1e-9, 1]]] }), 'RANGE', 'B[0][2][1]'], // prettier-ignore
    [change({ B: [[[1, 0, 0], [0, 0, 0], [0, 0, 1]]] }), 'NOT_STOCHASTIC', 'B[0][*][1]'], // prettier-ignore
    [change({ C: [1, 2] }), 'SHAPE', 'C'],
    [change({ C: [1, 2, Infinity] }), 'RANGE', 'C[2]'],
    [change({ C: [1, 2, -1_001] }), 'RANGE', 'C[2]'],
    [change({ D: [0.5, 0.3, 0.3] }), 'NOT_STOCHASTIC', 'D'],
    [change({ D: [0.5, 0.5] }), 'SHAPE', 'D'],
    [change({ D: [0, 0, 0] }), 'NOT_STOCHASTIC', 'D'],
    [change({ E: [0.5, 0.5] }), 'SHAPE', 'E'],
    [change({ E: [0.5, 0.5, 0.5, -0.5] }), 'RANGE', 'E[3]'],
    [change({ E: null }), 'TYPE', 'E'],
    [change({ observations: [] }), 'SHAPE', 'observations'],
    [change({ observations: [3] }), 'RANGE', 'observations[0]'],
    [change({ observations: [0, 0.5] }), 'RANGE', 'observations[1]'],
    [change({ observations: 1 }), 'TYPE', 'observations'],
    [change({ policyLength: 0 }), 'RANGE', 'policyLength'],
    [change({ policyLength: 1.5 }), 'RANGE', 'policyLength'],
    [change({ policyLength: null }), 'TYPE', 'policyLength'],
    [change({ gamma: -1 }), 'RANGE', 'gamma'],
    [change({ gamma: NaN }), 'RANGE', 'gamma'],
    [change({ alpha: 1_001 }), 'RANGE', 'alpha'],
  ])('refuses what is no model, with the path: case %#', (input, code, path) => {
    expect(faultOf(input)).toMatchObject({ code, path });
    expect(faultOf(input).message).toContain(path);
  });

  it('takes sums that are off by less than a millionth, and none that are off by more', () => {
    expect(activeInference(change({ D: [0.5, 0.3, 0.2 + 9e-7] })).qs).toHaveLength(3);
    expect(faultOf(change({ D: [0.5, 0.3, 0.2 + 1.1e-6] })).bound).toBe(1);
  });

  it('divides what is off by its sum, so that rounded models give the answers of exact ones', () => {
    const off = 1 - 9e-7;
    const scaled = (matrix: readonly (readonly number[])[]) =>
      matrix.map(row => row.map(entry => entry * off));
    const exact = { ...known, E: [0.2, 0.2, 0.3, 0.3] };
    const rounded = {
      A: scaled(exact.A),
      B: exact.B.map(scaled),
      D: scaled([exact.D])[0],
      E: scaled([exact.E])[0],
    };
    const got = activeInference({ ...exact, ...rounded });
    const expected = activeInference(exact);
    near([got.F, ...got.qs, ...got.qPi], [expected.F, ...expected.qs, ...expected.qPi], 1e-12);
    near(got.negEFE.total, expected.negEFE.total, 1e-12);
  });

  it('refuses more policies, or more work, than a call may have, before it begins', () => {
    const five = { ...known, B: new Array(5).fill(identity(3)), policyLength: 8 };
    expect(faultOf(five)).toMatchObject({ code: 'TOO_LARGE', bound: POLICIES_MAX, got: 5 ** 8 });
    const wide = {
      A: [new Array(256).fill(1)],
      B: new Array(64).fill(identity(256)),
      C: [0],
      D: new Array(256).fill(1 / 256),
      observations: [0],
      policyLength: 2,
    };
    expect(faultOf(wide)).toMatchObject({
      code: 'TOO_LARGE',
      path: 'policyLength',
      bound: MULTIPLY_ADDS_MAX,
    });
  });

  it('answers or refuses with a path, whatever value it is given', () => {
    const anything = fc.anything({ withBigInt: true, withDate: true, maxDepth: 4 });
    const broken = fc
      .tuple(
        models(),
        fc.constantFrom('A', 'B', 'C', 'D', 'E', 'observations', 'policyLength', 'gamma'),
        anything,
      )
      .map(([model, field, value]): unknown => ({ ...model, [field]: value }));
    fc.assert(
      fc.property(fc.oneof(anything, broken), input => {
        try {
          const { F } = activeInference(input as ActiveInferenceInput);
          expect(Number.isFinite(F)).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(InferenceInputError);
          expect((error as InferenceInputError).path).not.toBe('');
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

function identity(n: number): number[][] {
  return Array.from({ length: n }, (_, row) => Array.from({ length: n }, (__, column) => +(row === column)));
}

/** Models whose readings are possible, with zeros among their probabilities. */
function models(): fc.Arbitrary<ActiveInferenceInput> {
  const sizes = fc.record({
    states: fc.integer({ min: 1, max: 5 }),
    outcomes: fc.integer({ min: 1, max: 5 }),
    actions: fc.integer({ min: 1, max: 4 }),
    policyLength: fc.integer({ min: 1, max: 3 }),
  });
  return sizes
    .chain(({ states, outcomes, actions, policyLength }) =>
      fc.record({
        A: columns(outcomes, states),
        B: fc.array(columns(states, states), { minLength: actions, maxLength: actions }),
        C: fc.array(fc.double({ min: -50, max: 50, noNaN: true }), {
          minLength: outcomes,
          maxLength: outcomes,
        }),
        D: weights(states),
        observations: fc.array(fc.nat(outcomes - 1), { minLength: 1, maxLength: 4 }),
        policyLength: fc.constant(policyLength),
        gamma: fc.double({ min: 0, max: 100, noNaN: true }),
      }),
    )
    .filter(({ A, D, observations }) => D.some((p, s) => p > 0 && observations.every(o => A[o][s] > 0)));
}

function weights(length: number): fc.Arbitrary<number[]> {
  const some = fc.array(fc.nat(20), { minLength: length, maxLength: length });
  return some
    .filter(values => values.some(value => value > 0))
    .map(values => values.map(value => value / values.reduce((sum, each) => sum + each, 0)));
}

function columns(rows: number, count: number): fc.Arbitrary<number[][]> {
  return fc
    .array(weights(rows), { minLength: count, maxLength: count })
    .map(each => Array.from({ length: rows }, (_, row) => each.map(column => column[row])));
}
