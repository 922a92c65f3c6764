import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import type { Drains } from '@svc/platform';
import { InboxEvents } from './inbox/inbox-events.js';
import { PostgresSessionLedger } from './sessions/session-ledger.js';
import { SessionTransitions } from './sessions/session-transitions.js';
import { SuperPeer } from './super-peer/super-peer.js';

/** Whatever holds connections, and can be told to end them. */
type Draining = Partial<Drains & BeforeApplicationShutdown>;

/** Ends what the service has begun, in order: questions that wait, connections, and what is to be written of them. */
@Injectable()
export class MeshShutdown implements Drains, BeforeApplicationShutdown {
  constructor(
    private readonly superPeer: SuperPeer,
    private readonly inbox: InboxEvents,
    private readonly transitions: SessionTransitions,
    private readonly ledger: PostgresSessionLedger,
  ) {}

  drain(): void {
    this.inbox.close();
    this.transitions.close();
    (this.superPeer as Draining).drain?.();
  }

  /** Before the database is let go of: connections tell the ledger as they close. */
  async beforeApplicationShutdown(): Promise<void> {
    this.drain();
    await (this.superPeer as Draining).beforeApplicationShutdown?.();
    await this.ledger.flush();
  }
}
