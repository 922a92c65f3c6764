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
/** Two strikes are at least so far apart. */
const APART_FRAMES = 40;

/**
 * The strikes of a recording, earliest first: where the power of high frequencies rises most.
 *
 * Neighbouring samples are subtracted first, which takes hum and rumble away and leaves what rings.
 *
 * @param from first sample to look at
 */
export function findStrikes(samples: Float32Array, sampleRateHz: number, from = 0): Strike[] {
  const frame = Math.round(sampleRateHz / FRAMES_PER_SECOND);
  const powers = framePowers(samples, frame, from);
  const candidates = rises(powers);
  const loudest = candidates.reduce((most, { power }) => Math.max(most, power), 0);
  const strikes = candidates.filter(
    ({ rise, power }) => rise >= RISE_MIN && power >= POWER_SHARE_MIN * loudest,
  );
  return keepHighest(strikes)
    .map(({ frame: at, rise, power }) => ({ sample: from + at * frame, rise, power }))
    .sort((a, b) => a.sample - b.sample);
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

interface Rise {
  readonly frame: number;
  readonly rise: number;
  readonly power: number;
}

/** At each frame, the power after it against that before it. The beginning of the file is no rise. */
function rises(powers: Float64Array): Rise[] {
  const sums = new Float64Array(powers.length + 1);
  for (let f = 0; f < powers.length; f++) sums[f + 1] = sums[f] + powers[f];
  const mean = (from: number, to: number) => (sums[to] - sums[from]) / (to - from);
  const least = 1e-12 * Math.max(1e-30, mean(0, powers.length));
  const found: Rise[] = [];
  for (let f = 3; f + 3 < powers.length; f++) {
    const power = mean(f, Math.min(powers.length, f + COMPARED_FRAMES));
    const before = mean(Math.max(0, f - COMPARED_FRAMES), f);
    found.push({ frame: f, rise: power / Math.max(before, least), power });
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
