import type { Recording } from '@svc/recording';
import type { RingPeak } from '../ring-peak.js';
import type { RingTransform } from './damped-lines.js';
import { pairDoublets } from './doublet.js';
import { fitRingLines, type LineStart } from './ring-lines.js';
import { findPeaks, planOf, powerSpectrum, type PowerSpectrum, type SpectralPeak } from './ring-spectrum.js';
import { findStrikes, findTonalStrikes, type Strike, weight } from './strike.js';

/** Levels by frequency, for a picture. */
export interface RingSpectrum {
  readonly binHz: number;
  /** Of each bin over the highest, dB. */
  readonly levelsDb: Float32Array;
}

/** What is heard in a recording of a ring. */
export interface RingAnalysis {
  /** By frequency. */
  readonly peaks: readonly RingPeak[];
  /** Of the strongest peak over the noise around it, dB; 0 where there is none. */
  readonly snrDb: number;
  readonly clippedFraction: number;
  /** When the piece was struck, from the beginning of the recording. */
  readonly onsetSeconds: number;
  /** How often it was struck; 0 where no strike stands out of the noise. The one that rises most is analysed. */
  readonly strikes: number;
  readonly spectrum: RingSpectrum;
}

/** Samples of the window at up to 48 kHz; at higher rates it is as long in time. */
const WINDOW_SAMPLES = 16_384;
const WINDOW_RATE_HZ = 48_000;
/** Of a line that dies away in 20 or 5 ms a long window hears little: shorter ones are a quarter and a sixteenth as long. */
const SHORTER = [4, 16];
/** The click of the strike itself is over by then. */
const CLICK_SECONDS = 0.004;
/** Ends before the next strike, if that leaves so much. */
const WINDOW_SECONDS_MIN = 0.06;
const FREQUENCY_HZ_MIN = 400;
/** Converters and phones let little through above this share of the sample rate. */
const FREQUENCY_SHARE_MAX = 0.46;
/** Nearer than this to a peak of a longer window it is the same. */
const APART_BINS = 3;
const LINES_MAX = 32;
const TONES_MAX = 6;

/**
 * Resonances of a struck piece: where it was struck, which peaks stand out of the noise, and of each its frequency, its
 * uncertainty, its decay and whether it is a doublet.
 *
 * @param options.fromSeconds what comes before is not listened to: a tone that was played into the recording
 */
export function analyseRing(
  recording: Recording,
  { fromSeconds = 0 }: { readonly fromSeconds?: number } = {},
): RingAnalysis {
  const { samples, sampleRateHz, clippedFraction } = recording;
  const from = Math.max(0, Math.min(samples.length, Math.ceil(fromSeconds * sampleRateHz)));
  const size = WINDOW_SAMPLES * 2 ** Math.max(0, Math.ceil(Math.log2(sampleRateHz / WINDOW_RATE_HZ)));
  const { ring, onset, strikes } = cutRing(samples, sampleRateHz, from, size);
  const spectrum = powerSpectrum(ring, sampleRateHz, size);
  const starts = linesToFit(ring, spectrum, sampleRateHz, size);
  const transform: RingTransform = { spectrum: planOf(size).fft.forward(ring), size, count: ring.length };
  const peaks = pairDoublets(fitRingLines(transform, starts, sampleRateHz));
  return {
    peaks,
    snrDb: peaks.reduce((most, { levelDb, snrDb }) => (levelDb === 0 ? Math.max(most, snrDb) : most), 0),
    clippedFraction,
    onsetSeconds: onset / sampleRateHz,
    strikes,
    spectrum: levelsOf(spectrum),
  };
}

/** The stretch to analyse: after the strike that rises most, up to the next one or the end of the window. */
function cutRing(samples: Float32Array, sampleRateHz: number, from: number, size: number) {
  const loud = findStrikes(samples, sampleRateHz, from);
  const strikes = loud.length > 0 ? loud : strikesInNoise(samples, sampleRateHz, from, size);
  const click = Math.round(CLICK_SECONDS * sampleRateHz);
  const least = Math.round(WINDOW_SECONDS_MIN * sampleRateHz);
  const room = strikes.filter(({ sample }) => sample + click + least <= samples.length);
  const best = room.reduce<Strike | null>(
    (highest, strike) => (highest && weight(highest) >= weight(strike) ? highest : strike),
    null,
  );
  const onset = best?.sample ?? from;
  const start = best ? onset + click : from;
  const next = strikes.find(({ sample }) => sample >= start + least);
  const end = Math.min(samples.length, start + size, next ? next.sample - click : Infinity);
  return { ring: samples.subarray(start, Math.max(start, end)), onset, strikes: strikes.length };
}

/** Where the noise drowns a strike: by the tones that stand out of the loudest windows. */
function strikesInNoise(samples: Float32Array, sampleRateHz: number, from: number, size: number): Strike[] {
  let tones: SpectralPeak[] = [];
  for (let start = from; start < samples.length; start += size / 2) {
    const spectrum = powerSpectrum(samples.subarray(start, start + size), sampleRateHz, size);
    const peaks = findPeaks(spectrum, {
      minHz: FREQUENCY_HZ_MIN,
      maxHz: FREQUENCY_SHARE_MAX * sampleRateHz,
      countMax: TONES_MAX,
      width: Math.min(1, (samples.length - start) / size),
    });
    if (snrSum(peaks) > snrSum(tones)) tones = peaks;
  }
  if (tones.length === 0) return [];
  const frequenciesHz = tones.map(({ frequencyHz }) => frequencyHz);
  return findTonalStrikes(samples, sampleRateHz, frequenciesHz, from);
}

function snrSum(peaks: readonly SpectralPeak[]): number {
  return peaks.reduce((sum, { snr }) => sum + snr, 0);
}

/** Peaks of the long window, and those of shorter ones that no longer one shows. */
function linesToFit(
  ring: Float32Array,
  spectrum: PowerSpectrum,
  sampleRateHz: number,
  size: number,
): LineStart[] {
  const range = {
    minHz: FREQUENCY_HZ_MIN,
    maxHz: FREQUENCY_SHARE_MAX * sampleRateHz,
    countMax: LINES_MAX,
  };
  const found: LineStart[] = findPeaks(spectrum, { ...range, width: Math.min(1, ring.length / size) });
  for (const shorter of SHORTER) {
    const samples = ring.subarray(0, size / shorter);
    const short = powerSpectrum(samples, sampleRateHz, size / shorter);
    const peaks = findPeaks(short, { ...range, width: Math.min(1, (samples.length * shorter) / size) });
    const fresh = peaks.filter(peak =>
      found.every(({ frequencyHz }) => Math.abs(frequencyHz - peak.frequencyHz) > APART_BINS * short.binHz),
    );
    // The same sinusoid is as many times weaker under a window as that is shorter.
    found.push(...fresh.map(peak => ({ ...peak, power: peak.power * shorter ** 2 })));
  }
  return found.sort((a, b) => b.power - a.power).slice(0, LINES_MAX);
}

function levelsOf({ binHz, powers }: PowerSpectrum): RingSpectrum {
  const highest = powers.reduce((most, power) => Math.max(most, power), Number.MIN_VALUE);
  const levelsDb = Float32Array.from(powers, power => 10 * Math.log10(Math.max(power / highest, 1e-12)));
  return { binHz, levelsDb };
}
