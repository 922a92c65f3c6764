import { Injectable } from '@nestjs/common';
import { INBOX_LEASE_MS } from '@svc/contracts';
import { DataSource } from 'typeorm';
import { IS_OPEN } from '../inbox/inbox-presence.js';
import { StatementBatch } from '../persistence/statement-batch.js';
import {
  INSERT_SESSION,
  insertValues,
  offerRow,
  type Replacement,
  replacementRow,
  SESSION_COLUMNS,
  type SessionChange,
  type SessionRow,
  type StoredSession,
  storedSessionOf,
} from './session-rows.js';

/** Offers that may wait in the inboxes of one peer. */
export const WAITING_MAX = 16;
/** How long a session that is over is shown. */
const SHOWN = '1 hour';

/** Why a peer cannot be called: no inbox is open, an offer of the caller waits there, or too many of others do. */
export type Unreachable = 'absent' | 'called' | 'full';

/** What became of an offer: `known` where its call has a session already. */
export type OfferOutcome = 'inserted' | 'known' | Unreachable;

/** Hex: who is called, and by whom. */
interface Reach {
  readonly targetHash: string;
  readonly offerHash: string;
}

/** Sessions of one statement: each may have two descriptions of 64 KiB. */
const FOUND_MAX = 64;
const WRITTEN_MAX = 64;

/**
 * Sessions in Postgres. One is changed by whoever has read the version that is changed: of any number at once exactly one
 * succeeds, and the others read again. What a change tells an inbox is committed with it.
 */
@Injectable()
export class SessionStore {
  constructor(private readonly dataSource: DataSource) {}

  private readonly finds = new StatementBatch<string, StoredSession | undefined>(
    ids => this.findAll('session_id', ids),
    { sizeMax: FOUND_MAX },
  );
  private readonly findsByCall = new StatementBatch<string, StoredSession | undefined>(
    keys => this.findAll('call_key', keys),
    { sizeMax: FOUND_MAX },
  );
  private readonly reaches = new StatementBatch<Reach, Unreachable | undefined>(
    reaches => this.reachAll(reaches),
    { sizeMax: WRITTEN_MAX },
  );
  private readonly offers = new StatementBatch<StoredSession, OfferOutcome>(offers => this.offerAll(offers), {
    sizeMax: WRITTEN_MAX,
    // Of two offers of one caller to one peer, and of two of one call, the second has to find the first.
    apart: ({ offerer, targetHash, callKey }) => [
      `${offerer.keyHash} ${targetHash}`,
      ...(callKey ? [callKey.toString('hex')] : []),
    ],
  });
  private readonly replacements = new StatementBatch<Replacement, boolean>(all => this.replaceAll(all), {
    sizeMax: WRITTEN_MAX,
    apart: ({ stored }) => [stored.session.id],
  });

  find(sessionId: string): Promise<StoredSession | undefined> {
    return this.finds.add(sessionId);
  }

  /** The session that a call has made. */
  findByCall(callKey: Buffer): Promise<StoredSession | undefined> {
    return this.findsByCall.add(callKey.toString('hex'));
  }

