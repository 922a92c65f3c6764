import { chiSquareUpperPoint } from './chi-square.js';
import { requireArray, requireNumber, requireObject } from './inference-input-error.js';
import { PentadiagonalFactor } from './pentadiagonal.js';

export const CONTOUR_POINTS_MIN = 3;
export const CONTOUR_POINTS_MAX = 100_000;
/** No ground is higher or deeper; far from where squares of it lose the digits that count. */
export const ELEVATION_M_MAX = 100_000;
export const CONDUCTIVITY_MS_PER_M_MIN = 1e-6;
export const CONDUCTIVITY_MS_PER_M_MAX = 1e6;
/** Nats a sample: an RMS whitened error of less than 0.21. */
export const HOMEOSTATIC_BELOW = 0.022;
/** How often the model itself makes a contour that is called divergent. */
export const DIVERGENT_PROBABILITY = 0.01;

/** The constants of the parcel model. */
export const PARCEL_MODEL = {
  /** q: standard deviation of second differences of the ground, metres. */
  curvatureM: 0.1,
  /** σz: standard deviation of a measured elevation, metres. */
  elevationNoiseM: 0.25,
  /** s_u: standard deviation of the trajectory's steps from point to point, metres. */
  trajectoryStepM: 0.5,
  /** κ0: median of the log-normal of soil conductivity, millisiemens a metre. */
  conductivityMedianMsPerM: 20,
  /** s_κ: its standard deviation in ln κ; 95 % lie from 2.8 to 142 mS/m. */
  conductivityLogDeviation: 1,
} as const;

export type ParcelModel = { readonly [Name in keyof typeof PARCEL_MODEL]: number };

export type HomeostaticStatus = 'HOMEOSTATIC' | 'ADAPTING' | 'DIVERGENT';

/** Elevations at equal distances along a line over the parcel, metres, and where known the soil's conductivity, mS/m. */
export interface ParcelInput {
  readonly elevationContour: readonly number[];
  readonly soilConductivity?: number;
}

/** How well a contour fits the model of smooth ground, and a smooth line over it. */
export interface ParcelEvaluation {
  /** F: nats a sample; ½ is expected of data from the model. */
  readonly variationalFreeEnergy: number;
  /** Below `HOMEOSTATIC_BELOW`; up to `adaptingUpTo`; beyond. */
  readonly homeostaticStatus: HomeostaticStatus;
  /** What F of data from the model exceeds once in a hundred. */
  readonly adaptingUpTo: number;
  /** Samples that F is taken over: n − 2, and 1 for the conductivity; the degrees of freedom of 2·F·samples. */
  readonly samples: number;
  /** −ln p of the contour's second differences (m^−(n−2)), and of ln κ where it is given, nats. */
  readonly negLogEvidence: number;
  /** μ: the most probable ground, metres. */
  readonly posteriorMeanM: Float64Array;
  /** Posterior standard deviation of the ground at each point, metres. */
  readonly posteriorDeviationM: Float64Array;
  /** u: the line of small steps over the ground, metres, one a point. */
  readonly optimalTrajectoryM: Float64Array;
}

/**
 * The Laplace free energy of an elevation contour under a Gaussian model of smooth ground: second differences Lx ~ N(0, q²), the
 * contour z = x + ε, ε ~ N(0, σz²). The model is Gaussian, so the mode and its variances are exact; O(n).
 *
 * F = [½‖z − μ‖²/σz² + ½‖Lμ‖²/q²]/(n − 2), the bracket being half a χ² of n − 2 degrees for data from the model. Height and slope,
 * which L does not see, have a flat prior and cost nothing; the evidence is that of the second differences, which is all
 * that the model speaks of.
 *
 * @throws InferenceInputError with the path of the fault
 * @example evaluateParcel({ elevationContour: [101.2, 101.4, 101.5, 101.9] }).homeostaticStatus
 */
