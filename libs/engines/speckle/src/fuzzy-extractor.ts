import { hkdf } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { BchCode } from '@svc/kernels';
import { bitAt, packBits } from './fingerprint.js';
import {
  BLOCK_BITS,
  type BlockDimension,
  decodeHelperData,
  encodeHelperData,
  FINGERPRINT_BITS_MAX,
  KEY_BITS,
  KEY_BLOCKS,
  SALT_BYTES,
  unpackBits,
} from './helper-data.js';
import {
  dimensionFor,
  KEY_DEGREES_OF_FREEDOM,
  RESIDUAL_ENTROPY_BITS_MIN,
  residualEntropyBits,
} from './key-entropy.js';
import type { SpeckleModality } from './modality.js';

const KEY_BYTES = 32;
const KEY_LABEL = utf8ToBytes('svc/surface-key/v1');

/** A fingerprint that no key is made of. */
export class KeyEnrolmentError extends Error {
  override readonly name = 'KeyEnrolmentError';

  constructor(
    readonly code: 'TOO_FEW_BITS' | 'TOO_LITTLE_ENTROPY',
    message: string,
    /** Bits. */
    readonly min: number,
    readonly got: number,
  ) {
    super(message);
  }
}

export interface KeyEnrolmentOptions {
  readonly modality: SpeckleModality;
  /** Of the bits that the key is made of, where surfaces of one's own were measured; see {@link KEY_DEGREES_OF_FREEDOM}. */
  readonly degreesOfFreedom?: number;
  /** Bits of message of each word: the fewer, the more errors are corrected and the less entropy is left; see {@link dimensionFor}. */
  readonly dimension?: BlockDimension;
}

/** What is kept of a key; the key itself comes out of the surface again. */
export interface EnrolledKey {
  /** Public. */
  readonly helperData: Uint8Array;
  /** SHA-256 of the key. */
  readonly keyCommitment: Uint8Array;
  /** See {@link residualEntropyBits}: an estimate. */
  readonly residualEntropyBits: number;
}

/** The key of a surface, or why it does not come out. */
export type ReproducedKey =
  | { readonly ok: true; readonly key: Uint8Array; readonly correctedBits: number }
  | { readonly ok: false; readonly reason: 'HELPER_DATA_CHANGED' | 'TOO_FAR' };

/**
 * Draws a key for a surface: a fuzzy extractor by code offset (Dodis, Ostrovsky, Reyzin, Smith, Fuzzy Extractors, SIAM J.
 * Computing 38, 2008, section 5; Juels, Wattenberg, A fuzzy commitment scheme, CCS 1999) over the bits that are most
 * reliable.
 *
 * Which bits these are is public. It says nothing of their values: a bit is the sign of a filter's answer and its reliability
 * the size, and since that answer is as likely as its negative, the size tells nothing of the sign. They are written in
 * the order of the fingerprint, not of their reliability, and ties go to the first, so that the choice depends on nothing else.
 *
 * Whoever has the fingerprint has the key. What is estimated holds for one enrolment of a surface: another, of other bits,
 * may cost as much again.
 *
 * @param bits of the fingerprint, packed, the first in the highest place of the first byte
 * @param reliability of each bit, 0 where it is not usable
 * @param random so many bytes that nobody can guess
 * @throws KeyEnrolmentError where too few bits are usable, or too little entropy would be left
 */
export function enrolKey(
  bits: Uint8Array,
  reliability: ArrayLike<number>,
  random: (bytes: number) => Uint8Array,
  options: KeyEnrolmentOptions,
): EnrolledKey {
  const bitCount = reliability.length;
  if (bits.length !== Math.ceil(bitCount / 8) || bitCount > FINGERPRINT_BITS_MAX) {
    throw new RangeError(`bits are of ${bits.length} bytes, their reliability of ${bitCount} bits`);
  }
  const { dimension, entropy } = codeOf(options);
  const positions = mostReliable(reliability);
  const code = BchCode.of(BLOCK_BITS, dimension);
  const values = valuesAt(bits, positions);
  const offset = values.slice();
  const messageBytes = Math.ceil(dimension / 8);
  for (let block = 0; block < KEY_BLOCKS; block++) {
    const codeword = code.encode(unpackBits(drawn(random, messageBytes), dimension));
    placesOf(block).forEach((place, at) => (offset[place] ^= codeword[at]));
  }
  const salt = drawn(random, SALT_BYTES);
  const helperData = encodeHelperData({ dimension, bitCount, salt, positions, offset });
  const keyCommitment = sha256(keyOf(values, salt, helperData));
  return { helperData, keyCommitment, residualEntropyBits: entropy };
}

