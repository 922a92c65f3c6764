import type { TableRights } from '@svc/platform';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Signalling sessions, inboxes with their events, nonces of proofs, and what callers have spent of a minute. */
export class MeshSessions1765000000000 implements MigrationInterface {
  readonly name = 'MeshSessions1765000000000';

  async up(runner: QueryRunner): Promise<void> {
    // What a peer has signed is worth nothing again: of the same nonce only the same call is let through.
    await runner.query(`
      CREATE TABLE mesh_nonce (
        key_hash bytea NOT NULL CHECK (length(key_hash) = 32),
        nonce bytea NOT NULL CHECK (length(nonce) = 16),
        call_key bytea CHECK (length(call_key) = 32),
        used_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (key_hash, nonce)
      )`);
    await runner.query(`CREATE INDEX mesh_nonce_used ON mesh_nonce (used_at)`);
    // Lost with a crash, the counts of one minute begin anew: not worth a flush of the log for each call.
    await runner.query(`
      CREATE UNLOGGED TABLE mesh_allowance (
        name text PRIMARY KEY CHECK (length(name) BETWEEN 1 AND 128),
        spent int NOT NULL CHECK (spent > 0),
        ends_at timestamptz NOT NULL
      )`);
    await runner.query(`CREATE INDEX mesh_allowance_end ON mesh_allowance (ends_at)`);
    await runner.query(`
      CREATE TABLE mesh_inbox (
        inbox_id text PRIMARY KEY CHECK (inbox_id ~ '^inbox_[A-Za-z0-9_-]{22}$'),
        peer_hash bytea NOT NULL CHECK (length(peer_hash) = 32),
        public_key text NOT NULL CHECK (public_key ~ '^([0-9a-f]{64}|[0-9a-f]{66})$'),
        last_seen timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`CREATE INDEX mesh_inbox_peer ON mesh_inbox (peer_hash, last_seen)`);
    await runner.query(`CREATE INDEX mesh_inbox_seen ON mesh_inbox (last_seen)`);
    await this.createSessions(runner);
    await runner.query(`
      CREATE TABLE mesh_inbox_event (
        seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        peer_hash bytea NOT NULL CHECK (length(peer_hash) = 32),
        session_id text NOT NULL REFERENCES mesh_session ON DELETE CASCADE,
        type text NOT NULL CHECK (type IN ('offer', 'candidates', 'closed')),
        body jsonb CHECK ((body IS NULL) = (type = 'offer'))
      )`);
    await runner.query(`CREATE INDEX mesh_inbox_event_next ON mesh_inbox_event (peer_hash, seq)`);
    await runner.query(`CREATE INDEX mesh_inbox_event_session ON mesh_inbox_event (session_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE mesh_inbox_event, mesh_session, mesh_inbox, mesh_allowance, mesh_nonce`);
  }

  /** `progress` is the session as its state machine has it; what is asked for by SQL stands in columns beside it. */
  private async createSessions(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE mesh_session (
        session_id text PRIMARY KEY CHECK (session_id ~ '^mesh_[A-Za-z0-9_-]{22}$'),
        kind text NOT NULL CHECK (kind IN ('super_peer', 'brokered')),
        call_key bytea UNIQUE CHECK (length(call_key) = 32),
        request_digest bytea NOT NULL CHECK (length(request_digest) = 32),
        owner_node text CHECK (length(owner_node) BETWEEN 1 AND 64),
        offer_key text NOT NULL CHECK (offer_key ~ '^([0-9a-f]{64}|[0-9a-f]{66})$'),
        offer_hash bytea NOT NULL CHECK (length(offer_hash) = 32),
        identity text NOT NULL CHECK (identity IN ('verified', 'unverified')),
        target_key text CHECK (target_key ~ '^([0-9a-f]{64}|[0-9a-f]{66})$'),
        target_hash bytea CHECK (length(target_hash) = 32),
        sdp_offer text NOT NULL CHECK (length(sdp_offer) BETWEEN 1 AND 65536),
        offer_proof jsonb,
        sdp_answer text CHECK (length(sdp_answer) BETWEEN 1 AND 65536),
        answer_proof jsonb,
        answer_signature text CHECK (answer_signature ~ '^[0-9a-f]{128}$'),
        service_public_key text CHECK (service_public_key ~ '^[0-9a-f]{64}$'),
        answer_expires_at timestamptz,
        progress jsonb NOT NULL,
        state text NOT NULL CHECK (state IN ('waiting', 'answered', 'connected', 'closed', 'expired')),
        version int NOT NULL CHECK (version > 0),
        reason text CHECK (length(reason) BETWEEN 1 AND 64),
        expires_at timestamptz NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        changed_at timestamptz NOT NULL DEFAULT now(),
        CHECK ((reason IS NOT NULL) = (state IN ('closed', 'expired'))),
        CHECK ((kind = 'super_peer') = (owner_node IS NOT NULL)),
        CHECK (num_nonnulls(target_key, target_hash) = CASE kind WHEN 'brokered' THEN 2 ELSE 0 END),
        CHECK (num_nonnulls(sdp_answer, answer_signature, service_public_key, answer_expires_at) IN (0, 4)),
        CHECK (kind = 'super_peer' OR identity = 'verified'),
        CHECK ((identity = 'verified') = (offer_proof IS NOT NULL)),
        CHECK (sdp_answer IS NULL OR (kind = 'brokered') = (answer_proof IS NOT NULL))
      )`);
    await runner.query(`
      CREATE INDEX mesh_session_waiting ON mesh_session (target_hash, expires_at) WHERE state = 'waiting'`);
    await runner.query(`
      CREATE INDEX mesh_session_due ON mesh_session (expires_at) WHERE state IN ('waiting', 'answered')`);
    await runner.query(`
      CREATE INDEX mesh_session_owner ON mesh_session (owner_node, session_id)
       WHERE owner_node IS NOT NULL AND state IN ('answered', 'connected')`);
    await runner.query(`
      CREATE INDEX mesh_session_ended ON mesh_session (changed_at) WHERE state IN ('closed', 'expired')`);
  }
}

/** What was offered, and to whom, stays as it was, but that a digest of an earlier release is keyed; so does an event. */
export const MESH_SESSION_RIGHTS: TableRights = {
  mesh_nonce: ['SELECT', 'INSERT', 'UPDATE (used_at)', 'DELETE'],
  mesh_allowance: ['SELECT', 'INSERT', 'UPDATE (spent, ends_at)', 'DELETE'],
  mesh_inbox: ['SELECT', 'INSERT', 'UPDATE (last_seen)', 'DELETE'],
  mesh_session: [
    ...['SELECT', 'INSERT', 'DELETE'],
    `UPDATE (request_digest, progress, state, version, expires_at, reason, sdp_answer, answer_proof, answer_signature, service_public_key, answer_expires_at, changed_at)`,
  ],
  mesh_inbox_event: ['SELECT', 'INSERT', 'DELETE'],
};
