import { SeededRandom } from '@svc/kernels/testing';
import type { Recording } from '@svc/recording';
import { addNoise, powerAfterStrike, type RingingMode, synthesizeRing } from '../testing/synthesize-ring.js';
import { analyseRing } from './analyse-ring.js';

const RATE_HZ = 48_000;
const TRIALS = process.env.SUITE_TIER === 'long' ? 200 : 4;

function recorded(samples: ArrayLike<number>, sampleRateHz = RATE_HZ): Recording {
  return {
    samples: Float32Array.from(samples),
    sampleRateHz,
    channels: 1,
    bitsPerSample: 32,
    durationSeconds: samples.length / sampleRateHz,
    clippedFraction: 0,
  };
}

/** A ring of modes struck after a tenth of a second, with white noise. */
function ring(
  random: SeededRandom,
  modes: readonly Omit<RingingMode, 'phase'>[],
  snrDb: number,
  { sampleRateHz = RATE_HZ, seconds = 0.6, strikeSeconds = 0.1 + random.uniform(0, 0.02) } = {},
): Recording {
  const phased = modes.map(mode => ({ ...mode, phase: random.uniform(0, 2 * Math.PI) }));
  const samples = synthesizeRing(phased, { seconds, strikeSeconds, sampleRateHz }, random);
  addNoise(samples, powerAfterStrike(samples, strikeSeconds, sampleRateHz) / 10 ** (snrDb / 10), random);
  return recorded(samples, sampleRateHz);
}

const SILVER = [
  { frequencyHz: 3_753, amplitude: 0.2, decaySeconds: 0.3 },
  { frequencyHz: 6_451, amplitude: 0.12, decaySeconds: 0.2 },
  { frequencyHz: 8_653, amplitude: 0.15, decaySeconds: 0.15 },
  { frequencyHz: 15_180, amplitude: 0.1, decaySeconds: 0.06 },
];

function nearest(recording: Recording, frequencyHz: number) {
  const { peaks } = analyseRing(recording);
  return peaks.reduce((best, peak) =>
    Math.abs(peak.frequencyHz - frequencyHz) < Math.abs(best.frequencyHz - frequencyHz) ? peak : best,
  );
}

const rms = (values: readonly number[]) =>
  Math.sqrt(values.reduce((sum, x) => sum + x * x, 0) / values.length);

