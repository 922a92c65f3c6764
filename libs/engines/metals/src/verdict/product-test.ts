import { massEquivalentBarThicknessMm } from '../beam/free-bar.js';
import { massEquivalentThicknessMm } from '../plate/free-disc.js';
import { type Product, PRODUCTS } from '../product/product.js';
import {
  type MeasuredPiece,
  pieceOfProduct,
  referenceOfPiece,
  referenceOfProduct,
  type RingReference,
} from '../product/reference.js';
import type { RingTest } from './judge-ring.js';
import { massThickness, mintThickness } from './piece-checks.js';

/** What was measured of a piece that is said to be a product. */
export type ProductMeasurement = Pick<
  RingTest,
  'peaks' | 'quality' | 'massG' | 'diameterMm' | 'thicknessMm' | 'submergedMassG'
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
