import { Inject, Injectable } from '@nestjs/common';
import { type meshContract, type ReplyOf, type RendezvousRequest } from '@svc/contracts';
import { inspectAnswer, isOver, openSession, withoutOtherFingerprints, withoutUnusable } from '@svc/mesh';
import { KeyedDigests, newId, problem } from '@svc/platform';
import { Allowances, type NonceUse } from '../identity/allowances.js';
import { InboxEvents } from '../inbox/inbox-events.js';
import { NODE_ID } from '../node-id.js';
import { NOT_ANSWERED, SuperPeer } from '../super-peer/super-peer.js';
import { type AskedRendezvous, digestOf, RendezvousRequests, sideOf } from './rendezvous-request.js';
import { SessionAnswers } from './session-answers.js';
import { endedSession } from './session-problems.js';
import type { StoredSession } from './session-rows.js';
import { SessionStore, type Unreachable, WAITING_MAX } from './session-store.js';
import { SessionTransitions } from './session-transitions.js';

type RendezvousReply = ReplyOf<typeof meshContract.rendezvous>;

/** How often a call that waits for an answer looks into the table by itself: a notice may be lost. */
const LOOK_MS = 500;

/** Token of how long a call for a rendezvous waits for its answer. */
export const TARGET_WAIT = Symbol('TARGET_WAIT');
export interface TargetWait {
  readonly ms: number;
}

/** A call for a rendezvous. */
export interface RendezvousCall {
  readonly request: RendezvousRequest;
  readonly caller: { readonly address: string };
  /** What the call is known again by, 32 bytes in hex. */
  readonly idemKey?: string;
}

/** Answers offers, or brings them to the peers that they are for. */
@Injectable()
export class RendezvousService {
  constructor(
    private readonly requests: RendezvousRequests,
    private readonly allowances: Allowances,
    private readonly store: SessionStore,
    private readonly transitions: SessionTransitions,
    private readonly answers: SessionAnswers,
    private readonly inbox: InboxEvents,
    private readonly superPeer: SuperPeer,
    private readonly digests: KeyedDigests,
    @Inject(NODE_ID) private readonly nodeId: string,
    @Inject(TARGET_WAIT) private readonly targetWait: TargetWait,
  ) {}

  /** @throws ProblemError UNPROCESSABLE, IDENTITY_UNPROVED, RATE_LIMITED, NOT_FOUND, CONFLICT */
  async admit({ request, caller }: RendezvousCall): Promise<void> {
    const { peer, target } = this.requests.inspect(request, Date.now());
    await this.allowances.require(this.allowances.ofRendezvous(peer, caller));
    if (!target) return;
    const why = await this.store.unreachable(target.hash, peer.keyHash);
    if (why) throw unreachable(why);
  }

  /** @throws ProblemError as {@link admit}; OVERLOADED; CONFLICT, EXPIRED for a call that is known already */
  async meet({ request, caller, idemKey }: RendezvousCall): Promise<RendezvousReply> {
    const callKey = idemKey === undefined ? undefined : Buffer.from(idemKey, 'hex');
    const requestDigest = digestOf(request);
    const known = callKey && (await this.store.findByCall(callKey));
    if (known) return this.outcomeOf(known, requestDigest);
    const asked = this.requests.inspect(request, Date.now());
    await this.allowances.spend(this.allowances.ofRendezvous(asked.peer, caller), nonceOf(asked, callKey));
    const stored = this.newSession(asked, requestDigest, callKey);
    const made = asked.target ? await this.call(stored) : await this.answer(stored, asked, caller);
    if (made) return made;
    const first = callKey && (await this.store.findByCall(callKey));
    if (!first) throw asked.target ? unreachable('called') : endedMeanwhile();
    return this.outcomeOf(first, requestDigest);
  }

  /** Answers by this replica itself; undefined where the call was answered meanwhile. */
  private async answer(
    stored: StoredSession,
    { offer, sdpOffer, peer: caller }: AskedRendezvous,
    from: RendezvousCall['caller'],
  ): Promise<RendezvousReply | undefined> {
    const { id } = stored.session;
    if (!(await this.store.insert(stored))) return undefined;
    try {
      const peer = { ...caller, address: this.allowances.nameOfAddress(from) };
      const usable = withoutOtherFingerprints(withoutUnusable(sdpOffer, offer));
      const { sdpAnswer } = await this.superPeer.answer(id, usable, peer);
      const inspected = inspectAnswer(sdpAnswer, { candidates: 'any' });
      const { fingerprint } = inspected;
      const answered = await this.transitions.happenTo(stored, {
        event: { type: 'answered', answerer: sideOf(inspected, 'all') },
        also: next => ({ answer: this.answers.sign({ sdpAnswer, fingerprint }, next, sdpOffer) }),
      });
      if (!answered) throw endedMeanwhile();
      return this.replyOf(answered);
    } catch (error) {
      this.superPeer.close(id, NOT_ANSWERED);
      // The same call may be made again. Where the database is away, whoever does finds the session, and gives it up.
      await this.store.withdraw(id).catch(() => undefined);
      throw error;
    }
  }

