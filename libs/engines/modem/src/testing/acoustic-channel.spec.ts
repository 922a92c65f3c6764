import { RealFft } from '@svc/kernels';
import { energyOf, noiseSigmaOf, simulateChannel } from './acoustic-channel.js';
import { PinkNoise } from './pink-noise.js';

const RATE_HZ = 44_100;
const played = Float32Array.from(
  { length: 22_050 },
  (_, n) => 0.4 * Math.sin((2 * Math.PI * 18_900 * n) / RATE_HZ),
);

describe('a simulated channel', () => {
  it('gives the played samples back where nothing happens', () => {
    expect(simulateChannel(played, RATE_HZ, {}, 1).samples).toEqual(played);
  });

  it('adds noise by the energy of a payload bit, measured in what comes out', () => {
    const noise = { ebN0Db: 12, payloadBits: 128 };
    const { samples, truth } = simulateChannel(played, RATE_HZ, { noise }, 2);
    const added = samples.map((x, n) => x - played[n]);
    const variance = energyOf(added) / added.length;
    const ebN0 = energyOf(played) / 128 / (2 * variance);
    expect(10 * Math.log10(ebN0)).toBeCloseTo(12, 0);
    expect(truth.noiseSigma).toBeCloseTo(noiseSigmaOf(energyOf(played), 128, 12), 9);
    expect(Math.sqrt(variance) / truth.noiseSigma).toBeCloseTo(1, 1);
  });

  it('adds noise by the ratio of powers', () => {
    const { samples } = simulateChannel(played, RATE_HZ, { noise: { snrDb: 10, color: 'white' } }, 3);
    const added = samples.map((x, n) => x - played[n]);
    expect(10 * Math.log10(energyOf(played) / energyOf(added))).toBeCloseTo(10, 0);
  });

  it('is the same for a seed, and another for the next', () => {
    const conditions = {
      phones: true,
      room: { drrDb: 3, rt60Seconds: 0.2 },
      motion: { peakPpm: 2_000, periodSeconds: 0.8 },
      driftPpm: 100,
      noise: { snrDb: 5, color: 'pink' },
      codec: 'middle',
      paddingSeconds: 0.05,
    } as const;
    const [first, again, next] = [7, 7, 8].map(seed => simulateChannel(played, RATE_HZ, conditions, seed));
    expect(again).toEqual(first);
    expect(next.samples).not.toEqual(first.samples);
    expect(first.truth.drrDb).toBeCloseTo(3, 6);
    expect(first.truth.rt60Seconds).toBeGreaterThan(0.18);
    expect(first.truth.rt60Seconds).toBeLessThan(0.22);
    expect(first.truth.startSeconds).toBeGreaterThanOrEqual(0.05);
  });

  it.each(['white', 'pink'] as const)('has other %s noise for the next seed', color => {
    const [one, other] = [1, 2].map(seed => {
      const { samples } = simulateChannel(played, RATE_HZ, { noise: { snrDb: 0, color } }, seed);
      return samples.map((x, n) => x - played[n]);
    });
    const product = one.reduce((sum, x, n) => sum + x * other[n], 0);
    expect(Math.abs(product) / Math.sqrt(energyOf(one) * energyOf(other))).toBeLessThan(0.2);
  });

  it('cuts what is over full scale', () => {
    const { samples } = simulateChannel(played, RATE_HZ, { overloadDb: 12 }, 4);
    const atFullScale = samples.filter(x => Math.abs(x) === 1).length / samples.length;
    expect(atFullScale).toBeGreaterThan(0.8);
    expect(Math.max(...samples.map(Math.abs))).toBe(1);
  });

  it('takes more from ultrasound than from speech on the way through two phones', () => {
    const low = played.map((_, n) => 0.4 * Math.sin((2 * Math.PI * 2_100 * n) / RATE_HZ));
    const losses = [1, 2, 3, 4, 5, 6].map(seed =>
      [played, low].map(sound => simulateChannel(sound, RATE_HZ, { phones: true }, seed).truth.phoneLossDb!),
    );
    const mean = (which: number) => losses.reduce((sum, pair) => sum + pair[which], 0) / losses.length;
    expect(mean(0) - mean(1)).toBeGreaterThan(6);
  });
});

describe('pink noise', () => {
  it('falls by 3 dB an octave and has the power that was asked', () => {
    const size = 8_192;
    const fft = new RealFft(size);
    const noise = new PinkNoise(RATE_HZ, 5);
    const power = new Float64Array(fft.bins);
    let variance = 0;
    for (let round = 0; round < 60; round++) {
      const block = noise.addTo(new Float32Array(size), 1);
      variance += energyOf(block) / size / 60;
      const spectrum = fft.forward(block.map((x, n) => x * Math.sin((Math.PI * n) / size) ** 2));
      for (let k = 0; k < fft.bins; k++) power[k] += spectrum[2 * k] ** 2 + spectrum[2 * k + 1] ** 2;
    }
    const octaveDb = (hz: number) => {
      const from = Math.round((hz / RATE_HZ) * size);
      return 10 * Math.log10(power.subarray(from, 2 * from).reduce((a, b) => a + b, 0));
    };
    const octaves = [100, 200, 400, 800, 1_600, 3_200, 6_400].map(octaveDb);
    expect(Math.max(...octaves) - Math.min(...octaves)).toBeLessThan(1.5);
    expect(variance).toBeGreaterThan(0.7);
    expect(variance).toBeLessThan(1.3);
  });
});
