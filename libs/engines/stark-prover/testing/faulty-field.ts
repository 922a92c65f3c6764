import { type BaseField, PrimeField } from '@svc/kernels';

/** A prime field in which one multiplication or addition is off by one. */
export class FaultyField extends PrimeField {
  private calls = 0;

  /** @param faultyCall how many of them come before it */
  constructor(
    private readonly field: BaseField,
    private readonly faultyCall: number,
  ) {
    super(field.name, field.modulus, field.elementBytes);
  }

  add(a: bigint, b: bigint): bigint {
    return this.maybeOff(this.field.add(a, b));
  }

  sub(a: bigint, b: bigint): bigint {
    return this.field.sub(a, b);
  }

  mul(a: bigint, b: bigint): bigint {
    return this.maybeOff(this.field.mul(a, b));
  }

  private maybeOff(value: bigint): bigint {
    return this.calls++ === this.faultyCall ? this.field.add(value, 1n) : value;
  }
}
