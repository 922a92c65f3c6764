import * as fc from 'fast-check';
import { loadDspModule } from '../node/kernel-module.js';
import { naiveComplexCorrelation, naiveCorrelation } from './correlator.naive.js';
import { Correlator, CorrelatorError } from './correlator.js';
import { type Dsp, instantiateDsp } from './dsp.js';
import { bandPassTaps, FilterDesignError, kaiserWindow, lowPassTaps } from './fir-design.js';
import { naiveFir } from './fir-filter.naive.js';
import { FirFilter } from './fir-filter.js';
import { INTERPOLATION_ATTENUATION_DB, interpolationFilters } from './interpolation-filters.js';
import { naiveBetweenSamples } from './interpolation.naive.js';
import { Interpolator, resampleByRatio, Resampler, ResamplingError } from './resampler.js';
import { naiveToneSums } from './tone-integrator.naive.js';
import { ToneIntegrator, ToneIntegratorError } from './tone-integrator.js';

let dsp: Dsp;
beforeAll(async () => {
  dsp = instantiateDsp(await loadDspModule());
});

const samplesOf = (minLength: number, maxLength: number) =>
  fc
    .array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength, maxLength, size: 'max' })
    .map(values => Float32Array.from(values));
const cuts = fc.array(fc.integer({ min: 0, max: 700 }), { maxLength: 12, size: 'max' });

function noise(count: number, seed = 1): Float32Array {
  let state = seed;
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  });
}

interface Stream {
  process(chunk: Float32Array): Float32Array;
  end?(): Float32Array;
}

/** What a stream makes of samples that come in chunks of the lengths given, and then all the rest. */
function streamed(stream: Stream, samples: Float32Array, lengths: readonly number[]): number[] {
  const results: number[] = [];
  let at = 0;
  for (const length of [...lengths, samples.length]) {
    results.push(...stream.process(samples.subarray(at, Math.min(at + length, samples.length))));
    at += length;
  }
  if (stream.end) results.push(...stream.end());
  return results;
}

function expectClose(actual: ArrayLike<number>, expected: ArrayLike<number>, within: number): void {
  expect(actual.length).toBe(expected.length);
  for (let i = 0; i < actual.length; i++) {
    if (!(Math.abs(actual[i] - expected[i]) <= within)) {
      throw new Error(`number ${i} is ${actual[i]}, expected ${expected[i]} within ${within}`);
    }
  }
}

/** Gain of taps at a frequency, in dB. */
function gainDb(taps: ArrayLike<number>, cyclesPerSample: number): number {
  let [re, im] = [0, 0];
  for (let n = 0; n < taps.length; n++) {
    re += taps[n] * Math.cos(2 * Math.PI * cyclesPerSample * n);
    im += taps[n] * Math.sin(2 * Math.PI * cyclesPerSample * n);
  }
  return 10 * Math.log10(re * re + im * im);
}

describe('how a stream is cut into chunks changes no bit of', () => {
  const input = noise(12_000, 7);
  const streams: [string, () => Stream][] = [
    ['a filter', () => new FirFilter(dsp, noise(37))],
    ['a decimating filter', () => new FirFilter(dsp, noise(37), { decimation: 5 })],
    ['rates with few phases', () => new Resampler(dsp, 48_000, 44_100)],
    ['rates with many phases', () => new Resampler(dsp, 44_099, 44_100)],
    ['a correlation', () => new Correlator(dsp, noise(300))],
    ['a complex correlation', () => new Correlator(dsp, noise(300), { template: 'complex' })],
    [
      'sums against tones',
      () =>
        new ToneIntegrator(dsp, { sampleRateHz: 44_100, frequenciesHz: [18_600, 19_200], hopSamples: 18.4 }),
    ],
  ];
  it.each(streams)('%s', (_, make) => {
    const whole = streamed(make(), input, []);
    expect(whole.length).toBeGreaterThan(input.length / 10);
    expect(streamed(make(), input, new Array<number>(90).fill(128))).toEqual(whole);
    fc.assert(
      fc.property(cuts, lengths => expect(streamed(make(), input, lengths)).toEqual(whole)),
      { numRuns: 5 },
    );
  });
});

