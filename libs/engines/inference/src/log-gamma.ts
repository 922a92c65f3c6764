/** Below this Stirling's series is not yet exact to a double, and the recurrence goes up to it. */
export const STIRLING_MIN = 15;
export const HALF_LOG_TWO_PI = 0.9189385332046727;
/** B_2k / (2k·(2k−1)), k = 1, 2, …: the coefficients of Stirling's series in odd powers of 1/x. */
const STIRLING = [1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156];

/** ln Γ(x) − [(x − ½) ln x − x + ½ ln 2π] for x ≥ 15. */
export function stirlingCorrection(x: number): number {
  const inverseSquare = 1 / (x * x);
  let sum = 0;
  for (let k = STIRLING.length - 1; k >= 0; k--) sum = sum * inverseSquare + STIRLING[k];
  return sum / x;
}

/**
 * ln Γ(x) for x > 0, by Stirling's series; NaN elsewhere.
 *
 * Source: NIST Digital Library of Mathematical Functions, 5.11.1 and 5.5.1.
 */
export function logGamma(x: number): number {
  if (!(x > 0)) return NaN;
  if (x === Infinity) return Infinity;
  let shift = 1;
  let z = x;
  for (; z < STIRLING_MIN; z++) shift *= z;
  return (z - 0.5) * Math.log(z) - z + HALF_LOG_TWO_PI + stirlingCorrection(z) - Math.log(shift);
}

/**
 * ln Γ(x + ½) − ln Γ(x) for x > 0: as a difference of two large numbers it would lose as many digits as they have before the
 * point, so the series are subtracted term by term.
 */
export function logGammaHalfStep(x: number): number {
  let shift = 1;
  let z = x;
  // Γ(x+½)/Γ(x) = Γ(z+½)/Γ(z) · Π (x+i)/(x+i+½)
  for (; z < STIRLING_MIN; z++) shift *= z / (z + 0.5);
  const next = z + 0.5;
  return (
    z * Math.log1p(0.5 / z) -
    0.5 +
    0.5 * Math.log(z) +
    (stirlingCorrection(next) - stirlingCorrection(z)) +
    Math.log(shift)
  );
}
