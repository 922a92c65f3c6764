import { solveLeastSquares } from './complex-least-squares.js';

// Taken once: in the context of a test runner every look at a global is slow.
const { cos, exp, expm1, PI, sin } = Math;

/** A sinusoid that dies away, c·e^(sn) by sample n with s = −damping + i·angularFrequency. */
export interface DampedLine {
  /** Radians a sample. */
  readonly angularFrequency: number;
  /** Nepers a sample. */
  readonly damping: number;
  /** Complex amplitude at the first sample; half of that of the real sinusoid. */
  readonly amplitude: readonly [re: number, im: number];
}

/** Lines that were fitted to some bins. */
export interface LineFit {
  readonly lines: readonly DampedLine[];
  /** Standard uncertainty of both the angular frequency and the damping of each. */
  readonly uncertainties: readonly number[];
  /** Sum of the squares of what the lines do not explain. */
  readonly residual: number;
  /** Complex bins less complex unknowns. */
  readonly degreesOfFreedom: number;
}

/** Transform without a window of `count` samples, followed by zeros up to `size`. */
export interface RingTransform {
  /** Interleaved. */
  readonly spectrum: Float64Array;
  readonly size: number;
  readonly count: number;
}

/** Bins from the first to the last, both included. */
export interface Band {
  readonly first: number;
  readonly last: number;
}

/** What neighbouring modes and the click of the strike leave in a band changes slowly: a straight line stands for it. */
const BACKGROUND_COLUMNS = 2;
const ITERATIONS_MAX = 14;
const CONVERGED = 1e-4;

/**
 * Fits damped lines to a band of a transform: Gauss and Newton on the exact transform of each line, in complex numbers, for
 * it is analytic in s. Without a window noise is independent from bin to bin, so the uncertainties are those of Cramér and
 * Rao with the noise that is left over; what no line explains (a room's echoes, a third line) makes them larger.
 *
 * @param start where the search begins, as many lines as the fit shall have
 * @param residue of the band after other lines were taken out, interleaved, 2·bins numbers
 * @returns null where the lines cannot be told apart or run out of the band
 *
 * Source: the model of Kumaresan and Tufts, IEEE Trans. ASSP 30, 1982, in the frequency domain.
 */
export function fitDampedLines(
  start: readonly Pick<DampedLine, 'angularFrequency' | 'damping'>[],
  residue: Float64Array,
  band: Band,
  { size, count }: Pick<RingTransform, 'size' | 'count'>,
): LineFit | null {
  const background = backgroundColumns(residue.length / 2);
  let s = start.map(line => ({ damping: line.damping, angularFrequency: line.angularFrequency }));
  let current = evaluate(s, residue, band, { size, count }, background);
  let marquardt = 1e-3;
  for (let i = 0; i < ITERATIONS_MAX && current; i++) {
    const step = solveLeastSquares([...current.slopes, ...current.columns], current.left, marquardt);
    if (!step) return null;
    const next = s.map((line, j) => ({
      damping: line.damping - step.solution[2 * j],
      angularFrequency: line.angularFrequency + step.solution[2 * j + 1],
    }));
    const moved = Math.max(...s.map((_, j) => Math.hypot(step.solution[2 * j], step.solution[2 * j + 1])));
    const isInside = next.every(line => staysInside(line, band, { size, count }));
    const tried = isInside ? evaluate(next, residue, band, { size, count }, background) : null;
    if (tried && tried.residual <= current.residual) {
      s = next;
      current = tried;
      marquardt /= 10;
      if (moved * count < CONVERGED) break;
    } else {
      if (moved * count < CONVERGED || marquardt > 1e4) break;
      marquardt *= 10;
    }
  }
  return current && lineFit(s, current, { size, count });
}

/** A line may rise a little, which noise makes it do; it stays in its band and dies away within 32 samples at the fastest. */
function staysInside(
  { damping, angularFrequency }: Pick<DampedLine, 'angularFrequency' | 'damping'>,
  { first, last }: Band,
  { size, count }: Pick<RingTransform, 'size' | 'count'>,
): boolean {
  const bin = (angularFrequency * size) / (2 * Math.PI);
  return bin > first && bin < last && damping > -1 / count && damping < 1 / 32;
}

interface Evaluation {
  /** Transforms of the lines, then the background. */
  readonly columns: readonly Float64Array[];
  /** Derivative of the model by each line's s. */
  readonly slopes: readonly Float64Array[];
  readonly amplitudes: Float64Array;
  /** What the model leaves. */
  readonly left: Float64Array;
  readonly residual: number;
}

