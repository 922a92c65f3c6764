import type { BaseField, Ext, ExtensionField } from './field.js';
import { goldilocks, GOLDILOCKS_MODULUS as P } from './goldilocks.js';

/** φ² of the quadratic extension: 7 generates the multiplicative group, so it is no square. */
export const QUADRATIC_NON_RESIDUE = 7n;

/**
 * F[φ]/(φ² − 7) over Goldilocks; an element is (c0, c1) = c0 + c1·φ.
 * A product costs 5 multiplications and 2 additions of the base field.
 */
export class QuadraticExtension implements ExtensionField {
  readonly degree = 2;
  readonly zero: Ext = [0n, 0n];
  readonly one: Ext = [1n, 0n];

  /** @param base Goldilocks, or a double of it that counts */
  constructor(readonly base: BaseField) {}

  add(a: Ext, b: Ext): Ext {
    const f = this.base;
    return [f.add(a[0], b[0]), f.add(a[1], b[1])];
  }

  sub(a: Ext, b: Ext): Ext {
    const f = this.base;
    return [f.sub(a[0], b[0]), f.sub(a[1], b[1])];
  }

  mul(a: Ext, b: Ext): Ext {
    const f = this.base;
    const c0 = f.add(f.mul(a[0], b[0]), f.mul(QUADRATIC_NON_RESIDUE, f.mul(a[1], b[1])));
    const c1 = f.add(f.mul(a[0], b[1]), f.mul(a[1], b[0]));
    return [c0, c1];
  }

  scale(a: Ext, c: bigint): Ext {
    const f = this.base;
    return [f.mul(a[0], c), f.mul(a[1], c)];
  }

  fromBase(c: bigint): Ext {
    return [c, 0n];
  }

  equals(a: Ext, b: Ext): boolean {
    return a[0] === b[0] && a[1] === b[1];
  }

  /** The conjugate over the norm c0² − 7·c1². Costs one base inversion, 5 multiplications and 2 additions. */
  inverse(a: Ext): Ext {
    const f = this.base;
    const [a0, a1] = a;
    const norm = f.sub(f.mul(a0, a0), f.mul(QUADRATIC_NON_RESIDUE, f.mul(a1, a1)));
    const inverseNorm = f.inverse(norm);
    return [f.mul(a0, inverseNorm), f.mul(f.sub(0n, a1), inverseNorm)];
  }
}

/** The same over Goldilocks itself, where sums of products are reduced once: integers have no overflow. */
class GoldilocksQuadraticExtension extends QuadraticExtension {
  override mul([a0, a1]: Ext, [b0, b1]: Ext): Ext {
    return [(a0 * b0 + QUADRATIC_NON_RESIDUE * a1 * b1) % P, (a0 * b1 + a1 * b0) % P];
  }
}

export const quadraticExtension: QuadraticExtension = new GoldilocksQuadraticExtension(goldilocks);
