import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { Draws } from '../testing/driven-branching.js';
import { InferenceInputError } from './inference-input-error.js';
import {
  CONTOUR_POINTS_MAX,
  DIVERGENT_PROBABILITY,
  ELEVATION_M_MAX,
  evaluateParcel,
  PARCEL_MODEL,
  type ParcelEvaluation,
  type ParcelInput,
} from './parcel.js';
import { PentadiagonalFactor } from './pentadiagonal.js';

const { parcels }: { parcels: { input: ParcelInput; answer: ParcelEvaluation }[] } = JSON.parse(
  readFileSync(new URL('./inference.vectors.json', import.meta.url), 'utf8'),
);
const sampleOf = (some: number, all: number) => (process.env.SUITE_TIER === 'long' ? all : some);
const { curvatureM, elevationNoiseM } = PARCEL_MODEL;

function expectNear(got: ArrayLike<number>, expected: ArrayLike<number>, tolerance: number): void {
  expect(got).toHaveLength(expected.length);
  for (let i = 0; i < got.length; i++) expect(Math.abs(got[i] - expected[i])).toBeLessThanOrEqual(tolerance);
}

/** A contour as the model makes them, over ground of any height and slope. */
function drawContour(points: number, draws: Draws): number[] {
  let slope = draws.normal();
  let height = 1_000 * draws.normal();
  return Array.from({ length: points }, () => {
    const measured = height + elevationNoiseM * draws.normal();
    height += slope;
    slope += curvatureM * draws.normal();
    return measured;
  });
}

const elevations = fc.array(fc.double({ min: -500, max: 500, noNaN: true }), { minLength: 3, maxLength: 40 });