/** The best amplitudes for given frequencies and dampings, and how well they do. */
function evaluate(
  s: readonly Pick<DampedLine, 'angularFrequency' | 'damping'>[],
  residue: Float64Array,
  band: Band,
  transform: Pick<RingTransform, 'size' | 'count'>,
  background: readonly Float64Array[],
): Evaluation | null {
  const lines = s.map(line => lineTransform(line, band, transform));
  const columns = [...lines.map(line => line.values), ...background];
  const solved = solveLeastSquares(columns, residue);
  if (!solved) return null;
  const amplitudes = solved.solution;
  const left = residue.slice();
  columns.forEach((column, j) => addScaled(left, column, -amplitudes[2 * j], -amplitudes[2 * j + 1]));
  const slopes = lines.map(({ derivatives }, j) => {
    const slope = new Float64Array(derivatives.length);
    addScaled(slope, derivatives, amplitudes[2 * j], amplitudes[2 * j + 1]);
    return slope;
  });
  const residual = left.reduce((sum, x) => sum + x * x, 0);
  return { columns, slopes, amplitudes, left, residual };
}

function lineFit(
  s: readonly Pick<DampedLine, 'angularFrequency' | 'damping'>[],
  { slopes, columns, left, amplitudes, residual }: Evaluation,
  { size, count }: Pick<RingTransform, 'size' | 'count'>,
): LineFit | null {
  const solved = solveLeastSquares([...slopes, ...columns], left);
  if (!solved) return null;
  const inverse = solved.inverseDiagonal();
  const degreesOfFreedom = left.length / 2 - slopes.length - columns.length;
  // Zeros after the samples make neighbouring bins say the same thing: only count/size of them are independent.
  const variance = ((residual / Math.max(1, degreesOfFreedom)) * size) / count;
  return {
    lines: s.map((line, j) => ({ ...line, amplitude: [amplitudes[2 * j], amplitudes[2 * j + 1]] })),
    // Half of a complex unknown's variance is in its imaginary part, the angular frequency.
    uncertainties: s.map((_, j) => Math.sqrt((variance * inverse[j]) / 2)),
    residual,
    degreesOfFreedom,
  };
}

/**
 * Transform of e^(sn), n < count, over a band, and its derivative by s: (1 − q)/(1 − u) with u = e^(s − 2πik/size), q = uᶜᵒᵘⁿᵗ.
 */
export function lineTransform(
  { angularFrequency, damping }: Pick<DampedLine, 'angularFrequency' | 'damping'>,
  { first, last }: Band,
  { size, count }: Pick<RingTransform, 'size' | 'count'>,
): { values: Float64Array; derivatives: Float64Array } {
  const values = new Float64Array(2 * (last - first + 1));
  const derivatives = new Float64Array(values.length);
  const decay = exp(-damping);
  const decayAtEnd = exp(-damping * count);
  const lost = -expm1(-damping);
  for (let k = first, i = 0; k <= last; k++, i += 2) {
    const angle = angularFrequency - (2 * PI * k) / size;
    const half = sin(angle / 2);
    const uRe = decay * (1 - 2 * half * half);
    const uIm = decay * sin(angle);
    const qRe = decayAtEnd * cos(angle * count);
    const qIm = decayAtEnd * sin(angle * count);
    // 1 − u without the loss of digits where u is near one.
    const dRe = lost + 2 * decay * half * half;
    const dIm = -uIm;
    const norm = dRe * dRe + dIm * dIm;
    if (norm < 1e-18) {
      values[i] = count;
      derivatives[i] = (count * (count - 1)) / 2;
      continue;
    }
    const vRe = ((1 - qRe) * dRe - qIm * dIm) / norm;
    const vIm = (-qIm * dRe - (1 - qRe) * dIm) / norm;
    values[i] = vRe;
    values[i + 1] = vIm;
    // (u·value − count·q)/(1 − u)
    const nRe = uRe * vRe - uIm * vIm - count * qRe;
    const nIm = uRe * vIm + uIm * vRe - count * qIm;
    derivatives[i] = (nRe * dRe + nIm * dIm) / norm;
    derivatives[i + 1] = (nIm * dRe - nRe * dIm) / norm;
  }
  return { values, derivatives };
}

/** target += (re + i·im)·values, interleaved. */
export function addScaled(target: Float64Array, values: Float64Array, re: number, im: number): void {
  for (let i = 0; i < target.length; i += 2) {
    target[i] += values[i] * re - values[i + 1] * im;
    target[i + 1] += values[i] * im + values[i + 1] * re;
  }
}

function backgroundColumns(bins: number): Float64Array[] {
  return Array.from({ length: BACKGROUND_COLUMNS }, (_, degree) => {
    const column = new Float64Array(2 * bins);
    for (let k = 0; k < bins; k++) column[2 * k] = ((2 * k) / Math.max(1, bins - 1) - 1) ** degree;
    return column;
  });
}
