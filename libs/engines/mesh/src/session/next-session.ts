import { CANDIDATES_MAX } from '../sdp/candidate.js';
import {
  IDLE_MS,
  isOver,
  type PeerSession,
  type SessionEnd,
  type SessionPeer,
  sideOfUfrag,
  UNOPENED_MS,
} from './peer-session.js';
import type {
  Answered,
  CandidatesTrickled,
  RefusalReason,
  SessionEvent,
  SessionRefusal,
} from './session-event.js';

type Outcome = PeerSession | SessionRefusal;

/** What the clock of each living state brings. */
const END_BY_CLOCK = {
  waiting: { state: 'expired', end: 'unanswered' },
  answered: { state: 'expired', end: 'unopened' },
  connected: { state: 'closed', end: 'idle' },
} as const satisfies Record<string, { state: 'closed' | 'expired'; end: SessionEnd }>;

/**
 * The session after an event: with a version one higher, the very same where nothing has changed, or a refusal.
 *
 * Nothing leads out of `closed` and `expired`. An event at or after the time that a session ends by is refused, whether or not a
 * tick has come before it: what is answered does not depend on how often somebody looks at the clock. That a connection lives is
 * no such event: whoever holds it ends it by a clock of its own, and may have been kept from saying so in time.
 *
 * @param nowMs unix milliseconds; of clocks that differ, a later one is never made an earlier end by
 * @example
 * const next = nextSession(session, { type: 'tick' }, Date.now());
 * if (!isRefusal(next) && next !== session) await store.replace(session.version, next);
 *
 * Source: RFC 9725 section 4.3; its ICE restarts are not offered.
 */
export function nextSession(session: PeerSession, event: SessionEvent, nowMs: number): Outcome {
  const isDue = nowMs >= session.expiresAtMs;
  if (isOver(session)) {
    return event.type === 'tick' ? session : refusal('OVER', `the session is ${session.state}`);
  }
  if (event.type === 'tick') return isDue ? endedByClock(session) : session;
  if (isDue && !isSaidOfLife(session, event)) return refusal('TOO_LATE', 'the time of the session is over');
  switch (event.type) {
    case 'answered':
      return answered(session, event, nowMs);
    case 'candidates':
      return trickled(session, event);
    case 'connected':
      return session.state === 'waiting' ? notAnswered() : alive(session, nowMs);
    case 'activity':
      if (session.state === 'connected') return alive(session, nowMs);
      return refusal('NOT_CONNECTED', 'what is not connected has no traffic');
    case 'disconnected':
      return session.state === 'waiting' ? notAnswered() : session;
    case 'failed':
      return session.state === 'waiting' ? notAnswered() : over(session, 'failed', nowMs);
    case 'closed':
      return over(session, `closed_by_${event.by}`, nowMs);
  }
}

function isSaidOfLife({ state }: PeerSession, { type }: SessionEvent): boolean {
  return state !== 'waiting' && (type === 'connected' || type === 'activity');
}

function changed(session: PeerSession, change: Partial<PeerSession>): PeerSession {
  return { ...session, ...change, version: session.version + 1 };
}

function over(session: PeerSession, end: SessionEnd, nowMs: number): PeerSession {
  return changed(session, { state: 'closed', end, expiresAtMs: nowMs });
}

/** It ended when its time was over, however late that is seen. */
function endedByClock(session: PeerSession): PeerSession {
  return changed(session, END_BY_CLOCK[session.state as keyof typeof END_BY_CLOCK]);
}

function answered(session: PeerSession, { by, answerer }: Answered, nowMs: number): Outcome {
  if (session.state !== 'waiting') return refusal('ANSWERED_ALREADY', 'the session has an answer');
  if (by !== session.targetKey) return refusal('NOT_THE_TARGET', 'another peer was called');
  if (answerer.iceUfrag === session.offerer.iceUfrag) {
    const message = 'the offer has this ice-ufrag: the sides could not be told apart';
    return refusal('UFRAG_TAKEN', message, { value: answerer.iceUfrag });
  }
  const own = withCandidates({ ...answerer, candidates: [] }, answerer.candidates, answerer.endOfCandidates);
  if ('refused' in own) return own;
  return changed(session, { state: 'answered', answerer: own, expiresAtMs: nowMs + UNOPENED_MS });
}

function alive(session: PeerSession, nowMs: number): PeerSession {
  // A replica whose clock is behind takes nothing from what another has granted.
  const since = session.state === 'connected' ? session.expiresAtMs : 0;
  const expiresAtMs = Math.max(since, nowMs + IDLE_MS);
  return expiresAtMs === since ? session : changed(session, { state: 'connected', expiresAtMs });
}

function trickled(session: PeerSession, event: CandidatesTrickled): Outcome {
  const side = sideOfUfrag(session, event.iceUfrag);
  const peer = side && session[side];
  if (side === undefined || peer?.icePwd !== event.icePwd) {
    return refusal(
      'ICE_RESTART',
      'no side of the session has these credentials, and ICE is not restarted here',
      // Never the password: refusals are logged.
      { value: event.iceUfrag },
    );
  }
  if (event.mid !== undefined && event.mid !== session.mid) {
    return refusal('OTHER_SECTION', `the section is ${session.mid}`, {
      bound: session.mid,
      value: event.mid,
    });
  }
  if (peer.endOfCandidates) {
    return refusal('CANDIDATES_ENDED', 'this side has said that no more candidates come');
  }
  const more = withCandidates(peer, event.candidates, event.endOfCandidates);
  if ('refused' in more) return more;
  const isSame = more.candidates.length === peer.candidates.length && !more.endOfCandidates;
  return isSame ? session : changed(session, { [side]: more });
}

/** A side with candidates added. One that it has already is not counted again: a request may have been sent twice. */
function withCandidates(
  peer: SessionPeer,
  added: readonly string[],
  endOfCandidates: boolean,
): SessionPeer | SessionRefusal {
  const candidates = [...new Set([...peer.candidates, ...added])];
  if (candidates.length <= CANDIDATES_MAX) return { ...peer, candidates, endOfCandidates };
  const message = `a side has at most ${CANDIDATES_MAX} candidates in all`;
  return refusal('TOO_MANY_CANDIDATES', message, { bound: CANDIDATES_MAX, value: candidates.length });
}

function notAnswered(): SessionRefusal {
  return refusal('NOT_ANSWERED', 'a session without an answer has no connection');
}

function refusal(
  refused: RefusalReason,
  message: string,
  of: Pick<SessionRefusal, 'bound' | 'value'> = {},
): SessionRefusal {
  return { refused, message, ...of };
}
