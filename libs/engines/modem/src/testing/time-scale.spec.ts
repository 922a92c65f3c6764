import { driftClock, heardAt, scaleTime, swingSource } from './time-scale.js';

const RATE_HZ = 44_100;
const tone = (hz: number, length: number, ppm = 0) =>
  Float32Array.from({ length }, (_, n) => Math.sin((2 * Math.PI * hz * (1 + ppm * 1e-6) * n) / RATE_HZ));

describe('time that runs faster or slower', () => {
  it.each([
    [1_800, -5_200],
    [18_600, 5_200],
    [19_500, -5_200],
    [19_500, 200],
    [19_200, 0],
  ])('moves a tone of %d Hz by %d ppm, 70 dB clean', (hz, ppm) => {
    const heard = scaleTime(tone(hz, 8_000), ppm);
    const expected = tone(hz, heard.length, ppm);
    expect(Math.abs(heard.length - 8_000 / (1 + ppm * 1e-6))).toBeLessThan(1);
    expect(errorDb(heard, expected)).toBeLessThan(-70);
  });

  it('gives the samples themselves at whole positions, but for what is near half the sample rate', () => {
    const samples = tone(5_000, 2_000);
    expect(
      errorDb(
        heardAt(samples, n => n, 2_000),
        samples,
      ),
    ).toBeLessThan(-70);
  });

  it('swings a source to its largest shift and back', () => {
    const seconds = 2;
    const heard = swingSource(tone(10_000, seconds * RATE_HZ), { peakPpm: 3_000, periodSeconds: 1 }, RATE_HZ);
    // Largest at the beginning of a swing, the opposite half a swing later.
    expect(frequencyNear(heard, 0.99 * RATE_HZ)).toBeCloseTo(10_030, -0.5);
    expect(frequencyNear(heard, 0.49 * RATE_HZ)).toBeCloseTo(9_970, -0.5);
    expect(frequencyNear(heard, 0.74 * RATE_HZ)).toBeCloseTo(10_000, -0.5);
  });

  it('drifts by the clock’s error and wanders around it', () => {
    const drifted = driftClock(tone(10_000, 2 * RATE_HZ), 200, { peakPpm: 100, periodSeconds: 1 }, RATE_HZ);
    expect(frequencyNear(drifted, 0.24 * RATE_HZ)).toBeCloseTo(10_003, -0.1);
    expect(frequencyNear(drifted, 0.74 * RATE_HZ)).toBeCloseTo(10_001, -0.1);
  });
});

/** Of the middle of the sound, without its edges. */
function errorDb(heard: Float32Array, expected: Float32Array): number {
  let error = 0;
  let whole = 0;
  for (let n = 50; n < heard.length - 50; n++) {
    error += (heard[n] - expected[n]) ** 2;
    whole += expected[n] ** 2;
  }
  return 10 * Math.log10(error / whole);
}

/** By the upward crossings of zero over 20 ms. */
function frequencyNear(samples: Float32Array, start: number): number {
  const at = Math.round(start);
  const crossings: number[] = [];
  for (let n = at; n < at + 0.02 * RATE_HZ; n++) {
    if (samples[n] < 0 && samples[n + 1] >= 0) crossings.push(n - samples[n] / (samples[n + 1] - samples[n]));
  }
  return ((crossings.length - 1) * RATE_HZ) / (crossings[crossings.length - 1] - crossings[0]);
}
