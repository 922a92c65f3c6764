import { RealFft } from '@svc/kernels';

const { cos, floor, log10, max, min, PI, round, sin, sqrt } = Math;

/** Samples from one block to the next; each takes twice as many, half of them shared with its neighbour. */
const STEP = 512;
/** Edges of the bands that share a step of quantisation: about a third of a Bark, up to half the sample rate. */
const BANDS = 40;

/** What a lossy codec is told. */
export interface CodecOptions {
  /** Above it nothing is kept. */
  readonly bandwidthHz: number;
  /** Of each band's noise below its sound: the mask that its bits are spent by. */
  readonly noiseToMaskDb: number;
}

/** By the bandwidths that coders of these bit rates choose for mono music; of no particular coder. */
export const CODEC_OPTIONS = {
  high: { bandwidthHz: 20_000, noiseToMaskDb: -18 },
  middle: { bandwidthHz: 19_600, noiseToMaskDb: -11 },
  low: { bandwidthHz: 16_000, noiseToMaskDb: -7 },
} as const satisfies Record<string, CodecOptions>;

export type CodecQuality = keyof typeof CODEC_OPTIONS;

/**
 * What is left of sound after a transform coder: lapped blocks (MDCT under a sine window; Princen, Johnson and Bradley, ICASSP
 * 1987), a step of quantisation for each band by the energy in it, so that noise follows the sound in frequency and spreads
 * over a block in time, and nothing above its bandwidth. It is built as AAC and Vorbis are and is neither: no bits are
 * written, blocks are of one length, and its masks are a constant below each band.
 */
export function loseToCodec(
  samples: ArrayLike<number>,
  { bandwidthHz, noiseToMaskDb }: CodecOptions,
  sampleRateHz: number,
): Float32Array {
  const out = new Float32Array(samples.length);
  const coefficients = new Float64Array(STEP);
  const plan = lappedOf();
  const edges = bandEdges(sampleRateHz);
  const kept = floor((bandwidthHz / sampleRateHz) * 2 * STEP);
  const noise = 10 ** (noiseToMaskDb / 10);
  for (let start = -STEP; start < samples.length; start += STEP) {
    forward(samples, start, plan, coefficients);
    for (let band = 0; band + 1 < edges.length; band++) {
      quantise(coefficients, edges[band], min(edges[band + 1], kept), noise);
    }
    coefficients.fill(0, kept);
    backward(coefficients, plan, out, start);
  }
  return out;
}

/** Uniformly, with noise of step²/12 a coefficient. */
function quantise(coefficients: Float64Array, from: number, to: number, noise: number): void {
  let energy = 0;
  for (let k = from; k < to; k++) energy += coefficients[k] ** 2;
  const step = sqrt(12 * noise * (energy / max(1, to - from)));
  if (step < 1e-9) return;
  for (let k = from; k < to; k++) coefficients[k] = step * round(coefficients[k] / step);
}

function forward(
  samples: ArrayLike<number>,
  start: number,
  { fft, window, turn }: Lapped,
  out: Float64Array,
): void {
  const block = Float64Array.from(window, (weight, n) => weight * (samples[start + n] ?? 0));
  const spectrum = fft.forward(block);
  for (let k = 0; k < STEP; k++) {
    const bin = 2 * (2 * k + 1);
    out[k] = spectrum[bin] * turn[2 * k] + spectrum[bin + 1] * turn[2 * k + 1];
  }
}

function backward(
  coefficients: Float64Array,
  { fft, window, turn }: Lapped,
  out: Float32Array,
  start: number,
): void {
  const spectrum = new Float64Array(2 * fft.bins);
  for (let k = 0; k < STEP; k++) {
    const bin = 2 * (2 * k + 1);
    spectrum[bin] = (fft.size / 2) * coefficients[k] * turn[2 * k];
    spectrum[bin + 1] = (fft.size / 2) * coefficients[k] * turn[2 * k + 1];
  }
  const block = fft.inverse(spectrum);
  for (let n = max(0, -start); n < 2 * STEP && start + n < out.length; n++)
    out[start + n] += window[n] * block[n];
}

/** Cosines at odd multiples of half a step, as the odd bins of a Fourier transform of twice the block: N·log N for N². */
interface Lapped {
  readonly fft: RealFft;
  /** Scaled so that the same cosines lead back. */
  readonly window: Float64Array;
  /** e^(iφ) by coefficient: what the blocks’ overlap shifts its cosine by. */
  readonly turn: Float64Array;
}

let lapped: Lapped | undefined;

function lappedOf(): Lapped {
  lapped ??= {
    fft: new RealFft(4 * STEP),
    window: Float64Array.from(
      { length: 2 * STEP },
      (_, n) => sqrt(2 / STEP) * sin((PI / (2 * STEP)) * (n + 0.5)),
    ),
    turn: Float64Array.from({ length: 2 * STEP }, (_, i) => {
      const phase = (PI / STEP) * (0.5 + STEP / 2) * ((i >> 1) + 0.5);
      return i % 2 ? sin(phase) : cos(phase);
    }),
  };
  return lapped;
}

/** First coefficients of the bands, evenly spread over the logarithm above 500 Hz. */
function bandEdges(sampleRateHz: number): number[] {
  const top = sampleRateHz / 2;
  const edges = [0];
  for (let band = 1; band < BANDS; band++) {
    const hz = 500 * 10 ** ((band / BANDS) * log10(top / 500));
    const edge = round((hz / top) * STEP);
    if (edge > edges[edges.length - 1]) edges.push(edge);
  }
  return [...edges, STEP];
}
