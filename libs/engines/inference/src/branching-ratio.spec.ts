import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { type DrivenBranching, drivenBranching, Draws } from '../testing/driven-branching.js';
import {
  BINS_MIN,
  type BranchingRatio,
  branchingRatio,
  type DeterminedRatio,
  INTERVAL_WIDTH_MAX,
} from './branching-ratio.js';
import { LAGS } from './correlation-model.js';
import { OscillationFitter } from './damped-oscillation.js';
import { InferenceInputError } from './inference-input-error.js';
import { ExponentialFitter, pairSums, regressionSlopes, slopeBias } from './multistep-regression.js';
import { SeededWords } from './seeded-words.js';

interface PeerRecording {
  readonly ratio: number;
  readonly seen: number;
  readonly counts: number[];
  readonly slopes: number[];
  readonly fitted: number;
  readonly amplitude: number;
}
const { recordings }: { recordings: PeerRecording[] } = JSON.parse(
  readFileSync(new URL('./branching-ratio.vectors.json', import.meta.url), 'utf8'),
);
const sampleOf = <T = number>(some: T, all: T) => (process.env.SUITE_TIER === 'long' ? all : some);
const BIN = { dtMs: 4 };
const TEN_SECONDS = 2_500;
const TWO_SECONDS = 500;

const reasonOf = (ratio: BranchingRatio) => (ratio.determined ? `σ = ${ratio.sigma}` : ratio.reason);

/** Estimates over as many seeds: how they scatter, and how often their interval holds the truth. */
function estimates(network: DrivenBranching, seeds: number) {
  const all = Array.from({ length: seeds }, (_, seed) => branchingRatio(drivenBranching(network, seed), BIN));
  const found = all.flatMap(each => (each.determined ? [each] : []));
  const mean = (of: (each: (typeof found)[number]) => number) =>
    found.reduce((sum, each) => sum + of(each), 0) / found.length;
  const holds = ({ interval }: (typeof found)[number]) =>
    interval[0] <= network.ratio && network.ratio <= interval[1];
  return {
    determined: found.length,
    sigma: mean(each => each.sigma),
    deviation: Math.sqrt(mean(each => each.sigma ** 2) - mean(each => each.sigma) ** 2),
    naive: mean(each => each.naive),
    coverage: mean(each => +holds(each)),
  };
}

