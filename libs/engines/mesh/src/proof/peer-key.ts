import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { ed25519Fault, isSecp256k1Point, isSecp256k1X } from './curve-point.js';
import { readHex, toBigInt } from './hex-bytes.js';
import { ProofError } from './proof-error.js';

export type PeerKeyKind = 'ed25519' | 'secp256k1';

/** The public key that a peer is known by. Readings of one spelling may give the same object. */
export interface PeerKey {
  readonly kind: PeerKeyKind;
  /** 32 bytes of Ed25519 (RFC 8032), 33 of secp256k1 (compressed, SEC 1 section 2.3.3). */
  readonly bytes: Uint8Array;
  /** The bytes in small letters, without `0x`. */
  readonly hex: string;
  /** SHA-256 of the bytes, in small letters: what others may see of a peer. */
  readonly hash: string;
}

const ED25519_BYTES = 32;
const COMPRESSED_BYTES = 33;
const UNCOMPRESSED_BYTES = 65;
const [EVEN_Y, ODD_Y, WITH_Y] = [2, 3, 4];

/**
 * Reads a public key: 32 bytes are of Ed25519, 33 or 65 of secp256k1. The two spellings of one point of secp256k1 are one
 * peer, so the longer is shortened.
 *
 * @param text hex digits in either case, with or without `0x`
 * @throws ProofError KEY where it is no point that somebody can hold the secret of
 * @example
 * parsePeerKey('0xD75A…511A').hash; // '21fe31…', which its sessions and its place in the document go by
 */
export function parsePeerKey(text: string): PeerKey {
  const known = read.get(text);
  if (known) return known;
  const key = readPeerKey(text);
  if (read.size >= READ_MAX) read.delete(read.keys().next().value!);
  read.set(text, key);
  return key;
}

/**
 * Keys that were read, by their spelling: one is read for its request, for what it signed and for what is signed of it, and each
 * reading looks whether it is a point of its curve. The first of them makes room.
 */
const read = new Map<string, PeerKey>();
const READ_MAX = 4_096;

function readPeerKey(text: string): PeerKey {
  const bytes = readHex(text, UNCOMPRESSED_BYTES);
  switch (bytes?.length) {
    case ED25519_BYTES:
      return ed25519Key(bytes);
    case COMPRESSED_BYTES:
    case UNCOMPRESSED_BYTES:
      return secp256k1Key(bytes);
    default:
      throw new ProofError('KEY', 'a public key is 32, 33 or 65 bytes in hex digits');
  }
}

function ed25519Key(bytes: Uint8Array): PeerKey {
  const littleEndian = bytes.slice().reverse();
  // The highest bit is the sign of x.
  littleEndian[0] &= 0x7f;
  const fault = ed25519Fault(toBigInt(littleEndian));
  if (fault !== undefined) throw new ProofError('KEY', `the public key ${fault}`);
  return peerKey('ed25519', bytes);
}

function secp256k1Key(bytes: Uint8Array): PeerKey {
  const x = toBigInt(bytes.subarray(1, COMPRESSED_BYTES));
  const [form] = bytes;
  if (bytes.length === COMPRESSED_BYTES) {
    if ((form === EVEN_Y || form === ODD_Y) && isSecp256k1X(x)) return peerKey('secp256k1', bytes);
  } else {
    const y = toBigInt(bytes.subarray(COMPRESSED_BYTES));
    if (form === WITH_Y && isSecp256k1Point(x, y)) {
      const compressed = bytes.slice(0, COMPRESSED_BYTES);
      compressed[0] = y & 1n ? ODD_Y : EVEN_Y;
      return peerKey('secp256k1', compressed);
    }
  }
  throw new ProofError('KEY', 'the public key is no point of secp256k1');
}

function peerKey(kind: PeerKeyKind, bytes: Uint8Array): PeerKey {
  return { kind, bytes, hex: bytesToHex(bytes), hash: bytesToHex(sha256(bytes)) };
}
