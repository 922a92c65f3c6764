import { CANDIDATES_MAX } from '../sdp/candidate.js';
import type { IceCredentials } from '../sdp/ice-credentials.js';

/** `super_peer`: the service answers itself. `brokered`: another peer does, and the service passes on what they say. */
export type SessionKind = 'super_peer' | 'brokered';
export type SessionState = 'waiting' | 'answered' | 'connected' | 'closed' | 'expired';
/** Who a description or a candidate is of. */
export type SessionSide = 'offerer' | 'answerer';
/** Why a session is over: a clock (the first three), the connection, or whoever closed it. */
export type SessionEnd =
  'unanswered' | 'unopened' | 'idle' | 'failed' | `closed_by_${SessionSide | 'service'}`;

/** A brokered or awaited offer that nobody answers for so long is expired. */
export const UNANSWERED_MS = 60_000;
/** An answered session that does not open for so long is expired. */
export const UNOPENED_MS = 30_000;
/** A connected session without a sign of life for so long is closed. */
export const IDLE_MS = 120_000;

/** What is known of one side. */
export interface SessionPeer extends IceCredentials {
  /** As `RTCIceCandidate` has them, each once: of the description, and trickled since. At most {@link CANDIDATES_MAX}. */
  readonly candidates: readonly string[];
  readonly endOfCandidates: boolean;
}

/** One session, as plain values: it can be kept as JSON. */
export interface PeerSession {
  readonly id: string;
  readonly kind: SessionKind;
  readonly state: SessionState;
  /** 1 when it is made, one more with each change; what an ETag says. */
  readonly version: number;
  /** Name of the one section of the offer. */
  readonly mid: string;
  /** The one peer that may answer; none where the service does. */
  readonly targetKey?: string;
  readonly offerer: SessionPeer;
  /** From the answer on. */
  readonly answerer?: SessionPeer;
  /** Unix milliseconds. */
  readonly createdAtMs: number;
  /** When it ends unless something happens before, unix milliseconds; of a session that is over, when it ended. */
  readonly expiresAtMs: number;
  /** Of a session that is over. */
  readonly end?: SessionEnd;
}

/** What a session begins with. */
export interface SessionOffer {
  readonly id: string;
  readonly mid: string;
  /** Key of the peer to broker to; none for the service. */
  readonly targetKey?: string;
  readonly offerer: SessionPeer;
}

/**
 * A session that waits for its answer.
 *
 * @throws RangeError where the offer has more candidates than a description can have
 */
export function openSession({ id, mid, targetKey, offerer }: SessionOffer, nowMs: number): PeerSession {
  if (offerer.candidates.length > CANDIDATES_MAX) {
    throw new RangeError(`${offerer.candidates.length} candidates of at most ${CANDIDATES_MAX}`);
  }
  return {
    id,
    kind: targetKey === undefined ? 'super_peer' : 'brokered',
    state: 'waiting',
    version: 1,
    mid,
    ...(targetKey === undefined ? {} : { targetKey }),
    offerer: { ...offerer, candidates: [...new Set(offerer.candidates)] },
    createdAtMs: nowMs,
    expiresAtMs: nowMs + UNANSWERED_MS,
  };
}

/** Whether nothing can happen to a session any more. */
export function isOver({ state }: Pick<PeerSession, 'state'>): boolean {
  return state === 'closed' || state === 'expired';
}

/** Whose ufrag it is; undefined where it is nobody's of this session. The two always differ. */
export function sideOfUfrag({ offerer, answerer }: PeerSession, iceUfrag: string): SessionSide | undefined {
  if (offerer.iceUfrag === iceUfrag) return 'offerer';
  return answerer?.iceUfrag === iceUfrag ? 'answerer' : undefined;
}
