import { readHex, toBigInt } from './hex-bytes.js';
import type { PeerKeyKind } from './peer-key.js';
import { ProofError } from './proof-error.js';

/** Bytes of a signature of Ed25519 (R ‖ S), and of one of secp256k1 (r ‖ s). */
export const SIGNATURE_BYTES = 64;
/** Bytes of the longest signature of secp256k1 in DER. */
export const DER_SIGNATURE_BYTES_MAX = 72;

const SCALAR_BYTES = SIGNATURE_BYTES / 2;
/** The order of secp256k1 (SEC 2 section 2.4.1). */
const SECP256K1_N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const [SEQUENCE, INTEGER] = [0x30, 0x02];

/**
 * Reads a signature into its 64 bytes: of Ed25519 R ‖ S, of secp256k1 r ‖ s, from that or from DER, each of which has exactly one
 * spelling here. 64 bytes are always r ‖ s, for DER of that length needs an r and an s that are both short by three bytes, which no signer comes upon.
 *
 * An s in the upper half is taken: its other half, which anybody can make, is another signature of the same text, and what
 * keeps a text from being used twice is its nonce, not its signature.
 *
 * @param text hex digits in either case, with or without `0x`
 * @throws ProofError SIGNATURE; also where r or s is 0, or not below the order. Whether it holds is not asked.
 *
 * Source: RFC 8032 section 5.1.6; SEC 1 sections 4.1.4 and C.5.
 */
export function parseSignature(text: string, kind: PeerKeyKind): Uint8Array {
  const bytes = readHex(text, DER_SIGNATURE_BYTES_MAX);
  if (kind === 'ed25519') {
    if (bytes?.length === SIGNATURE_BYTES) return bytes;
    throw new ProofError('SIGNATURE', `a signature of Ed25519 is ${SIGNATURE_BYTES} bytes in hex digits`);
  }
  const compact = bytes?.length === SIGNATURE_BYTES ? bytes : bytes && compactOf(bytes);
  if (compact === undefined) {
    throw new ProofError(
      'SIGNATURE',
      `a signature of secp256k1 is ${SIGNATURE_BYTES} bytes, or DER, in hex digits`,
    );
  }
  for (const scalar of [compact.subarray(0, SCALAR_BYTES), compact.subarray(SCALAR_BYTES)]) {
    const value = toBigInt(scalar);
    if (value === 0n || value >= SECP256K1_N) {
      throw new ProofError('SIGNATURE', 'r and s of a signature are from 1 to below the order of secp256k1');
    }
  }
  return compact;
}

/** r ‖ s of `SEQUENCE { INTEGER r, INTEGER s }`; undefined where that is not all, or not its only spelling. */
function compactOf(der: Uint8Array): Uint8Array | undefined {
  if (der[0] !== SEQUENCE || der[1] !== der.length - 2) return undefined;
  const r = integerAt(der, 2);
  const s = r && integerAt(der, r.end);
  if (r === undefined || s?.end !== der.length) return undefined;
  const compact = new Uint8Array(SIGNATURE_BYTES);
  compact.set(r.magnitude, SCALAR_BYTES - r.magnitude.length);
  compact.set(s.magnitude, SIGNATURE_BYTES - s.magnitude.length);
  return compact;
}

function integerAt(der: Uint8Array, at: number): { magnitude: Uint8Array; end: number } | undefined {
  const length = der[at + 1];
  const end = at + 2 + length;
  if (der[at] !== INTEGER || !(length > 0) || end > der.length) return undefined;
  const [first, second] = der.subarray(at + 2, end);
  const isNegative = first >= 0x80;
  // A zero stands before a number whose highest bit is set, and nowhere else.
  const isPadded = first === 0 && length > 1;
  if (isNegative || (isPadded && second < 0x80)) return undefined;
  const magnitude = der.subarray(at + 2 + (isPadded ? 1 : 0), end);
  return magnitude.length <= SCALAR_BYTES ? { magnitude, end } : undefined;
}
