import { besselI0, kaiserBeta, kaiserTapCount, sincOfBand } from './fir-design.js';

/** Images and aliases lie below this. */
export const INTERPOLATION_ATTENUATION_DB = 92;
/** Up to this part of the lower rate's band a signal passes unchanged: 20 kHz of 22.05. */
const PASS_PART = 0.907;

/** Filters that give a signal between its samples, one for each of evenly spaced phases of the interval. */
export interface InterpolationFilters {
  /** (phases + 1) × tapCount, row by row: the filter of phase p, on samples −(tapCount/2 − 1) … tapCount/2. */
  coefficients: Float32Array;
  phases: number;
  /** A multiple of four. */
  tapCount: number;
}

/**
 * @param phases of the interval between two samples
 * @param bandPart how much of the band is kept: 1, or less where the rate is lowered
 */
export function interpolationFilters(phases: number, bandPart = 1): InterpolationFilters {
  const transition = (1 - PASS_PART) * bandPart;
  const tapCount = 4 * Math.ceil(kaiserTapCount(INTERPOLATION_ATTENUATION_DB, transition) / 4);
  const half = tapCount / 2;
  const beta = kaiserBeta(INTERPOLATION_ATTENUATION_DB);
  const coefficients = new Float32Array((phases + 1) * tapCount);
  const filter = new Float64Array(tapCount);
  for (let phase = 0; phase <= phases; phase++) {
    let sum = 0;
    for (let k = 0; k < tapCount; k++) {
      const distance = k - (half - 1) - phase / phases;
      const window = besselI0(beta * Math.sqrt(Math.max(0, 1 - (distance / half) ** 2)));
      filter[k] = window * sincOfBand(bandPart / 2, distance);
      sum += filter[k];
    }
    // A constant comes out the same in every phase.
    for (let k = 0; k < tapCount; k++) coefficients[phase * tapCount + k] = filter[k] / sum;
  }
  return { coefficients, phases, tapCount };
}
