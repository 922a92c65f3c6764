import { powers, type Field } from '../field/field.js';
import { goldilocks, rootOfUnity } from '../field/goldilocks.js';

/**
 * Evaluations of a polynomial on the subgroup of order n = coefficients.length, in natural order (element i at ω^i).
 * Radix-2 decimation in time: (n/2)·log2 n butterflies of one scaling and two additions. Twiddles are not counted: they
 * depend on n alone.
 * @param coefficients lowest degree first; the length is a power of two of at most 2^32
 */
export function ntt<E>(field: Field<E>, coefficients: readonly E[]): E[] {
  return transform(field, coefficients, rootOfUnity(log2Exact(coefficients.length)));
}

/** The inverse of `ntt`: coefficients from evaluations; `n` scalings more. */
export function inverseNtt<E>(field: Field<E>, evaluations: readonly E[]): E[] {
  const size = evaluations.length;
  const root = goldilocks.inverse(rootOfUnity(log2Exact(size)));
  const inverseSize = goldilocks.inverse(BigInt(size));
  return transform(field, evaluations, root).map(value => field.scale(value, inverseSize));
}

/**
 * Evaluations on the coset offset·⟨ω⟩ of order `size`, in natural order. One scaling for each coefficient, then an NTT.
 * @param size a power of two, at least coefficients.length
 */
export function evaluateOnCoset<E>(
  field: Field<E>,
  coefficients: readonly E[],
  offset: bigint,
  size: number,
): E[] {
  const shifts = powers(goldilocks, offset, coefficients.length);
  const padded = new Array<E>(size).fill(field.zero);
  for (let i = 0; i < coefficients.length; i++) padded[i] = field.scale(coefficients[i], shifts[i]);
  return ntt(field, padded);
}

/** The inverse of `evaluateOnCoset` for size = evaluations.length. */
export function interpolateOnCoset<E>(field: Field<E>, evaluations: readonly E[], offset: bigint): E[] {
  const shifts = powers(goldilocks, goldilocks.inverse(offset), evaluations.length);
  return inverseNtt(field, evaluations).map((value, i) => field.scale(value, shifts[i]));
}

/** log2 of a power of two. @throws RangeError if `size` is not one */
export function log2Exact(size: number): number {
  const log2 = Math.round(Math.log2(size));
  if (!Number.isSafeInteger(size) || size < 1 || 2 ** log2 !== size) {
    throw new RangeError(`size must be a power of two, got ${size}`);
  }
  return log2;
}

function transform<E>(field: Field<E>, values: readonly E[], root: bigint): E[] {
  const size = values.length;
  const twiddles = powers(goldilocks, root, Math.max(1, size / 2));
  const result = bitReversed(values);
  for (let half = 1; half < size; half *= 2) {
    const stride = size / (2 * half);
    for (let start = 0; start < size; start += 2 * half) {
      for (let j = 0; j < half; j++) {
        const even = result[start + j];
        const odd = field.scale(result[start + j + half], twiddles[j * stride]);
        result[start + j] = field.add(even, odd);
        result[start + j + half] = field.sub(even, odd);
      }
    }
  }
  return result;
}

function bitReversed<E>(values: readonly E[]): E[] {
  const bits = log2Exact(values.length);
  return values.map((_, i) => {
    let reversed = 0;
    for (let b = 0; b < bits; b++) if (i & (1 << b)) reversed |= 1 << (bits - 1 - b);
    return values[reversed];
  });
}
