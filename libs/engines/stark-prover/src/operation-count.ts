import type { OperationCount } from '@svc/stark-air';

export const NO_OPERATIONS: OperationCount = { additions: 0, multiplications: 0 };

export function count(additions: number, multiplications: number): OperationCount {
  return { additions, multiplications };
}

export function times(factor: number, { additions, multiplications }: OperationCount): OperationCount {
  return count(factor * additions, factor * multiplications);
}

export function sum(...counts: readonly OperationCount[]): OperationCount {
  return counts.reduce(
    (total, { additions, multiplications }) =>
      count(total.additions + additions, total.multiplications + multiplications),
    NO_OPERATIONS,
  );
}

/** Inverting `size` elements at once by Montgomery's trick. */
export function inversions(
  size: number,
  multiplication: OperationCount,
  inversion: OperationCount,
): OperationCount {
  return sum(times(3 * (size - 1), multiplication), inversion);
}
