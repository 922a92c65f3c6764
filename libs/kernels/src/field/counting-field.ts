import { type BaseField, type BaseFieldName, power } from './field.js';
import { goldilocks } from './goldilocks.js';

/** A base field that counts its additions (and subtractions) and multiplications; inversion is Fermat's, so it counts too. */
export class CountingField implements BaseField {
  additions = 0;
  multiplications = 0;
  readonly name: BaseFieldName;
  readonly modulus: bigint;
  readonly elementBytes: number;
  readonly zero = 0n;
  readonly one = 1n;

  constructor(private readonly counted: BaseField = goldilocks) {
    this.name = counted.name;
    this.modulus = counted.modulus;
    this.elementBytes = counted.elementBytes;
  }

  add(a: bigint, b: bigint): bigint {
    this.additions++;
    return this.counted.add(a, b);
  }

  sub(a: bigint, b: bigint): bigint {
    this.additions++;
    return this.counted.sub(a, b);
  }

  mul(a: bigint, b: bigint): bigint {
    this.multiplications++;
    return this.counted.mul(a, b);
  }

  scale(a: bigint, c: bigint): bigint {
    return this.mul(a, c);
  }

  fromBase(c: bigint): bigint {
    return c;
  }

  equals(a: bigint, b: bigint): boolean {
    return a === b;
  }

  inverse(a: bigint): bigint {
    if (a === 0n) throw new RangeError('zero has no inverse');
    return power(this, a, this.modulus - 2n);
  }
}
