import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { parsePeerKey, type PeerKeyKind } from '@svc/mesh';
import { toHex } from '../challenge/byte-text.js';

/** A key pair of a peer: what it signs shows that the peer holds the key. */
export interface PeerIdentity {
  readonly kind: PeerKeyKind;
  /** Lower-case hex without 0x: Ed25519 (32 bytes), or secp256k1 compressed (33). */
  readonly publicKey: string;
  /** SHA-256 of the bytes of the public key, hex: the name under which the mesh knows the peer. */
  readonly keyHash: string;
  /** Signs the UTF-8 bytes of a text: Ed25519, or ECDSA of their SHA-256. 64 bytes in hex. */
  sign(text: string): Promise<string>;
}

export interface IdentityOptions {
  /** Default ed25519. */
  readonly kind?: PeerKeyKind;
  /** The private key, 32 bytes: the same peer again. Default: a new one. */
  readonly seed?: Uint8Array;
}

const SEED_BYTES = 32;

/**
 * A peer's key pair: a new one, or that of a seed. A new Ed25519 key is one of WebCrypto's that nobody can read out, where the
 * platform has them; elsewhere, as of a seed and of secp256k1, it lies in the memory of this process.
 *
 * @throws {RangeError} for a seed that is no private key
 * @example
 * const identity = await createPeerIdentity();
 */
export async function createPeerIdentity({
  kind = 'ed25519',
  seed,
}: IdentityOptions = {}): Promise<PeerIdentity> {
  if (kind === 'ed25519' && seed === undefined) {
    const keyPair = await generateKeyPair();
    if (keyPair !== undefined) return identityOfKeyPair(keyPair);
  }
  const curve = kind === 'ed25519' ? ed25519 : secp256k1;
  const secretKey = Uint8Array.from(seed ?? curve.utils.randomSecretKey());
  if (secretKey.length !== SEED_BYTES || !curve.utils.isValidSecretKey(secretKey))
    throw new RangeError(`seed must be a private key of ${SEED_BYTES} bytes`);
  return {
    kind,
    ...namesOf(curve.getPublicKey(secretKey)),
    sign: async text => toHex(curve.sign(new TextEncoder().encode(text), secretKey)),
  };
}

/** An Ed25519 key pair of WebCrypto, that cannot be read out; undefined where the platform has none. */
export async function generateKeyPair(): Promise<CryptoKeyPair | undefined> {
  // Not there in a page without https; and there without Ed25519 in browsers of before 2025.
  const subtle = globalThis.crypto.subtle as SubtleCrypto | undefined;
  try {
    return (await subtle?.generateKey('Ed25519', false, ['sign', 'verify'])) as CryptoKeyPair | undefined;
  } catch {
    return undefined;
  }
}

/** The identity of an Ed25519 key pair of WebCrypto: one that a page keeps in its IndexedDB. */
export async function identityOfKeyPair({ privateKey, publicKey }: CryptoKeyPair): Promise<PeerIdentity> {
  return {
    kind: 'ed25519',
    ...namesOf(new Uint8Array(await crypto.subtle.exportKey('raw', publicKey))),
    sign: async text =>
      toHex(new Uint8Array(await crypto.subtle.sign('Ed25519', privateKey, new TextEncoder().encode(text)))),
  };
}

function namesOf(publicKey: Uint8Array): Pick<PeerIdentity, 'publicKey' | 'keyHash'> {
  const { hex, hash } = parsePeerKey(toHex(publicKey));
  return { publicKey: hex, keyHash: hash };
}

/**
 * Whether a signature is the key's over the UTF-8 bytes of a text. The same code on every platform: what one peer takes,
 * another does.
 *
 * @param signature 64 bytes, r and s of ECDSA; a high s is taken, for nothing here names a message by its signature
 */
export function verifyPeerSignature(
  kind: PeerKeyKind,
  publicKey: Uint8Array,
  text: string,
  signature: Uint8Array,
): boolean {
  const message = new TextEncoder().encode(text);
  try {
    return kind === 'ed25519'
      ? ed25519.verify(signature, message, publicKey, { zip215: false })
      : secp256k1.verify(signature, message, publicKey, { lowS: false });
  } catch {
    // A key or a signature that is none.
    return false;
  }
}
