import { naiveRealDft } from '@svc/kernels';
import fc from 'fast-check';
import { fitDampedLines, lineTransform } from './damped-lines.js';
import { solveLeastSquares } from './complex-least-squares.js';

const SIZE = 256;

/** Transform by definition of the complex sinusoid e^(sn), n < count, from those of its two real parts. */
function naiveTransform(angularFrequency: number, damping: number, count: number): Float64Array {
  const part = (f: (x: number) => number) =>
    naiveRealDft(
      Float64Array.from({ length: SIZE }, (_, n) =>
        n < count ? Math.exp(-damping * n) * f(angularFrequency * n) : 0,
      ),
    );
  const [re, im] = [part(Math.cos), part(Math.sin)];
  // X = X_re + i·X_im
  return re.map((x, i) => (i % 2 === 0 ? x - im[i + 1] : x + im[i - 1]));
}

const lines = fc.record({
  bin: fc.double({ min: 20, max: 100, noNaN: true }),
  damping: fc.double({ min: 0, max: 0.05, noNaN: true }),
  count: fc.integer({ min: 100, max: SIZE }),
});
const omega = (bin: number) => (2 * Math.PI * bin) / SIZE;

describe('lineTransform', () => {
  it('is the transform by definition, and its derivative the slope', () => {
    fc.assert(
      fc.property(lines, ({ bin, damping, count }) => {
        const band = { first: 5, last: 120 };
        const at = (w: number, d: number) =>
          lineTransform({ angularFrequency: w, damping: d }, band, { size: SIZE, count });
        const { values, derivatives } = at(omega(bin), damping);
        const naive = naiveTransform(omega(bin), damping, count).subarray(10, 242);
        const step = 1e-6;
        const slope = at(omega(bin), damping - step).values.map(
          (x, i) => (x - at(omega(bin), damping + step).values[i]) / (2 * step),
        );
        for (let i = 0; i < values.length; i++) {
          expect(Math.abs(values[i] - naive[i])).toBeLessThan(1e-9 * SIZE);
          expect(Math.abs(derivatives[i] - slope[i])).toBeLessThan(1e-4 * SIZE * SIZE);
        }
      }),
      { numRuns: 15 },
    );
  });
});

describe('fitDampedLines', () => {
  it('finds two lines closer than a bin where nothing disturbs them', () => {
    const band = { first: 30, last: 70 };
    const truth = [
      { angularFrequency: omega(50.2), damping: 0.004 },
      { angularFrequency: omega(50.9), damping: 0.006 },
    ];
    const transforms = truth.map(line => lineTransform(line, band, { size: SIZE, count: SIZE }).values);
    const residue = transforms[0].map((x, i) => x + 0.5 * transforms[1][i]);
    const start = [49.8, 51.4].map(bin => ({ angularFrequency: omega(bin), damping: 0.005 }));
    const fit = fitDampedLines(start, residue, band, { size: SIZE, count: SIZE });
    fit!.lines.forEach((line, j) => {
      expect(line.angularFrequency).toBeCloseTo(truth[j].angularFrequency, 7);
      expect(line.damping).toBeCloseTo(truth[j].damping, 7);
      expect(line.amplitude[0]).toBeCloseTo([1, 0.5][j], 5);
    });
  });
});

describe('solveLeastSquares', () => {
  const entry = fc.double({ min: -1, max: 1, noNaN: true });
  const column = fc.array(entry, { minLength: 16, maxLength: 16 }).map(values => Float64Array.from(values));

  it('leaves what is orthogonal to every column', () => {
    fc.assert(
      fc.property(fc.array(column, { minLength: 1, maxLength: 4 }), column, (columns, b) => {
        const solved = solveLeastSquares(columns, b);
        fc.pre(solved !== null && solved.inverseDiagonal().every(x => x < 1e6));
        const left = b.slice();
        columns.forEach((values, j) => {
          const [re, im] = [solved!.solution[2 * j], solved!.solution[2 * j + 1]];
          for (let k = 0; k < left.length; k += 2) {
            left[k] -= values[k] * re - values[k + 1] * im;
            left[k + 1] -= values[k] * im + values[k + 1] * re;
          }
        });
        for (const values of columns) {
          let [re, im] = [0, 0];
          for (let k = 0; k < left.length; k += 2) {
            re += values[k] * left[k] + values[k + 1] * left[k + 1];
            im += values[k] * left[k + 1] - values[k + 1] * left[k];
          }
          expect(Math.hypot(re, im)).toBeLessThan(1e-6);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('says so where columns depend on one another', () => {
    const values = Float64Array.from([1, 2, 3, 4]);
    expect(solveLeastSquares([values, values], values)).toBeNull();
    expect(solveLeastSquares([new Float64Array(4)], values)).toBeNull();
  });
});
