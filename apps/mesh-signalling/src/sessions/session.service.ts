import { Inject, Injectable } from '@nestjs/common';
import type { MeshAnswerRequest, MeshSession } from '@svc/contracts';
import {
  type CandidateRules,
  inspectAnswer,
  type InspectedFragment,
  inspectFragment,
  isOver,
  sideOfUfrag,
} from '@svc/mesh';
import { problem, ProblemError } from '@svc/platform';
import { Allowances } from '../identity/allowances.js';
import { unproved } from '../identity/identity-problems.js';
import { PeerProofs } from '../identity/peer-proofs.js';
import { peerKeyOf } from '../identity/peer-proofs.js';
import { MeshSettings } from '../mesh-config.js';
import { sideOf } from './rendezvous-request.js';
import { SessionAnswers } from './session-answers.js';
import { SessionOwners } from './session-owners.js';
import { endedSession, inspected, unknownSession } from './session-problems.js';
import type { StoredSession } from './session-rows.js';
import { SessionStore } from './session-store.js';
import { type Happening, SessionTransitions } from './session-transitions.js';

const ANY: CandidateRules = { candidates: 'any' };

/** What whoever knows a session's id does with it. */
@Injectable()
export class SessionService {
  constructor(
    private readonly store: SessionStore,
    private readonly transitions: SessionTransitions,
    private readonly proofs: PeerProofs,
    private readonly allowances: Allowances,
    private readonly answers: SessionAnswers,
    private readonly owners: SessionOwners,
    @Inject(MeshSettings) private readonly settings: Pick<MeshSettings, 'candidateRules'>,
  ) {}

  /** @throws ProblemError NOT_FOUND */
  async show(sessionId: string): Promise<ShownSession> {
    return shown(await this.find(sessionId));
  }

  /**
   * Takes the answer of the peer that was called, to the byte as it signed it.
   * @throws ProblemError UNPROCESSABLE; IDENTITY_UNPROVED, `WRONG_PEER` where another was called; NOT_FOUND, CONFLICT, EXPIRED
   */
  async answer(sessionId: string, request: MeshAnswerRequest): Promise<ShownSession> {
    const { sdpAnswer } = request;
    const answer = inspected('sdpAnswer', () => inspectAnswer(sdpAnswer, ANY));
    const { fingerprint } = answer;
    const stored = await this.find(sessionId);
    const { peer, shown: proved } = this.proofs.require(
      request,
      {
        ...{ method: 'POST', path: `/v1/mesh/sessions/${sessionId}/answer`, sdp: sdpAnswer, fingerprint },
        targetKey: peerKeyOf('peerPublicKey', stored.offerer.publicKey),
      },
      Date.now(),
    );
    requireAnswerable(stored, peer.publicKey);
    await this.allowances.use(proved.use);
    const { proof } = proved;
    const happening: Happening = {
      event: { type: 'answered', by: peer.publicKey, answerer: sideOf(answer, 'all') },
      field: 'sdpAnswer',
      also: (next, { sdpOffer }) => ({
        answer: this.answers.sign({ sdpAnswer, fingerprint, proof }, next, sdpOffer),
      }),
    };
    return shown(await this.transitions.happen(sessionId, happening, stored));
  }

  /**
   * Takes candidates of the side that the fragment's credentials are of, and brings them to the other.
   * @returns the version after it
   * @throws ProblemError UNPROCESSABLE, NOT_FOUND, CONFLICT, EXPIRED; SERVICE_UNAVAILABLE
   */
  async trickle(sessionId: string, text: string): Promise<number> {
    const { kind } = (await this.find(sessionId)).session;
    const rules = kind === 'brokered' ? ANY : this.settings.candidateRules;
    const fragment = inspected('fragment', () => inspectFragment(text, rules));
    const { mid } = fragment;
    const side = sideOf(fragment, kind === 'brokered' ? 'all' : 'usable');
    let added: readonly string[] = [];
    const after = await this.transitions.happen(sessionId, {
      event: { type: 'candidates', ...side, ...(mid !== undefined && { mid }) },
      field: 'fragment',
      check: ({ session }) => requireOwnSide(session, fragment),
      also: (next, { session }) => {
        const of = sideOfUfrag(session, fragment.iceUfrag)!;
        const before = new Set(session[of]?.candidates);
        added = next[of]!.candidates.filter(candidate => !before.has(candidate));
        const isForTarget = kind === 'brokered' && of === 'offerer' && added.length > 0;
        return isForTarget ? { notice: { type: 'candidates', candidates: added } } : {};
      },
    });
    if (kind === 'super_peer' && added.length > 0) await this.owners.addCandidates(after, added);
    return after.session.version;
  }

  /** Ends a session, and its connection; one that has ended stays as it is. @throws ProblemError NOT_FOUND */
  async close(sessionId: string): Promise<void> {
    const reason = 'DELETED';
    try {
      const closed = await this.transitions.happen(sessionId, {
        event: { type: 'closed', by: 'service' },
        also: () => ({ reason, notice: { type: 'closed', reason } }),
      });
      await this.owners.close(closed, reason);
    } catch (error) {
      if (!(error instanceof ProblemError) || error.code !== 'EXPIRED') throw error;
    }
  }

  private async find(sessionId: string): Promise<StoredSession> {
    const stored = await this.store.find(sessionId);
    if (!stored) throw unknownSession();
    return stored;
  }
}

interface ShownSession {
  readonly session: MeshSession;
  readonly version: number;
}

/** @throws ProblemError: before a nonce is used for nothing */
function requireAnswerable({ session, reason }: StoredSession, publicKey: string): void {
  if (session.targetKey === undefined)
    throw problem('CONFLICT', 'The service itself answers this session', {
      extensions: { reason: 'ANSWERED_ALREADY' },
    });
  if (session.targetKey !== publicKey) throw unproved('WRONG_PEER');
  if (isOver(session)) throw endedSession(reason ?? session.state);
}

/** The service tells its candidates in its answer, and nobody else has any to tell for it. */
function requireOwnSide(session: StoredSession['session'], { iceUfrag }: InspectedFragment): void {
  if (session.kind === 'super_peer' && sideOfUfrag(session, iceUfrag) === 'answerer')
    throw problem('CONFLICT', 'These credentials are the service’s', {
      extensions: { reason: 'OTHER_SIDE' },
    });
}

function shown({ session, offerer, sdpOffer, answer, reason }: StoredSession): ShownSession {
  const described = new Set(sdpOffer.split(/\r\n|\r|\n/));
  // The time that was signed with an answer is shown with it, until there is a connection that goes on.
  const expiresAtMs = (session.state !== 'connected' && answer?.expiresAtMs) || session.expiresAtMs;
  return {
    session: {
      ...{ sessionId: session.id, kind: session.kind, state: session.state, identity: offerer.identity },
      ...(reason !== undefined && { reason }),
      ...(answer && {
        sdpAnswer: answer.sdpAnswer,
        answerSignature: answer.signature,
        servicePublicKey: answer.servicePublicKey,
      }),
      ...(answer?.proof && { peerProof: answer.proof }),
      iceCandidates: [...(session.answerer?.candidates ?? [])],
      offerCandidates: session.offerer.candidates.filter(candidate => !described.has(`a=${candidate}`)),
      createdAt: new Date(session.createdAtMs).toISOString(),
      expiresAt: new Date(expiresAtMs).toISOString(),
    },
    version: session.version,
  };
}