describe('FirFilter', () => {
  it('is the sum by definition, for all taps and decimations', () => {
    const options = fc.record({
      taps: samplesOf(1, 70),
      samples: samplesOf(0, 400),
      decimation: fc.integer({ min: 1, max: 9 }),
      lengths: cuts,
    });
    fc.assert(
      fc.property(options, ({ taps, samples, decimation, lengths }) => {
        const filter = new FirFilter(dsp, taps, { decimation });
        const expected = naiveFir(samples, taps, decimation);
        expectClose(streamed(filter, samples, lengths), expected, 1e-5);
        filter.reset();
        expectClose(streamed(filter, samples, []), expected, 1e-5);
        filter.free();
      }),
      { numRuns: 100 },
    );
  });

  it('takes more samples at once than it computes in one call', () => {
    const samples = noise(20_000);
    const taps = noise(65, 3);
    expectClose(new FirFilter(dsp, taps).process(samples), naiveFir(samples, taps), 1e-4);
  });

  it('refuses taps and decimations that it has no room for', () => {
    expect(() => new FirFilter(dsp, [])).toThrow(FilterDesignError);
    expect(() => new FirFilter(dsp, new Float32Array(65_536))).toThrow(FilterDesignError);
    for (const decimation of [0, 1.5, 1_025, NaN]) {
      expect(() => new FirFilter(dsp, [1], { decimation })).toThrow(FilterDesignError);
    }
  });
});

describe('filter design', () => {
  const sampleRateHz = 44_100;

  it('keeps to its mask: low pass', () => {
    const taps = lowPassTaps(4_000, { sampleRateHz, transitionHz: 1_000, attenuationDb: 80 });
    for (let hz = 0; hz <= 4_000; hz += 100) {
      expect(Math.abs(gainDb(taps, hz / sampleRateHz))).toBeLessThan(0.01);
    }
    for (let hz = 5_000; hz <= 22_050; hz += 50) {
      expect(gainDb(taps, hz / sampleRateHz)).toBeLessThan(-79);
    }
  });

  it('keeps to its mask: band pass', () => {
    const taps = bandPassTaps(18_000, 20_000, { sampleRateHz, transitionHz: 700, attenuationDb: 60 });
    for (let hz = 18_000; hz <= 20_000; hz += 50) {
      expect(Math.abs(gainDb(taps, hz / sampleRateHz))).toBeLessThan(0.03);
    }
    for (let hz = 0; hz <= 17_300; hz += 50) expect(gainDb(taps, hz / sampleRateHz)).toBeLessThan(-58.5);
    for (let hz = 20_700; hz <= 22_050; hz += 50) expect(gainDb(taps, hz / sampleRateHz)).toBeLessThan(-58.5);
  });

  it('has the Kaiser windows of the textbook', () => {
    // numpy.kaiser(5, 8.6).
    expectClose(
      kaiserWindow(5, 8.6),
      [0.001332513998, 0.34039362244, 1, 0.34039362244, 0.001332513998],
      1e-11,
    );
    expectClose(kaiserWindow(4, 0), [1, 1, 1, 1], 1e-15);
  });

  it('refuses edges out of order', () => {
    const design = { sampleRateHz, transitionHz: 500 };
    expect(() => lowPassTaps(21_900, design)).toThrow(FilterDesignError);
    expect(() => bandPassTaps(400, 900, design)).toThrow(FilterDesignError);
    expect(() => bandPassTaps(9_000, 8_000, design)).toThrow(FilterDesignError);
    expect(() => lowPassTaps(1_000, { sampleRateHz, transitionHz: 0.001 })).toThrow(FilterDesignError);
  });
});

