import { Injectable } from '@nestjs/common';
import type { PeerSession } from '@svc/mesh';
import { inTransaction } from '@svc/platform';
import { DataSource } from 'typeorm';
import { IS_OPEN } from '../inbox/inbox-presence.js';
import {
  type GivenAnswer,
  INSERT_SESSION,
  insertValues,
  SESSION_COLUMNS,
  type SessionRow,
  type StoredSession,
  storedSessionOf,
} from './session-rows.js';

/** Offers that may wait in the inboxes of one peer. */
export const WAITING_MAX = 16;
/** How long a session that is over is shown. */
const SHOWN = '1 hour';

/** What the peer that was called is told of a change, in its inbox. */
export type InboxNotice =
  | { readonly type: 'candidates'; readonly candidates: readonly string[] }
  | { readonly type: 'closed'; readonly reason: string };

/** What is written with a change of a session. */
export interface SessionChange {
  readonly next: PeerSession;
  readonly answer?: GivenAnswer;
  /** Of a session that is over then. */
  readonly reason?: string;
  readonly notice?: InboxNotice;
}

/** Why a peer cannot be called: no inbox is open, an offer of the caller waits there, or too many of others do. */
export type Unreachable = 'absent' | 'called' | 'full';

/**
 * Sessions in Postgres. One is changed by whoever has read the version that is changed: of any number at once exactly one
 * succeeds, and the others read again. What a change tells an inbox is committed with it.
 */
@Injectable()
export class SessionStore {
  constructor(private readonly dataSource: DataSource) {}

  find(sessionId: string): Promise<StoredSession | undefined> {
    return this.findOne('session_id = $1', sessionId);
  }

  /** The session that a call has made. */
  findByCall(callKey: Buffer): Promise<StoredSession | undefined> {
    return this.findOne('call_key = $1', callKey);
  }

  /** Why a peer cannot be called at this moment; undefined where it can. @param hashes hex */
  async unreachable(targetHash: string, offerHash: string): Promise<Unreachable | undefined> {
    const [{ unreachable }]: [{ unreachable: Unreachable | null }] = await this.dataSource.query(
      reachability('$1', '$2'),
      [Buffer.from(targetHash, 'hex'), Buffer.from(offerHash, 'hex')],
    );
    return unreachable ?? undefined;
  }

  /** Keeps a new session that the service answers itself; false where the call has one already. */
  async insert(stored: StoredSession): Promise<boolean> {
    const rows: unknown[] = await this.dataSource.query(
      `${INSERT_SESSION} ON CONFLICT (call_key) DO NOTHING RETURNING 1`,
      insertValues(stored),
    );
    return rows.length === 1;
  }

  /**
   * Keeps a new session and puts its offer into the inbox of its target.
   * @returns `known` where the call has a session already; or why the target cannot be called
   */
  insertOffer(stored: StoredSession): Promise<'inserted' | 'known' | Unreachable> {
    return inTransaction(this.dataSource, async manager => {
      // Two at once would each find room for one.
      await manager.query(`SELECT pg_advisory_xact_lock(${inboxLock('$1::text')})`, [stored.targetHash]);
      const [row]: [{ unreachable: Unreachable | null; is_inserted: boolean }] = await manager.query(
        `WITH target AS MATERIALIZED (${reachability('$9::bytea', '$6::bytea')}),
         made AS (${INSERT_SESSION} FROM target WHERE unreachable IS NULL
                  ON CONFLICT (call_key) DO NOTHING RETURNING session_id, target_hash),
         offered AS (INSERT INTO mesh_inbox_event (peer_hash, session_id, type)
                     SELECT target_hash, session_id, 'offer' FROM made)
         SELECT unreachable, EXISTS (SELECT FROM made) AS is_inserted FROM target`,
        insertValues(stored),
      );
      return row.unreachable ?? (row.is_inserted ? 'inserted' : 'known');
    });
  }

