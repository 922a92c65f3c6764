import type { BaseField, Ext, ExtensionField } from './field.js';
import { m31 } from './m31.js';

/**
 * The complex extension M31[i]/(i² + 1), an element is (a, b) = a + b·i. −1 is no square modulo p, since p ≡ 3 mod 4.
 * A product costs 4 multiplications and 2 additions of the base field.
 */
export class CM31Extension implements ExtensionField {
  readonly degree = 2;
  readonly zero: Ext = [0n, 0n];
  readonly one: Ext = [1n, 0n];

  constructor(readonly base: BaseField = m31) {}

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
    return [f.sub(f.mul(a[0], b[0]), f.mul(a[1], b[1])), f.add(f.mul(a[0], b[1]), f.mul(a[1], b[0]))];
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

  /** (a − b·i)/(a² + b²): one base inversion, 4 multiplications and 2 additions. */
  inverse(a: Ext): Ext {
    const f = this.base;
    const norm = f.add(f.mul(a[0], a[0]), f.mul(a[1], a[1]));
    const inverseNorm = f.inverse(norm);
    return [f.mul(a[0], inverseNorm), f.mul(f.sub(0n, a[1]), inverseNorm)];
  }
}

export const cm31 = new CM31Extension();