describe('the branching ratio', () => {
  it.each([
    [0.5, 1, 100],
    [0.98, 1, 100],
    [0.9, 0.1, 300],
    ...sampleOf<[number, number, number][]>(
      [],
      [
        [0.9, 1, 100],
        [0.98, 0.1, 300],
      ],
    ),
  ])(
    'of %f, a share of %f seen, is found in ten seconds, in its 95 %% interval nine times of ten',
    (...network) => {
      const [ratio, seen, mean] = network;
      const seeds = sampleOf(8, 60);
      const { determined, sigma, deviation, coverage, naive } = estimates(
        { ratio, seen, mean, bins: TEN_SECONDS },
        seeds,
      );
      expect(determined).toBeGreaterThanOrEqual(0.7 * seeds);
      // Within four standard errors, and a thousandth for what the correction leaves.
      expect(Math.abs(sigma - ratio)).toBeLessThan((4 * deviation) / Math.sqrt(determined) + 0.001);
      expect(deviation).toBeLessThan(0.12 * Math.sqrt(1 - ratio));
      expect(coverage).toBeGreaterThanOrEqual(0.9 - 4 * Math.sqrt((0.9 * 0.1) / seeds));
      // Where a tenth is seen one regression alone is far off.
      expect(naive - ratio < -0.2).toBe(seen < 1);
    },
  );

  it.each([
    [0.97, 0.3, TEN_SECONDS],
    ...sampleOf<[number, number, number][]>([], [[0.94, 0.55, TEN_SECONDS]]),
    [0.8, 0.8, TEN_SECONDS],
    [0.94, 0.55, TWO_SECONDS],
  ])('is the modulus of a pair of eigenvalues, %f·e^±%fi, where activity swings', (modulus, angle, bins) => {
    const seeds = sampleOf(4, 30);
    const found = Array.from({ length: seeds }, (_, seed) =>
      branchingRatio(swinging(new Draws(seed + 1), modulus, angle).slice(0, bins), BIN),
    ).flatMap(each => (each.determined ? [each] : []));
    expect(found).toHaveLength(seeds);
    const mean = (of: (each: DeterminedRatio) => number) =>
      found.reduce((sum, each) => sum + of(each), 0) / found.length;
    const sigma = mean(each => each.sigma);
    const deviation = Math.sqrt(mean(each => (each.sigma - sigma) ** 2));
    expect(Math.abs(sigma - modulus)).toBeLessThan((4 * deviation) / Math.sqrt(seeds) + 0.007);
    const hertz = mean(each => each.oscillationHz ?? NaN);
    expect(Math.abs(hertz - (250 * angle) / (2 * Math.PI))).toBeLessThan(1.5);
    const holds = mean(each => +(each.interval[0] <= modulus && modulus <= each.interval[1]));
    expect(holds).toBeGreaterThanOrEqual(0.9 - 4 * Math.sqrt((0.9 * 0.1) / seeds));
  });

  it('needs no oscillation where one exponential does', () => {
    for (let seed = 0; seed < 3; seed++) {
      const counts = drivenBranching({ ratio: 0.9, mean: 50, bins: TEN_SECONDS }, seed);
      expect(branchingRatio(counts, BIN)).not.toHaveProperty('oscillationHz');
    }
  });

  it('fits a damped oscillation exactly where the slopes are one, for any modulus, angle and phase', () => {
    const fitter = new OscillationFitter(LAGS, TEN_SECONDS);
    const number = (min: number, max: number) => fc.double({ min, max, noNaN: true });
    fc.assert(
      fc.property(number(0.8, 0.995), number(0.3, 1.5), number(-1, 1), (modulus, angle, phase) => {
        const slopes = Float64Array.from(
          { length: LAGS },
          (_, i) => 0.7 * modulus ** (i + 1) * Math.cos(angle * (i + 1) + phase),
        );
        const fit = fitter.fitOscillation(slopes);
        expect(Math.abs((fit?.ratio ?? 0) - modulus)).toBeLessThan(2e-3);
        expect(Math.abs((fit?.angularFrequency ?? 0) - angle)).toBeLessThan(2e-3);
      }),
      { numRuns: 100 },
    );
  });

  it('is found in two seconds too, less well', () => {
    const seeds = sampleOf(5, 10);
    const { determined, sigma } = estimates({ ratio: 0.98, mean: 100, bins: TWO_SECONDS }, seeds);
    expect(determined).toBeGreaterThanOrEqual(0.6 * seeds);
    expect(Math.abs(sigma - 0.98)).toBeLessThan(0.02);
  });

  it.each(recordings.map(each => [each.ratio, each.seen, each] as const))(
    'has the slopes and the uncorrected fit of the MR toolbox: %f, a share of %f seen',
    (_, __, { counts, slopes, fitted, amplitude }) => {
      const got = regressionSlopes(pairSums(Float64Array.from(counts), LAGS, 20));
      got.forEach((slope, i) => expect(Math.abs(slope - slopes[i])).toBeLessThan(1e-12));
      const fit = new ExponentialFitter(LAGS, counts.length).fitSlopes(got);
      expect(Math.abs((fit?.ratio ?? 0) - fitted)).toBeLessThan(1e-5);
      expect(Math.abs((fit?.amplitude ?? 0) - amplitude)).toBeLessThan(1e-4);
    },
  );

  it('fits an exponential exactly where the slopes are one, for any ratio and amplitude', () => {
    const fitter = new ExponentialFitter(LAGS, TEN_SECONDS);
    const share = (min: number, max: number) => fc.double({ min, max, noNaN: true });
    fc.assert(
      fc.property(share(0.01, 0.998), share(0.01, 1), (ratio, amplitude) => {
        const fit = fitter.fitSlopes(
          Float64Array.from({ length: LAGS }, (_, i) => amplitude * ratio ** (i + 1)),
        );
        expect(Math.abs((fit?.ratio ?? 0) - ratio)).toBeLessThan(1e-6);
        expect(Math.abs((fit?.amplitude ?? 0) / amplitude - 1)).toBeLessThan(1e-4);
      }),
      { numRuns: 200 },
    );
  });

  it('knows how short the slopes of a short recording fall', () => {
    const network = { ratio: 0.9, mean: 100, bins: 200 };
    const runs = sampleOf(100, 2_000);
    const sums = new Float64Array(10);
    for (let seed = 0; seed < runs; seed++) {
      const activity = Float64Array.from(drivenBranching(network, seed));
      regressionSlopes(pairSums(activity, 10, 1)).forEach((slope, i) => (sums[i] += slope / runs));
    }
    for (const k of [1, 5, 10]) {
      const short = sums[k - 1] - 0.9 ** k;
      const expected = slopeBias({ ratio: 0.9, amplitude: 1 }, 200, k);
      expect(expected).toBeLessThan(-0.01);
      expect(Math.abs(short - expected)).toBeLessThan(0.35 * Math.abs(expected));
    }
  });

  it('gives back the ratio of slopes that fall short as a recording of that length makes them', () => {
    const fitter = new ExponentialFitter(LAGS, TEN_SECONDS);
    const share = (min: number, max: number) => fc.double({ min, max, noNaN: true });
    fc.assert(
      fc.property(share(0.3, 0.98), share(0.3, 1), (ratio, amplitude) => {
        const slopes = Float64Array.from(
          { length: LAGS },
          (_, i) => amplitude * ratio ** (i + 1) + slopeBias({ ratio, amplitude }, TEN_SECONDS, i + 1),
        );
        const found = fitter.fitUnbiased(slopes, TEN_SECONDS)?.ratio ?? 0;
        const raw = fitter.fitSlopes(slopes)?.ratio ?? 0;
        expect(Math.abs(found - ratio)).toBeLessThan(1e-4);
        expect(raw).toBeLessThan(ratio);
      }),
      { numRuns: 100 },
    );
  });

  it('depends on nothing but counts and seed, and little on the seed', () => {
    const counts = drivenBranching({ ratio: 0.95, mean: 50, bins: TEN_SECONDS }, 9);
    const once = branchingRatio(counts, { ...BIN, seed: 3 });
    expect(branchingRatio(Array.from(counts), { ...BIN, seed: 3 })).toEqual(once);
    const other = branchingRatio(counts, { ...BIN, seed: 4 });
    if (!once.determined || !other.determined) throw new Error('undetermined');
    expect(other.sigma).toBe(once.sigma);
    expect(other.interval).not.toEqual(once.interval);
    expect(Math.abs(other.interval[0] - once.interval[0])).toBeLessThan(0.01);
    expect(once.timeConstantMs).toBeCloseTo(-4 / Math.log(once.sigma), 9);
    expect(once.slopes).toHaveLength(LAGS);
  });

  it('bins steps: forty of 0.1 ms are a bin of 4 ms, and the last incomplete bin is left out', () => {
    const counts = drivenBranching({ ratio: 0.9, mean: 40, bins: 1_000 }, 2);
    const steps = new Uint32Array(40 * 1_000 + 17).fill(7, 40_000);
    counts.forEach((count, bin) => (steps[40 * bin + (bin % 40)] = count));
    const fine = branchingRatio(steps, { dtMs: 0.1 });
    const coarse = branchingRatio(counts, BIN);
    expect({ ...fine, binMs: 4 }).toEqual(coarse);
    expect(fine.binMs).toBeCloseTo(4, 12);
    expect(branchingRatio(steps, { dtMs: 0.3 }).binMs).toBeCloseTo(3.9, 12);
  });
});

