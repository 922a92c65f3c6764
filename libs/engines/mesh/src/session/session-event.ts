import type { IceCredentials } from '../sdp/ice-credentials.js';
import type { PeerSession, SessionPeer, SessionSide } from './peer-session.js';

/** An answer came. */
export interface Answered {
  readonly type: 'answered';
  /** Key of the peer that answers; none where the service does. */
  readonly by?: string;
  readonly answerer: SessionPeer;
}

/** A fragment came. Which side it is of, its ufrag says. */
export interface CandidatesTrickled extends IceCredentials {
  readonly type: 'candidates';
  readonly mid?: string;
  readonly candidates: readonly string[];
  readonly endOfCandidates: boolean;
}

/** What can happen to a session. */
export type SessionEvent =
  | Answered
  | CandidatesTrickled
  /** The channels are open. */
  | { readonly type: 'connected' }
  /** Something was received over the connection. */
  | { readonly type: 'activity' }
  /** Checks go unanswered. ICE may find a way again, so nothing ends by it; nor is it a sign of life. */
  | { readonly type: 'disconnected' }
  /** ICE or DTLS has given up. */
  | { readonly type: 'failed' }
  | { readonly type: 'closed'; readonly by: SessionSide | 'service' }
  /** Time has passed. */
  | { readonly type: 'tick' };

/** Why an event is refused. */
export type RefusalReason =
  | 'OVER'
  | 'TOO_LATE'
  | 'ANSWERED_ALREADY'
  | 'NOT_ANSWERED'
  | 'NOT_CONNECTED'
  | 'NOT_THE_TARGET'
  | 'UFRAG_TAKEN'
  | 'ICE_RESTART'
  | 'OTHER_SECTION'
  | 'CANDIDATES_ENDED'
  | 'TOO_MANY_CANDIDATES';

/** An event that changes nothing, and should not have come. */
export interface SessionRefusal {
  readonly refused: RefusalReason;
  /** A sentence, for whoever sent it. */
  readonly message: string;
  /** What would be taken. */
  readonly bound?: number | string;
  /** What was sent. */
  readonly value?: number | string;
}

export function isRefusal(outcome: PeerSession | SessionRefusal): outcome is SessionRefusal {
  return 'refused' in outcome;
}
