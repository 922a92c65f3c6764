/** When the piece was struck. */
export interface Strike {
  /** First sample after the strike. */
  readonly sample: number;
  /** Power in the 20 ms after it over that in the 20 ms before it. */
  readonly rise: number;
  /** Power in the 20 ms after it, of the differences of neighbouring samples. */
  readonly power: number;
}

/** Frames of one millisecond; power is compared over so many of them. */
const FRAMES_PER_SECOND = 1_000;
const COMPARED_FRAMES = 20;
/** Noise alone rises by a tenth between two spans of 20 ms. */
const RISE_MIN = 1.6;
/** A strike this much below the loudest is the piece settling on the table. */
const POWER_SHARE_MIN = 0.05;
/**
 * A doublet beats: its power rises by itself between two beats, but never above what it was. Another strike is louder than all
 * that was heard in so many milliseconds before it.
 */
const LOOKBACK_FRAMES = 200;
const LOUDER_MIN = 1.3;
/** Two strikes are at least so far apart. */
const APART_FRAMES = 40;

/** Narrow bands are noisier than all frequencies together. */
const TONAL_RISE_MIN = 4;
/** Sound of so many frames is added up in phase: a band of 100 Hz. */
const COHERENT_FRAMES = 10;

/**
 * The strikes of a recording, earliest first: where the power of high frequencies rises most.
 *
 * Neighbouring samples are subtracted first, which takes hum and rumble away and leaves what rings.
 *
 * @param from first sample to look at
 */
export function findStrikes(samples: Float32Array, sampleRateHz: number, from = 0): Strike[] {
  const frame = Math.round(sampleRateHz / FRAMES_PER_SECOND);
  return strikesOf(framePowers(samples, frame, from), RISE_MIN, frame, from);
}

/** By which the strike is chosen that is analysed. */
export const weight = ({ rise, power }: Strike): number => rise * power;

/**
 * The strikes of a recording whose noise is as loud as its ring: where the power of given tones rises.
 *
 * @param frequenciesHz of the strongest peaks
 */
export function findTonalStrikes(
  samples: Float32Array,
  sampleRateHz: number,
  frequenciesHz: readonly number[],
  from = 0,
): Strike[] {
  const frame = Math.round(sampleRateHz / FRAMES_PER_SECOND);
  const powers = new Float64Array(Math.max(0, Math.floor((samples.length - from) / frame)));
  for (const hz of frequenciesHz)
    addTonePowers(powers, samples, (2 * Math.PI * hz) / sampleRateHz, frame, from);
  return strikesOf(powers, TONAL_RISE_MIN, frame, from);
}

function strikesOf(powers: Float64Array, riseMin: number, frame: number, from: number): Strike[] {
  const candidates = rises(powers).filter(({ rise }) => rise >= riseMin);
  const loudest = candidates.reduce((most, { power }) => Math.max(most, power), 0);
  return keepHighest(
    candidates.filter(
      ({ power, heardBefore }) => power >= Math.max(POWER_SHARE_MIN * loudest, LOUDER_MIN * heardBefore),
    ),
  )
    .map(({ frame: at, rise, power }) => ({ sample: from + steepest(powers, at) * frame, rise, power }))
    .sort((a, b) => a.sample - b.sample);
}

/** Adds the power of a tone in the ten milliseconds from each frame on. */
function addTonePowers(
  powers: Float64Array,
  samples: Float32Array,
  angularFrequency: number,
  frame: number,
  from: number,
): void {
  const sums = new Float64Array(2 * (powers.length + 1));
  const [turnRe, turnIm] = [Math.cos(angularFrequency), -Math.sin(angularFrequency)];
  for (let f = 0; f < powers.length; f++) {
    let [re, im] = [Math.cos(angularFrequency * f * frame), -Math.sin(angularFrequency * f * frame)];
    let [sumRe, sumIm] = [0, 0];
    for (let n = from + f * frame, end = n + frame; n < end; n++) {
      sumRe += samples[n] * re;
      sumIm += samples[n] * im;
      const turned = re * turnRe - im * turnIm;
      im = re * turnIm + im * turnRe;
      re = turned;
    }
    sums[2 * f + 2] = sums[2 * f] + sumRe;
    sums[2 * f + 3] = sums[2 * f + 1] + sumIm;
  }
  for (let f = 0; f < powers.length; f++) {
    const end = Math.min(powers.length, f + COHERENT_FRAMES);
    powers[f] += (sums[2 * end] - sums[2 * f]) ** 2 + (sums[2 * end + 1] - sums[2 * f + 1]) ** 2;
  }
}

/** Mean square of the differences in each frame. */
function framePowers(samples: Float32Array, frame: number, from: number): Float64Array {
  const powers = new Float64Array(Math.max(0, Math.floor((samples.length - from) / frame)));
  for (let f = 0; f < powers.length; f++) {
    const start = from + f * frame;
    let sum = 0;
    for (let i = Math.max(1, start); i < start + frame; i++) sum += (samples[i] - samples[i - 1]) ** 2;
    powers[f] = sum / frame;
  }
  return powers;
}

/** What dies away in 5 ms raises 20 ms as much when they begin 10 ms before it: where the next frames rise most is the strike. */
function steepest(powers: Float64Array, frame: number): number {
  const mean = (f: number) => (powers[f - 1] + powers[f] + powers[f + 1]) / 3;
  let best = frame;
  let most = 0;
  for (let f = Math.max(2, frame - 2); f < Math.min(powers.length - 2, frame + COMPARED_FRAMES); f++) {
    const step = mean(f + 1) - mean(f - 2 < 1 ? 1 : f - 2);
    if (step <= most) continue;
    most = step;
    best = f;
  }
  return best;
}

interface Rise {
  readonly frame: number;
  readonly rise: number;
  readonly power: number;
  /** The most power of any 20 ms that end before it. */
  readonly heardBefore: number;
}

/** Frames after which there is more power than before them. The beginning of the file is no rise. */
function rises(powers: Float64Array): Rise[] {
  const sums = new Float64Array(powers.length + 1);
  for (let f = 0; f < powers.length; f++) sums[f + 1] = sums[f] + powers[f];
  const mean = (from: number, to: number) => (sums[to] - sums[from]) / (to - from);
  const least = 1e-12 * Math.max(1e-30, mean(0, powers.length));
  const spans = powers.map((_, f) => mean(f, Math.min(powers.length, f + COMPARED_FRAMES)));
  const found: Rise[] = [];
  for (let f = 3; f + 3 < powers.length; f++) {
    const before = mean(Math.max(0, f - COMPARED_FRAMES), f);
    const power = spans[f];
    const rise = power / Math.max(before, least);
    if (rise < RISE_MIN) continue;
    let heardBefore = before;
    for (let g = Math.max(0, f - LOOKBACK_FRAMES); g <= f - COMPARED_FRAMES; g++) {
      if (spans[g] > heardBefore) heardBefore = spans[g];
    }
    found.push({ frame: f, rise, power, heardBefore });
  }
  return found;
}

/** Steepest first, none within 40 ms of a steeper one. */
function keepHighest(strikes: readonly Rise[]): Rise[] {
  const kept: Rise[] = [];
  for (const strike of [...strikes].sort((a, b) => b.rise - a.rise)) {
    if (kept.every(({ frame }) => Math.abs(frame - strike.frame) >= APART_FRAMES)) kept.push(strike);
  }
  return kept;
}
