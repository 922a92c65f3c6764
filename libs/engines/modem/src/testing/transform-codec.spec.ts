import { SeededRandom } from '@svc/kernels/testing';
import { CODEC_OPTIONS, loseToCodec } from './transform-codec.js';

const RATE_HZ = 44_100;
const tone = (hz: number) =>
  Float32Array.from({ length: 20_000 }, (_, n) => 0.4 * Math.sin((2 * Math.PI * hz * n) / RATE_HZ));
const energy = (samples: Float32Array) => samples.reduce((sum, x) => sum + x * x, 0);
const less = (a: Float32Array, b: Float32Array) => a.map((x, n) => x - b[n]);

describe('a lossy codec', () => {
  it('gives sound back where it quantises next to nothing', () => {
    const random = new SeededRandom(3);
    const samples = Float32Array.from({ length: 5_000 }, () => random.gaussian(0, 0.2));
    const heard = loseToCodec(samples, { bandwidthHz: RATE_HZ / 2, noiseToMaskDb: -100 }, RATE_HZ);
    expect(energy(less(heard, samples)) / energy(samples)).toBeLessThan(1e-8);
  });

  it('adds noise by its mask below the sound, in the sound’s own band', () => {
    const samples = tone(18_900);
    for (const quality of ['high', 'middle'] as const) {
      const noise = less(loseToCodec(samples, CODEC_OPTIONS[quality], RATE_HZ), samples);
      const db = 10 * Math.log10(energy(noise.subarray(1_024, -1_024)) / energy(samples));
      expect(db).toBeGreaterThan(CODEC_OPTIONS[quality].noiseToMaskDb - 12);
      expect(db).toBeLessThan(CODEC_OPTIONS[quality].noiseToMaskDb + 3);
    }
  });

  it('takes all of ultrasound where its bandwidth ends below', () => {
    const heard = loseToCodec(tone(18_900), CODEC_OPTIONS.low, RATE_HZ);
    expect(energy(heard) / energy(tone(18_900))).toBeLessThan(1e-3);
    expect(
      energy(loseToCodec(tone(2_100), CODEC_OPTIONS.low, RATE_HZ)) / energy(tone(2_100)),
    ).toBeGreaterThan(0.5);
  });
});