  /** Writes a change of the version that was read; false where another was faster. */
  async replace({ session }: StoredSession, change: SessionChange): Promise<boolean> {
    const { next, answer, reason, notice } = change;
    const { type, ...body } = notice ?? {};
    const [{ count }]: [{ count: number }] = await this.dataSource.query(
      `WITH written AS (
         UPDATE mesh_session SET progress = $3, state = $4, version = $5, expires_at = to_timestamp($6 / 1000.0),
                reason = $7, sdp_answer = coalesce($8, sdp_answer), answer_proof = coalesce($9, answer_proof),
                answer_signature = coalesce($10, answer_signature),
                service_public_key = coalesce($11, service_public_key),
                answer_expires_at = coalesce(to_timestamp($12 / 1000.0), answer_expires_at), changed_at = now()
          WHERE session_id = $1 AND version = $2 RETURNING session_id, target_hash),
       turn AS MATERIALIZED (
         SELECT session_id, target_hash, pg_advisory_xact_lock(${inboxLock(`encode(target_hash, 'hex')`)})
           FROM written WHERE $13::text IS NOT NULL AND target_hash IS NOT NULL),
       told AS (INSERT INTO mesh_inbox_event (peer_hash, session_id, type, body)
                SELECT target_hash, session_id, $13, $14::jsonb FROM turn)
       SELECT count(*)::int AS count FROM written`,
      [
        ...[session.id, session.version, JSON.stringify(next), next.state, next.version, next.expiresAtMs],
        ...[reason ?? null, answer?.sdpAnswer ?? null, answer?.proof ? JSON.stringify(answer.proof) : null],
        ...[answer?.signature ?? null, answer?.servicePublicKey ?? null, answer?.expiresAtMs ?? null],
        ...[type ?? null, notice ? JSON.stringify(body) : null],
      ],
    );
    return count === 1;
  }

  /** Sessions whose time is over, the first of them; those of a living connection are their owner's to end. */
  due(countMax: number): Promise<StoredSession[]> {
    return this.findMany(
      `state IN ('waiting', 'answered') AND expires_at <= now() ORDER BY expires_at LIMIT $1`,
      countMax,
    );
  }

  /** Sessions that a replica is said to hold the connection of, in the order of their ids, after one of them. */
  heldBy(node: string, after: string, countMax: number): Promise<StoredSession[]> {
    return this.findMany(
      `owner_node = $1 AND state IN ('answered', 'connected') AND session_id > $2 ORDER BY session_id LIMIT $3`,
      ...[node, after, countMax],
    );
  }

  /** Replicas that are said to hold a connection. */
  async owners(): Promise<string[]> {
    const rows: { owner_node: string }[] = await this.dataSource.query(
      `SELECT DISTINCT owner_node FROM mesh_session
        WHERE owner_node IS NOT NULL AND state IN ('answered', 'connected')`,
    );
    return rows.map(({ owner_node: node }) => node);
  }

  /** Of sessions, those that have ended, and why; one that is forgotten has. */
  async endedOf(sessionIds: readonly string[]): Promise<{ sessionId: string; reason: string }[]> {
    const rows: { session_id: string; reason: string }[] = await this.dataSource.query(
      `SELECT session_id, coalesce(reason, 'EXPIRED') AS reason
         FROM unnest($1::text[]) AS held (session_id) LEFT JOIN mesh_session USING (session_id)
        WHERE state IS NULL OR state IN ('closed', 'expired')`,
      [sessionIds],
    );
    return rows.map(row => ({ sessionId: row.session_id, reason: row.reason }));
  }

  /** Forgets sessions that ended long ago, and their events; returns how many. */
  async purge(): Promise<number> {
    const [, count] = await this.dataSource.query(
      `DELETE FROM mesh_session WHERE state IN ('closed', 'expired') AND changed_at < now() - interval '${SHOWN}'`,
    );
    return count;
  }

  private async findOne(where: string, value: unknown): Promise<StoredSession | undefined> {
    return (await this.findMany(where, value))[0];
  }

  private async findMany(where: string, ...values: unknown[]): Promise<StoredSession[]> {
    const rows: SessionRow[] = await this.dataSource.query(
      `SELECT ${SESSION_COLUMNS} FROM mesh_session WHERE ${where}`,
      values,
    );
    return rows.map(storedSessionOf);
  }
}

/** One row: why a peer cannot be called by another. */
const reachability = (targetHash: string, offerHash: string) => `
  SELECT CASE
           WHEN NOT EXISTS (SELECT FROM mesh_inbox WHERE peer_hash = ${targetHash} AND ${IS_OPEN}) THEN 'absent'
           WHEN count(*) FILTER (WHERE offer_hash = ${offerHash}) > 0 THEN 'called'
           WHEN count(*) >= ${WAITING_MAX} THEN 'full'
         END AS unreachable
    FROM mesh_session WHERE target_hash = ${targetHash} AND state = 'waiting' AND expires_at > now()`;

/**
 * Held by whoever adds an event to an inbox until that is committed: numbers are given out in the order of the commits, so
 * that nobody who has read up to one misses an earlier one.
 */
const inboxLock = (targetHash: string) => `hashtextextended('inbox ' || ${targetHash}, 0)`;