describe('Resampler', () => {
  const rates = [8_000, 11_025, 22_050, 32_000, 48_000, 88_200, 96_000, 192_000, 44_099, 16_001];

  it.each(rates)('gives a tone from %i Hz at 44,100 Hz, the rest 80 dB below', fromHz => {
    const resampler = new Resampler(dsp, fromHz, 44_100);
    const toneHz = 0.86 * (Math.min(fromHz, 44_100) / 2);
    const tone = (rate: number, count: number) =>
      Float32Array.from({ length: count }, (_, n) => Math.sin(2 * Math.PI * ((toneHz * n) / rate) + 0.3));
    const input = tone(fromHz, fromHz >> 3);
    const output = streamed(resampler, input, [1_000, 17]);
    expect(output.length).toBe(Math.ceil((input.length * 44_100) / fromHz));
    const expected = tone(44_100, output.length);
    // Away from the edges, where the tone begins out of silence.
    const edge = Math.ceil(60 * Math.max(1, 44_100 / fromHz));
    expectClose(output.slice(edge, -edge), expected.slice(edge, -edge), 1e-4);
    resampler.free();
  });

  it('lets nothing through that the lower rate has no room for', () => {
    const input = Float32Array.from({ length: 19_200 }, (_, n) =>
      Math.sin((2 * Math.PI * 24_200 * n) / 192_000),
    );
    const output = streamed(new Resampler(dsp, 192_000, 44_100), input, []);
    expect(Math.max(...output.slice(80, -80).map(Math.abs))).toBeLessThan(1e-4);
  });

  it('is the sum by definition', () => {
    const samples = noise(90);
    for (const [fromHz, toHz] of [
      [48_000, 44_100],
      [44_099, 44_100],
      [44_100, 11_025],
    ]) {
      const bandPart = Math.min(1, toHz / fromHz);
      const { tapCount } = interpolationFilters(1, bandPart);
      const filter = {
        cutoff: bandPart / 2,
        halfWidth: tapCount / 2,
        attenuationDb: INTERPOLATION_ATTENUATION_DB,
      };
      const output = streamed(new Resampler(dsp, fromHz, toHz), samples, []);
      const expected = output.map((_, j) => naiveBetweenSamples(samples, (j * fromHz) / toHz, filter));
      expectClose(output, expected, 5e-5);
    }
  });

  it('passes samples of the same rate on', () => {
    const samples = noise(1_000);
    expect(streamed(new Resampler(dsp, 44_100, 44_100), samples, [3])).toEqual([...samples]);
  });

  it('refuses rates that are none', () => {
    for (const [from, to] of [
      [0, 44_100],
      [44_100, NaN],
      [44_100.5, 44_100],
      [100, 44_100],
    ]) {
      expect(() => new Resampler(dsp, from, to)).toThrow(ResamplingError);
    }
  });
});

describe('Interpolator', () => {
  it('finds a tone between its samples to 80 dB, wherever', () => {
    const samples = Float32Array.from({ length: 50_000 }, (_, n) => Math.sin(0.85 * Math.PI * n));
    const interpolator = new Interpolator(dsp);
    const positions = Float64Array.from({ length: 9_000 }, (_, i) => 100 + ((i * 7_919.37) % 49_800));
    const expected = positions.map(at => Math.sin(0.85 * Math.PI * at));
    expectClose(interpolator.at(samples, positions), expected, 1e-4);
    const steps = interpolator.atStep(samples, 100.25, 1.0052, 40_000);
    expectClose(
      steps,
      Float64Array.from({ length: 40_000 }, (_, i) => Math.sin(0.85 * Math.PI * (100.25 + i * 1.0052))),
      1e-4,
    );
    interpolator.free();
  });

  it('gives the samples themselves at whole places, and silence far outside', () => {
    const samples = noise(300);
    const interpolator = new Interpolator(dsp);
    expectClose(interpolator.atStep(samples, 0, 1, 300), samples, 1e-6);
    expect([...interpolator.at(samples, [-1e12, -100, 400, 1e300])]).toEqual([0, 0, 0, 0]);
    expect(() => interpolator.at(samples, [NaN])).toThrow(RangeError);
    interpolator.free();
  });

  it('comes back from a time scale', () => {
    const samples = Float32Array.from({ length: 5_000 }, (_, n) => Math.sin(0.4 * n) * Math.sin(n / 900));
    const there = resampleByRatio(dsp, samples, 1.0052);
    expect(there.length).toBe(Math.floor(4_999 / 1.0052) + 1);
    const back = resampleByRatio(dsp, there, 1 / 1.0052);
    expectClose(back.slice(60, 4_900), samples.slice(60, 4_900), 3e-4);
    expect(() => resampleByRatio(dsp, samples, 2)).toThrow(ResamplingError);
  });
});

