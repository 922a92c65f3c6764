import { Inject, Injectable } from '@nestjs/common';
import { meshRoutes, type RendezvousRequest } from '@svc/contracts';
import { type InspectedDescription, inspectOffer, type PeerKey, type SessionPeer } from '@svc/mesh';
import { unprocessable } from '@svc/platform';
import { createHash } from 'node:crypto';
import { unproved } from '../identity/identity-problems.js';
import { peerKeyOf, PeerProofs, type ShownIdentity } from '../identity/peer-proofs.js';
import { MeshSettings } from '../mesh-config.js';
import { inspected } from './session-problems.js';

const { method, path } = meshRoutes.rendezvous;

/** A rendezvous that could be tried: its description can be used, and its proof holds. */
export interface AskedRendezvous extends ShownIdentity {
  readonly sdpOffer: string;
  readonly offer: InspectedDescription;
  /** The peer to broker to; none for the service. */
  readonly target?: PeerKey;
}

/** Looks at requests for a rendezvous: nothing here asks the database. */
@Injectable()
export class RendezvousRequests {
  constructor(
    private readonly proofs: PeerProofs,
    @Inject(MeshSettings) private readonly settings: Pick<MeshSettings, 'candidateRules'>,
  ) {}

  /** @throws ProblemError UNPROCESSABLE naming the field and its line; IDENTITY_UNPROVED */
  inspect(request: RendezvousRequest, nowMs: number): AskedRendezvous {
    const { sdpOffer, targetPeerKey } = request;
    const targetKey = targetPeerKey === undefined ? undefined : peerKeyOf('targetPeerKey', targetPeerKey);
    // What is brokered is never contacted from here: its peers may be of one private network.
    const rules = targetKey ? ({ candidates: 'any' } as const) : this.settings.candidateRules;
    const offer = inspected('sdpOffer', () => inspectOffer(sdpOffer, rules));
    const signed = { method, path, sdp: sdpOffer, fingerprint: offer.fingerprint, targetKey };
    const identity = this.proofs.identify(request, signed, nowMs);
    if (!targetKey) return { ...identity, sdpOffer, offer };
    if (!identity.shown) throw unproved('SIGNATURE_MISSING');
    if (identity.peer.publicKey === targetKey.hex)
      throw unprocessable('targetPeerKey', 'is the key of the peer that asks');
    return { ...identity, sdpOffer, offer, target: targetKey };
  }
}

/** A side of a session, with its usable candidates, or for a peer that decides itself with all. */
export function sideOf(
  { iceUfrag, icePwd, candidates, dropped, endOfCandidates }: CandidateSource,
  use: 'usable' | 'all',
): SessionPeer {
  const all = use === 'all' ? [...candidates, ...dropped.map(({ candidate }) => candidate)] : [...candidates];
  const texts = all.sort((a, b) => a.line - b.line).map(({ text }) => text);
  return { iceUfrag, icePwd, candidates: texts, endOfCandidates };
}

type CandidateSource = Pick<
  InspectedDescription,
  'iceUfrag' | 'icePwd' | 'candidates' | 'dropped' | 'endOfCandidates'
>;

/** What a call is held against that comes again. */
export const digestOf = (request: RendezvousRequest): Buffer =>
  createHash('sha256')
    .update(JSON.stringify(Object.entries(request).sort(([a], [b]) => (a < b ? -1 : 1))))
    .digest();