  /** Why a peer cannot be called at this moment; undefined where it can. @param hashes hex */
  unreachable(targetHash: string, offerHash: string): Promise<Unreachable | undefined> {
    return this.reaches.add({ targetHash, offerHash });
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
  insertOffer(stored: StoredSession): Promise<OfferOutcome> {
    return this.offers.add(stored);
  }

  /** Writes a change of the version that was read; false where another was faster. */
  replace(stored: StoredSession, change: SessionChange): Promise<boolean> {
    return this.replacements.add({ stored, change });
  }

  /** Sessions whose time is over, the first of them; those that another replica may hold the connection of are that one's to end. */
  due(nodeId: string, countMax: number): Promise<StoredSession[]> {
    return this.findMany(
      `(state = 'waiting' OR state = 'answered' AND coalesce(owner_node, $1) = $1) AND expires_at <= now()
       ORDER BY expires_at LIMIT $2`,
      ...[nodeId, countMax],
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

  /** Forgets a session that nobody has answered, as if its call had not been made. */
  async withdraw(sessionId: string): Promise<void> {
    await this.dataSource.query(`DELETE FROM mesh_session WHERE session_id = $1 AND state = 'waiting'`, [
      sessionId,
    ]);
  }

  /** Forgets sessions that ended long ago, and their events; returns how many. */
  async purge(): Promise<number> {
    const [, count] = await this.dataSource.query(
      `DELETE FROM mesh_session WHERE state IN ('closed', 'expired') AND changed_at < now() - interval '${SHOWN}'`,
    );
    return count;
  }

  private async findAll(
    column: 'session_id' | 'call_key',
    names: readonly string[],
  ): Promise<(StoredSession | undefined)[]> {
    const wanted = [...new Set(names)];
    const values = column === 'call_key' ? wanted.map(name => Buffer.from(name, 'hex')) : wanted;
    const found = await this.findMany(`${column} = ANY ($1)`, values);
    const nameOf = ({ session, callKey }: StoredSession) =>
      column === 'call_key' ? callKey!.toString('hex') : session.id;
    const byName = new Map(found.map(stored => [nameOf(stored), stored]));
    return names.map(name => byName.get(name));
  }

  private async reachAll(reaches: readonly Reach[]): Promise<(Unreachable | undefined)[]> {
    const rows: { unreachable: Unreachable | null }[] = await this.dataSource.query(
      `SELECT CASE
                WHEN NOT EXISTS (SELECT FROM mesh_inbox WHERE peer_hash = target AND ${IS_OPEN}) THEN 'absent'
                WHEN of_caller > 0 THEN 'called'
                WHEN of_all >= ${WAITING_MAX} THEN 'full'
              END AS unreachable
         FROM unnest($1::bytea[], $2::bytea[]) WITH ORDINALITY AS asked (target, caller, place)
        CROSS JOIN LATERAL (
               SELECT count(*) AS of_all, count(*) FILTER (WHERE offer_hash = caller) AS of_caller FROM mesh_session
                WHERE target_hash = target AND state = 'waiting' AND expires_at > now()) AS waiting
        ORDER BY place`,
      [
        reaches.map(({ targetHash }) => Buffer.from(targetHash, 'hex')),
        reaches.map(({ offerHash }) => Buffer.from(offerHash, 'hex')),
      ],
    );
    return rows.map(({ unreachable }) => unreachable ?? undefined);
  }

  /** In the order of the calls: those before take their places first. */
  private async offerAll(offers: readonly StoredSession[]): Promise<OfferOutcome[]> {
    const rows: { unreachable: Unreachable | null; is_inserted: boolean }[] = await this.dataSource.query(
      `SELECT unreachable, is_inserted FROM mesh_offer($1, $2 * interval '1 ms', $3)`,
      [JSON.stringify(offers.map(offerRow)), INBOX_LEASE_MS, WAITING_MAX],
    );
    return rows.map(row => row.unreachable ?? (row.is_inserted ? 'inserted' : 'known'));
  }

  /** Rows are locked, and then inboxes, each in one order: two replicas never wait for each other. */
  private async replaceAll(replacements: readonly Replacement[]): Promise<boolean[]> {
    const rows: { session_id: string }[] = await this.dataSource.query(
      `WITH asked AS MATERIALIZED (
         SELECT * FROM jsonb_to_recordset($1) AS change (
                id text, read_version int, progress jsonb, state text, version int, expires_at timestamptz, reason text,
                sdp_answer text, answer_proof jsonb, answer_signature text, service_public_key text,
                answer_expires_at timestamptz, notice text, notice_body jsonb)),
       held AS MATERIALIZED (
         SELECT session_id FROM mesh_session AS session JOIN asked ON session_id = id AND session.version = read_version
          ORDER BY session_id FOR UPDATE OF session),
       written AS (
         UPDATE mesh_session AS session SET
                progress = asked.progress, state = asked.state, version = asked.version, expires_at = asked.expires_at,
                reason = asked.reason, sdp_answer = coalesce(asked.sdp_answer, session.sdp_answer),
                answer_proof = coalesce(asked.answer_proof, session.answer_proof),
                answer_signature = coalesce(asked.answer_signature, session.answer_signature),
                service_public_key = coalesce(asked.service_public_key, session.service_public_key),
                answer_expires_at = coalesce(asked.answer_expires_at, session.answer_expires_at), changed_at = now()
           FROM held JOIN asked ON held.session_id = asked.id
          WHERE session.session_id = held.session_id AND session.version = asked.read_version
         RETURNING session.session_id, target_hash, notice, notice_body),
       turn AS MATERIALIZED (
         SELECT target_hash, pg_advisory_xact_lock(hashtextextended('inbox ' || encode(target_hash, 'hex'), 0))
           FROM (SELECT DISTINCT target_hash FROM written WHERE notice IS NOT NULL AND target_hash IS NOT NULL
                  ORDER BY target_hash) AS told),
       told AS (INSERT INTO mesh_inbox_event (peer_hash, session_id, type, body)
                SELECT target_hash, session_id, notice, notice_body FROM turn JOIN written USING (target_hash)
                 WHERE notice IS NOT NULL)
       SELECT session_id FROM written`,
      [JSON.stringify(replacements.map(replacementRow))],
    );
    const written = new Set(rows.map(row => row.session_id));
    return replacements.map(({ stored }) => written.has(stored.session.id));
  }

  private async findMany(where: string, ...values: unknown[]): Promise<StoredSession[]> {
    const rows: SessionRow[] = await this.dataSource.query(
      `SELECT ${SESSION_COLUMNS} FROM mesh_session WHERE ${where}`,
      values,
    );
    return rows.map(storedSessionOf);
  }
}
