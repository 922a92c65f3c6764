/** Primitive polynomials over GF(2), the lowest coefficient in the lowest bit, by degree from 2: of the fewest terms. */
const PRIMITIVE_POLYNOMIALS: Readonly<Record<number, number>> = {
  2: 0b111,
  3: 0b1011,
  4: 0b1_0011,
  5: 0b10_0101,
  6: 0b100_0011,
  7: 0b1000_1001,
  8: 0b1_0001_1101,
  9: 0b10_0001_0001,
  10: 0b100_0000_1001,
};

export const M_SEQUENCE_DEGREE_MIN = 2;
export const M_SEQUENCE_DEGREE_MAX = 10;

/**
 * The primitive polynomial of a degree that sequences and codes are made of, as a mask: 0x25 is x⁵ + x² + 1, 0x11d is
 * x⁸ + x⁴ + x³ + x² + 1.
 *
 * Source: Lin and Costello, Error Control Coding, 2nd edition, table 2.7.
 *
 * @throws RangeError for a degree outside 2 … 10
 */
export function primitivePolynomial(degree: number): number {
  const polynomial = PRIMITIVE_POLYNOMIALS[degree];
  if (polynomial !== undefined) return polynomial;
  throw new RangeError(
    `degree must be an integer in ${M_SEQUENCE_DEGREE_MIN}…${M_SEQUENCE_DEGREE_MAX}, got ${degree}`,
  );
}

/**
 * A maximum-length sequence of 2^degree − 1 signs, +1 for a one: shifted against itself it adds up to −1.
 *
 * @param degree of its polynomial, see {@link primitivePolynomial}
 * @param seed its first `degree` bits, the first in the highest; not 0
 *
 * Source: Golomb, Shift Register Sequences, 1967.
 */
export function mSequence(degree: number, seed = 1): Int8Array {
  const polynomial = primitivePolynomial(degree);
  const length = 2 ** degree - 1;
  if (!Number.isInteger(seed) || seed < 1 || seed > length) {
    throw new RangeError(`seed must be an integer in 1…${length}, got ${seed}`);
  }
  const bits = new Uint8Array(length);
  for (let n = 0; n < degree; n++) bits[n] = (seed >> (degree - 1 - n)) & 1;
  for (let n = degree; n < length; n++) {
    for (let power = 0; power < degree; power++) {
      if ((polynomial >> power) & 1) bits[n] ^= bits[n - degree + power];
    }
  }
  return Int8Array.from(bits, bit => 2 * bit - 1);
}
