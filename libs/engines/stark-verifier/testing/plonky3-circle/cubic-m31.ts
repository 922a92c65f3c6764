import { type Ext, type Field, m31 } from '@svc/kernels';

const W = 5n;

/** M31[x]/(x³ − 5). */
export class CubicM31 implements Field<Ext> {
  readonly zero: Ext = [0n, 0n, 0n];
  readonly one: Ext = [1n, 0n, 0n];

  add(a: Ext, b: Ext): Ext {
    return a.map((value, i) => m31.add(value, b[i]));
  }

  sub(a: Ext, b: Ext): Ext {
    return a.map((value, i) => m31.sub(value, b[i]));
  }

  mul([a0, a1, a2]: Ext, [b0, b1, b2]: Ext): Ext {
    const reduce = (value: bigint) => value % m31.modulus;
    return [
      reduce(a0 * b0 + W * (a1 * b2 + a2 * b1)),
      reduce(a0 * b1 + a1 * b0 + W * a2 * b2),
      reduce(a0 * b2 + a1 * b1 + a2 * b0),
    ];
  }

  scale(a: Ext, c: bigint): Ext {
    return a.map(value => m31.mul(value, c));
  }

  fromBase(c: bigint): Ext {
    return [c, 0n, 0n];
  }

  equals(a: Ext, b: Ext): boolean {
    return a.every((value, i) => value === b[i]);
  }

  /** By the adjugate of the matrix of multiplication by `a`. */
  inverse([a0, a1, a2]: Ext): Ext {
    const reduce = (value: bigint) => ((value % m31.modulus) + m31.modulus) % m31.modulus;
    const c0 = reduce(a0 * a0 - W * a1 * a2);
    const c1 = reduce(W * a2 * a2 - a0 * a1);
    const c2 = reduce(a1 * a1 - a0 * a2);
    const norm = reduce(a0 * c0 + W * (a1 * c2 + a2 * c1));
    return this.scale([c0, c1, c2], m31.inverse(norm));
  }
}

export const cubicM31 = new CubicM31();