describe('analyseRing', () => {
  it.each([
    [10, 0.06],
    [0, 0.17],
  ])('finds the strong modes of a ring at %d dB to %d Hz', (snrDb, boundHz) => {
    const random = new SeededRandom(1);
    const errors: number[] = [];
    for (let i = 0; i < TRIALS; i++) {
      const shift = random.uniform(-10, 10);
      const modes = SILVER.map(mode => ({ ...mode, frequencyHz: mode.frequencyHz + shift }));
      const { peaks } = analyseRing(ring(random, modes, snrDb));
      for (const { frequencyHz } of modes.slice(0, 3)) {
        const found = peaks.find(peak => Math.abs(peak.frequencyHz - frequencyHz) < 5);
        expect(found).toBeDefined();
        errors.push(found!.frequencyHz - frequencyHz);
      }
    }
    expect(rms(errors)).toBeLessThan(boundHz);
  });

  it('knows how uncertain its frequencies are: errors over uncertainties have unit spread', () => {
    const random = new SeededRandom(2);
    const zs: number[] = [];
    const trials = Math.max(60, TRIALS);
    for (let i = 0; i < trials; i++) {
      const { peaks } = analyseRing(ring(random, SILVER, random.uniform(0, 30), { seconds: 0.5 }));
      for (const { frequencyHz } of SILVER) {
        const found = peaks.find(peak => Math.abs(peak.frequencyHz - frequencyHz) < 10);
        if (found) zs.push((found.frequencyHz - frequencyHz) / found.uncertaintyHz);
      }
    }
    expect(zs.length).toBeGreaterThan(3.5 * trials);
    // The spread of n normal numbers is within 3/√(2n) of one; an uncertainty √2 too large or small lies outside.
    const tolerance = 3 / Math.sqrt(2 * zs.length);
    expect(rms(zs)).toBeGreaterThan(1 - tolerance);
    expect(rms(zs)).toBeLessThan(1 + tolerance + 0.05);
    expect(Math.max(...zs.map(Math.abs))).toBeLessThan(6);
  });

  it('measures the quality factor from the decay', () => {
    const random = new SeededRandom(3);
    const recording = ring(random, SILVER, 30);
    for (const { frequencyHz, decaySeconds } of SILVER) {
      const { q } = nearest(recording, frequencyHz);
      const expected = Math.PI * frequencyHz * decaySeconds;
      expect(Math.abs(q! / expected - 1)).toBeLessThan(0.05);
    }
  });

  it('tells the two lines of a doublet from 20 to 400 Hz apart, and where its middle is', () => {
    const random = new SeededRandom(4);
    for (const splitHz of [20, 35, 60, 100, 155, 250, 386]) {
      for (const ratio of [1, 0.4]) {
        const middle = random.uniform(4_500, 11_000);
        const decaySeconds = 0.05;
        const modes = [
          { frequencyHz: middle - splitHz / 2, amplitude: 0.2, decaySeconds },
          { frequencyHz: middle + splitHz / 2, amplitude: 0.2 * ratio, decaySeconds },
          { frequencyHz: 15_180, amplitude: 0.1, decaySeconds: 0.06 },
        ];
        const peak = nearest(ring(random, modes, 20), middle);
        expect(Math.abs((peak.splitHz ?? 0) - splitHz)).toBeLessThan(1);
        expect(Math.abs(peak.frequencyHz - middle)).toBeLessThan(0.5);
      }
    }
  });

  it('makes no doublet of one line', () => {
    const random = new SeededRandom(5);
    for (let i = 0; i < TRIALS; i++) {
      const { peaks } = analyseRing(ring(random, SILVER, random.uniform(0, 40)));
      expect(peaks.map(({ splitHz }) => splitHz)).toEqual(peaks.map(() => null));
    }
  });

  it('finds no peaks in noise, and says that nothing was struck', () => {
    const random = new SeededRandom(6);
    let [peaks, struck] = [0, 0];
    for (let i = 0; i < TRIALS; i++) {
      const samples = new Float64Array(RATE_HZ);
      addNoise(samples, 0.01, random, { hz: i % 2 === 0 ? 0 : 500, sampleRateHz: RATE_HZ });
      const analysis = analyseRing(recorded(samples));
      struck += analysis.strikes > 0 ? 1 : 0;
      peaks += analysis.peaks.length;
    }
    // Of many seconds of noise one now and then has two tones that rise together.
    expect(struck).toBeLessThanOrEqual(TRIALS / 100);
    expect(peaks).toBeLessThanOrEqual(1 + TRIALS / 100);
  });

  it('finds the strike within two milliseconds, counts strikes and ends before the next', () => {
    const random = new SeededRandom(7);
    const strikes = [0.25, 0.52];
    const parts = strikes.map(
      strikeSeconds => ring(random, SILVER, 40, { strikeSeconds, seconds: 1 }).samples,
    );
    const both = recorded(parts[0].map((x, i) => x + parts[1][i]));
    const { onsetSeconds, strikes: count, peaks } = analyseRing(both);
    expect(count).toBe(2);
    expect(Math.min(...strikes.map(at => Math.abs(at - onsetSeconds)))).toBeLessThan(0.002);
    expect(Math.abs(peaks[0].frequencyHz - 3_753)).toBeLessThan(0.5);
  });

  it('does not take the beats of a doublet for strikes', () => {
    const random = new SeededRandom(10);
    for (const beatHz of [6, 12, 18, 25, 40]) {
      const modes = [3_770, 8_743].flatMap(frequencyHz => [
        { frequencyHz, amplitude: 0.2, decaySeconds: 0.4 },
        { frequencyHz: frequencyHz + beatHz, amplitude: 0.2, decaySeconds: 0.4 },
      ]);
      expect(analyseRing(ring(random, modes, 40, { seconds: 1 })).strikes).toBe(1);
    }
  });

  it('does not listen to what comes before it is told to', () => {
    const random = new SeededRandom(8);
    const recording = ring(random, SILVER, 30, { strikeSeconds: 0.8, seconds: 1.4 });
    for (let n = 0; n < 0.6 * RATE_HZ; n++)
      recording.samples[n] += 0.5 * Math.sin((2 * Math.PI * 2_000 * n) / RATE_HZ);
    const { peaks, onsetSeconds } = analyseRing(recording, { fromSeconds: 0.65 });
    expect(onsetSeconds).toBeCloseTo(0.8, 2);
    expect(peaks.map(({ frequencyHz }) => Math.round(frequencyHz))).toEqual([3_753, 6_451, 8_653, 15_180]);
  });

  it.each([32_000, 44_100, 96_000, 192_000])('finds the same at %d Hz', sampleRateHz => {
    const random = new SeededRandom(sampleRateHz);
    const modes = SILVER.slice(0, 3);
    const { peaks } = analyseRing(ring(random, modes, 20, { sampleRateHz }));
    expect(peaks).toHaveLength(3);
    peaks.forEach((peak, i) => expect(Math.abs(peak.frequencyHz - modes[i].frequencyHz)).toBeLessThan(0.3));
  });

  it('takes recordings that end soon after the strike, or have no beginning', () => {
    const random = new SeededRandom(9);
    const short = ring(random, SILVER, 30, { strikeSeconds: 0.02, seconds: 0.12 });
    expect(Math.abs(nearest(short, 3_753).frequencyHz - 3_753)).toBeLessThan(0.5);
    const cut = ring(random, SILVER, 30, { strikeSeconds: 0, seconds: 0.3 });
    expect(Math.abs(nearest(cut, 3_753).frequencyHz - 3_753)).toBeLessThan(0.5);
    expect(analyseRing(recorded(new Float32Array(2_400))).peaks).toEqual([]);
  });
});