  /** Puts the offer into the inbox of its target and waits; undefined where the call was made meanwhile. */
  private async call(stored: StoredSession): Promise<RendezvousReply | undefined> {
    const until = performance.now() + this.targetWait.ms;
    const { session, callKey, targetHash = '' } = stored;
    // Before the offer can be seen: an answer that comes at once is not missed.
    const changed = this.transitions.expectChange(session.id);
    let news: StoredSession | undefined;
    try {
      const outcome = await this.store.insertOffer(stored);
      if (outcome === 'known' || (outcome === 'called' && callKey)) return undefined;
      if (outcome !== 'inserted') throw unreachable(outcome);
      this.inbox.tell(targetHash);
      news = await changed.within(LOOK_MS);
    } finally {
      changed.end();
    }
    return this.outcome(session.id, until, news);
  }

  private outcomeOf({ session, requestDigest }: StoredSession, digest: Buffer): Promise<RendezvousReply> {
    const isSame = this.digests.of(digest, session.id).matches(requestDigest);
    if (isSame) return this.outcome(session.id, performance.now() + this.targetWait.ms);
    throw problem('CONFLICT', 'Another rendezvous was asked for by this name');
  }

  /**
   * The answer of a session as soon as there is one, or that there is none yet.
   * @param news the session, where it is known what has become of it
   * @throws ProblemError EXPIRED; OVERLOADED where the service was to answer and did not: the same call may be made again
   */
  private async outcome(sessionId: string, until: number, news?: StoredSession): Promise<RendezvousReply> {
    for (let known = news; ;) {
      const changed = this.transitions.expectChange(sessionId);
      try {
        const stored = known ?? (await this.store.find(sessionId));
        if (!stored) throw endedMeanwhile();
        if (isOver(stored.session)) throw endedSession(stored.reason ?? stored.session.state);
        const leftMs = until - performance.now();
        if (stored.answer) return this.replyOf(stored);
        if (leftMs <= 0 || this.transitions.isClosing) {
          if (stored.session.kind === 'brokered') return this.replyOf(stored);
          // A replica began to answer and did not: it was killed, or could not write it.
          if (leftMs <= 0) await this.store.withdraw(sessionId);
          throw endedMeanwhile();
        }
        // What was known may be older than this wait: then the next look is into the table.
        known = known ? undefined : await changed.within(Math.min(LOOK_MS, leftMs));
      } finally {
        changed.end();
      }
    }
  }

  private replyOf(stored: StoredSession): RendezvousReply {
    const said = this.answers.said(stored);
    if (said) return { outcome: 'answered', ...said };
    const { session, offerer } = stored;
    return {
      ...{ outcome: 'pending', sessionId: session.id, version: session.version },
      iceServers: this.answers.serversOf(offerer.keyHash),
      expiresAt: new Date(session.expiresAtMs).toISOString(),
    };
  }

  private newSession(
    { peer, shown, sdpOffer, offer, target }: AskedRendezvous,
    requestDigest: Buffer,
    callKey: Buffer | undefined,
  ): StoredSession {
    const id = newId('mesh');
    const offerer = sideOf(offer, target ? 'all' : 'usable');
    const targetKey = target && { targetKey: target.hex };
    return {
      session: openSession({ id, mid: offer.mid, ...targetKey, offerer }, Date.now()),
      ...{ offerer: peer, requestDigest: this.digests.of(requestDigest, id).bytes, sdpOffer },
      ...(callKey && { callKey }),
      ...(target ? { targetHash: target.hash } : { ownerNode: this.nodeId }),
      ...(shown && { offerProof: shown.proof }),
    };
  }
}

const nonceOf = ({ shown }: AskedRendezvous, callKey: Buffer | undefined): NonceUse | undefined =>
  shown && { ...shown.use, ...(callKey && { callKey }) };

const endedMeanwhile = () =>
  problem('OVERLOADED', 'The session was ended meanwhile', { retryAfterSeconds: 1 });

const REASONS = {
  absent: ['NOT_FOUND', 'The peer has no open inbox'],
  called: ['CONFLICT', 'An offer of this peer waits for an answer already'],
  full: ['CONFLICT', `${WAITING_MAX} offers wait for this peer, and it answers none`],
} as const;

function unreachable(why: Unreachable) {
  const [code, detail] = REASONS[why];
  const reason = { absent: 'TARGET_ABSENT', called: 'TARGET_CALLED', full: 'TARGET_BUSY' }[why];
  return problem(code, detail, {
    errors: [{ path: 'targetPeerKey', message: detail }],
    extensions: { reason },
  });
}
