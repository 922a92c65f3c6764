import { pieceOfProduct, referenceOfProduct, type RingReference } from '../product/reference.js';
import { type Product, PRODUCTS } from '../product/product.js';
import type { RingTest } from './judge-ring.js';

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
  return {
    ...measurement,
    reference,
    piece: pieceOfProduct(product),
    expectedMassG: product.massG,
    massTolerancePercent: product.massTolerancePercent,
    expectedDiameterMm: product.diameterMm,
    ...(product.thicknessMm === null ? {} : { expectedThicknessMm: product.thicknessMm }),
    otherEditionsG: (product.otherEditions ?? []).flatMap(id => PRODUCTS.get(id)?.massG ?? []),
  };
}