describe('the parcel model', () => {
  it.each(parcels.map(({ input, answer }) => [input.elevationContour.length, input, answer] as const))(
    'agrees with dense matrices, their inverses and the density of second differences: %i points',
    (_, input, answer) => {
      const got = evaluateParcel(input);
      for (const field of ['variationalFreeEnergy', 'negLogEvidence', 'adaptingUpTo'] as const) {
        expectNear([got[field]], [answer[field]], 1e-9 * Math.max(1e-3, Math.abs(answer[field])));
      }
      expect(got.samples).toBe(answer.samples);
      expectNear(got.posteriorMeanM, answer.posteriorMeanM, 1e-9);
      expectNear(got.posteriorDeviationM, answer.posteriorDeviationM, 1e-12);
      expectNear(got.optimalTrajectoryM, answer.optimalTrajectoryM, 1e-9);
    },
  );

  it('finds ½ nat a sample in data from the model, and calls one contour in a hundred of them divergent', () => {
    const draws = new Draws(20_261_122);
    const contours = sampleOf(1_500, 40_000);
    let sum = 0;
    let divergent = 0;
    for (let i = 0; i < contours; i++) {
      const points = 5 + (i % 30);
      const { variationalFreeEnergy, homeostaticStatus, samples } = evaluateParcel({
        elevationContour: drawContour(points, draws),
      });
      sum += (variationalFreeEnergy - 0.5) * Math.sqrt(2 * samples);
      if (homeostaticStatus === 'DIVERGENT') divergent++;
    }
    // Both are within four standard deviations of what the model says.
    expect(Math.abs(sum)).toBeLessThan(4 * Math.sqrt(contours));
    const expected = DIVERGENT_PROBABILITY * contours;
    expect(Math.abs(divergent - expected)).toBeLessThan(4 * Math.sqrt(expected));
  });

  it('puts the ground within its posterior deviation as often as a normal distribution does', () => {
    const draws = new Draws(5);
    let inside = 0;
    const contours = sampleOf(200, 10_000);
    for (let i = 0; i < contours; i++) {
      let [slope, height] = [draws.normal(), draws.normal()];
      const ground = Array.from({ length: 20 }, () => {
        const here = height;
        height += slope;
        slope += curvatureM * draws.normal();
        return here;
      });
      const elevationContour = ground.map(value => value + elevationNoiseM * draws.normal());
      const { posteriorMeanM, posteriorDeviationM } = evaluateParcel({ elevationContour });
      if (Math.abs(ground[9] - posteriorMeanM[9]) < posteriorDeviationM[9]) inside++;
    }
    const deviation = Math.sqrt(0.6827 * 0.3173 * contours);
    expect(Math.abs(inside - 0.6827 * contours)).toBeLessThan(4 * deviation);
  });

  it('costs nothing to lie high, to slope, to be read backwards or upside down', () => {
    fc.assert(
      fc.property(
        elevations,
        fc.double({ min: -100, max: 100, noNaN: true }),
        fc.double({ min: -5, max: 5, noNaN: true }),
        (contour, height, slope) => {
          const got = evaluateParcel({ elevationContour: contour });
          const F = got.variationalFreeEnergy;
          const tolerance = 1e-9 * (1 + F);
          const moved = evaluateParcel({ elevationContour: contour.map((z, i) => z + height + slope * i) });
          const back = evaluateParcel({ elevationContour: [...contour].reverse() });
          const down = evaluateParcel({ elevationContour: contour.map(z => -z) });
          for (const other of [moved, back, down]) {
            expect(Math.abs(other.variationalFreeEnergy - F)).toBeLessThanOrEqual(tolerance);
          }
          expectNear(
            moved.posteriorMeanM,
            got.posteriorMeanM.map((x, i) => x + height + slope * i),
            1e-8,
          );
          expectNear([...back.optimalTrajectoryM].reverse(), got.optimalTrajectoryM, 1e-8);
          expectNear(
            down.optimalTrajectoryM,
            got.optimalTrajectoryM.map(x => -x),
            1e-8,
          );
        },
      ),
      { numRuns: 200 },
    );
  });

  it('has the same free energy in feet as in metres, and an evidence that differs by the unit alone', () => {
    const foot = 1 / 0.3048;
    const inFeet = {
      ...PARCEL_MODEL,
      curvatureM: curvatureM * foot,
      elevationNoiseM: elevationNoiseM * foot,
      trajectoryStepM: PARCEL_MODEL.trajectoryStepM * foot,
    };
    fc.assert(
      fc.property(elevations, contour => {
        const metres = evaluateParcel({ elevationContour: contour });
        const feet = evaluateParcel({ elevationContour: contour.map(z => z * foot) }, inFeet);
        const samples = contour.length - 2;
        // Of a slope that is almost straight little is left but the rounding of its heights: by the root of the energy.
        const energy = metres.variationalFreeEnergy;
        expect(Math.abs(feet.variationalFreeEnergy - energy)).toBeLessThanOrEqual(
          1e-9 * (energy + Math.sqrt(energy)) + 1e-18,
        );
        const shift = feet.negLogEvidence - metres.negLogEvidence;
        expect(Math.abs(shift - samples * Math.log(foot))).toBeLessThan(
          1e-9 * (1 + Math.abs(metres.negLogEvidence)),
        );
        expectNear(
          feet.optimalTrajectoryM,
          metres.optimalTrajectoryM.map(x => x * foot),
          1e-8,
        );
      }),
      { numRuns: 100 },
    );
  });

  it('takes a plane, however high and steep, for its own ground: nothing is smoothed off it', () => {
    const plane = Array.from({ length: 50 }, (_, i) => 8_000 + 3 * i);
    const got = evaluateParcel({ elevationContour: plane });
    expect(got.variationalFreeEnergy).toBe(0);
    expect(got.homeostaticStatus).toBe('HOMEOSTATIC');
    expect(Array.from(got.posteriorMeanM)).toEqual(plane);
  });

  it('calls a contour by its free energy: at rest, within the model, beyond it', () => {
    const wave = (height: number) => Array.from({ length: 40 }, (_, i) => height * (i % 2));
    const statuses = [0.01, 0.4, 3].map(height => evaluateParcel({ elevationContour: wave(height) }));
    expect(statuses.map(({ homeostaticStatus }) => homeostaticStatus)).toEqual([
      'HOMEOSTATIC',
      'ADAPTING',
      'DIVERGENT',
    ]);
    const [rest, within, beyond] = statuses.map(({ variationalFreeEnergy }) => variationalFreeEnergy);
    expect(rest).toBeLessThan(0.022);
    expect(within).toBeLessThanOrEqual(statuses[1].adaptingUpTo);
    expect(beyond).toBeGreaterThan(statuses[2].adaptingUpTo);
  });

  it('counts a conductivity as one more sample, free at its median and dear far from it', () => {
    const elevationContour = [0, 0, 0, 0];
    const usual = evaluateParcel({ elevationContour, soilConductivity: 20 });
    expect(usual).toMatchObject({ variationalFreeEnergy: 0, samples: 3 });
    const odd = evaluateParcel({ elevationContour, soilConductivity: 20 * Math.exp(3) });
    expect(odd.variationalFreeEnergy).toBeCloseTo(4.5 / 3, 12);
    expect(odd.negLogEvidence - usual.negLogEvidence).toBeCloseTo(4.5, 12);
  });

  it('answers a hundred thousand points, at the bounds of elevation too, with finite numbers', () => {
    const elevationContour = Array.from(
      { length: CONTOUR_POINTS_MAX },
      (_, i) => ELEVATION_M_MAX * (1 - 2 * (i % 2)),
    );
    const got = evaluateParcel({ elevationContour, soilConductivity: 1e-6 });
    for (const value of [got.variationalFreeEnergy, got.negLogEvidence, got.adaptingUpTo]) {
      expect(Number.isFinite(value)).toBe(true);
    }
    for (const list of [got.posteriorMeanM, got.posteriorDeviationM, got.optimalTrajectoryM]) {
      expect(list.every(Number.isFinite)).toBe(true);
    }
    // Away from the ends every point is known as well as every other.
    expect(got.posteriorDeviationM[500]).toBeCloseTo(got.posteriorDeviationM[50_000], 12);
    expect(got.homeostaticStatus).toBe('DIVERGENT');
  });

  it.each([
    [null, 'TYPE', 'input'],
    [{}, 'TYPE', 'elevationContour'],
    [{ elevationContour: [] }, 'SHAPE', 'elevationContour'],
    [{ elevationContour: [1, 2] }, 'SHAPE', 'elevationContour'],
    [{ elevationContour: new Array(CONTOUR_POINTS_MAX + 1).fill(0) }, 'SHAPE', 'elevationContour'],
    [{ elevationContour: [1, NaN, 2] }, 'RANGE', 'elevationContour[1]'],
    [{ elevationContour: [1, 2, -Infinity] }, 'RANGE', 'elevationContour[2]'],
    [{ elevationContour: [1, 2, 3, 100_001] }, 'RANGE', 'elevationContour[3]'],
    [{ elevationContour: [1, '2', 3] }, 'TYPE', 'elevationContour[1]'],
    [{ elevationContour: [1, 2, 3], soilConductivity: 0 }, 'RANGE', 'soilConductivity'],
    [{ elevationContour: [1, 2, 3], soilConductivity: -4 }, 'RANGE', 'soilConductivity'],
    [{ elevationContour: [1, 2, 3], soilConductivity: NaN }, 'RANGE', 'soilConductivity'],
    [{ elevationContour: [1, 2, 3], soilConductivity: null }, 'TYPE', 'soilConductivity'],
  ])('refuses what is no contour, with the path: case %#', (input, code, path) => {
    expect(() => evaluateParcel(input as ParcelInput)).toThrow(expect.objectContaining({ code, path }));
  });

  it('answers or refuses with a path, whatever value it is given', () => {
    const anything = fc.anything({ withBigInt: true, maxDepth: 3 });
    const contour = fc.array(fc.oneof(fc.double(), anything), { maxLength: 8 });
    const broken = fc.record({ elevationContour: fc.oneof(contour, anything), soilConductivity: anything });
    fc.assert(
      fc.property(fc.oneof(anything, broken), input => {
        try {
          expect(Number.isFinite(evaluateParcel(input as ParcelInput).variationalFreeEnergy)).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(InferenceInputError);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('pentadiagonal matrices', () => {
  const bands = fc.integer({ min: 1, max: 12 }).chain(n => {
    const entries = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: n, maxLength: n });
    return fc.record({ first: entries, second: entries, right: entries });
  });

  it('are solved, inverted on the diagonal and weighed as Gauss and Jordan would', () => {
    fc.assert(
      fc.property(bands, ({ first, second, right }) => {
        const n = first.length;
        const dense = Array.from({ length: n }, (_, row) =>
          Array.from({ length: n }, (__, column) => {
            const apart = Math.abs(row - column);
            const at = Math.min(row, column);
            return apart === 0 ? 4.5 : apart === 1 ? first[at] : apart === 2 ? second[at] : 0;
          }),
        );
        const { inverse, determinant } = gaussJordan(dense);
        const factor = new PentadiagonalFactor({
          diagonal: new Float64Array(n).fill(4.5),
          first: Float64Array.from(first),
          second: Float64Array.from(second),
        });
        const solved = inverse.map(row => row.reduce((sum, value, i) => sum + value * right[i], 0));
        expectNear(factor.solve(Float64Array.from(right)), solved, 1e-12);
        expectNear(factor.inverseDiagonal(), inverse.map((row, i) => row[i]), 1e-12); // prettier-ignore
        expect(factor.logDeterminant()).toBeCloseTo(Math.log(determinant), 10);
      }),
      { numRuns: 300 },
    );
  });

  it('are refused where they are not positive definite', () => {
    const matrix = {
      diagonal: Float64Array.of(1, 1),
      first: Float64Array.of(2, 0),
      second: new Float64Array(2),
    };
    expect(() => new PentadiagonalFactor(matrix)).toThrow('not positive definite at row 1');
    expect(() => new PentadiagonalFactor({ ...matrix, diagonal: Float64Array.of(NaN, 1) })).toThrow(
      RangeError,
    );
  });
});

/** The inverse and the determinant of a matrix that needs no pivoting. */
function gaussJordan(matrix: number[][]): { inverse: number[][]; determinant: number } {
  const n = matrix.length;
  const rows = matrix.map((row, i) => [...row, ...row.map((_, j) => +(i === j))]);
  let determinant = 1;
  for (let i = 0; i < n; i++) {
    const pivot = rows[i][i];
    determinant *= pivot;
    rows[i] = rows[i].map(value => value / pivot);
    for (let other = 0; other < n; other++) {
      const factor = rows[other][i];
      if (other !== i) rows[other] = rows[other].map((value, j) => value - factor * rows[i][j]);
    }
  }
  return { inverse: rows.map(row => row.slice(n)), determinant };
}