describe('a branching ratio that cannot be told', () => {
  const made: [string, string, (draws: Draws) => number[]][] = [
    ['independent noise', 'UNCORRELATED', draws => poissons(draws, () => 100)],
    ['sparse independent noise', 'UNCORRELATED', draws => poissons(draws, () => 0.3)],
    ['alternating activity', 'UNCORRELATED', draws => linear(draws, -0.5, 0)],
    ['a wave from outside', 'POOR_FIT', draws => poissons(draws, t => 100 + 50 * Math.sin(t / 4))],
    ['a rising rate', 'NOT_STATIONARY', draws => poissons(draws, t => 50 + t / 20)],
    ['a step', 'NOT_STATIONARY', draws => poissons(draws, t => (t < 1_250 ? 50 : 100))],
    ['one spike ever so often', 'TOO_FEW_SPIKES', () => every(t => +(t % 50 === 0))],
    ['silence', 'TOO_FEW_SPIKES', () => every(() => 0)],
    ['a metronome', 'CONSTANT', () => every(() => 6)],
    ['a tenth of a lively network', 'NO_DECAY_SEEN|UNCORRELATED|WIDE_INTERVAL', draws => thinned(draws)],
  ];
  it.each(made)('is no number: %s', (_, reasons, make) => {
    for (let seed = 0; seed < sampleOf(1, 15); seed++) {
      const ratio = branchingRatio(make(new Draws(seed)), BIN);
      expect(reasons.split('|')).toContain(reasonOf(ratio));
      expect(ratio).not.toHaveProperty('sigma');
      expect((ratio as { message: string }).message).toMatch(/\.$/);
    }
  });

  it('is hardly ever a number where noise is shared with the next bin alone', () => {
    const runs = sampleOf(7, 15);
    const reasons = Array.from({ length: runs }, (_, seed) =>
      reasonOf(branchingRatio(smeared(new Draws(seed)), BIN)),
    );
    // By chance the second slope of one in twenty stands out of the noise as a decay would.
    expect(reasons.filter(reason => reason === 'NO_DECAY_SEEN').length).toBeGreaterThanOrEqual(runs - 2);
  });

  it('is no number where the recording is short, and none where the interval is wide', () => {
    const short = drivenBranching({ ratio: 0.9, mean: 100, bins: BINS_MIN - 1 }, 1);
    expect(reasonOf(branchingRatio(short, BIN))).toBe('TOO_SHORT');
    expect(reasonOf(branchingRatio([], BIN))).toBe('TOO_SHORT');
    const reasons = Array.from({ length: 8 }, (_, seed) =>
      branchingRatio(drivenBranching({ ratio: 0.6, mean: 100, bins: TWO_SECONDS }, seed), BIN),
    );
    expect(reasons.map(reasonOf)).toContain('WIDE_INTERVAL');
    for (const each of reasons) {
      if (each.determined)
        expect(each.interval[1] - each.interval[0]).toBeLessThanOrEqual(INTERVAL_WIDTH_MAX);
    }
  });

  it.each([
    [[1, -1], {}, 'RANGE', 'spikesPerStep[1]'],
    [[1.5], {}, 'RANGE', 'spikesPerStep[0]'],
    [[1, 2, NaN], {}, 'RANGE', 'spikesPerStep[2]'],
    [[1], { dtMs: 0 }, 'RANGE', 'dtMs'],
    [[1], { dtMs: NaN }, 'RANGE', 'dtMs'],
    [[1], { binMs: 3 }, 'RANGE', 'binMs'],
    [[1], { seed: -1 }, 'RANGE', 'seed'],
    [{ length: 1e12 }, {}, 'RANGE', 'spikesPerStep.length'],
    [{ length: 1_000_001 }, {}, 'TOO_LARGE', 'spikesPerStep'],
  ])('is refused with the path: case %#', (counts, options, code, path) => {
    expect(() => branchingRatio(counts as number[], { ...BIN, ...options })).toThrow(
      expect.objectContaining({ code, path }),
    );
  });

  it('is a value or a refusal, never NaN, whatever counts come', () => {
    const count = fc.oneof(fc.nat(3), fc.nat(1_000), fc.constantFrom(2 ** 32 - 1, -1, 0.5, NaN));
    const counts = fc.array(count, { minLength: 0, maxLength: 20 });
    fc.assert(
      fc.property(counts, fc.integer({ min: 1, max: 400 }), (period, bins) => {
        const repeated = Array.from(
          { length: period.length === 0 ? 0 : bins },
          (_, i) => period[i % period.length],
        );
        try {
          const ratio = branchingRatio(repeated, BIN);
          if (!ratio.determined) return;
          const numbers = [
            ratio.sigma,
            ratio.b,
            ratio.fitError,
            ratio.naive,
            ...ratio.interval,
            ...ratio.slopes,
          ];
          expect(numbers.every(Number.isFinite)).toBe(true);
          expect(ratio.interval[0] <= ratio.sigma && ratio.sigma <= ratio.interval[1]).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(InferenceInputError);
        }
      }),
      { numRuns: sampleOf(30, 100) },
    );
  });
});

