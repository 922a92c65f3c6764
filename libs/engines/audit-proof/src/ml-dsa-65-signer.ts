import { shake128, shake256 } from '@noble/hashes/sha3.js';
import { concatBytes } from '@noble/hashes/utils.js';
import {
  DEGREE,
  GAMMA2,
  highBits,
  innerProduct,
  lowBits,
  type Polynomial,
  Q,
  reachesNorm,
  reduce,
  transform,
} from './ml-dsa-65-ring.js';

// FIPS 204, table 1.
const ROWS = 6; // k
const COLUMNS = 5; // ℓ
const ETA = 4;
const TAU = 49;
const BETA = TAU * ETA;
const GAMMA1 = 2 ** 19;
const OMEGA = 55;
const DROPPED_BITS = 13; // d
const CHALLENGE_BYTES = 48; // λ/4

const ETA_BITS = 4;
const MASK_BITS = 20;
const HIGH_BITS = 4;
const SEED_BYTES = 32;
const HASH_BYTES = 64;
const SHAKE128_BLOCK_BYTES = 168;
const SHAKE256_BLOCK_BYTES = 136;
const packedBytes = (bits: number) => (DEGREE * bits) / 8;
export const SECRET_KEY_BYTES =
  2 * SEED_BYTES + HASH_BYTES + (ROWS + COLUMNS) * packedBytes(ETA_BITS) + ROWS * packedBytes(DROPPED_BITS);
const CONTEXT_BYTES_MAX = 255;

/**
 * Signs with one key of ML-DSA-65 (FIPS 204, algorithms 2 and 7). What depends on the key alone is computed once, which is half
 * of a signature's time; signatures are those of any other implementation to the byte.
 */
export class MlDsa65Signer {
  private readonly seed: Uint8Array;
  private readonly publicKeyHash: Uint8Array;
  /** Â, row by row, and the secret polynomials, all in the transformed domain. */
  private readonly matrix: readonly (readonly Polynomial[])[];
  private readonly s1: readonly Polynomial[];
  private readonly s2: readonly Polynomial[];
  private readonly t0: readonly Polynomial[];

  /** @throws RangeError for a key of another length */
  constructor(secretKey: Uint8Array) {
    if (secretKey.length !== SECRET_KEY_BYTES) {
      throw new RangeError(`a secret key has ${SECRET_KEY_BYTES} bytes, got ${secretKey.length}`);
    }
    let offset = 0;
    const take = (length: number) => secretKey.slice(offset, (offset += length));
    const takePolynomials = (count: number, bits: number, centre: number) =>
      Array.from({ length: count }, () =>
        transform(unpack(take(packedBytes(bits)), bits, centre)).map(reduce),
      );
    const matrixSeed = take(SEED_BYTES);
    this.seed = take(SEED_BYTES);
    this.publicKeyHash = take(HASH_BYTES);
    this.s1 = takePolynomials(COLUMNS, ETA_BITS, ETA);
    this.s2 = takePolynomials(ROWS, ETA_BITS, ETA);
    this.t0 = takePolynomials(ROWS, DROPPED_BITS, 2 ** (DROPPED_BITS - 1));
    this.matrix = Array.from({ length: ROWS }, (_, row) =>
      Array.from({ length: COLUMNS }, (_, column) => expandEntry(matrixSeed, row, column)),
    );
  }

  /**
   * @param context at most 255 bytes
   * @param randomness 32 fresh random bytes (hedged signing), or false for the deterministic variant
   */
  sign(message: Uint8Array, context: Uint8Array, randomness: Uint8Array | false): Uint8Array {
    if (context.length > CONTEXT_BYTES_MAX) {
      throw new RangeError(`a context has at most ${CONTEXT_BYTES_MAX} bytes, got ${context.length}`);
    }
    return this.signFormatted(
      concatBytes(Uint8Array.of(0, context.length), context, message),
      randomness || new Uint8Array(SEED_BYTES),
    );
  }

  /** Algorithm 7: what is signed has its context before it already. */
  signFormatted(formatted: Uint8Array, randomness: Uint8Array): Uint8Array {
    if (randomness.length !== SEED_BYTES) {
      throw new RangeError(`randomness has ${SEED_BYTES} bytes, got ${randomness.length}`);
    }
    const digest = hash(HASH_BYTES, this.publicKeyHash, formatted);
    const maskSeed = hash(HASH_BYTES, this.seed, randomness, digest);
    for (let counter = 0; ; counter += COLUMNS) {
      const signature = this.attempt(digest, maskSeed, counter);
      if (signature) return signature;
    }
  }

