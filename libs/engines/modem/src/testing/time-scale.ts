const { ceil, cos, floor, max, min, PI, round, sin } = Math;

/** Samples on either side that an interpolated one is made of. */
const HALF = 48;
/** Positions between two samples that the interpolation is tabled at; between those it is linear. */
const STEPS = 512;
/** Share of half the sample rate up to which the interpolation passes sound; it falls off across the last tenth. */
const PASS = 0.97;

/** What is heard at sample n is what was sent at `positionAt(n)`, in samples: between two, a windowed sinc (Kaiser, β 9). */
export function heardAt(
  samples: ArrayLike<number>,
  positionAt: (n: number) => number,
  length: number,
): Float32Array {
  const table = tableOf();
  const heard = new Float32Array(length);
  for (let n = 0; n < length; n++) {
    const position = positionAt(n);
    const first = floor(position);
    const at = (position - first) * STEPS;
    const step = floor(at);
    const rest = at - step;
    const here = table[step];
    const next = table[step + 1];
    let sum = 0;
    const start = first - HALF + 1;
    const end = min(2 * HALF, samples.length - start);
    for (let k = max(0, -start); k < end; k++) {
      sum += samples[start + k] * (here[k] + rest * (next[k] - here[k]));
    }
    heard[n] = sum;
  }
  return heard;
}

/**
 * Sound whose time runs faster by so many parts in a million: a source that comes nearer at ppm · 343e-6 m/s, or a clock that
 * is fast. Frequencies rise by as much.
 */
export function scaleTime(samples: ArrayLike<number>, ppm: number): Float32Array {
  const rate = 1 + ppm * 1e-6;
  return heardAt(samples, n => n * rate, ceil(samples.length / rate));
}

/** A hand that moves a phone to and fro. */
export interface Motion {
  /** At the middle of its way: the largest Doppler shift, over one. */
  readonly peakPpm: number;
  readonly periodSeconds: number;
  /** Where in its swing the sound begins, turns: at a quarter it turns about, where it accelerates most. */
  readonly phaseTurns?: number;
}

/** Sound of a source that swings: the shift is ± peakPpm, as the cosine of the time. */
export function swingSource(
  samples: ArrayLike<number>,
  { peakPpm, periodSeconds, phaseTurns = 0 }: Motion,
  sampleRateHz: number,
): Float32Array {
  const turn = (2 * PI) / (periodSeconds * sampleRateHz);
  const reach = (peakPpm * 1e-6) / turn;
  const start = 2 * PI * phaseTurns;
  const positionAt = (n: number) => n + reach * (sin(start + turn * n) - sin(start));
  // As long as the last sample takes to come, at the most.
  return heardAt(samples, positionAt, samples.length + ceil(2 * reach));
}

/** A clock off by `ppm`, which wanders by another `wanderPpm` with the warmth of its crystal. */
export function driftClock(
  samples: ArrayLike<number>,
  ppm: number,
  wander: Motion,
  sampleRateHz: number,
): Float32Array {
  const turn = (2 * PI) / (wander.periodSeconds * sampleRateHz);
  const reach = (wander.peakPpm * 1e-6) / turn;
  const rate = 1 + ppm * 1e-6;
  return heardAt(samples, n => n * rate + reach * (1 - cos(turn * n)), round(samples.length / rate));
}

let tabled: Float64Array[] | undefined;

function tableOf(): Float64Array[] {
  tabled ??= Array.from({ length: STEPS + 1 }, (_, step) =>
    Float64Array.from({ length: 2 * HALF }, (__, k) => {
      const t = k - HALF + 1 - step / STEPS;
      const sinc = t === 0 ? PASS : sin(PI * PASS * t) / (PI * t);
      return sinc * kaiser(t / HALF);
    }),
  );
  return tabled;
}

function kaiser(x: number): number {
  return Math.abs(x) >= 1 ? 0 : besselI0(9 * Math.sqrt(1 - x * x)) / besselI0(9);
}

function besselI0(x: number): number {
  let sum = 1;
  for (let k = 1, term = 1; term > 1e-12 * sum; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}
