import type { BaseField } from './field.js';
import { goldilocks } from './goldilocks.js';
import { PrimeField } from './prime-field.js';

/** A base field that counts its additions (and subtractions) and multiplications; inversion is Fermat's, so it counts too. */
export class CountingField extends PrimeField {
  additions = 0;
  multiplications = 0;

  constructor(private readonly counted: BaseField = goldilocks) {
    super(counted.name, counted.modulus, counted.elementBytes);
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
}