  /** One round of the rejection loop; undefined where the answer would tell of the key. */
  private attempt(digest: Uint8Array, maskSeed: Uint8Array, counter: number): Uint8Array | undefined {
    const masks = Array.from({ length: COLUMNS }, (_, i) => expandMask(maskSeed, counter + i));
    const transformed = masks.map(mask => transform(mask.slice()));
    const commitment = this.matrix.map(row => innerProduct(row, transformed));
    const high = commitment.map(w => pack(highBits(w), HIGH_BITS));
    const challengeHash = hash(CHALLENGE_BYTES, digest, ...high);
    const challenge = [transform(sampleInBall(challengeHash))];
    const timesChallenge = (secret: Polynomial) => innerProduct([secret], challenge);

    const response = this.s1.map((secret, i) => plus(masks[i], timesChallenge(secret)));
    if (response.some(z => reachesNorm(z, GAMMA1 - BETA))) return undefined;
    const rests = this.s2.map((secret, i) => minus(commitment[i], timesChallenge(secret)));
    if (rests.some(rest => reachesNorm(lowBits(rest), GAMMA2 - BETA))) return undefined;
    const dropped = this.t0.map(timesChallenge);
    if (dropped.some(product => reachesNorm(product, GAMMA2))) return undefined;
    const hints = rests.map((rest, i) => hintPositions(rest, dropped[i]));
    if (hints.reduce((sum, { length }) => sum + length, 0) > OMEGA) return undefined;
    const packed = response.map(z =>
      pack(
        z.map(coefficient => GAMMA1 - coefficient),
        MASK_BITS,
      ),
    );
    return concatBytes(challengeHash, ...packed, packHints(hints));
  }
}

function hash(length: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const state = shake256.create({ dkLen: length });
  for (const part of parts) state.update(part);
  return state.digest();
}

/** An entry of Â: uniform values by rejection (algorithms 30 and 32), between −q/2 and q/2. */
function expandEntry(seed: Uint8Array, row: number, column: number): Polynomial {
  const stream = shake128.create({}).update(concatBytes(seed, Uint8Array.of(column, row)));
  const values = new Float64Array(DEGREE);
  for (let count = 0; count < DEGREE;) {
    const block = stream.xof(SHAKE128_BLOCK_BYTES);
    for (let i = 0; i < block.length && count < DEGREE; i += 3) {
      const value = block[i] | (block[i + 1] << 8) | ((block[i + 2] & 0x7f) << 16);
      if (value < Q) values[count++] = reduce(value);
    }
  }
  return values;
}

/** A mask polynomial, −γ1 < coefficient ≤ γ1 (algorithm 34). */
function expandMask(seed: Uint8Array, counter: number): Polynomial {
  const index = Uint8Array.of(counter & 0xff, counter >> 8);
  return unpack(hash(packedBytes(MASK_BITS), seed, index), MASK_BITS, GAMMA1);
}

/** A polynomial with τ coefficients 1 or −1 and zeros (algorithm 29). */
function sampleInBall(seed: Uint8Array): Polynomial {
  const stream = shake256.create({}).update(seed);
  let block = stream.xof(SHAKE256_BLOCK_BYTES);
  const signs = block.slice(0, 8);
  let next = 8;
  const draw = () => {
    if (next === block.length) [block, next] = [stream.xof(SHAKE256_BLOCK_BYTES), 0];
    return block[next++];
  };
  const challenge = new Float64Array(DEGREE);
  for (let i = DEGREE - TAU, bit = 0; i < DEGREE; i++, bit++) {
    let j = draw();
    while (j > i) j = draw();
    challenge[i] = challenge[j];
    challenge[j] = (signs[bit >> 3] >> (bit & 7)) & 1 ? -1 : 1;
  }
  return challenge;
}

/** Places where adding c·t0 changes the high bits (algorithm 39). */
function hintPositions(rest: Polynomial, dropped: Polynomial): number[] {
  const [before, after] = [highBits(rest), highBits(plus(rest, dropped))];
  const positions: number[] = [];
  for (let j = 0; j < DEGREE; j++) if (before[j] !== after[j]) positions.push(j);
  return positions;
}

/** The places of all polynomials, then how many there are up to each (algorithm 20). */
function packHints(hints: readonly (readonly number[])[]): Uint8Array {
  const bytes = new Uint8Array(OMEGA + ROWS);
  bytes.set(hints.flat());
  let count = 0;
  hints.forEach((positions, i) => (bytes[OMEGA + i] = count += positions.length));
  return bytes;
}

/** Coefficients centre − v from values v of so many bits each, lowest bit first (algorithm 19). */
function unpack(bytes: Uint8Array, bits: number, centre: number): Polynomial {
  const mask = 2 ** bits - 1;
  const coefficients = new Float64Array(DEGREE);
  for (let j = 0, buffer = 0, held = 0, next = 0; j < DEGREE; j++) {
    for (; held < bits; held += 8) buffer |= bytes[next++] << held;
    coefficients[j] = centre - (buffer & mask);
    buffer >>>= bits;
    held -= bits;
  }
  return coefficients;
}

/** Values of so many bits each, lowest bit first (algorithm 16). */
function pack(values: Polynomial, bits: number): Uint8Array {
  const bytes = new Uint8Array(packedBytes(bits));
  for (let j = 0, buffer = 0, held = 0, next = 0; j < DEGREE; j++) {
    buffer |= values[j] << held;
    for (held += bits; held >= 8; held -= 8) {
      bytes[next++] = buffer;
      buffer >>>= 8;
    }
  }
  return bytes;
}

function plus(a: Polynomial, b: Polynomial): Polynomial {
  const sum = new Float64Array(DEGREE);
  for (let j = 0; j < DEGREE; j++) sum[j] = a[j] + b[j];
  return sum;
}

function minus(a: Polynomial, b: Polynomial): Polynomial {
  const difference = new Float64Array(DEGREE);
  for (let j = 0; j < DEGREE; j++) difference[j] = a[j] - b[j];
  return difference;
}