describe('draws of the tests', () => {
  it.each([0.5, 11.9, 12, 40, 300])('have the mean and the variance of Poisson: %f', mean => {
    const draws = new Draws(3);
    const count = 20_000;
    let [sum, squares] = [0, 0];
    for (let i = 0; i < count; i++) {
      const apart = draws.poisson(mean) - mean;
      sum += apart / count;
      squares += (apart * apart) / count;
    }
    expect(Math.abs(sum)).toBeLessThan(4 * Math.sqrt(mean / count));
    expect(Math.abs(squares / mean - 1)).toBeLessThan(4 * Math.sqrt((2 + 1 / mean) / count));
  });

  it.each([
    [40, 0.1],
    [7, 0.6],
    [0, 0.5],
  ])('have the mean and the variance of a binomial: %i, %f', (count, probability) => {
    const draws = new Draws(4);
    const runs = 20_000;
    const mean = count * probability;
    const variance = mean * (1 - probability);
    let [sum, squares, least, most] = [0, 0, count, 0];
    for (let i = 0; i < runs; i++) {
      const hits = draws.binomial(count, probability);
      [least, most] = [Math.min(least, hits), Math.max(most, hits)];
      sum += (hits - mean) / runs;
      squares += (hits - mean) ** 2 / runs;
    }
    expect([least >= 0, most <= count]).toEqual([true, true]);
    expect(Math.abs(sum)).toBeLessThanOrEqual(4 * Math.sqrt(variance / runs));
    expect(Math.abs(squares - variance)).toBeLessThanOrEqual(4 * variance * Math.sqrt(3 / runs));
  });
});