/**
 * Reads the key of a surface again. Its time depends on the fingerprint.
 *
 * Helper data is not trusted: the key is derived from every byte of it, so that no change of it goes with the commitment, not
 * even one that would lead to the same bits (Boyen, Dodis, Katz, Ostrovsky, Smith, Secure remote authentication using
 * biometric data, Eurocrypt 2005, section 3).
 *
 * @param bits of a fingerprint of the surface, aligned with the enrolled one
 * @param keyCommitment as enrolment gave it, from a place where nobody else can write
 */
export function reproduceKey(
  bits: Uint8Array,
  helperData: Uint8Array,
  keyCommitment: Uint8Array,
): ReproducedKey {
  const helper = decodeHelperData(helperData);
  if (!helper || bits.length !== Math.ceil(helper.bitCount / 8)) return CHANGED;
  const { dimension, positions, offset, salt } = helper;
  const code = BchCode.of(BLOCK_BITS, dimension);
  const values = valuesAt(bits, positions);
  let correctedBits = 0;
  for (let block = 0; block < KEY_BLOCKS; block++) {
    const places = placesOf(block);
    const decoded = code.decode(Uint8Array.from(places, place => values[place] ^ offset[place]));
    if (!decoded.ok) return { ok: false, reason: 'TOO_FAR' };
    places.forEach((place, at) => (values[place] = offset[place] ^ decoded.codeword[at]));
    correctedBits += decoded.corrected;
  }
  const key = keyOf(values, salt, helperData);
  return isEqual(sha256(key), keyCommitment) ? { ok: true, key, correctedBits } : CHANGED;
}

/** @throws KeyEnrolmentError where it leaves too little unknown */
function codeOf({ modality, degreesOfFreedom, dimension }: KeyEnrolmentOptions) {
  const throws = degreesOfFreedom ?? KEY_DEGREES_OF_FREEDOM[modality];
  const chosen = dimension ?? dimensionFor(throws);
  const entropy = residualEntropyBits(throws, chosen);
  if (entropy >= RESIDUAL_ENTROPY_BITS_MIN) return { dimension: chosen, entropy };
  const message = `a key would keep ${Math.floor(entropy)} bits of entropy, at least ${RESIDUAL_ENTROPY_BITS_MIN} are asked`;
  throw new KeyEnrolmentError('TOO_LITTLE_ENTROPY', message, RESIDUAL_ENTROPY_BITS_MIN, Math.floor(entropy));
}

const CHANGED = { ok: false, reason: 'HELPER_DATA_CHANGED' } as const;

/** @throws KeyEnrolmentError where fewer are usable */
function mostReliable(reliability: ArrayLike<number>): number[] {
  const usable = Array.from({ length: reliability.length }, (_, at) => at).filter(at => reliability[at] > 0);
  if (usable.length < KEY_BITS) {
    const message = `${usable.length} bits of the fingerprint are usable, a key asks for ${KEY_BITS}`;
    throw new KeyEnrolmentError('TOO_FEW_BITS', message, KEY_BITS, usable.length);
  }
  const ranked = usable.sort((a, b) => reliability[b] - reliability[a] || a - b);
  return ranked.slice(0, KEY_BITS).sort((a, b) => a - b);
}

/** Of one word: every fourth, so that what hurts a region of the surface hurts all words alike. */
function placesOf(block: number): number[] {
  return Array.from({ length: BLOCK_BITS }, (_, at) => KEY_BLOCKS * at + block);
}

function valuesAt(bits: Uint8Array, positions: readonly number[]): Uint8Array {
  return Uint8Array.from(positions, position => bitAt(bits, position));
}

function keyOf(values: Uint8Array, salt: Uint8Array, helperData: Uint8Array): Uint8Array {
  return hkdf(sha256, packBits(values), salt, concatBytes(KEY_LABEL, sha256(helperData)), KEY_BYTES);
}

/** @throws RangeError where the source gives another number of them */
function drawn(random: (bytes: number) => Uint8Array, bytes: number): Uint8Array {
  const got = random(bytes);
  if (got.length !== bytes) throw new RangeError(`random must give ${bytes} bytes, got ${got.length}`);
  return got;
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= a[i] ^ b[i];
  return difference === 0;
}
