import { HALF_LOG_TWO_PI, logGamma, STIRLING_MIN, stirlingCorrection } from './log-gamma.js';

/** Terms needed are some multiple of √shape; a shape of 10^8 takes some ten thousand. */
const TERMS_MAX = 1_000_000;
const STEPS_MAX = 200;

export interface Tails {
  /** P(X ≤ x) */
  readonly lower: number;
  /** P(X > x) */
  readonly upper: number;
}

/**
 * Both tails of the gamma distribution of a shape and scale 1, the regularised incomplete gamma functions: the series below
 * the mean, Lentz's continued fraction above it.
 *
 * Source: NIST Digital Library of Mathematical Functions, 8.11.4 and 8.9.2.
 * @param shape above 0
 */
export function gammaTails(shape: number, x: number): Tails {
  if (!(x > 0)) return { lower: 0, upper: 1 };
  if (x === Infinity) return { lower: 1, upper: 0 };
  const scale = Math.exp(logPower(shape, x));
  if (x < shape + 1) {
    const lower = Math.min(1, scale * lowerSeries(shape, x));
    return { lower, upper: 1 - lower };
  }
  const upper = Math.min(1, scale * upperFraction(shape, x));
  return { lower: 1 - upper, upper };
}

/** ln of x^shape · e^−x / Γ(shape); about x = shape where both are large, so that no digits cancel. */
function logPower(shape: number, x: number): number {
  if (shape < STIRLING_MIN) return shape * Math.log(x) - x - logGamma(shape);
  const t = (x - shape) / shape;
  const exponent = t > -1 ? shape * (Math.log1p(t) - t) : shape * Math.log(x / shape) - (x - shape);
  return exponent + 0.5 * Math.log(shape) - HALF_LOG_TWO_PI - stirlingCorrection(shape);
}

function lowerSeries(shape: number, x: number): number {
  let term = 1 / shape;
  let sum = term;
  for (let n = 1; n < TERMS_MAX && term > sum * Number.EPSILON; n++) {
    term *= x / (shape + n);
    sum += term;
  }
  return sum;
}

function upperFraction(shape: number, x: number): number {
  let b = x + 1 - shape;
  let c = 1e300;
  let d = 1 / b;
  let product = d;
  for (let n = 1; n < TERMS_MAX; n++) {
    const a = n * (shape - n);
    b += 2;
    d = 1 / (a * d + b);
    c = b + a / c;
    const factor = c * d;
    product *= factor;
    if (Math.abs(factor - 1) <= Number.EPSILON) break;
  }
  return product;
}

/** P(χ² ≤ x) and P(χ² > x) of that many degrees of freedom. @param degrees above 0 */
export function chiSquareTails(degrees: number, x: number): Tails {
  return gammaTails(degrees / 2, x / 2);
}

/**
 * The point that χ² of that many degrees of freedom exceeds with probability `upper`: from Wilson and Hilferty's cube by
 * Newton's steps, kept inside of a bracket.
 *
 * @param degrees at least 1
 * @param upper above 0, below 1
 * @example chiSquareUpperPoint(10, 0.01) // 23.2093
 * @throws RangeError
 */
export function chiSquareUpperPoint(degrees: number, upper: number): number {
  if (!(degrees >= 1 && degrees < Infinity)) {
    throw new RangeError(`degrees are at least 1, not ${degrees}`);
  }
  if (!(upper > 0 && upper < 1)) throw new RangeError(`a probability is above 0 and below 1, not ${upper}`);
  let low = 0;
  let high = Infinity;
  const spread = 2 / (9 * degrees);
  let x = Math.max(degrees * (1 - spread + normalUpperPoint(upper) * Math.sqrt(spread)) ** 3, 1e-3 * degrees);
  for (let step = 0; step < STEPS_MAX; step++) {
    const excess = chiSquareTails(degrees, x).upper - upper;
    if (excess === 0) return x;
    if (excess > 0) low = x;
    else high = x;
    const density = Math.exp(logPower(degrees / 2, x / 2)) / x;
    const newton = x + excess / density;
    const inside = newton > low && newton < high;
    const next = inside ? newton : high === Infinity ? 2 * x : (low + high) / 2;
    if (Math.abs(next - x) <= 2 * Number.EPSILON * x) return next;
    x = next;
  }
  return x;
}

/**
 * The point that a standard normal variable exceeds with that probability, to 4.5e-4: a start for steps of Newton.
 *
 * Source: M. Abramowitz and I. A. Stegun: Handbook of Mathematical Functions, 26.2.23.
 */
function normalUpperPoint(upper: number): number {
  const tail = Math.min(upper, 1 - upper);
  const t = Math.sqrt(-2 * Math.log(tail));
  const point =
    t -
    (2.515517 + 0.802853 * t + 0.010328 * t * t) / (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t ** 3);
  return upper < 0.5 ? point : -point;
}
