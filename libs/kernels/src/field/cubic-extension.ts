import type { BaseField, Ext, ExtensionField } from './field.js';
import { goldilocks, GOLDILOCKS_MODULUS as P } from './goldilocks.js';

/**
 * F[φ]/(φ³ − φ − 1) over Goldilocks, so φ³ = φ + 1 and φ⁴ = φ² + φ; an element is (c0, c1, c2) = c0 + c1·φ + c2·φ².
 * A product costs 9 multiplications and 8 additions of the base field.
 */
export class CubicExtension implements ExtensionField {
  readonly degree = 3;
  readonly zero: Ext = [0n, 0n, 0n];
  readonly one: Ext = [1n, 0n, 0n];

  /** @param base Goldilocks, or a double of it that counts */
  constructor(readonly base: BaseField) {}

  add(a: Ext, b: Ext): Ext {
    const f = this.base;
    return [f.add(a[0], b[0]), f.add(a[1], b[1]), f.add(a[2], b[2])];
  }

  sub(a: Ext, b: Ext): Ext {
    const f = this.base;
    return [f.sub(a[0], b[0]), f.sub(a[1], b[1]), f.sub(a[2], b[2])];
  }

  mul(a: Ext, b: Ext): Ext {
    const f = this.base;
    const d0 = f.mul(a[0], b[0]);
    const d1 = f.add(f.mul(a[0], b[1]), f.mul(a[1], b[0]));
    const d2 = f.add(f.add(f.mul(a[0], b[2]), f.mul(a[1], b[1])), f.mul(a[2], b[0]));
    const d3 = f.add(f.mul(a[1], b[2]), f.mul(a[2], b[1]));
    const d4 = f.mul(a[2], b[2]);
    return [f.add(d0, d3), f.add(f.add(d1, d3), d4), f.add(d2, d4)];
  }

  scale(a: Ext, c: bigint): Ext {
    const f = this.base;
    return [f.mul(a[0], c), f.mul(a[1], c), f.mul(a[2], c)];
  }

  fromBase(c: bigint): Ext {
    return [c, 0n, 0n];
  }

  equals(a: Ext, b: Ext): boolean {
    return a[0] === b[0] && a[1] === b[1] && a[2] === b[2];
  }

  /**
   * Cramer's rule on the matrix of x ↦ a·x, whose columns are a, a·φ and a·φ².
   * Costs one base inversion, 12 multiplications and 7 additions.
   */
  inverse(a: Ext): Ext {
    const f = this.base;
    const [a0, a1, a2] = a;
    const a02 = f.add(a0, a2);
    const a12 = f.add(a1, a2);
    const m0 = f.sub(f.mul(a02, a02), f.mul(a12, a1));
    const m1 = f.sub(f.mul(a12, a2), f.mul(a1, a02));
    const m2 = f.sub(f.mul(a1, a1), f.mul(a02, a2));
    const norm = f.add(f.add(f.mul(a0, m0), f.mul(a2, m1)), f.mul(a1, m2));
    const inverseNorm = f.inverse(norm);
    return [f.mul(m0, inverseNorm), f.mul(m1, inverseNorm), f.mul(m2, inverseNorm)];
  }
}

/** The same over Goldilocks itself, where sums of products are reduced once: integers have no overflow. */
class GoldilocksCubicExtension extends CubicExtension {
  override mul([a0, a1, a2]: Ext, [b0, b1, b2]: Ext): Ext {
    const d3 = a1 * b2 + a2 * b1;
    const d4 = a2 * b2;
    return [(a0 * b0 + d3) % P, (a0 * b1 + a1 * b0 + d3 + d4) % P, (a0 * b2 + a1 * b1 + a2 * b0 + d4) % P];
  }
}

export const cubicExtension: CubicExtension = new GoldilocksCubicExtension(goldilocks);