describe('words of a seed', () => {
  it('are the same for a seed, others for another, and fair below a bound', () => {
    const words = (seed: number) => {
      const source = new SeededWords(seed);
      return Array.from({ length: 5 }, () => source.word());
    };
    expect(words(1)).toEqual(words(1));
    expect(words(1)).not.toEqual(words(2));
    const source = new SeededWords(77);
    const counts = new Array<number>(20).fill(0);
    for (let i = 0; i < 20_000; i++) counts[source.below(20)]++;
    // χ² of 19 degrees: beyond 50 once in ten thousand.
    expect(counts.reduce((sum, count) => sum + (count - 1_000) ** 2 / 1_000, 0)).toBeLessThan(50);
  });
});

const every = (of: (t: number) => number) => Array.from({ length: TEN_SECONDS }, (_, t) => of(t));
const poissons = (draws: Draws, mean: (t: number) => number) => every(t => draws.poisson(mean(t)));
const thinned = (draws: Draws) =>
  Array.from(drivenBranching({ ratio: 0.5, mean: 500, bins: TEN_SECONDS, seen: 0.1 }, draws.poisson(1e4)));

const swinging = (draws: Draws, modulus: number, angle: number) =>
  linear(draws, 2 * modulus * Math.cos(angle), -modulus * modulus);

/** x(t) = n(t) + n(t−1): correlated with the next bin, and with no later one. */
function smeared(draws: Draws): number[] {
  let last = draws.normal();
  return every(() => {
    const before = last;
    last = draws.normal();
    return Math.round(400 + 20 * (last + before));
  });
}

/** x(t) = a·x(t−1) + b·x(t−2) + noise, as counts about 400. */
function linear(draws: Draws, a: number, b: number): number[] {
  let [last, before] = [0, 0];
  const next = () => {
    [last, before] = [a * last + b * before + draws.normal(), last];
    return Math.max(0, Math.round(400 + 20 * last));
  };
  for (let runIn = 0; runIn < 300; runIn++) next();
  return every(next);
}
