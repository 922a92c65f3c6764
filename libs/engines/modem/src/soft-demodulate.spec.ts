import { PILOT } from './packet-frame.js';
import { logBesselI0, softDemodulate } from './soft-demodulate.js';
import { GaussianNoise } from './testing/index.js';

const { cos, exp, log10, PI, sqrt } = Math;

/** Powers of both tones of symbols that are sent at an amplitude of their own in noise of variance 1. */
function symbolPowers(
  bits: ArrayLike<number>,
  amplitudes: readonly [number, number],
  seed: number,
  noises = [1, 1],
) {
  const noise = new GaussianNoise(seed);
  const powersOf = (tone: number) =>
    Float32Array.from(bits, bit => {
      const re = (bit === tone ? amplitudes[tone] : 0) + noise.next() * sqrt(noises[tone] / 2);
      return re * re + (noise.next() ** 2 * noises[tone]) / 2;
    });
  return { space: powersOf(0), mark: powersOf(1) };
}

function randomBits(count: number): Uint8Array {
  let state = 1;
  return Uint8Array.from({ length: count }, (_, at) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return at < PILOT.length ? PILOT[at] : (state >> 16) & 1;
  });
}

const wrongOf = (llr: Float32Array, bits: Uint8Array) =>
  bits.reduce((wrong, bit, at) => wrong + (at >= PILOT.length && (llr[at] > 0 ? 1 : 0) !== bit ? 1 : 0), 0);

describe('soft decisions', () => {
  it.each([4, 6, 8])('are wrong as often as theory says, at Es/N0 of %d dB', esN0Db => {
    const gamma = 10 ** (esN0Db / 10);
    const theory = 0.5 * exp(-gamma / 2);
    const count = Math.ceil(600 / theory);
    const bits = randomBits(count);
    const { space, mark } = symbolPowers(bits, [sqrt(gamma), sqrt(gamma)], esN0Db);
    const { llr } = softDemodulate(space, mark, PILOT);
    const ratio = wrongOf(llr, bits) / (count - PILOT.length) / theory;
    expect(ratio).toBeGreaterThan(0.85);
    expect(ratio).toBeLessThan(1.15);
  });

  it('mean what they say: of those of 1 to 2 about exp(−1.5) are wrong to right', () => {
    const gamma = 10 ** 0.5;
    const bits = randomBits(40_000);
    const { space, mark } = symbolPowers(bits, [sqrt(gamma), sqrt(gamma)], 3);
    const { llr } = softDemodulate(space, mark, PILOT);
    const said = bits.filter((_, at) => Math.abs(Math.abs(llr[at]) - 1.5) < 0.5);
    const wrong = bits.filter(
      (bit, at) => Math.abs(Math.abs(llr[at]) - 1.5) < 0.5 && llr[at] > 0 !== (bit === 1),
    );
    expect(wrong.length / said.length).toBeGreaterThan(0.14);
    expect(wrong.length / said.length).toBeLessThan(0.24);
  });

  it('make up for a tone that fades: a comparison of powers alone is wrong four times as often', () => {
    const bits = randomBits(6_000);
    const { space, mark } = symbolPowers(bits, [6, 2], 8);
    const compared = Float32Array.from(space, (power, at) => mark[at] - power);
    const { llr } = softDemodulate(space, mark, PILOT);
    expect(wrongOf(llr, bits)).toBeLessThan(wrongOf(compared, bits) / 4);
  });

  it('measure Es/N0 on the pilot to about 1 dB', () => {
    for (const gamma of [4, 10, 100]) {
      const measured = Array.from({ length: 40 }, (_, seed) => {
        const { space, mark } = symbolPowers(PILOT, [sqrt(gamma), sqrt(gamma)], seed);
        return 10 * log10(softDemodulate(space, mark, PILOT).pilotEsN0 / gamma);
      });
      const rms = sqrt(measured.reduce((sum, x) => sum + x * x, 0) / measured.length);
      expect(rms).toBeLessThan(1.6);
    }
  });

  it('are numbers whatever the powers are', () => {
    for (const value of [0, 1e-30, 1e30]) {
      const powers = new Float32Array(64).fill(value);
      const { llr, pilotEsN0 } = softDemodulate(powers, powers, PILOT);
      expect([...llr, pilotEsN0].every(Number.isFinite)).toBe(true);
    }
  });
});

describe('log I0', () => {
  it('is that of its integral', () => {
    for (const x of [0, 0.1, 1, 3.7, 3.8, 10, 40]) {
      const steps = 2_000;
      let sum = 0;
      for (let k = 0; k < steps; k++) sum += exp(x * (cos((2 * PI * k) / steps) - 1));
      expect(logBesselI0(x)).toBeCloseTo(x + Math.log(sum / steps), 5);
    }
  });
});
