import { Inject, Injectable } from '@nestjs/common';
import { BusClient, PRESENCE_BOARD, type PresenceBoard, problem, ProblemError } from '@svc/platform';
import { MeshSettings } from '../mesh-config.js';
import { NODE_ID, nodeProcedure, type NodeRequest } from '../node-id.js';
import { SuperPeer } from '../super-peer/super-peer.js';
import { endedSession } from './session-problems.js';
import type { StoredSession } from './session-rows.js';
import { SessionTransitions } from './session-transitions.js';
import { SilentReplicas } from './silent-replicas.js';

/** The connections of sessions, wherever they are held. */
@Injectable()
export class SessionOwners {
  private readonly silent: SilentReplicas;

  constructor(
    private readonly superPeer: SuperPeer,
    private readonly bus: BusClient,
    private readonly transitions: SessionTransitions,
    @Inject(PRESENCE_BOARD) private readonly board: PresenceBoard,
    @Inject(NODE_ID) private readonly nodeId: string,
    @Inject(MeshSettings) { presenceTtlMs }: Pick<MeshSettings, 'presenceTtlMs'>,
  ) {
    this.silent = new SilentReplicas(presenceTtlMs);
  }

  /** Answers for the connections of this replica. */
  answer(request: NodeRequest): boolean {
    switch (request.verb) {
      case 'add-candidates':
        return this.superPeer.addCandidates(request.sessionId, request.candidates);
      case 'close':
        return this.superPeer.close(request.sessionId, request.reason);
      case 'ping':
        return true;
    }
  }

  /** @throws ProblemError EXPIRED where the connection is gone; SERVICE_UNAVAILABLE, TIMEOUT where that is not known */
  async addCandidates(stored: StoredSession, candidates: readonly string[]): Promise<void> {
    const { id: sessionId } = stored.session;
    const request = { verb: 'add-candidates' as const, sessionId, candidates: [...candidates] };
    if (await this.ask(stored, request)) return;
    await this.lose(stored);
    throw endedSession('OWNER_GONE');
  }

  /** Closes the connection of a session that is over. One whose replica cannot be asked ends when that hears of it. */
  async close(stored: StoredSession, reason: string): Promise<void> {
    await this.ask(stored, { verb: 'close', sessionId: stored.session.id, reason }).catch(() => false);
  }

  /** Ends a session whose connection is nowhere. */
  async lose({ session }: StoredSession): Promise<void> {
    const reason = 'OWNER_GONE';
    await this.transitions
      .happen(session.id, { event: { type: 'closed', by: 'service' }, also: () => ({ reason }) })
      .catch((error: unknown) => {
        if (!(error instanceof ProblemError) || error.code !== 'EXPIRED') throw error;
      });
  }

  /**
   * Whether a replica is gone: nobody on the bus has its name, for so long that its connection to the bus cannot just be lost, nor
   * the bus have begun anew. One whose machine is gone keeps its name for minutes: it is gone when it neither answers nor has said
   * for a lifetime of the board that it is there.
   */
  async isGone(node: string): Promise<boolean> {
    if (node === this.nodeId) return false;
    try {
      await this.bus.call(nodeProcedure(node), { verb: 'ping' });
      this.silent.heard(node);
      return false;
    } catch (error) {
      const isNobody = isUnheard(error);
      const isSilent = isNobody || (error instanceof ProblemError && error.code === 'TIMEOUT');
      if (!isSilent || !this.bus.connected || !this.silent.unheard(node)) return false;
      return isNobody || !(await this.board.get(`node.${node}`));
    }
  }

  /** Whether the connection is held: here, or by the replica that is asked. */
  private async ask({ ownerNode }: StoredSession, request: NodeRequest): Promise<boolean> {
    if (ownerNode === undefined) return false;
    if (ownerNode === this.nodeId) return this.answer(request);
    try {
      return (await this.bus.call(nodeProcedure(ownerNode), request)).isHeld;
    } catch (error) {
      if (isUnheard(error) && (await this.isGone(ownerNode))) return false;
      if (!isUnheard(error)) throw error;
      const detail = 'The replica that holds this session cannot be reached at this moment';
      throw problem('SERVICE_UNAVAILABLE', detail, { retryAfterSeconds: 5, cause: error });
    }
  }
}

const isUnheard = (error: unknown): boolean =>
  error instanceof ProblemError && error.code === 'SERVICE_UNAVAILABLE';
