import type { ElasticSolid } from '../plate/free-disc.js';

/** Below it a bar bends across as much as along, and is no beam. */
export const BAR_SLENDERNESS_MIN = 3;
/** A bar thicker than this part of its length is no beam either. */
export const BAR_THICKNESS_RATIO_MAX = 0.2;
const SHEAR_FACTOR = 5 / 6;

/** Bending modes of a bar across its thickness, lowest first. */
export const BAR_MODES = ['B1', 'B2', 'B3', 'B4'] as const;
export type BarModeName = (typeof BAR_MODES)[number];

export interface Bar {
  readonly lengthMm: number;
  readonly widthMm: number;
  readonly thicknessMm: number;
}

/** A bar that the theory of beams says nothing about. */
export class BarShapeError extends Error {
  override readonly name = 'BarShapeError';

  constructor(
    readonly code: 'bar-too-wide' | 'bar-too-thick',
    readonly field: 'widthMm' | 'thicknessMm',
    /** Largest value that this length allows, mm. */
    readonly max: number,
    readonly got: number,
  ) {
    super(`${field} must be at most ${max} mm at this length, got ${got}`);
  }
}

/** @throws BarShapeError */
export function assertBeam({ lengthMm, widthMm, thicknessMm }: Bar): void {
  const widest = lengthMm / BAR_SLENDERNESS_MIN;
  if (!(widthMm < widest)) throw new BarShapeError('bar-too-wide', 'widthMm', widest, widthMm);
  const thickest = lengthMm * BAR_THICKNESS_RATIO_MAX;
  if (!(thicknessMm <= thickest))
    throw new BarShapeError('bar-too-thick', 'thicknessMm', thickest, thicknessMm);
}

/** Thickness of the even bar that has a piece's mass, length and width, mm. */
export function massEquivalentBarThicknessMm(
  massG: number,
  { lengthMm, widthMm }: Pick<Bar, 'lengthMm' | 'widthMm'>,
  densityGcc: number,
): number {
  return (1_000 * massG) / (densityGcc * lengthMm * widthMm);
}

/** βL of a free bar: the root of cos x · cosh x = 1 that is near (2k+1)π/2; k from 1. */
export function freeBarRoot(k: number): number {
  let x = ((2 * k + 1) * Math.PI) / 2;
  for (let step = 0; step < 20; step++) {
    // cos x − 1/cosh x, which does not overflow
    const sech = 1 / Math.cosh(x);
    const slope = -Math.sin(x) + sech * Math.tanh(x);
    x -= (Math.cos(x) - sech) / slope;
  }
  return x;
}

/**
 * Frequency of a bending mode of a free bar, hertz: Euler and Bernoulli's (of the first, 1.028 (h/L²) √(E/ρ)), lowered by
 * rotary inertia and shear as a plate's.
 * @throws BarShapeError
 */
export function barFrequencyHz(mode: BarModeName, bar: Bar, solid: ElasticSolid): number {
  assertBeam(bar);
  const root = freeBarRoot(BAR_MODES.indexOf(mode) + 1);
  const [lengthM, thicknessM] = [bar.lengthMm / 1_000, bar.thicknessMm / 1_000];
  const speed = Math.sqrt((solid.youngGPa * 1e9) / (solid.densityGcc * 1e3));
  const slenderHz = ((root ** 2 / (2 * Math.PI * Math.sqrt(12))) * thicknessM * speed) / lengthM ** 2;
  const khSquared = (root * (thicknessM / lengthM)) ** 2;
  const shear = (2 * (1 + solid.poisson)) / SHEAR_FACTOR;
  return slenderHz / Math.sqrt(1 + (khSquared / 12) * (1 + shear));
}
