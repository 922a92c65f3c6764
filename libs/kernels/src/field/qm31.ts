import type { BaseField, Ext, ExtensionField } from './field.js';
import { CM31Extension } from './cm31.js';
import { m31 } from './m31.js';

/**
 * CM31[u]/(u² − 2 − i), an element is (a, b, c, d) = (a + b·i) + (c + d·i)·u. Its real part is a + b·i, its imaginary part
 * c + d·i; its conjugate has the imaginary part's sign changed.
 * A product costs 16 multiplications and 16 additions of the base field.
 */
export class QM31Extension implements ExtensionField {
  readonly degree = 4;
  readonly zero: Ext = [0n, 0n, 0n, 0n];
  readonly one: Ext = [1n, 0n, 0n, 0n];
  /** The field between this one and its base. */
  readonly complex: CM31Extension;

  constructor(readonly base: BaseField = m31) {
    this.complex = new CM31Extension(base);
  }

  add(a: Ext, b: Ext): Ext {
    const f = this.base;
    return [f.add(a[0], b[0]), f.add(a[1], b[1]), f.add(a[2], b[2]), f.add(a[3], b[3])];
  }

  sub(a: Ext, b: Ext): Ext {
    const f = this.base;
    return [f.sub(a[0], b[0]), f.sub(a[1], b[1]), f.sub(a[2], b[2]), f.sub(a[3], b[3])];
  }

  mul(a: Ext, b: Ext): Ext {
    const c = this.complex;
    const [aRe, aIm] = [realPart(a), imaginaryPart(a)];
    const [bRe, bIm] = [realPart(b), imaginaryPart(b)];
    const re = c.add(c.mul(aRe, bRe), this.timesUSquared(c.mul(aIm, bIm)));
    const im = c.add(c.mul(aRe, bIm), c.mul(aIm, bRe));
    return [re[0], re[1], im[0], im[1]];
  }

  scale(a: Ext, c: bigint): Ext {
    const f = this.base;
    return [f.mul(a[0], c), f.mul(a[1], c), f.mul(a[2], c), f.mul(a[3], c)];
  }

  /** The product with an element of the field between: 8 multiplications and 4 additions. */
  scaleComplex(a: Ext, c: Ext): Ext {
    const re = this.complex.mul(realPart(a), c);
    const im = this.complex.mul(imaginaryPart(a), c);
    return [re[0], re[1], im[0], im[1]];
  }

  fromBase(c: bigint): Ext {
    return [c, 0n, 0n, 0n];
  }

  equals(a: Ext, b: Ext): boolean {
    return a[0] === b[0] && a[1] === b[1] && a[2] === b[2] && a[3] === b[3];
  }

  /** The conjugate over the norm to CM31: one base inversion, 20 multiplications and 18 additions. */
  inverse(a: Ext): Ext {
    const c = this.complex;
    const [re, im] = [realPart(a), imaginaryPart(a)];
    const norm = c.sub(c.mul(re, re), this.timesUSquared(c.mul(im, im)));
    const inverseNorm = c.inverse(norm);
    return this.scaleComplex([re[0], re[1], ...c.sub(c.zero, im)], inverseNorm);
  }

  // (x + y·i)·(2 + i).
  private timesUSquared([x, y]: Ext): Ext {
    const f = this.base;
    return [f.sub(f.add(x, x), y), f.add(x, f.add(y, y))];
  }
}

/** a + b·i of (a, b, c, d). */
export function realPart(element: Ext): Ext {
  return [element[0], element[1]];
}

/** c + d·i of (a, b, c, d). */
export function imaginaryPart(element: Ext): Ext {
  return [element[2], element[3]];
}

export const qm31 = new QM31Extension();
