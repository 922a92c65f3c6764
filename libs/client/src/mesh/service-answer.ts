import { answerText, inspectAnswer } from '@svc/mesh';
import type { PeerProof, PublicKeys } from '../api-types.js';
import { decodeBase64, fromHex, toHex } from '../challenge/byte-text.js';
import { MeshDistrustError } from './mesh-error.js';
import { verifyPeerSignature } from './peer-identity.js';
import { type ProvenPeer, verifyPeerProof } from './peer-proof.js';

/** An answer as it came, of the rendezvous or of a session that was asked for. */
export interface AnswerToCheck {
  readonly sessionId: string;
  readonly sdpAnswer: string;
  readonly answerSignature: string;
  readonly servicePublicKey: string;
  readonly expiresAt: string;
  readonly peerProof?: PeerProof;
}

/** What this side knows of it by itself. */
export interface AnswerContext {
  /** The offer as it was sent. */
  readonly sdpOffer: string;
  readonly keys: PublicKeys['keys'];
  /** Keys of this side and of the peer that was asked for; none where the service is to answer. */
  readonly brokered?: { readonly ownKey: string; readonly targetKey: string };
  /** Default: now. */
  readonly nowMs?: number;
}

/** An answer that is what it says it is. */
export interface CheckedAnswer {
  readonly sessionId: string;
  readonly sdpAnswer: string;
  /** SHA-256 of the certificate at the other end, `AB:CD:…`: the connection opens with no other. */
  readonly fingerprint: string;
  readonly servicePublicKey: string;
  /** Who answers, where it is not the service. */
  readonly peer?: ProvenPeer;
}

/** The clocks of two machines. */
const CLOCK_TOLERANCE_MS = 60_000;

/**
 * Holds an answer against the offer that it is to, before anything is connected: a published key of the service has signed
 * exactly this answer to exactly this offer, with this fingerprint, and it is not over. Of a brokered one, too, that the peer
 * that was asked for has signed it for this side; the service is not believed in that.
 *
 * @throws {MeshDistrustError}
 */
export function checkAnswer(answer: AnswerToCheck, context: AnswerContext): CheckedAnswer {
  const { keys, sdpOffer, brokered, nowMs = Date.now() } = context;
  const { sessionId, sdpAnswer, servicePublicKey } = answer;
  const key = publishedKey(servicePublicKey, keys, nowMs);
  const expiresAtMs = Date.parse(answer.expiresAt);
  if (!(expiresAtMs + CLOCK_TOLERANCE_MS > nowMs))
    throw new MeshDistrustError('ANSWER_EXPIRED', 'the answer is over, or does not say when');
  const fingerprint = answerFingerprint(sdpAnswer);
  const text = answerText({
    sessionId,
    sdpOffer,
    sdpAnswer,
    fingerprint,
    answererKey: brokered?.targetKey,
    expiresAtMs,
  });
  const signature = fromHex(answer.answerSignature.replace(/^0x/i, ''));
  if (signature === undefined || !verifyPeerSignature('ed25519', key, text, signature))
    throw new MeshDistrustError(
      'SIGNATURE_INVALID',
      'the service has not signed this answer to this offer: something on the way may have changed it',
    );
  const checked = { sessionId, sdpAnswer, fingerprint, servicePublicKey };
  if (brokered === undefined) return checked;
  return { ...checked, peer: answeringPeer(answer, fingerprint, brokered, nowMs) };
}

function answeringPeer(
  { sessionId, sdpAnswer, peerProof }: AnswerToCheck,
  fingerprint: string,
  { ownKey, targetKey }: NonNullable<AnswerContext['brokered']>,
  nowMs: number,
): ProvenPeer {
  if (peerProof === undefined)
    throw new MeshDistrustError('PROOF_MISSING', 'the answer has no proof of the peer that was asked for');
  const path = `/v1/mesh/sessions/${sessionId}/answer`;
  const request = { method: 'POST', path, sdp: sdpAnswer, fingerprint, target: ownKey } as const;
  const peer = verifyPeerProof(peerProof, request, nowMs);
  if (peer.publicKey !== targetKey)
    throw new MeshDistrustError(
      'PROOF_OF_OTHER_PEER',
      'another peer answers than the one that was asked for',
    );
  return peer;
}

/** The bytes of a key, if it is one that the service may sign with at this time. */
function publishedKey(hex: string, keys: PublicKeys['keys'], nowMs: number): Uint8Array {
  const published = keys.find(({ alg, publicKey, notBefore, notAfter, revokedAt }) => {
    const bytes = alg === 'Ed25519' ? decodeBase64(publicKey) : undefined;
    return (
      bytes?.length === 32 &&
      toHex(bytes) === hex &&
      revokedAt === null &&
      Date.parse(notBefore) <= nowMs + CLOCK_TOLERANCE_MS &&
      (notAfter === null || nowMs < Date.parse(notAfter) + CLOCK_TOLERANCE_MS)
    );
  });
  if (published !== undefined) return decodeBase64(published.publicKey)!;
  throw new MeshDistrustError(
    'KEY_NOT_PUBLISHED',
    'the answer is signed by a key that the service does not publish, or not for now',
  );
}

function answerFingerprint(sdp: string): string {
  try {
    return inspectAnswer(sdp, { candidates: 'any' }).fingerprint;
  } catch (cause) {
    throw new MeshDistrustError('DESCRIPTION_INVALID', (cause as Error).message, { cause });
  }
}
