import type { PeerProof } from '@svc/contracts';
import type { PeerSession, SessionKind } from '@svc/mesh';
import type { Peer } from '../peer/peer.js';

/** An answer, as it was given. */
export interface GivenAnswer {
  readonly sdpAnswer: string;
  /** Of the peer that answers, where one does. */
  readonly proof?: PeerProof;
  readonly signature: string;
  readonly servicePublicKey: string;
  /** What the service has signed; unix milliseconds. */
  readonly expiresAtMs: number;
}

/** A session with all that is kept of it. */
export interface StoredSession {
  readonly session: PeerSession;
  readonly offerer: Peer;
  /** Digest of the request that it was made for, keyed and bound to its id. */
  readonly requestDigest: Buffer;
  /** What the call is known again by, 32 bytes. */
  readonly callKey?: Buffer;
  /** The replica that holds its connection; of a brokered session none. */
  readonly ownerNode?: string;
  readonly targetHash?: string;
  readonly sdpOffer: string;
  readonly offerProof?: PeerProof;
  readonly answer?: GivenAnswer;
  /** Of a session that is over. */
  readonly reason?: string;
}

/** What the peer that was called is told of a change, in its inbox. */
export type InboxNotice =
  | { readonly type: 'candidates'; readonly candidates: readonly string[] }
  | { readonly type: 'closed'; readonly reason: string };

/** What is written with a change of a session. */
export interface SessionChange {
  readonly next: PeerSession;
  readonly answer?: GivenAnswer;
  /** Of a session that is over then. */
  readonly reason?: string;
  readonly notice?: InboxNotice;
}

/** A change of the version that was read. */
export interface Replacement {
  readonly stored: StoredSession;
  readonly change: SessionChange;
}

export interface SessionRow {
  readonly kind: SessionKind;
  readonly call_key: Buffer | null;
  readonly request_digest: Buffer;
  readonly owner_node: string | null;
  readonly offer_key: string;
  readonly offer_hash: Buffer;
  readonly identity: Peer['identity'];
  readonly target_hash: Buffer | null;
  readonly sdp_offer: string;
  readonly offer_proof: PeerProof | null;
  readonly sdp_answer: string | null;
  readonly answer_proof: PeerProof | null;
  readonly answer_signature: string | null;
  readonly service_public_key: string | null;
  readonly answer_expires_at: Date | null;
  readonly progress: PeerSession;
  readonly reason: string | null;
}

/** What {@link storedSessionOf} reads. */
export const SESSION_COLUMNS = `kind, call_key, request_digest, owner_node, offer_key, offer_hash, identity, target_hash,
  sdp_offer, offer_proof, sdp_answer, answer_proof, answer_signature, service_public_key, answer_expires_at, progress, reason`;

export function storedSessionOf(row: SessionRow): StoredSession {
  const { offer_key: publicKey, offer_hash: offerHash, identity } = row;
  const answer = answerOf(row);
  return {
    session: row.progress,
    offerer: { publicKey, keyHash: offerHash.toString('hex'), identity },
    requestDigest: row.request_digest,
    sdpOffer: row.sdp_offer,
    ...(row.call_key && { callKey: row.call_key }),
    ...(row.owner_node !== null && { ownerNode: row.owner_node }),
    ...(row.target_hash && { targetHash: row.target_hash.toString('hex') }),
    ...(row.offer_proof && { offerProof: row.offer_proof }),
    ...(answer && { answer }),
    ...(row.reason !== null && { reason: row.reason }),
  };
}

function answerOf(row: SessionRow): GivenAnswer | undefined {
  const { sdp_answer: sdpAnswer, answer_signature: signature, answer_proof: proof } = row;
  const { service_public_key: servicePublicKey, answer_expires_at: expiresAt } = row;
  if (sdpAnswer === null || signature === null || servicePublicKey === null || !expiresAt) return undefined;
  const expiresAtMs = expiresAt.getTime();
  return { sdpAnswer, signature, servicePublicKey, expiresAtMs, ...(proof && { proof }) };
}

/** Its values are those of {@link insertValues}; `FROM … WHERE …` may follow. */
export const INSERT_SESSION = `
  INSERT INTO mesh_session (session_id, kind, call_key, request_digest, offer_key, offer_hash, identity, target_key,
    target_hash, sdp_offer, offer_proof, owner_node, progress, state, version, expires_at)
  SELECT $1::text, $2::text, $3::bytea, $4::bytea, $5::text, $6::bytea, $7::text, $8::text, $9::bytea, $10::text, $11::jsonb,
    $12::text, $13::jsonb, $14::text, $15::int, to_timestamp($16 / 1000.0)`;

export function insertValues(stored: StoredSession): unknown[] {
  const { session, offerer, callKey, requestDigest, targetHash, sdpOffer, offerProof, ownerNode } = stored;
  return [
    ...[session.id, session.kind, callKey ?? null, requestDigest],
    ...[offerer.publicKey, Buffer.from(offerer.keyHash, 'hex'), offerer.identity],
    ...[session.targetKey ?? null, targetHash === undefined ? null : Buffer.from(targetHash, 'hex')],
    ...[sdpOffer, offerProof ? JSON.stringify(offerProof) : null, ownerNode ?? null],
    ...[JSON.stringify(session), session.state, session.version, session.expiresAtMs],
  ];
}

/** A new session of a peer that is called, as `mesh_offer` takes it. @param place among those of the same statement */
export function offerRow(stored: StoredSession, place: number): object {
  const { session, offerer, callKey, requestDigest, targetHash, sdpOffer, offerProof } = stored;
  return {
    ...{ place, session_id: session.id, call_key: callKey?.toString('hex') },
    ...{ request_digest: requestDigest.toString('hex'), offer_key: offerer.publicKey },
    ...{ offer_hash: offerer.keyHash, target_key: session.targetKey, target_hash: targetHash },
    ...{ sdp_offer: sdpOffer, offer_proof: offerProof, progress: session },
    ...{ state: session.state, version: session.version, expires_at: isoOf(session.expiresAtMs) },
  };
}

/** A change of a session, as its statement takes it. */
export function replacementRow({ stored, change }: Replacement): object {
  const { next, answer, reason, notice } = change;
  const { type, ...body } = notice ?? {};
  return {
    ...{ id: stored.session.id, read_version: stored.session.version, progress: next },
    ...{ state: next.state, version: next.version, expires_at: isoOf(next.expiresAtMs), reason },
    ...(answer && {
      ...{ sdp_answer: answer.sdpAnswer, answer_proof: answer.proof, answer_signature: answer.signature },
      ...{ service_public_key: answer.servicePublicKey, answer_expires_at: isoOf(answer.expiresAtMs) },
    }),
    ...(notice && { notice: type, notice_body: body }),
  };
}

const isoOf = (ms: number): string => new Date(ms).toISOString();
