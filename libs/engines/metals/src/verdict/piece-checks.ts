import type { Material } from '../material/material.js';
import { conductivityTolerancePercent } from '../material/conductivity.js';
import { measuredDensity, SCALE_ACCURACY_G } from '../material/specific-gravity.js';
import { Z_REFUSED } from './mode-pattern.js';
import { roundToRule } from './verdict-figure.js';

/** A measure that was held against what it should be. */
export interface Check {
  readonly expected: number;
  readonly measured: number;
  readonly deviationPercent: number;
  readonly tolerancePercent: number;
  readonly withinTolerance: boolean;
  /** Off by so much that no measuring explains it, percent. */
  readonly grossPercent: number;
}

export interface DimensionCheck extends Check {
  readonly dimension: 'diameterMm' | 'thicknessMm';
}

/** Of a product that says nothing else. */
export const MASS_TOLERANCE_PERCENT = 0.5;
const MASS_GROSS_PERCENT = 3;
const DIAMETER_TOLERANCE_PERCENT = 0.5;
/** What a caliper may read off, mm. */
const CALIPER_MM = 0.1;
const DIAMETER_GROSS_PERCENT = 3;
/** Mint figures of the rim, which wears. */
const THICKNESS_TOLERANCE_PERCENT = 6;
const THICKNESS_GROSS_PERCENT = 20;
/** Rims of coins rise over the mass-equivalent thickness by 5 to 54 %, as mints publish them. */
const COIN_RIM = { over: 1.3, tolerancePercent: 20, grossPercent: 40 };
/** Of a piece of which nothing else is known: from a flat blank to a high rim. */
const ANY_RIM = { over: 1.25, tolerancePercent: 26, grossPercent: 42 };
/** Two standard uncertainties. */
const COVERAGE = 2;

function check(expected: number, measured: number, tolerance: number, grossPercent: number): Check {
  const tolerancePercent = roundToRule(tolerance);
  const deviationPercent = roundToRule(100 * (measured / expected - 1));
  const withinTolerance = Math.abs(deviationPercent) <= tolerancePercent;
  return { expected, measured, deviationPercent, tolerancePercent, withinTolerance, grossPercent };
}

/** Whether a measure is off by more than any measuring explains. */
export const isGross = ({ deviationPercent, grossPercent }: Check): boolean =>
  Math.abs(deviationPercent) > grossPercent;

export function checkMass(
  expectedG: number,
  measuredG: number,
  { tolerancePercent: ofProduct = MASS_TOLERANCE_PERCENT, scaleAccuracyG = SCALE_ACCURACY_G } = {},
): Check {
  const tolerancePercent = Math.max(ofProduct, (100 * scaleAccuracyG) / expectedG);
  const gross = Math.max(MASS_GROSS_PERCENT, COVERAGE * tolerancePercent);
  return check(expectedG, measuredG, tolerancePercent, gross);
}

export function checkDiameter(expectedMm: number, measuredMm: number): DimensionCheck {
  const tolerance = Math.max(DIAMETER_TOLERANCE_PERCENT, (100 * CALIPER_MM) / expectedMm);
  const gross = Math.max(DIAMETER_GROSS_PERCENT, COVERAGE * tolerance);
  return { dimension: 'diameterMm', ...check(expectedMm, measuredMm, tolerance, gross) };
}

/** How thick a piece should be at its rim. */
export interface ExpectedThickness {
  readonly expectedMm: number;
  readonly tolerancePercent: number;
  readonly grossPercent: number;
}

/** By the mint's figure. */
export const mintThickness = (expectedMm: number): ExpectedThickness => ({
  expectedMm,
  tolerancePercent: THICKNESS_TOLERANCE_PERCENT,
  grossPercent: THICKNESS_GROSS_PERCENT,
});

/**
 * By mass and area, which the density alone ties to a thickness: a disc of another metal with the right mass and diameter may
 * ring alike (lead for gold, tungsten for silver), and is half or twice as thick.
 * @param kind how high rims are known to rise
 */
export function massThickness(massEquivalentMm: number, kind: 'coin' | 'piece'): ExpectedThickness {
  const { over, ...bounds } = kind === 'coin' ? COIN_RIM : ANY_RIM;
  return { expectedMm: over * massEquivalentMm, ...bounds };
}

export function checkThickness(expected: ExpectedThickness, measuredMm: number): DimensionCheck {
  const { expectedMm } = expected;
  const tolerance = Math.max(expected.tolerancePercent, (100 * CALIPER_MM) / expectedMm);
  const gross = Math.max(expected.grossPercent, COVERAGE * tolerance);
  return { dimension: 'thicknessMm', ...check(expectedMm, measuredMm, tolerance, gross) };
}

/** Density by Archimedes against the metal's: 2 standard uncertainties are within, more than 4 are gross. @throws SubmergedMassError */
export function checkDensity(
  material: Material,
  massG: number,
  submergedMassG: number,
  scaleAccuracyG?: number,
): Check {
  const measured = measuredDensity(massG, submergedMassG, scaleAccuracyG);
  const standard = Math.hypot(measured.uncertaintyPercent, material.densityUncertaintyPercent);
  return check(material.densityGcc, measured.densityGcc, COVERAGE * standard, Z_REFUSED * standard);
}

/** By the table of the metal's alloy; beyond twice the tolerance no meter errs. */
export function checkConductivity(expectedMSm: number, measuredMSm: number): Check {
  const tolerance = conductivityTolerancePercent(expectedMSm);
  return check(expectedMSm, measuredMSm, tolerance, COVERAGE * tolerance);
}
