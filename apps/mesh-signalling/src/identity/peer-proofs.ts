import { Injectable } from '@nestjs/common';
import type { PeerProof } from '@svc/contracts';
import {
  isTimely,
  parsePeerKey,
  parseSignature,
  type PeerKey,
  PROOF_WINDOW_MS,
  ProofError,
  rendezvousText,
} from '@svc/mesh';
import { unprocessable } from '@svc/platform';
import { type Peer, peerOf } from '../peer/peer.js';
import type { NonceUse } from './allowances.js';
import { unproved } from './identity-problems.js';
import { isSignedBy } from './peer-signature.js';

/** What a peer says of itself and of its request. */
export interface ClaimedIdentity {
  readonly peerPublicKey: string;
  readonly signature?: string;
  readonly nonce?: string;
  readonly timestamp?: number;
}

/** The request that is signed, but for what stands in the claim. */
export interface SignedRequest {
  readonly method: string;
  readonly path: string;
  readonly sdp?: string;
  readonly fingerprint?: string;
  readonly targetKey?: PeerKey;
}

/** Who a peer has shown to be. Its nonce is not used yet. */
export interface ShownIdentity {
  readonly peer: Peer;
  /** Where it has signed. */
  readonly shown?: { readonly proof: PeerProof; readonly use: NonceUse };
}

/** Holds proofs of identity against the requests that they came with. Nothing is stored, and no nonce is used. */
@Injectable()
export class PeerProofs {
  /**
   * @returns an unverified peer where nothing is signed
   * @throws ProblemError UNPROCESSABLE for what is no key; IDENTITY_UNPROVED `TIMESTAMP_UNTIMELY`, `SIGNATURE_INVALID`
   */
  identify(claimed: ClaimedIdentity, request: SignedRequest, nowMs: number): ShownIdentity {
    const key = peerKeyOf('peerPublicKey', claimed.peerPublicKey);
    const { signature, nonce, timestamp } = claimed;
    if (signature === undefined || nonce === undefined || timestamp === undefined) {
      return { peer: peerOf(key, 'unverified') };
    }
    if (!isTimely(timestamp, nowMs)) {
      const bound = `within ${PROOF_WINDOW_MS / 1_000} s of ${nowMs}`;
      throw unproved('TIMESTAMP_UNTIMELY', { bound, got: String(timestamp) });
    }
    const { method, path, sdp, fingerprint, targetKey } = request;
    const target = targetKey?.hex;
    const claim = { method, path, sdp, fingerprint, targetKey: target, nonce, timestampMs: timestamp };
    if (!isSigned(key, claim, signature)) throw unproved('SIGNATURE_INVALID');
    const bytes = Buffer.from(nonce.replace(/^0x/, ''), 'hex');
    return {
      peer: peerOf(key, 'verified'),
      shown: {
        proof: {
          ...{ peerPublicKey: key.hex, signature, nonce: bytes.toString('hex'), timestamp, method, path },
          ...(target !== undefined && { target }),
        },
        use: { keyHash: Buffer.from(key.hash, 'hex'), nonce: bytes },
      },
    };
  }

  /** As {@link identify}, of a peer that must have signed. @throws ProblemError also IDENTITY_UNPROVED `SIGNATURE_MISSING` */
  require(claimed: ClaimedIdentity, request: SignedRequest, nowMs: number): Required<ShownIdentity> {
    const { peer, shown } = this.identify(claimed, request, nowMs);
    if (!shown) throw unproved('SIGNATURE_MISSING');
    return { peer, shown };
  }
}

/** @throws ProblemError UNPROCESSABLE naming the field */
export function peerKeyOf(field: string, text: string): PeerKey {
  try {
    return parsePeerKey(text);
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    throw unprocessable(field, error.message);
  }
}

/** What cannot be a signature, or be signed, is not signed. */
function isSigned(key: PeerKey, claim: Parameters<typeof rendezvousText>[0], signature: string): boolean {
  try {
    return isSignedBy(key, rendezvousText(claim), parseSignature(signature, key.kind));
  } catch (error) {
    if (error instanceof ProofError) return false;
    throw error;
  }
}
