import { utf8ToBytes } from '@noble/hashes/utils.js';
import { ml_dsa65 } from '@noble/post-quantum/ml-dsa.js';
import { baseToBytes, blake3Hash, concatBytes } from '@svc/kernels';
import { type Air, findAir, PublicInputError, type RulesDigest } from '@svc/stark-air';
import {
  ContextDomainError,
  decodeHeader,
  encodeContextDomain,
  HEADER_BYTES,
  profileOf,
  type VerifierBackend,
} from '@svc/stark-verifier';

/** ML-DSA's context string, and the tag that the signed message begins with: of a proof, and of a root that has none. */
export const ROOT_SIGNATURE_CONTEXT = 'svc/stark-root/v1';
export const BARE_ROOT_CONTEXT = 'svc/audit-root/v2';
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

/** The root of a batch that no STARK covers, with all else that its signature does. */
export interface SignedRoot {
  readonly root: RulesDigest;
  /** Leaves of the batch, at most 16. */
  readonly leafCount: number;
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
  return concatBytes(
    ...shortText(ROOT_SIGNATURE_CONTEXT),
    ...shortText(airId),
    hasher.hash(concatBytes(header, u32(domain.length), domain)),
    hasher.hash(concatBytes(u32(elements.length), baseToBytes(elements, base))),
    hasher.hash(proof),
    u64(expiresAtSeconds),
  );
}

/** What is signed of a root: tag after a byte of its length ‖ its 4 elements, 8 bytes each ‖ u32 leaves ‖ u64 expiry, little-endian. */
export const signedRootMessage = ({ root, leafCount, expiresAtSeconds }: SignedRoot): Uint8Array =>
  concatBytes(...shortText(BARE_ROOT_CONTEXT), baseToBytes(root), u32(leafCount), u64(expiresAtSeconds));

/**
 * Signs the root of a batch, for as long as it says.
 * @param randomness 32 fresh random bytes (hedged signing), or false for the deterministic variant
 */
export const signRoot = (
  root: SignedRoot,
  secretKey: Uint8Array,
  randomness: Uint8Array | false,
): Uint8Array =>
  ml_dsa65.sign(signedRootMessage(root), secretKey, {
    context: utf8ToBytes(BARE_ROOT_CONTEXT),
    extraEntropy: randomness,
  });

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
  return faultOver(() => signedMessage(statement, hasher), signature, publicKey, context, {
    nowSeconds,
    expiresAtSeconds: statement.expiresAtSeconds,
  });
}

/** Why a signature over the root of a batch does not hold now, as {@link signatureFault}. */
export const rootSignatureFault = (
  root: SignedRoot,
  signature: Uint8Array,
  publicKey: Uint8Array,
  nowSeconds: number,
): SignatureFault | undefined =>
  faultOver(() => signedRootMessage(root), signature, publicKey, BARE_ROOT_CONTEXT, {
    nowSeconds,
    expiresAtSeconds: root.expiresAtSeconds,
  });

function faultOver(
  messageOf: () => Uint8Array | undefined,
  signature: Uint8Array,
  publicKey: Uint8Array,
  context: string,
  { nowSeconds, expiresAtSeconds }: { nowSeconds: number; expiresAtSeconds: number },
): SignatureFault | undefined {
  if (signature.length !== SIGNATURE_BYTES) return 'malformed-signature';
  if (publicKey.length !== PUBLIC_KEY_BYTES) return 'malformed-key';
  const message = messageOf();
  if (!message) return 'malformed-statement';
  const isSigned = ml_dsa65.verify(signature, message, publicKey, { context: utf8ToBytes(context) });
  if (!isSigned) return 'bad-signature';
  // Last, so that "expired" is said of a signature that was good.
  return expiresAtSeconds <= nowSeconds ? 'expired' : undefined;
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

function u64(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value), true);
  return bytes;
}

function u32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}