describe('Correlator', () => {
  it('is the sum by definition, real and complex', () => {
    const options = fc.record({ template: samplesOf(1, 50), samples: samplesOf(0, 900), lengths: cuts });
    fc.assert(
      fc.property(options, ({ template, samples, lengths }) => {
        const correlator = new Correlator(dsp, template);
        expectClose(streamed(correlator, samples, lengths), naiveCorrelation(samples, template), 2e-5);
        expectClose(streamed(correlator, samples, []), naiveCorrelation(samples, template), 2e-5);
        correlator.free();
      }),
      { numRuns: 40 },
    );
    const template = noise(160);
    const samples = noise(4_000, 5);
    const correlator = new Correlator(dsp, template, { template: 'complex', samples: 'complex' });
    expectClose(streamed(correlator, samples, [2, 600]), naiveComplexCorrelation(samples, template), 1e-4);
    const asComplex = new Float32Array(4_000);
    for (let n = 0; n < 2_000; n++) asComplex[2 * n] = samples[n];
    expectClose(
      streamed(new Correlator(dsp, template, { template: 'complex' }), samples.subarray(0, 2_000), [5]),
      naiveComplexCorrelation(asComplex, template),
      1e-4,
    );
  });

  it('refuses templates that no transform is long enough for', () => {
    expect(() => new Correlator(dsp, [])).toThrow(CorrelatorError);
    expect(() => new Correlator(dsp, [1], { template: 'complex' })).toThrow(CorrelatorError);
    expect(() => new Correlator(dsp, new Float32Array(2 ** 18 + 1))).toThrow(CorrelatorError);
  });
});

describe('ToneIntegrator', () => {
  it('is the sum by definition over hops of any length', () => {
    const options = fc.record({
      samples: samplesOf(0, 1_200),
      frequencyHz: fc.double({ min: -21_000, max: 21_000, noNaN: true }),
      hopSamples: fc.double({ min: 1, max: 300, noNaN: true }),
      lengths: cuts,
    });
    fc.assert(
      fc.property(options, ({ samples, frequencyHz, hopSamples, lengths }) => {
        const sampleRateHz = 44_100;
        const frequenciesHz = [frequencyHz, 1_000];
        const integrator = new ToneIntegrator(dsp, { sampleRateHz, frequenciesHz, hopSamples });
        const expected: number[] = [];
        for (let j = 0; Math.round((j + 1) * hopSamples) <= samples.length; j++) {
          for (const hz of frequenciesHz) {
            const [start, end] = [Math.round(j * hopSamples), Math.round((j + 1) * hopSamples)];
            expected.push(...naiveToneSums(samples, hz / sampleRateHz, start, end));
          }
        }
        expectClose(streamed(integrator, samples, lengths), expected, 1e-4);
        integrator.free();
      }),
      { numRuns: 100 },
    );
  });

  it('keeps the phase of a tone over a minute', () => {
    const integration = { sampleRateHz: 44_100, frequenciesHz: [19_200], hopSamples: 4_410 };
    const integrator = new ToneIntegrator(dsp, integration);
    const tone = (start: number) =>
      Float32Array.from({ length: 4_410 }, (_, n) =>
        Math.cos(2 * Math.PI * (((start + n) * 19_200) / 44_100) + 1),
      );
    let last: Float32Array = new Float32Array(0);
    for (let second = 0; second < 60; second++) {
      for (let part = 0; part < 10; part++) last = integrator.process(tone(44_100 * second + 4_410 * part));
    }
    expectClose(last, [2_205 * Math.cos(1), 2_205 * Math.sin(1)], 0.05);
  });

  it('refuses hops and tones that it has no room for', () => {
    for (const [hz, hopSamples] of [
      [22_050, 10],
      [NaN, 10],
      [1_000, 0.5],
      [1_000, 65_537],
    ]) {
      const integration = { sampleRateHz: 44_100, frequenciesHz: [hz], hopSamples };
      expect(() => new ToneIntegrator(dsp, integration)).toThrow(ToneIntegratorError);
    }
  });
});
