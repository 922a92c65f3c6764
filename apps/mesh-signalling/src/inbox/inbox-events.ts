import { Inject, Injectable } from '@nestjs/common';
import type { InboxEvent } from '@svc/contracts';
import {
  BUS_LINK,
  type BusLink,
  problem,
  SERVICE_ENVIRONMENT,
  type ServiceEnvironment,
  TopicNews,
} from '@svc/platform';
import { IceServers } from '../identity/ice-servers.js';
import { type InboxEventRow, type InboxLook, InboxLooks, type InboxPlace } from './inbox-looks.js';
import { InboxPresence } from './inbox-presence.js';

/** How often an open question looks into the table by itself: a notice may be lost, and a caller waits 10 s for an answer. */
const LOOK_MS = 4_000;
const QUESTIONS = { topic: 'inbox', topicMax: 32, countMax: 4_096 };

/** Events, and the place after them. */
export interface InboxNews {
  readonly events: { readonly seq: number; readonly event: InboxEvent }[];
  readonly lastSeq: number;
}

/**
 * What happens to the sessions that a peer was called to, in the order in which it is to hear of it. A question that is held
 * open hears of an event over a notice of whichever replica wrote it, and looks every few seconds in any case.
 */
@Injectable()
export class InboxEvents {
  private readonly news: TopicNews;

  constructor(
    private readonly looks: InboxLooks,
    private readonly presence: InboxPresence,
    private readonly iceServers: IceServers,
    @Inject(BUS_LINK) link: BusLink,
    @Inject(SERVICE_ENVIRONMENT) { logger }: Pick<ServiceEnvironment, 'logger'>,
  ) {
    this.news = new TopicNews({ link, service: 'mesh-signalling', logger }, QUESTIONS);
  }

  /** Says to every replica that there is an event, once it is committed. */
  tell(keyHash: string): void {
    this.news.tell(keyHash);
  }

  /**
   * Events of an inbox after a place, or from the oldest offer that can be answered still; none where there are none within
   * `waitMs`. @throws ProblemError NOT_FOUND where the inbox is not open; OVERLOADED where too many wait
   */
  async next(inboxId: string, afterSeq: number | undefined, waitMs: number): Promise<InboxNews> {
    const until = performance.now() + waitMs;
    let keyHash = this.presence.keyHashOf(inboxId);
    let place: InboxPlace = { inboxId, ...(afterSeq !== undefined && { afterSeq }) };
    for (;;) {
      // Before the look: an event that comes after it wakes the wait.
      const woken = keyHash === undefined ? undefined : this.news.expect(keyHash);
      try {
        const look = await this.looks.look(place);
        if (!look) throw problem('NOT_FOUND', 'No inbox of this id is open: open another');
        ({ keyHash } = look);
        if (look.publicKey !== undefined) this.presence.seen({ inboxId, keyHash, publicKey: look.publicKey });
        const news = this.newsOf(look);
        const leftMs = until - performance.now();
        if (news.events.length > 0 || leftMs <= 0 || this.news.isClosed) return news;
        place = { keyHash, afterSeq: news.lastSeq };
        // Offers that cannot be answered any more are passed over, and there may be more behind them.
        // A timer drops what is less than a millisecond, and would leave a rest that is worth no look.
        if (look.rows.length === 0) await woken?.within(Math.min(LOOK_MS, Math.ceil(leftMs)));
      } finally {
        woken?.end();
      }
    }
  }

  /** Nobody waits any longer: who asked asks again, and another replica answers. */
  close(): void {
    this.news.close();
  }

  private newsOf({ rows, keyHash, afterSeq }: InboxLook): InboxNews {
    const events = rows.flatMap(row => {
      const event = this.eventOf(row, keyHash);
      return event ? [{ seq: Number(row.seq), event }] : [];
    });
    return { events, lastSeq: Number(rows.at(-1)?.seq ?? afterSeq) };
  }

  /** None of an offer that cannot be answered any more. */
  private eventOf(row: InboxEventRow, keyHash: string): InboxEvent | undefined {
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
