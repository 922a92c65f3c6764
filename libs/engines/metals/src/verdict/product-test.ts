import type { RingTest } from './ring-test.js';
import { massEquivalentBarThicknessMm } from '../beam/free-bar.js';
import { massEquivalentThicknessMm } from '../plate/free-disc.js';
import { type Product, PRODUCTS } from '../product/product.js';
import {
  knownModes,
  type MeasuredPiece,
  pieceOfProduct,
  referenceOfPiece,
  referenceOfProduct,
  type RingReference,
} from '../product/reference.js';
import { idealReadings } from './excluded-fakes.js';
import { judgeRing, typedPeaks } from './judge-ring.js';
import { massThickness, mintThickness } from './piece-checks.js';

/** What was measured of a piece that is said to be a product. */
export type ProductMeasurement = Pick<
  RingTest,
  | 'peaks'
  | 'quality'
  | 'massG'
  | 'diameterMm'
  | 'thicknessMm'
  | 'submergedMassG'
  | 'scaleAccuracyG'
  | 'conductivityMSm'
  | 'magnetSlide'
>;

/** The test of a piece that is said to be a product. @example judgeRing(productTest(product, { massG, peaks })) */
export function productTest(
  product: Product,
  measurement: ProductMeasurement,
  reference: RingReference = referenceOfProduct(product),
): RingTest {
  const piece = pieceOfProduct(product);
  return {
    ...measurement,
    ...{ piece, reference },
    expectedMassG: product.massG,
    massTolerancePercent: product.massTolerancePercent,
    expectedDiameterMm: product.diameterMm,
    expectedThickness:
      product.thicknessMm === null
        ? massThickness(equivalentThicknessMm(piece), 'coin')
        : mintThickness(product.thicknessMm),
    otherEditionsG: (product.otherEditions ?? []).flatMap(id => PRODUCTS.get(id)?.massG ?? []),
  };
}

/** The test of a piece that is known by its measures alone. @throws BarShapeError */
export function pieceTest(
  piece: MeasuredPiece,
  measurement: Omit<ProductMeasurement, 'massG' | 'diameterMm'>,
): RingTest {
  const expectedThickness = massThickness(equivalentThicknessMm(piece), 'piece');
  return { ...measurement, massG: piece.massG, piece, reference: referenceOfPiece(piece), expectedThickness };
}

function equivalentThicknessMm(piece: MeasuredPiece): number {
  const { massG, material } = piece;
  return piece.shape === 'disc'
    ? massEquivalentThicknessMm(massG, piece.diameterMm, material.densityGcc)
    : massEquivalentBarThicknessMm(massG, piece, material.densityGcc);
}

/** Readings that a test may be given beside ring and mass, in the order in which they cost least. */
const READINGS_TO_ADD: readonly (readonly AddedReading[])[] = [
  [],
  ['thickness'],
  ['specificGravity'],
  ['thickness', 'specificGravity'],
  ['specificGravity', 'conductivity'],
  ['thickness', 'specificGravity', 'conductivity'],
];
const ALL_READINGS = READINGS_TO_ADD[READINGS_TO_ADD.length - 1];
export type AddedReading = 'thickness' | 'specificGravity' | 'conductivity';

/**
 * The fewest readings with which a piece passes that is exactly what it is said to be, struck freely in a silent room; null where
 * none are enough, for theory alone cannot tell it from a likely fake: then a genuine piece must be enrolled first.
 */
export function readingsToPass(test: RingTest): readonly AddedReading[] | null {
  const passes = perfectPiece(test);
  return passes(ALL_READINGS) ? (READINGS_TO_ADD.find(passes) ?? ALL_READINGS) : null;
}

/**
 * Whether a perfect piece passes with some readings: one judgement in place of several. A reading more excludes a fake more and never
 * one less: what does not pass with all of them passes with none.
 */
export const canPass = (test: RingTest): boolean => perfectPiece(test)(ALL_READINGS);

/** Judges a piece that is exactly what it is said to be, by the readings that are named. */
function perfectPiece(test: RingTest): (readings: readonly AddedReading[]) => boolean {
  const { piece, reference, massG, expectedMassG = massG } = test;
  const lines = new Map(
    knownModes(piece, reference).map(({ mode, hz }) => [mode, [hz] as readonly number[]]),
  );
  for (const { mode, linesHz } of reference.modes) lines.set(mode, linesHz);
  const ideal: RingTest = {
    ...{ piece, reference, massG: expectedMassG, expectedMassG, expectedThickness: test.expectedThickness },
    peaks: typedPeaks([...lines.values()].flat()),
  };
  const { submergedMassG, thicknessMm, conductivityMSm } = idealReadings(ideal);
  const given = {
    ...{ thickness: { thicknessMm }, specificGravity: { submergedMassG }, conductivity: { conductivityMSm } },
  };
  return readings =>
    judgeRing(Object.assign({ ...ideal }, ...readings.map(reading => given[reading]))).verdict === 'PASS';
}
