import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { IDLE_MS, isOver, type SessionEvent } from '@svc/mesh';
import { ProblemError, SERVICE_ENVIRONMENT, type ServiceEnvironment } from '@svc/platform';
import { NODE_ID } from '../node-id.js';
import { SuperPeer } from '../super-peer/super-peer.js';
import { SessionOwners } from './session-owners.js';
import type { StoredSession } from './session-rows.js';
import { SessionStore } from './session-store.js';
import { SessionTransitions } from './session-transitions.js';

const SWEEP_MS = 5_000;
/** Sessions of one query. */
const PART = 100;
/** Connections of one query: of these it has only the ids. */
const HELD_PART = 1_000;
/** A connection that is held is said to live when less of its time is left. */
const RENEW_WITHIN_MS = IDLE_MS / 2;

/**
 * Ends sessions whose time is over, and those whose connection is nowhere any more; says of the connections that this replica
 * holds that they live, and closes those whose session has ended elsewhere. Every replica does it: of two that end the same session one succeeds.
 */
@Injectable()
export class SessionSweep implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;

  constructor(
    private readonly store: SessionStore,
    private readonly transitions: SessionTransitions,
    private readonly owners: SessionOwners,
    private readonly superPeer: SuperPeer,
    @Inject(NODE_ID) private readonly nodeId: string,
    @Inject(SERVICE_ENVIRONMENT) private readonly environment: Pick<ServiceEnvironment, 'logger'>,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.sweep(), SWEEP_MS).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  /** One round; while one is under way, that one. Never rejects. */
  sweep(): Promise<void> {
    this.running ??= this.round().finally(() => (this.running = undefined));
    return this.running;
  }

  private async round(): Promise<void> {
    const parts = [
      // What lives is said before what is due is ended.
      ...[() => this.renewHeld(), () => this.endDue()],
      ...[() => this.closeEnded(), () => this.endOrphans()],
    ];
    for (const part of parts) {
      try {
        await part();
      } catch (error) {
        this.environment.logger.warn({ reason: (error as Error).message }, 'Sessions could not be swept');
      }
    }
  }

  /** Of unanswered and unopened ones: an own connection that is open was said to be, just before. */
  private async endDue(): Promise<void> {
    for (;;) {
      const due = await this.store.due(this.nodeId, PART);
      let endedCount = 0;
      for (const stored of due) {
        const ended = await this.happen(stored, { type: 'tick' });
        if (!ended || !isOver(ended.session)) continue;
        endedCount++;
        await this.owners.close(ended, ended.reason ?? 'EXPIRED');
      }
      // By the clock of this replica they may not be due for a moment.
      if (due.length < PART || endedCount === 0) return;
    }
  }

  /** Of the connections of this replica. */
  private async renewHeld(): Promise<void> {
    let after = '';
    for (;;) {
      const held = await this.store.heldBy(this.nodeId, after, PART);
      for (const stored of held) {
        const { id, state, expiresAtMs } = stored.session;
        const isOpen = this.superPeer.isOpen(id);
        if (isOpen === undefined) await this.owners.lose(stored);
        // The database was away when its connection told that.
        else if (isOpen && state === 'answered') await this.happen(stored, { type: 'connected' });
        else if (state === 'connected' && expiresAtMs - Date.now() < RENEW_WITHIN_MS)
          await this.happen(stored, { type: 'activity' });
      }
      if (held.length < PART) return;
      after = held[held.length - 1].session.id;
    }
  }

  /** Of the connections of this replica: those whose session was ended by another one that could not tell it. */
  private async closeEnded(): Promise<void> {
    const held = this.superPeer.sessionIds();
    for (let i = 0; i < held.length; i += HELD_PART) {
      const ended = await this.store.endedOf(held.slice(i, i + HELD_PART));
      for (const { sessionId, reason } of ended) this.superPeer.close(sessionId, reason);
    }
  }

  /** Of replicas that are gone. */
  private async endOrphans(): Promise<void> {
    for (const node of await this.store.owners()) {
      if (!(await this.owners.isGone(node))) continue;
      let after = '';
      for (;;) {
        const orphans = await this.store.heldBy(node, after, PART);
        for (const stored of orphans) await this.owners.lose(stored);
        if (orphans.length < PART) break;
        after = orphans[orphans.length - 1].session.id;
      }
    }
  }

  /** Undefined where somebody else was faster, or it cannot happen any more. */
  private async happen(stored: StoredSession, event: SessionEvent): Promise<StoredSession | undefined> {
    try {
      return await this.transitions.happenTo(stored, { event });
    } catch (error) {
      if (error instanceof ProblemError && error.status < 500) return undefined;
      throw error;
    }
  }
}
