import type { Peer } from '../src/peer/peer.js';
import { SuperPeer, type SuperPeerAnswer } from '../src/super-peer/super-peer.js';

/** Connections of a replica that are none: what is asked of them is written down, and what they do can be told to them. */
export class FakeSuperPeer extends SuperPeer {
  readonly held = new Map<string, { readonly peer: Peer; readonly sdpOffer: string; candidates: string[] }>();
  /** Of those, the ones whose channels are open. */
  readonly opened = new Set<string>();
  readonly closed: { readonly sessionId: string; readonly reason: string }[] = [];
  /** Done before each answer; what it throws is thrown. */
  before: (sessionId: string) => Promise<void> = async () => undefined;
  private count = 0;

  constructor(
    readonly nodeId: string,
    private readonly sdpAnswer: string,
  ) {
    super();
  }

  async answer(sessionId: string, sdpOffer: string, peer: Peer): Promise<SuperPeerAnswer> {
    await this.before(sessionId);
    this.held.set(sessionId, { peer, sdpOffer, candidates: [] });
    const sdpAnswer = this.sdpAnswer.replace(/(a=ice-ufrag:)\S+/, `$1ours${this.count++}`);
    const candidates = sdpAnswer.split('\r\n').filter(line => line.startsWith('a=candidate:'));
    return { sdpAnswer, candidates: candidates.map(line => line.slice(2)) };
  }

  sessionIds(): readonly string[] {
    return [...this.held.keys()];
  }

  isOpen(sessionId: string): boolean | undefined {
    return this.held.has(sessionId) ? this.opened.has(sessionId) : undefined;
  }

  addCandidates(sessionId: string, candidates: readonly string[]): boolean {
    const held = this.held.get(sessionId);
    held?.candidates.push(...candidates);
    return held !== undefined;
  }

  close(sessionId: string, reason: string): boolean {
    if (!this.held.delete(sessionId)) return false;
    this.closed.push({ sessionId, reason });
    return true;
  }
}
