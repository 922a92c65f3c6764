/** The prime of secp256k1, 2²⁵⁶ − 2³² − 977 (SEC 2 section 2.4.1). */
const SECP256K1_P = 2n ** 256n - 2n ** 32n - 977n;
/** The prime of Curve25519 (RFC 8032 section 5.1). */
const ED25519_P = 2n ** 255n - 19n;
/** −121665/121666 (RFC 8032 section 5.1). */
const ED25519_D = modulo(-121_665n * power(121_666n, ED25519_P - 2n, ED25519_P), ED25519_P);

/** Whether x and y are a point of secp256k1: y² = x³ + 7, and both below its prime. */
export function isSecp256k1Point(x: bigint, y: bigint): boolean {
  if (x >= SECP256K1_P || y >= SECP256K1_P) return false;
  return (y * y) % SECP256K1_P === secp256k1YSquared(x);
}

/** Whether x is that of a point of secp256k1: whether x³ + 7 has a root, by Euler's criterion. */
export function isSecp256k1X(x: bigint): boolean {
  if (x >= SECP256K1_P) return false;
  return power(secp256k1YSquared(x), (SECP256K1_P - 1n) / 2n, SECP256K1_P) === 1n;
}

/** y² of the points at x. It is never 0: the curve has an odd number of points, so none is its own opposite. */
function secp256k1YSquared(x: bigint): bigint {
  return (x * x * x + 7n) % SECP256K1_P;
}

/**
 * Why y cannot be that of a public key of Ed25519, or undefined. It is not asked whether there is a point at y: where there
 * is none, no signature ever holds.
 *
 * A point of small order is nobody's: for some messages anybody makes signatures that hold (Chalkias, Garillot, Nikolaenko,
 * Taming the many EdDSAs, 2020, section 3). Its y is ±1 (order 1, 2), 0 (order 4), or where doubling leads to 0, which on
 * −x² + y² = 1 + dx²y² is dy⁴ + 2y² = 1 (order 8).
 */
export function ed25519Fault(y: bigint): string | undefined {
  // A second spelling of one point would be a second peer.
  if (y >= ED25519_P) return 'is no canonical point of Ed25519';
  const ySquared = (y * y) % ED25519_P;
  const isOfOrder8 = modulo(ED25519_D * ySquared * ySquared + 2n * ySquared - 1n, ED25519_P) === 0n;
  return y === 0n || ySquared === 1n || isOfOrder8
    ? 'is a point of small order, which is no one’s'
    : undefined;
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  let square = modulo(base, modulus);
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}

function modulo(value: bigint, modulus: bigint): bigint {
  return ((value % modulus) + modulus) % modulus;
}
