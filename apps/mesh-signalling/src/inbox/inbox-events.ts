import { Inject, Injectable } from '@nestjs/common';
import type { InboxEvent, PeerProof } from '@svc/contracts';
import {
  BUS_LINK,
  type BusLink,
  NoticeBoard,
  SERVICE_ENVIRONMENT,
  type ServiceEnvironment,
} from '@svc/platform';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { IceServers } from '../identity/ice-servers.js';
import { Inboxes } from './inboxes.js';
import { Waiters } from './waiters.js';

/** Events of one answer. */
const EVENTS_MAX = 64;
/** Characters of the descriptions of one answer: the bus carries 4 MB, and there may be escapes. */
const SDP_CHARS_MAX = 1_000_000;
/** How often an open question looks into the table by itself: a notice may be lost, and a caller waits 10 s for an answer. */
const LOOK_MS = 4_000;
const WAITERS = { countMax: 4_096, topicMax: 32 };

const InboxNotice = z.object({ keyHash: z.string().max(64) });

/** Events, and the place after them. */
export interface InboxNews {
  readonly events: { readonly seq: number; readonly event: InboxEvent }[];
  readonly lastSeq: number;
}

interface Row {
  readonly seq: string;
  readonly type: InboxEvent['type'];
  readonly session_id: string;
  readonly body: { candidates?: string[]; reason?: string } | null;
  readonly is_waiting: boolean;
  readonly sdp_offer: string | null;
  readonly offer_proof: PeerProof | null;
  readonly expires_at: Date;
}

/**
 * What happens to the sessions that a peer was called to, in the order in which it is to hear of it. A question that is held
 * open hears of an event over a notice of whichever replica wrote it, and looks every few seconds in any case.
 */
@Injectable()
export class InboxEvents {
  private readonly waiters = new Waiters(WAITERS);
  private readonly notices: NoticeBoard<typeof InboxNotice>;

  constructor(
    private readonly dataSource: DataSource,
    private readonly inboxes: Inboxes,
    private readonly iceServers: IceServers,
    @Inject(BUS_LINK) link: BusLink,
    @Inject(SERVICE_ENVIRONMENT) { logger }: Pick<ServiceEnvironment, 'logger'>,
  ) {
    this.notices = new NoticeBoard(link, 'mesh-signalling', 'inbox', InboxNotice, logger);
    this.notices.hear(({ keyHash }) => this.waiters.wake(keyHash));
  }

  /** Says to every replica that there is an event, once it is committed. */
  tell(keyHash: string): void {
    this.notices.tell({ keyHash });
  }

  /**
   * Events of an inbox after a place, or from the oldest offer that can be answered still; none where there are none within
   * `waitMs`. @throws ProblemError NOT_FOUND where the inbox is not open; OVERLOADED where too many wait
   */
  async next(inboxId: string, afterSeq: number | undefined, waitMs: number): Promise<InboxNews> {
    const until = performance.now() + waitMs;
    const { keyHash } = await this.inboxes.renew(inboxId);
    let after = afterSeq ?? (await this.begin(keyHash));
    for (;;) {
      // Before the look: an event that comes after it wakes the wait.
      const woken = this.waiters.expect(keyHash);
      try {
        const news = await this.read(keyHash, after);
        const leftMs = until - performance.now();
        if (news.events.length > 0 || leftMs <= 0 || this.waiters.isClosed) return news;
        const isAllRead = news.lastSeq === after;
        after = news.lastSeq;
        // Offers that cannot be answered any more are passed over, and there may be more behind them.
        if (isAllRead) await woken.within(Math.min(LOOK_MS, leftMs));
      } finally {
        woken.end();
      }
    }
  }

  /** Nobody waits any longer: who asked asks again, and another replica answers. */
  close(): void {
    this.waiters.close();
  }

  /** The place before the oldest offer that waits; without one, after all that was. */
  private async begin(keyHash: string): Promise<number> {
    const [row]: { after: string | null }[] = await this.dataSource.query(
      `SELECT coalesce(min(seq) FILTER (WHERE type = 'offer' AND state = 'waiting' AND expires_at > now()) - 1, max(seq)) AS after
         FROM mesh_inbox_event JOIN mesh_session USING (session_id) WHERE peer_hash = $1`,
      [Buffer.from(keyHash, 'hex')],
    );
    return Number(row.after ?? 0);
  }

  private async read(keyHash: string, after: number): Promise<InboxNews> {
    const rows: Row[] = await this.dataSource.query(
      `SELECT seq, type, session_id, body, expires_at, is_waiting, offer_proof, sdp_offer FROM (
         SELECT seq, type, session_id, body, expires_at, is_waiting, offer_proof,
                CASE WHEN is_waiting THEN sdp_offer END AS sdp_offer,
                sum(CASE WHEN is_waiting THEN length(sdp_offer) ELSE 0 END) OVER (ORDER BY seq) AS chars,
                row_number() OVER (ORDER BY seq) AS place
           FROM (SELECT *, type = 'offer' AND state = 'waiting' AND expires_at > now() AS is_waiting
                   FROM mesh_inbox_event JOIN mesh_session USING (session_id)
                  WHERE peer_hash = $1 AND seq > $2 ORDER BY seq LIMIT $3) AS next) AS sized
        WHERE chars <= $4 OR place = 1 ORDER BY seq`,
      [Buffer.from(keyHash, 'hex'), after, EVENTS_MAX, SDP_CHARS_MAX],
    );
    const lastSeq = Math.max(after, ...rows.map(({ seq }) => Number(seq)));
    const events = rows.flatMap(row => {
      const event = this.eventOf(row, keyHash);
      return event ? [{ seq: Number(row.seq), event }] : [];
    });
    return { events, lastSeq };
  }

  /** None of an offer that cannot be answered any more. */
  private eventOf(row: Row, keyHash: string): InboxEvent | undefined {
    const { type, session_id: sessionId, body, is_waiting: isWaiting } = row;
    switch (type) {
      case 'candidates':
        return { type, sessionId, candidates: body?.candidates ?? [] };
      case 'closed':
        return { type, sessionId, reason: body?.reason ?? '' };
      case 'offer': {
        const { sdp_offer: sdpOffer, offer_proof: peerProof } = row;
        if (!isWaiting || !sdpOffer || !peerProof) return undefined;
        const iceServers = this.iceServers.of(keyHash, Date.now());
        return { type, sessionId, sdpOffer, peerProof, iceServers, expiresAt: row.expires_at.toISOString() };
      }
    }
  }
}
