import { GoldilocksField } from './goldilocks.js';

/** Goldilocks that counts its additions (and subtractions) and multiplications. */
export class CountingField extends GoldilocksField {
  additions = 0;
  multiplications = 0;

  override add(a: bigint, b: bigint): bigint {
    this.additions++;
    return super.add(a, b);
  }

  override sub(a: bigint, b: bigint): bigint {
    this.additions++;
    return super.sub(a, b);
  }

  override mul(a: bigint, b: bigint): bigint {
    this.multiplications++;
    return super.mul(a, b);
  }
}
