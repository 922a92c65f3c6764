import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { INBOX_LEASE_MS } from '@svc/contracts';
import {
  PRESENCE_BOARD,
  type PresenceBoard,
  SERVICE_ENVIRONMENT,
  type ServiceEnvironment,
} from '@svc/platform';
import { DataSource } from 'typeorm';
import { MeshSettings } from '../mesh-config.js';
import { NODE_ID } from '../node-id.js';
import type { PeerPresence } from '../peer/peer.js';
import { PresenceClaims } from '../super-peer/presence-claims.js';

/** An inbox that is open. */
export interface OpenInbox {
  readonly inboxId: string;
  readonly publicKey: string;
  /** Hex. */
  readonly keyHash: string;
}

/** Of a row of `mesh_inbox`, by the clock of the database. */
export const IS_OPEN = `last_seen > now() - interval '${INBOX_LEASE_MS} milliseconds'`;

const ROUND_MS = INBOX_LEASE_MS / 4;

/**
 * Says on the board that peers with an open inbox are there. The replica that was asked first says so while the inbox is open,
 * whichever is asked for its events then; the others that are asked take that over where it ends.
 */
@Injectable()
export class InboxPresence implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly claims: PresenceClaims;
  /** Inboxes that this replica was asked for, with their peers, and their keys on the board. */
  private readonly seenHere = new Map<string, { readonly keyHash: string; readonly key: string }>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(PRESENCE_BOARD) board: PresenceBoard,
    @Inject(NODE_ID) private readonly nodeId: string,
    { presenceTtlMs }: MeshSettings,
    @Inject(SERVICE_ENVIRONMENT) private readonly environment: Pick<ServiceEnvironment, 'logger'>,
  ) {
    this.claims = new PresenceClaims(board, presenceTtlMs, environment.logger);
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.look(), ROUND_MS).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.claims.close();
  }

  /** The peer of an inbox was heard of. */
  seen({ inboxId, publicKey, keyHash }: OpenInbox): void {
    if (this.seenHere.has(inboxId)) return;
    const key = `peer.${keyHash}.${inboxId}`;
    this.seenHere.set(inboxId, { keyHash, key });
    const presence: PeerPresence = { via: 'inbox', nodeId: this.nodeId, publicKey, since: Date.now() };
    this.claims.hold(key, presence);
  }

  /** The inbox is closed. */
  gone(inboxId: string): void {
    const seen = this.seenHere.get(inboxId);
    if (!seen) return;
    this.seenHere.delete(inboxId);
    this.claims.let(seen.key);
  }

  /** Whose inbox it is, where this replica was asked for it before. @returns hex */
  keyHashOf(inboxId: string): string | undefined {
    return this.seenHere.get(inboxId)?.keyHash;
  }

  /** Looks which inboxes are open still: another replica may have closed one, or nobody asks for it any more. Never rejects. */
  async look(): Promise<void> {
    const seen = [...this.seenHere.keys()];
    if (seen.length === 0) return;
    try {
      const rows: { inbox_id: string }[] = await this.dataSource.query(
        `SELECT inbox_id FROM mesh_inbox WHERE inbox_id = ANY ($1) AND ${IS_OPEN}`,
        [seen],
      );
      const open = new Set(rows.map(row => row.inbox_id));
      for (const inboxId of seen) if (!open.has(inboxId)) this.gone(inboxId);
    } catch (error) {
      this.environment.logger.warn({ reason: (error as Error).message }, 'Inboxes could not be looked at');
    }
  }
}
