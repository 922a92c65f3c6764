import { Injectable } from '@nestjs/common';
import { INBOX_LEASE_MS, type InboxEvent, type PeerProof } from '@svc/contracts';
import { DataSource } from 'typeorm';
import { StatementBatch } from '../persistence/statement-batch.js';
import { IS_OPEN } from './inbox-presence.js';

/** Events of one look. */
const EVENTS_MAX = 64;
/** Characters of the descriptions of one look: the bus carries 4 MB, and there may be escapes. */
const SDP_CHARS_MAX = 1_000_000;
/** Looks of one statement: its answer has the descriptions of all of them. */
const LOOKS_MAX = 32;
/** Part of a lease after which it is written anew: not each question needs a write. */
const RENEW_AFTER_MS = INBOX_LEASE_MS / 4;

/** Where somebody looks for events. */
export interface InboxPlace {
  /** That has to be open, and is kept open; without it the peer's events are read whether it has one or not. */
  readonly inboxId?: string;
  /** Hex; of an inbox its own. */
  readonly keyHash?: string;
  /** Without it, and where it is beyond the end, the place before the oldest offer that can be answered still, or the end where there is none. */
  readonly afterSeq?: number;
}

/** What is found there. */
export interface InboxLook {
  /** Of an inbox that is open. */
  readonly publicKey?: string;
  /** Hex. */
  readonly keyHash: string;
  readonly afterSeq: number;
  /** In order. */
  readonly rows: readonly InboxEventRow[];
}

/** An event with what it says of its session. */
export interface InboxEventRow {
  readonly seq: string;
  readonly type: InboxEvent['type'];
  readonly session_id: string;
  readonly body: { candidates?: string[]; reason?: string } | null;
  readonly is_waiting: boolean;
  readonly sdp_offer: string | null;
  readonly offer_proof: PeerProof | null;
  readonly expires_at: Date;
}

interface Row extends Omit<InboxEventRow, 'seq'> {
  readonly place: number;
  readonly public_key: string | null;
  readonly hash: Buffer;
  readonly after: string;
  readonly is_old: boolean | null;
  readonly seq: string | null;
}

/** Looks into inboxes; those that come together are one statement. */
@Injectable()
export class InboxLooks {
  constructor(private readonly dataSource: DataSource) {}

  private readonly looks = new StatementBatch<InboxPlace, InboxLook | undefined>(
    places => this.lookAll(places),
    { sizeMax: LOOKS_MAX },
  );

  /** @returns undefined of an inbox that is not open */
  look(place: InboxPlace): Promise<InboxLook | undefined> {
    return this.looks.add(place);
  }

  private async lookAll(places: readonly InboxPlace[]): Promise<(InboxLook | undefined)[]> {
    const rows: Row[] = await this.dataSource.query(LOOK, [
      places.map((_, place) => place),
      places.map(({ inboxId }) => inboxId ?? null),
      places.map(({ keyHash }) => (keyHash === undefined ? null : Buffer.from(keyHash, 'hex'))),
      places.map(({ afterSeq }) => afterSeq ?? null),
    ]);
    await this.renew(rows.flatMap(({ is_old: isOld, place }) => (isOld ? [places[place].inboxId!] : [])));
    const found: Row[][] = places.map(() => []);
    for (const row of rows) found[row.place].push(row);
    return found.map(lookOf);
  }

  private async renew(inboxIds: readonly string[]): Promise<void> {
    if (inboxIds.length === 0) return;
    await this.dataSource.query(`UPDATE mesh_inbox SET last_seen = now() WHERE inbox_id = ANY ($1)`, [
      [...new Set(inboxIds)],
    ]);
  }
}

function lookOf(rows: readonly Row[]): InboxLook | undefined {
  if (rows.length === 0) return undefined;
  const [{ public_key: publicKey, hash, after }] = rows;
  return {
    ...(publicKey !== null && { publicKey }),
    ...{ keyHash: hash.toString('hex'), afterSeq: Number(after) },
    rows: rows.flatMap(eventRowOf),
  };
}

function eventRowOf({ seq, type, session_id, body, is_waiting, sdp_offer, offer_proof, expires_at }: Row) {
  if (seq === null) return [];
  return [{ seq, type, session_id, body, is_waiting, sdp_offer, offer_proof, expires_at }];
}

/** An offer that can be answered still. */
const IS_WAITING = `type = 'offer' AND state = 'waiting' AND expires_at > now()`;

/** Of each place at least one row, with no event where there is none; of an inbox that is not open none. */
const LOOK = `
  SELECT asked.place, inbox.public_key, inbox.is_old, owner.hash, start.after, event.*
    FROM unnest($1::int[], $2::text[], $3::bytea[], $4::bigint[]) AS asked (place, inbox_id, hash, after)
    LEFT JOIN LATERAL (
           SELECT peer_hash, public_key, last_seen < now() - interval '${RENEW_AFTER_MS} milliseconds' AS is_old
             FROM mesh_inbox WHERE inbox_id = asked.inbox_id AND ${IS_OPEN}) AS inbox ON true
   CROSS JOIN LATERAL (SELECT CASE WHEN asked.inbox_id IS NULL THEN asked.hash ELSE inbox.peer_hash END AS hash) AS owner
   CROSS JOIN LATERAL (
           SELECT coalesce(CASE WHEN asked.after <= (SELECT max(seq) FROM mesh_inbox_event WHERE peer_hash = owner.hash)
                                THEN asked.after END, (
                    SELECT coalesce(min(seq) FILTER (WHERE ${IS_WAITING}) - 1, max(seq))
                      FROM mesh_inbox_event JOIN mesh_session USING (session_id) WHERE peer_hash = owner.hash), 0) AS after
         ) AS start
    LEFT JOIN LATERAL (
           SELECT seq, type, session_id, body, expires_at, is_waiting, offer_proof, sdp_offer FROM (
             SELECT seq, type, session_id, body, expires_at, is_waiting, offer_proof,
                    CASE WHEN is_waiting THEN sdp_offer END AS sdp_offer,
                    sum(CASE WHEN is_waiting THEN length(sdp_offer) ELSE 0 END) OVER (ORDER BY seq) AS chars,
                    row_number() OVER (ORDER BY seq) AS nth
               FROM (SELECT *, ${IS_WAITING} AS is_waiting
                       FROM mesh_inbox_event JOIN mesh_session USING (session_id)
                      WHERE peer_hash = owner.hash AND seq > start.after ORDER BY seq LIMIT ${EVENTS_MAX}) AS next) AS sized
            WHERE chars <= ${SDP_CHARS_MAX} OR nth = 1) AS event ON true
   WHERE owner.hash IS NOT NULL ORDER BY asked.place, event.seq`;
