import { RealFft } from '@svc/kernels';
import { JinglingKeys } from './jingling-keys.js';
import { MusicLike } from './music-like.js';
import { SpeechLike } from './speech-like.js';

const RATE_HZ = 44_100;
const SECONDS = 20;

const sources = [
  ['speech', SpeechLike],
  ['music', MusicLike],
  ['keys', JinglingKeys],
] as const;

describe.each(sources)('sound like %s', (name, Source) => {
  const samples = new Source(RATE_HZ, 3).fill(new Float32Array(SECONDS * RATE_HZ));

  it('stays within what a recorder takes, and is no silence', () => {
    const loudest = samples.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
    const rms = Math.sqrt(samples.reduce((sum, x) => sum + x * x, 0) / samples.length);
    expect(loudest).toBeLessThan(4);
    expect(rms).toBeGreaterThan(0.005);
    expect(samples.every(Number.isFinite)).toBe(true);
  });

  it('comes and goes: its loudness changes by more than 10 dB', () => {
    const levels = Array.from({ length: SECONDS * 10 }, (_, k) =>
      samples.subarray(k * 4_410, (k + 1) * 4_410).reduce((sum, x) => sum + x * x, 1e-9),
    ).sort((a, b) => a - b);
    expect(levels[Math.floor(0.9 * levels.length)] / levels[Math.floor(0.1 * levels.length)]).toBeGreaterThan(
      10,
    );
  });

  it('reaches into the band of ultrasonic packets', () => {
    // Or it would be no test of a receiver.
    const { inBand, all } = powers(samples);
    expect(inBand / all).toBeGreaterThan(name === 'speech' ? 1e-6 : 1e-5);
  });

  it('is the same whatever the sizes of its blocks', () => {
    const source = new Source(RATE_HZ, 3);
    const parts = [1, 127, 1_000, 44_100, 200_000, 3, 150_000].flatMap(size => [
      ...source.fill(new Float32Array(size)),
    ]);
    // A comparison at a time would take minutes.
    expect(parts.findIndex((x, n) => x !== samples[n])).toBe(-1);
  });
});

function powers(samples: Float32Array) {
  const size = 4_096;
  const fft = new RealFft(size);
  let [inBand, all] = [0, 0];
  for (let start = 0; start + size <= samples.length; start += size) {
    const block = Float64Array.from(
      { length: size },
      (_, n) => samples[start + n] * Math.sin((Math.PI * n) / size) ** 2,
    );
    const spectrum = fft.forward(block);
    for (let k = 1; k < fft.bins; k++) {
      const power = spectrum[2 * k] ** 2 + spectrum[2 * k + 1] ** 2;
      const hz = (k * RATE_HZ) / size;
      all += power;
      if (hz > 18_500 && hz < 19_600) inBand += power;
    }
  }
  return { inBand, all };
}
