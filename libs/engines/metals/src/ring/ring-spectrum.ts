import { hannWindow, parabolicOffset, RealFft } from '@svc/kernels';

/** Power by frequency of a stretch of sound under a Hann window. */
export interface PowerSpectrum {
  readonly binHz: number;
  /** Of each bin. */
  readonly powers: Float64Array;
  /** Power of the noise around each bin. */
  readonly floor: Float64Array;
}

/** A peak of a spectrum. */
export interface SpectralPeak {
  readonly frequencyHz: number;
  readonly power: number;
  /** Power over that of the noise around. */
  readonly snr: number;
}

/** The noise is the median of so many bins around. */
const FLOOR_BINS = 256;
/** The median of the power of Gaussian noise is ln 2 of its mean. */
const MEDIAN_SHARE = Math.LN2;
/** Of 8,192 bins of noise alone one is so far above the mean once in three thousand recordings: 8192·e^−16.9. */
const SNR_MIN = 16.9;
/** Peaks this far below the strongest are no modes that a strike makes heard. */
const POWER_SHARE_MIN = 1e-7;

/**
 * @param samples up to `size` of them; fewer are followed by zeros, their window is as long as they are
 * @param size of the transform, a power of two
 */
export function powerSpectrum(samples: Float32Array, sampleRateHz: number, size: number): PowerSpectrum {
  const count = Math.min(samples.length, size);
  const { fft, full } = planOf(size);
  const window = count === size ? full : hannWindow(count);
  const windowed = new Float64Array(count);
  for (let i = 0; i < count; i++) windowed[i] = samples[i] * window[i];
  const spectrum = fft.forward(windowed);
  const powers = new Float64Array(fft.bins);
  for (let k = 0; k < fft.bins; k++) powers[k] = spectrum[2 * k] ** 2 + spectrum[2 * k + 1] ** 2;
  return { binHz: sampleRateHz / size, powers, floor: noiseFloor(powers) };
}

/** Transforms and windows of the few sizes that are asked for: 4,096 to 65,536 samples. */
const plans = new Map<number, { readonly fft: RealFft; readonly full: Float64Array }>();

/** The plan of a size; its work space is free again when a transform returns. */
export function planOf(size: number): { readonly fft: RealFft; readonly full: Float64Array } {
  const known = plans.get(size);
  if (known) return known;
  const plan = { fft: new RealFft(size), full: hannWindow(size) };
  plans.set(size, plan);
  return plan;
}

/** Median of the bins around each, by blocks of half that width, with straight lines between. */
export function noiseFloor(powers: Float64Array): Float64Array {
  const step = FLOOR_BINS / 2;
  const medians: number[] = [];
  for (let start = 0; start < powers.length; start += step) {
    const from = Math.max(0, Math.min(start - step / 2, powers.length - FLOOR_BINS));
    const around = powers.slice(from, from + FLOOR_BINS).sort();
    medians.push(around[around.length >> 1] / MEDIAN_SHARE);
  }
  const floor = new Float64Array(powers.length);
  for (let block = 0, from = 0; from < powers.length; block++) {
    // From the middle of one block to that of the next; flat before the first and after the last.
    const [low, high] = [medians[Math.max(0, block - 1)], medians[Math.min(medians.length - 1, block)]];
    const start = block * step - step / 2;
    const end = Math.min(powers.length, block < medians.length ? start + step : powers.length);
    for (let k = from; k < end; k++) floor[k] = low + ((k - start) / step) * (high - low);
    from = end;
  }
  return floor;
}

/**
 * Peaks that stand out of the noise and out of the skirts of stronger ones, strongest first.
 *
 * @param width samples under the window, over the size of the transform: how far the skirts reach
 */
export function findPeaks(
  spectrum: PowerSpectrum,
  range: {
    readonly minHz: number;
    readonly maxHz: number;
    readonly countMax: number;
    readonly width: number;
  },
): SpectralPeak[] {
  const { binHz, powers, floor } = spectrum;
  const candidates: { bin: number; power: number }[] = [];
  const last = Math.min(powers.length - 2, Math.floor(range.maxHz / binHz));
  for (let k = Math.max(1, Math.ceil(range.minHz / binHz)); k <= last; k++) {
    if (powers[k] < powers[k - 1] || powers[k] <= powers[k + 1] || powers[k] < SNR_MIN * floor[k]) continue;
    candidates.push({ bin: k, power: powers[k] });
  }
  candidates.sort((a, b) => b.power - a.power);
  const peaks: { bin: number; power: number }[] = [];
  const least = POWER_SHARE_MIN * (candidates[0]?.power ?? 0);
  for (const candidate of candidates) {
    if (candidate.power < least || peaks.length === range.countMax) break;
    const skirts = peaks.reduce(
      (sum, peak) => sum + peak.power * skirt(Math.abs(peak.bin - candidate.bin) * range.width),
      0,
    );
    if (candidate.power > skirts) peaks.push(candidate);
  }
  return peaks.map(({ bin, power }) => {
    const level = (k: number) => Math.log(Math.max(powers[k], Number.MIN_VALUE));
    const offset = parabolicOffset(level(bin - 1), level(bin), level(bin + 1));
    return {
      frequencyHz: (bin + offset) * binHz,
      power,
      snr: power / Math.max(floor[bin], Number.MIN_VALUE),
    };
  });
}

/** The most that a Hann window lets through at a distance in bins: its side lobes, with 4 dB to spare. */
function skirt(distance: number): number {
  if (distance < 1.5) return 1;
  return 2.5 / (distance * (distance ** 2 - 1)) ** 2;
}