export function evaluateParcel(input: ParcelInput, model: ParcelModel = PARCEL_MODEL): ParcelEvaluation {
  const given = requireObject('input', input);
  const contour = readContour(given.elevationContour);
  const { curvatureM: q, elevationNoiseM: sigma } = model;
  const n = contour.length;
  const bend = secondDifferences(contour);
  const precision = new PentadiagonalFactor(groundPrecision(n, q, sigma));
  // z − μ = P⁻¹LᵀLz/q²: the height and the slope of the contour, however large, never enter.
  const residual = precision.solve(transposedSecondDifferences(bend, n).map(value => value / (q * q)));
  const mean = contour.map((z, i) => z - residual[i]);
  const residualBend = secondDifferences(residual);
  let energy = 0;
  for (const value of residual) energy += 0.5 * (value / sigma) ** 2;
  for (let i = 0; i < n - 2; i++) energy += 0.5 * ((bend[i] - residualBend[i]) / q) ** 2;
  const soil = soilTerm(given.soilConductivity, model);
  const samples = n - 2 + soil.samples;
  const variationalFreeEnergy = (energy + soil.energy) / samples;
  const adaptingUpTo = chiSquareUpperPoint(samples, DIVERGENT_PROBABILITY) / (2 * samples);
  // det(q²I + σz²LLᵀ), n − 2 wide, is q^2(n−2)·det(I + LᵀL·σz²/q²), n wide: no second factorisation.
  const logDeterminant = 2 * (n - 2) * Math.log(q) + 2 * n * Math.log(sigma) + precision.logDeterminant();
  const variance = precision.inverseDiagonal();
  return {
    variationalFreeEnergy,
    homeostaticStatus: statusOf(variationalFreeEnergy, adaptingUpTo),
    adaptingUpTo,
    samples,
    negLogEvidence: energy + 0.5 * (logDeterminant + (n - 2) * Math.log(2 * Math.PI)) + soil.negLogEvidence,
    posteriorMeanM: mean,
    posteriorDeviationM: variance.map(Math.sqrt),
    optimalTrajectoryM: smoothTrajectory(mean, variance, model),
  };
}

function readContour(value: unknown): Float64Array {
  const points = requireArray('elevationContour', value, CONTOUR_POINTS_MIN, CONTOUR_POINTS_MAX);
  return Float64Array.from(points, (point, at) =>
    requireNumber(`elevationContour[${at}]`, point, -ELEVATION_M_MAX, ELEVATION_M_MAX),
  );
}

function statusOf(freeEnergy: number, adaptingUpTo: number): HomeostaticStatus {
  if (freeEnergy < HOMEOSTATIC_BELOW) return 'HOMEOSTATIC';
  return freeEnergy <= adaptingUpTo ? 'ADAPTING' : 'DIVERGENT';
}

/** What a measured conductivity adds: one more sample, ln κ ~ N(ln κ0, s_κ²). */
function soilTerm(value: unknown, model: ParcelModel) {
  if (value === undefined) return { samples: 0, energy: 0, negLogEvidence: 0 };
  const conductivity = requireNumber(
    'soilConductivity',
    value,
    CONDUCTIVITY_MS_PER_M_MIN,
    CONDUCTIVITY_MS_PER_M_MAX,
  );
  const deviation = model.conductivityLogDeviation;
  const energy = 0.5 * (Math.log(conductivity / model.conductivityMedianMsPerM) / deviation) ** 2;
  return { samples: 1, energy, negLogEvidence: energy + 0.5 * Math.log(2 * Math.PI) + Math.log(deviation) };
}

/** Lx, n − 2 long. */
function secondDifferences(x: Float64Array): Float64Array {
  return Float64Array.from({ length: x.length - 2 }, (_, i) => x[i + 2] - x[i + 1] - (x[i + 1] - x[i]));
}

/** Lᵀw, n long. */
function transposedSecondDifferences(w: Float64Array, n: number): Float64Array {
  const x = new Float64Array(n);
  for (let i = 0; i < w.length; i++) {
    x[i] += w[i];
    x[i + 1] -= 2 * w[i];
    x[i + 2] += w[i];
  }
  return x;
}

/** I/σz² + LᵀL/q². */
function groundPrecision(n: number, q: number, sigma: number) {
  const diagonal = new Float64Array(n).fill(1 / (sigma * sigma));
  const first = new Float64Array(n);
  const second = new Float64Array(n);
  const weight = 1 / (q * q);
  for (let i = 0; i + 2 < n; i++) {
    diagonal[i] += weight;
    diagonal[i + 1] += 4 * weight;
    diagonal[i + 2] += weight;
    first[i] -= 2 * weight;
    first[i + 1] -= 2 * weight;
    second[i] += weight;
  }
  return { diagonal, first, second };
}

/**
 * u = (Π + DᵀD/s_u²)⁻¹Πμ, D the first differences, Π = diag(1/(var + σz²)): it keeps near the ground, the nearer the better the ground is
 * known, and steps little from point to point. Computed as μ − (Π + DᵀD/s_u²)⁻¹DᵀDμ/s_u², which the height does not enter.
 */
function smoothTrajectory(mean: Float64Array, variance: Float64Array, model: ParcelModel): Float64Array {
  const n = mean.length;
  const weight = 1 / model.trajectoryStepM ** 2;
  const diagonal = variance.map(value => 1 / (value + model.elevationNoiseM ** 2));
  const first = new Float64Array(n);
  const pull = new Float64Array(n);
  for (let i = 0; i + 1 < n; i++) {
    const step = weight * (mean[i + 1] - mean[i]);
    diagonal[i] += weight;
    diagonal[i + 1] += weight;
    first[i] -= weight;
    pull[i] -= step;
    pull[i + 1] += step;
  }
  const correction = new PentadiagonalFactor({ diagonal, first, second: new Float64Array(n) }).solve(pull);
  return mean.map((value, i) => value - correction[i]);
}
