import { coherentRatios, SymbolSeries } from './coherent-demodulate.js';
import { PILOT } from './packet-frame.js';
import { softDemodulate } from './soft-demodulate.js';
import { GaussianNoise } from './testing/index.js';

const { abs, cos, PI, sin, sqrt } = Math;

/** Symbols at γ = Es/N0 in noise of variance 1, their phase by the symbol. */
function symbolSeries(
  bits: Uint8Array,
  gamma: number,
  phaseAt: (symbol: number, bit: number) => number,
): SymbolSeries {
  const noise = new GaussianNoise(11);
  const series = new SymbolSeries(bits.length);
  bits.forEach((bit, at) => {
    const phase = phaseAt(at, bit);
    const sums = [0, 1].map(tone => {
      const amplitude = tone === bit ? sqrt(gamma) : 0;
      return [
        amplitude * cos(phase) + noise.next() * sqrt(0.5),
        amplitude * sin(phase) + noise.next() * sqrt(0.5),
      ];
    });
    [[series.spaceRe[at], series.spaceIm[at]], [series.markRe[at], series.markIm[at]]] = sums;
  });
  return series;
}

function randomBits(count: number): Uint8Array {
  const noise = new GaussianNoise(2);
  return Uint8Array.from({ length: count }, (_, at) =>
    at < PILOT.length ? PILOT[at] : noise.next() > 0 ? 1 : 0,
  );
}

function errorsOf(series: SymbolSeries, bits: Uint8Array) {
  const { space, mark } = series.powers();
  const { llr } = softDemodulate(space, mark, PILOT);
  const wrong = (ratios: Float32Array) =>
    bits.reduce((sum, bit, at) => sum + (at >= PILOT.length && ratios[at] > 0 !== (bit === 1) ? 1 : 0), 0);
  return { noncoherent: wrong(llr), coherent: wrong(coherentRatios(series, llr, PILOT)) };
}

const bits = randomBits(6_000);
const GAMMA = 10 ** 0.5;

describe('decisions by phase', () => {
  it('are wrong half as often as those by power where noise is strong and phases stay, of either tone its own', () => {
    const { noncoherent, coherent } = errorsOf(
      symbolSeries(bits, GAMMA, (_, bit) => 1 + 2 * bit),
      bits,
    );
    expect(noncoherent).toBeGreaterThan(400);
    expect(coherent).toBeLessThan(noncoherent / 2);
  });

  it('are better as well where the phase turns by a fiftieth of a turn a symbol', () => {
    const { noncoherent, coherent } = errorsOf(
      symbolSeries(bits, GAMMA, at => (2 * PI * at) / 50),
      bits,
    );
    expect(coherent).toBeLessThan(0.8 * noncoherent);
  });

  it('are hardly worse than those by power where phases mean nothing', () => {
    const chance = new GaussianNoise(4);
    const { noncoherent, coherent } = errorsOf(
      symbolSeries(bits, GAMMA, () => 50 * chance.next()),
      bits,
    );
    expect(coherent).toBeLessThan(1.2 * noncoherent);
  });

  it('are numbers of silence, of much, and of few symbols', () => {
    for (const [value, count] of [
      [0, 40],
      [1e15, 40],
      [1, 33],
    ] as const) {
      const series = new SymbolSeries(count);
      series.markRe.fill(value);
      series.spaceIm.fill(value);
      const { space, mark } = series.powers();
      const ratios = coherentRatios(series, softDemodulate(space, mark, PILOT).llr, PILOT);
      expect(ratios.every(ratio => Number.isFinite(ratio) && abs(ratio) < 1e9)).toBe(true);
    }
  });
});
