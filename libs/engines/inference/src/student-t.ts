import { logGammaHalfStep } from './log-gamma.js';

/** A Student-t distribution: where it lies, how wide it is, how heavy its tails. */
export interface StudentT {
  readonly location: number;
  /** Above 0. */
  readonly scale: number;
  /** Above 0. */
  readonly degrees: number;
}

/** ln p(x), exact also for many degrees of freedom. */
export function logStudentT(x: number, { location, scale, degrees }: StudentT): number {
  const z = (x - location) / scale;
  const normalisation = logGammaHalfStep(degrees / 2) - 0.5 * Math.log(degrees * Math.PI) - Math.log(scale);
  return normalisation - ((degrees + 1) / 2) * logOnePlusSquare(z / Math.sqrt(degrees));
}

/** ln(1 + r²), also where r² overflows. */
function logOnePlusSquare(r: number): number {
  const square = r * r;
  return square < Infinity ? Math.log1p(square) : 2 * Math.log(Math.abs(r));
}
