/** Of water at 20 °C, g/cm³; 0.9991 at 15 °C and 0.9970 at 25 °C. */
export const WATER_DENSITY_GCC = 0.9982;
/** Of water's temperature, air on the surface and the thread, percent of the result, standard. */
const METHOD_UNCERTAINTY_PERCENT = 0.2;
/** How far a reading of a scale may lie off, grams, where it is not told: that of the usual pocket scales. */
export const SCALE_ACCURACY_G = 0.01;

/** Density by Archimedes, with what it is good for. */
export interface MeasuredDensity {
  /** g/cm³. */
  readonly densityGcc: number;
  /** Standard uncertainty, percent. */
  readonly uncertaintyPercent: number;
}

/** A piece that weighs no less in water, or nothing. */
export class SubmergedMassError extends Error {
  override readonly name = 'SubmergedMassError';
  readonly code = 'submerged-mass-impossible';
  readonly field = 'submergedMassG';

  constructor(
    readonly max: number,
    readonly got: number,
  ) {
    super(`submergedMassG must lie below the mass of ${max} g, got ${got}`);
  }
}

/**
 * Density of a piece by its weight in air and hung in water.
 * @param scaleAccuracyG how far a reading of the scale may lie off, grams
 * @throws SubmergedMassError
 * @example measuredDensity(31.1, 28.14).densityGcc // 10.49: silver
 */
export function measuredDensity(
  massG: number,
  submergedMassG: number,
  scaleAccuracyG = SCALE_ACCURACY_G,
): MeasuredDensity {
  const buoyancyG = massG - submergedMassG;
  if (!(buoyancyG > 0 && submergedMassG > 0)) throw new SubmergedMassError(massG, submergedMassG);
  // Of two readings, each of which may be off; that of the mass weighs as good as nothing beside that of the buoyancy.
  const readingPercent = (100 * Math.SQRT2 * (scaleAccuracyG / Math.sqrt(3))) / buoyancyG;
  return {
    densityGcc: (massG / buoyancyG) * WATER_DENSITY_GCC,
    uncertaintyPercent: Math.hypot(METHOD_UNCERTAINTY_PERCENT, readingPercent),
  };
}
