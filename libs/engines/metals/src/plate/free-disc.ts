import { besselI, besselJ } from './bessel.js';

/** Mode of a disc: so many nodal diameters and nodal circles. */
export interface DiscMode {
  readonly diameters: number;
  readonly circles: number;
}

/** The modes that a struck coin is heard with, by the name that tables give them, in the order of their frequencies. */
export const DISC_MODES = {
  '(2,0)': { diameters: 2, circles: 0 },
  '(0,1)': { diameters: 0, circles: 1 },
  '(3,0)': { diameters: 3, circles: 0 },
  '(1,1)': { diameters: 1, circles: 1 },
  '(4,0)': { diameters: 4, circles: 0 },
  '(5,0)': { diameters: 5, circles: 0 },
  '(2,1)': { diameters: 2, circles: 1 },
} as const satisfies Record<string, DiscMode>;
export type DiscModeName = keyof typeof DISC_MODES;

/** Shear correction factor of a rectangular section. */
const SHEAR_FACTOR = 5 / 6;
/** λ is searched in steps of this, finer than two roots of one n ever lie. */
const SCAN_STEP = 0.05;
const LAMBDA_MAX = 16;
const BISECTIONS = 60;
/** Metals are few and a search takes half a millisecond: roots are kept, up to so many. */
const KNOWN_ROOTS_MAX = 1_024;
const knownRoots = new Map<string, number>();

/** An isotropic elastic solid. */
export interface ElasticSolid {
  /** Young's modulus, GPa. */
  readonly youngGPa: number;
  /** Poisson's ratio, −1 … 0.5. */
  readonly poisson: number;
  /** g/cm³. */
  readonly densityGcc: number;
}

/** A disc of even thickness. */
export interface Disc {
  readonly diameterMm: number;
  readonly thicknessMm: number;
}

/**
 * λ² of a thin disc with a free edge (λ = k·a): the root of Kirchhoff's frequency equation.
 * Leissa, Vibration of Plates, NASA SP-160 (1969), section 2.1.3, equation 2.10.
 * @param poisson −1 < ν < 0.5
 * @throws RangeError for a mode whose root lies beyond what is searched
 * @example freeDiscLambdaSquared({ diameters: 2, circles: 0 }, 0.33) // 5.262
 */
export function freeDiscLambdaSquared(mode: DiscMode, poisson: number): number {
  const key = `${mode.diameters},${mode.circles},${poisson}`;
  const known = knownRoots.get(key);
  if (known !== undefined) return known;
  const found = searchRoot(mode, poisson);
  if (knownRoots.size < KNOWN_ROOTS_MAX) knownRoots.set(key, found);
  return found;
}

function searchRoot({ diameters: n, circles }: DiscMode, poisson: number): number {
  // A disc that moves or tilts as a whole is no vibration: of n = 0 and 1 the first root is that with a circle.
  const wanted = n < 2 ? circles - 1 : circles;
  if (wanted < 0) throw new RangeError(`(${n},${circles}) is a rigid motion`);
  const residual = (lambda: number) => edgeResidual(n, lambda, poisson);
  let found = 0;
  // Near zero both sides of the equation vanish, and rounding would be taken for roots.
  let [low, before] = [1, residual(1)];
  for (let high = low + SCAN_STEP; high <= LAMBDA_MAX; high += SCAN_STEP) {
    const after = residual(high);
    if (before * after <= 0 && found++ === wanted) return bisect(residual, low, high) ** 2;
    [low, before] = [high, after];
  }
  throw new RangeError(`no root of (${n},${circles}) up to λ = ${LAMBDA_MAX}`);
}

/** What bending moment and Kirchhoff shear at the edge leave of a determinant that vanishes for a mode; scaled by e^−λ. */
function edgeResidual(n: number, lambda: number, poisson: number): number {
  const j = besselJ(n, lambda);
  const i = besselI(n, lambda);
  const scale = Math.exp(-lambda);
  const rest = 1 - poisson;
  const jEdge = lambda * j.slope - n * n * j.value;
  const iEdge = lambda * i.slope - n * n * i.value;
  const jMoment = lambda ** 2 * j.value + rest * jEdge;
  const iMoment = (lambda ** 2 * i.value - rest * iEdge) * scale;
  const jShear = lambda ** 3 * j.slope + rest * n * n * (lambda * j.slope - j.value);
  const iShear = (lambda ** 3 * i.slope - rest * n * n * (lambda * i.slope - i.value)) * scale;
  return jMoment * iShear - jShear * iMoment;
}

function bisect(residual: (x: number) => number, low: number, high: number): number {
  const isPositive = residual(low) > 0;
  for (let step = 0; step < BISECTIONS; step++) {
    const middle = (low + high) / 2;
    if (residual(middle) > 0 === isPositive) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Thickness of the even disc that has a piece's mass and diameter, mm: relief and rim are averaged. */
export function massEquivalentThicknessMm(massG: number, diameterMm: number, densityGcc: number): number {
  const areaCm2 = (Math.PI * (diameterMm / 10) ** 2) / 4;
  return (10 * massG) / (densityGcc * areaCm2);
}

/**
 * Frequency of a mode of a free disc, hertz: Kirchhoff's, lowered by rotary inertia and shear as
 * [1 + (kh)²/12 · (1 + 2/(κ(1−ν)))]^−½ with (kh)² = λ²(h/a)².
 */
export function discFrequencyHz(
  mode: DiscMode,
  { diameterMm, thicknessMm }: Disc,
  solid: ElasticSolid,
): number {
  const radiusM = diameterMm / 2_000;
  const thicknessM = thicknessMm / 1_000;
  const rest = 1 - solid.poisson;
  const lambdaSquared = freeDiscLambdaSquared(mode, solid.poisson);
  const speed = Math.sqrt((solid.youngGPa * 1e9) / (12 * solid.densityGcc * 1e3 * (1 - solid.poisson ** 2)));
  const thinHz = ((lambdaSquared * thicknessM) / (2 * Math.PI * radiusM ** 2)) * speed;
  const khSquared = lambdaSquared * (thicknessM / radiusM) ** 2;
  return thinHz / Math.sqrt(1 + (khSquared / 12) * (1 + 2 / (SHEAR_FACTOR * rest)));
}
