import { Injectable } from '@nestjs/common';
import { inTransaction, newId, problem } from '@svc/platform';
import { DataSource } from 'typeorm';
import type { Peer } from '../peer/peer.js';
import { InboxPresence, IS_OPEN, type OpenInbox } from './inbox-presence.js';

/** Inboxes that one peer may have open: as many devices, or tabs. */
export const INBOXES_MAX = 8;

/** Inboxes, in Postgres: one is open as long as somebody asks for its events within each lease. Any replica answers. */
@Injectable()
export class Inboxes {
  constructor(
    private readonly dataSource: DataSource,
    private readonly presence: InboxPresence,
  ) {}

  /** @throws ProblemError CONFLICT beyond {@link INBOXES_MAX} */
  async open({ keyHash, publicKey }: Peer): Promise<OpenInbox> {
    const inbox = { inboxId: newId('inbox'), keyHash, publicKey };
    await inTransaction(this.dataSource, async manager => {
      // Two at once would each find room for one.
      await manager.query(`SELECT pg_advisory_xact_lock(hashtextextended('inboxes of ' || $1, 0))`, [
        keyHash,
      ]);
      const rows: unknown[] = await manager.query(
        `INSERT INTO mesh_inbox (inbox_id, peer_hash, public_key)
         SELECT $1, $2, $3 WHERE (SELECT count(*) FROM mesh_inbox WHERE peer_hash = $2 AND ${IS_OPEN}) < $4
         RETURNING 1`,
        [inbox.inboxId, Buffer.from(keyHash, 'hex'), publicKey, INBOXES_MAX],
      );
      if (rows.length > 0) return;
      const detail = `The peer has ${INBOXES_MAX} inboxes open: close one first`;
      throw problem('CONFLICT', detail, { extensions: { inboxesMax: INBOXES_MAX } });
    });
    this.presence.seen(inbox);
    return inbox;
  }

  /** Closes an inbox, if it is open. */
  async close(inboxId: string): Promise<void> {
    await this.dataSource.query(`DELETE FROM mesh_inbox WHERE inbox_id = $1`, [inboxId]);
    this.presence.gone(inboxId);
  }

  /** Forgets inboxes that nobody asks any more; returns how many. */
  async purge(): Promise<number> {
    const [, count] = await this.dataSource.query(`DELETE FROM mesh_inbox WHERE NOT (${IS_OPEN})`);
    return count;
  }
}
