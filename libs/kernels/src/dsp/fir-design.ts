/** What a filter is to do, on the frequency axis. */
export interface FilterDesign {
  sampleRateHz: number;
  /** From the edge of the pass band to where `attenuationDb` is reached. */
  transitionHz: number;
  /** In the stop band, and what the ripple of the pass band is below it. Default 80. */
  attenuationDb?: number;
}

/** A design that no filter has: edges out of order or past half the sample rate, or too many taps. */
export class FilterDesignError extends Error {
  override readonly name = 'FilterDesignError';
  readonly code = 'FILTER_DESIGN';
}

export const FIR_TAPS_MAX = 65_535;

/** Modified Bessel function of the first kind and order 0, to double precision: Σ ((x/2)^k / k!)². */
export function besselI0(x: number): number {
  let term = 1;
  let sum = 1;
  for (let k = 1; term > sum * 1e-17; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

/** β of the Kaiser window for an attenuation in dB (Kaiser 1974; Oppenheim and Schafer, 7.5.3). */
export function kaiserBeta(attenuationDb: number): number {
  if (attenuationDb > 50) return 0.1102 * (attenuationDb - 8.7);
  if (attenuationDb < 21) return 0;
  return 0.5842 * (attenuationDb - 21) ** 0.4 + 0.07886 * (attenuationDb - 21);
}

/** Taps that a Kaiser-windowed filter needs for a transition of `transition` cycles a sample. */
export function kaiserTapCount(attenuationDb: number, transition: number): number {
  return Math.ceil((attenuationDb - 7.95) / (2.285 * 2 * Math.PI * transition)) + 1;
}

/** The window of `count` points, symmetric, 1 at the middle. */
export function kaiserWindow(count: number, beta: number): Float64Array {
  const scale = 1 / besselI0(beta);
  const middle = (count - 1) / 2;
  return Float64Array.from({ length: count }, (_, n) => {
    const place = middle === 0 ? 0 : (n - middle) / middle;
    return scale * besselI0(beta * Math.sqrt(Math.max(0, 1 - place * place)));
  });
}

/**
 * Taps of a low pass with unit gain at 0 Hz, symmetric (linear phase), an odd number of them.
 *
 * @param passHz edge of the pass band
 * @throws FilterDesignError for edges out of order
 * @example
 * lowPassTaps(4_000, { sampleRateHz: 44_100, transitionHz: 1_000 }); // 223 taps
 */
export function lowPassTaps(passHz: number, design: FilterDesign): Float64Array {
  return bandTaps(0, passHz, design);
}

/**
 * Taps of a band pass with unit gain at the middle of its band, symmetric, an odd number of them.
 *
 * @param lowHz and @param highHz edges of the pass band
 * @throws FilterDesignError for edges out of order
 */
export function bandPassTaps(lowHz: number, highHz: number, design: FilterDesign): Float64Array {
  if (!(lowHz > design.transitionHz)) {
    throw new FilterDesignError(`the lower edge ${lowHz} Hz lies within a transition of 0 Hz`);
  }
  return bandTaps(lowHz, highHz, design);
}

function bandTaps(lowHz: number, highHz: number, design: FilterDesign): Float64Array {
  const { sampleRateHz, transitionHz, attenuationDb = 80 } = design;
  if (!(transitionHz > 0 && highHz > lowHz && highHz + transitionHz <= sampleRateHz / 2)) {
    throw new FilterDesignError(
      `edges ${lowHz} and ${highHz} Hz with transitions of ${transitionHz} Hz at ${sampleRateHz} Hz`,
    );
  }
  const count = kaiserTapCount(attenuationDb, transitionHz / sampleRateHz) | 1;
  if (count > FIR_TAPS_MAX) throw new FilterDesignError(`${count} taps, at most ${FIR_TAPS_MAX}`);
  const window = kaiserWindow(count, kaiserBeta(attenuationDb));
  const middle = (count - 1) / 2;
  const high = (highHz + transitionHz / 2) / sampleRateHz;
  const low = lowHz === 0 ? 0 : (lowHz - transitionHz / 2) / sampleRateHz;
  const taps = window.map((w, n) => w * (sincOfBand(high, n - middle) - sincOfBand(low, n - middle)));
  const centre = lowHz === 0 ? 0 : (low + high) / 2;
  const gain = taps.reduce((sum, h, n) => sum + h * Math.cos(2 * Math.PI * centre * (n - middle)), 0);
  return taps.map(h => h / gain);
}

/** Impulse response of the ideal low pass of `cutoff` cycles a sample, at `n`. */
export function sincOfBand(cutoff: number, n: number): number {
  return n === 0 ? 2 * cutoff : Math.sin(2 * Math.PI * cutoff * n) / (Math.PI * n);
}
