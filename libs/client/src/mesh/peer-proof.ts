import {
  inspectOffer,
  isTimely,
  parsePeerKey,
  parseSignature,
  type PeerKey,
  type PeerKeyKind,
  rendezvousText,
} from '@svc/mesh';
import type { PeerProof } from '../api-types.js';
import { toHex } from '../challenge/byte-text.js';
import { MeshDistrustError } from './mesh-error.js';
import { type PeerIdentity, verifyPeerSignature } from './peer-identity.js';

/** What a proof of identity is of: one request, and the description in it. */
export interface ProvenRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** The session description; none in a question for an inbox. */
  readonly sdp?: string;
  /** SHA-256 of the certificate that the description names, `AB:CD:…`. */
  readonly fingerprint?: string;
  /** Key of the peer that it is meant for, hex as {@link PeerIdentity} has it. */
  readonly target?: string;
}

/** What goes into the request that is signed. */
export interface SignedProof {
  readonly peerPublicKey: string;
  /** 64 bytes in hex. */
  readonly signature: string;
  /** 16 random bytes in hex; each serves once. */
  readonly nonce: string;
  /** Unix milliseconds. */
  readonly timestamp: number;
}

const NONCE_BYTES = 16;

/** Signs one request: whoever has the proof knows that the key's holder made this description, for this target, now. */
export async function signProof(
  identity: PeerIdentity,
  request: ProvenRequest,
  nowMs = Date.now(),
): Promise<SignedProof> {
  const nonce = toHex(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)));
  const signature = await identity.sign(textOf(request, nonce, nowMs));
  return { peerPublicKey: identity.publicKey, signature, nonce, timestamp: nowMs };
}

/**
 * Checks what another peer signed, without believing the service that brought it: that it is of this very request and
 * description, meant for this target, of the present, and signed by the key that it names. Of a proof that comes twice within
 * its time the second is good too: it names the same certificate, and that certificate's holder alone can open the connection.
 *
 * @throws {MeshDistrustError}
 */
export function verifyPeerProof(proof: PeerProof, request: ProvenRequest, nowMs = Date.now()): ProvenPeer {
  if (proof.method !== request.method || proof.path !== request.path)
    throw new MeshDistrustError(
      'PROOF_OF_OTHER_REQUEST',
      `the proof is of ${printable(proof.method)} ${printable(proof.path)}`,
    );
  if (proof.target !== request.target)
    throw new MeshDistrustError(
      'PROOF_OF_OTHER_TARGET',
      `the proof is for ${printable(proof.target ?? 'the service')}`,
    );
  if (!isTimely(proof.timestamp, nowMs))
    throw new MeshDistrustError('PROOF_UNTIMELY', 'the proof is not of the present: are both clocks right?');
  const { kind, bytes, hex, hash } = readKey(proof.peerPublicKey);
  if (!isSigned(kind, bytes, proof, request))
    throw new MeshDistrustError('SIGNATURE_INVALID', 'the proof is not signed by the key that it names');
  return { publicKey: hex, keyHash: hash };
}

/** A peer that has shown to hold its key. */
export interface ProvenPeer {
  /** As {@link PeerIdentity} has it. */
  readonly publicKey: string;
  readonly keyHash: string;
}

function readKey(hex: string): PeerKey {
  try {
    return parsePeerKey(hex);
  } catch (cause) {
    throw new MeshDistrustError('SIGNATURE_INVALID', 'the proof names no key', { cause });
  }
}

function isSigned(kind: PeerKeyKind, key: Uint8Array, proof: PeerProof, request: ProvenRequest): boolean {
  try {
    const text = textOf(request, proof.nonce, proof.timestamp);
    return verifyPeerSignature(kind, key, text, parseSignature(proof.signature, kind));
  } catch {
    // A nonce, a time or a signature that is none.
    return false;
  }
}

function textOf(request: ProvenRequest, nonce: string, timestampMs: number): string {
  const { target, ...claim } = request;
  return rendezvousText({ ...claim, targetKey: target, nonce, timestampMs });
}

/**
 * The fingerprint of a description, one that this side made or one that came.
 * @throws {MeshDistrustError} for a description that is none of data channels
 */
export function fingerprintOf(sdp: string): string {
  try {
    return inspectOffer(sdp, { candidates: 'any' }).fingerprint;
  } catch (cause) {
    throw new MeshDistrustError('DESCRIPTION_INVALID', (cause as Error).message, { cause });
  }
}

/** What somebody else wrote, as far as a message shows it; of what is no text, the kind alone: it may refuse to become one. */
const printable = (value: unknown) =>
  (typeof value === 'string' ? value : typeof value).slice(0, 120).replace(/[^\x20-\x7e]/g, '?');
