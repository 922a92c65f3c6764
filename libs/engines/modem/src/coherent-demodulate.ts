import { type EnvelopeModel, envelopeModels, logBesselI0, strideStatistics } from './soft-demodulate.js';

/** The symbols of a frame as complex sums of both tones. */
export class SymbolSeries {
  readonly spaceRe: Float32Array;
  readonly spaceIm: Float32Array;
  readonly markRe: Float32Array;
  readonly markIm: Float32Array;

  constructor(readonly length: number) {
    this.spaceRe = new Float32Array(length);
    this.spaceIm = new Float32Array(length);
    this.markRe = new Float32Array(length);
    this.markIm = new Float32Array(length);
  }

  /** The first symbols of a longer series. */
  extended(length: number): SymbolSeries {
    const longer = new SymbolSeries(length);
    longer.spaceRe.set(this.spaceRe);
    longer.spaceIm.set(this.spaceIm);
    longer.markRe.set(this.markRe);
    longer.markIm.set(this.markIm);
    return longer;
  }

  /** Powers of both tones. */
  powers(): { space: Float32Array; mark: Float32Array } {
    return {
      space: this.spaceRe.map((re, at) => re * re + this.spaceIm[at] ** 2),
      mark: this.markRe.map((re, at) => re * re + this.markIm[at] ** 2),
    };
  }
}

/** Symbols on either side whose phase says what a symbol's is. */
const REFERENCE_SYMBOLS = 16;
/** Vectors are never taken to agree better than this: a concentration of von Mises of 17, 0.25 radians. */
const AGREEMENT_MAX = 0.97;
const PASSES = 3;

const { exp, hypot, min } = Math;

/**
 * Soft decisions that also look at the phase: continuous-phase FSK whose tones are whole symbols apart keeps the phase of each
 * tone, so that those of the symbols around tell what a symbol's would be. That is worth up to 2 dB where noise is strong;
 * where the phase cannot be told, its concentration κ is small and what is left is the noncoherent ratio:
 * log I0(|2az/N + κ·e^jθ|) − log I0(κ) − a²/N of one tone less the other's.
 *
 * Source: κ of the mean vector: Mardia and Jupp, Directional Statistics, 2000, 10.3; Viterbi, Optimum detection and signal selection for partially coherent binary communication, IEEE Trans. IT 11,
 * 1965.
 *
 * @param noncoherent ratios to begin with, see softDemodulate
 * @param known the bits of the first symbols
 */
export function coherentRatios(
  symbols: SymbolSeries,
  noncoherent: Float32Array,
  known: ArrayLike<number>,
): Float32Array {
  const { space, mark } = symbols.powers();
  const llr = noncoherent.slice();
  const belief = new Float64Array(symbols.length);
  for (let pass = 0; pass < PASSES; pass++) {
    for (let at = 0; at < llr.length; at++)
      belief[at] = at < known.length ? known[at] : 1 / (1 + exp(-llr[at]));
    const spaceBelief = belief.map(p => 1 - p);
    const spaceReference = new PhaseReference(symbols.spaceRe, symbols.spaceIm, spaceBelief);
    const markReference = new PhaseReference(symbols.markRe, symbols.markIm, belief);
    for (const { from, to, around } of strideStatistics(space, mark, belief)) {
      const [spaceModel, markModel] = envelopeModels(around);
      for (let at = from; at < to; at++) {
        llr[at] = markReference.ratioAt(at, markModel) - spaceReference.ratioAt(at, spaceModel);
      }
    }
  }
  return llr;
}

/** What the symbols around say of a tone's phase, by how much each is believed to be of that tone. */
class PhaseReference {
  readonly #re: Float64Array;
  readonly #im: Float64Array;
  readonly #weight: Float64Array;

  constructor(
    readonly re: Float32Array,
    readonly im: Float32Array,
    readonly belief: Float64Array,
  ) {
    const count = re.length;
    this.#re = new Float64Array(count + 1);
    this.#im = new Float64Array(count + 1);
    this.#weight = new Float64Array(count + 1);
    for (let at = 0; at < count; at++) {
      this.#re[at + 1] = this.#re[at] + belief[at] * re[at];
      this.#im[at + 1] = this.#im[at] + belief[at] * im[at];
      this.#weight[at + 1] = this.#weight[at] + belief[at];
    }
  }

  /** log of the density of a symbol if the tone is sent by that if it is not. */
  ratioAt(at: number, { amplitude, noise }: EnvelopeModel): number {
    // As far on either side: a frequency that is a little off then turns the sum not at all.
    const reach = min(REFERENCE_SYMBOLS, at, this.re.length - 1 - at);
    const wide = reach < REFERENCE_SYMBOLS / 2 ? REFERENCE_SYMBOLS / 2 : reach;
    const from = at - wide < 0 ? 0 : at - wide;
    const to = min(this.re.length, at + wide + 1);
    const own = this.belief[at];
    const re = this.#re[to] - this.#re[from] - own * this.re[at];
    const im = this.#im[to] - this.#im[from] - own * this.im[at];
    const weight = this.#weight[to] - this.#weight[from] - own;
    const sum = hypot(re, im) + 1e-60;
    // How long the mean of the phases' vectors is says how far they agree; κ by it, and by the noise of their sum.
    const agreement = min(AGREEMENT_MAX, sum / (weight * amplitude + 1e-60));
    const concentration = min(
      (agreement * (2 - agreement * agreement)) / (1 - agreement * agreement),
      (2 * amplitude * sum) / (noise + 1e-60),
    );
    const gain = (2 * amplitude) / noise;
    const along = hypot(
      gain * this.re[at] + (concentration * re) / sum,
      gain * this.im[at] + (concentration * im) / sum,
    );
    return logBesselI0(along) - logBesselI0(concentration) - (amplitude * amplitude) / noise;
  }
}
