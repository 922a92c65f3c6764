import { utf8ToBytes } from '@noble/hashes/utils.js';
import { ml_dsa65 } from '@noble/post-quantum/ml-dsa.js';
import { baseToBytes, blake3Hash, concatBytes } from '@svc/kernels';
import { type Air, findAir, PublicInputError } from '@svc/stark-air';
import {
  ContextDomainError,
  decodeHeader,
  encodeContextDomain,
  HEADER_BYTES,
  profileOf,
  type VerifierBackend,
} from '@svc/stark-verifier';

/** ML-DSA's context string, and the tag that the signed message begins with. */
export const ROOT_SIGNATURE_CONTEXT = 'svc/stark-root/v1';
export const SIGNATURE_BYTES = 3_309;
export const PUBLIC_KEY_BYTES = 1_952;

/** BLAKE3: a proof is long enough for an implementation on WebAssembly to save milliseconds. */
export type ProofHasher = Pick<VerifierBackend, 'hash'>;

const PORTABLE_HASHER: ProofHasher = { hash: blake3Hash };

/** A proof with all that its signature covers. */
export interface SignedStatement {
  readonly proof: Uint8Array;
  readonly airId: string;
  /** Decoded JSON, of unknown shape. */
  readonly publicInputs: unknown;
  /** Default: the empty domain. */
  readonly contextDomain?: string;
  /** When the signature ends, Unix seconds. */
  readonly expiresAtSeconds: number;
}

/** A signing key of ML-DSA-65 from its 32-byte seed (FIPS 204, algorithm 1). */
export function signingKeyFromSeed(seed: Uint8Array): { publicKey: Uint8Array; secretKey: Uint8Array } {
  return ml_dsa65.keygen(seed);
}

/**
 * What is signed: tag ‖ AIR id, each after a byte of its length; BLAKE3 of header and context domain, of the public inputs'
 * elements, and of the proof; the expiry in Unix seconds, 8 little-endian bytes. Undefined if the proof has no header that
 * can be read, the context domain is none, or the public inputs are none of the AIR's.
 */
export function signedMessage(
  statement: SignedStatement,
  hasher: ProofHasher = PORTABLE_HASHER,
): Uint8Array | undefined {
  const { proof, airId, publicInputs, contextDomain = '', expiresAtSeconds } = statement;
  const header = proof.subarray(0, HEADER_BYTES);
  const parameters = header.length === HEADER_BYTES ? decodeHeader(header) : 'malformed-header';
  if (typeof parameters === 'string' || !Number.isSafeInteger(expiresAtSeconds) || expiresAtSeconds < 0)
    return undefined;
  const { base } = profileOf(parameters.profile);
  const air = findAir(airId, base.name);
  const elements = air && publicInputElements(air, publicInputs);
  if (!elements) return undefined;
  const domain = contextDomainBytes(contextDomain);
  if (!domain) return undefined;
  const expiry = new Uint8Array(8);
  new DataView(expiry.buffer).setBigUint64(0, BigInt(expiresAtSeconds), true);
  return concatBytes(
    ...shortText(ROOT_SIGNATURE_CONTEXT),
    ...shortText(airId),
    hasher.hash(concatBytes(header, u32(domain.length), domain)),
    hasher.hash(concatBytes(u32(elements.length), baseToBytes(elements, base))),
    hasher.hash(proof),
    expiry,
  );
}

/**
 * Signs a proof for as long as the statement says.
 * @param randomness 32 fresh random bytes (hedged signing), or false for the deterministic variant
 * @throws TypeError for a statement that cannot be signed
 */
export function signProof(
  statement: SignedStatement,
  secretKey: Uint8Array,
  randomness: Uint8Array | false,
  hasher?: ProofHasher,
): Uint8Array {
  const message = signedMessage(statement, hasher);
  if (!message) throw new TypeError('the statement is no proof of a known AIR');
  return ml_dsa65.sign(message, secretKey, {
    context: utf8ToBytes(ROOT_SIGNATURE_CONTEXT),
    extraEntropy: randomness,
  });
}

export type SignatureFault =
  'malformed-signature' | 'malformed-key' | 'malformed-statement' | 'expired' | 'bad-signature';

/**
 * Why a signature over a proof does not hold now; undefined if it does. Never throws for what it is given.
 * @param nowSeconds Unix seconds
 */
export function signatureFault(
  statement: SignedStatement,
  signature: Uint8Array,
  publicKey: Uint8Array,
  nowSeconds: number,
  context: string = ROOT_SIGNATURE_CONTEXT,
  hasher?: ProofHasher,
): SignatureFault | undefined {
  if (signature.length !== SIGNATURE_BYTES) return 'malformed-signature';
  if (publicKey.length !== PUBLIC_KEY_BYTES) return 'malformed-key';
  const message = signedMessage(statement, hasher);
  if (!message) return 'malformed-statement';
  const isSigned = ml_dsa65.verify(signature, message, publicKey, { context: utf8ToBytes(context) });
  if (!isSigned) return 'bad-signature';
  // Last, so that "expired" is said of a signature that was good.
  return statement.expiresAtSeconds <= nowSeconds ? 'expired' : undefined;
}

function publicInputElements(air: Air, json: unknown): bigint[] | undefined {
  try {
    return air.publicInputElements(air.publicInputsFromJson(json));
  } catch (error) {
    if (error instanceof PublicInputError) return undefined;
    throw error;
  }
}

function contextDomainBytes(contextDomain: string): Uint8Array | undefined {
  try {
    return encodeContextDomain(contextDomain);
  } catch (error) {
    if (error instanceof ContextDomainError) return undefined;
    throw error;
  }
}

function shortText(text: string): [Uint8Array, Uint8Array] {
  const bytes = utf8ToBytes(text);
  return [Uint8Array.of(bytes.length), bytes];
}

function u32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}
