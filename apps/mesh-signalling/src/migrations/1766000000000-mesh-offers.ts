import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What puts offers into the inboxes of their targets: a function, because its statements see each what was committed before
 * them. Its checks so see what others have put there before it had the inboxes to itself, and all is one trip to the database.
 */
export class MeshOffers1766000000000 implements MigrationInterface {
  readonly name = 'MeshOffers1766000000000';

  async up(runner: QueryRunner): Promise<void> {
    // Plans are made when the tables are still small, and kept: they must not scan what grows.
    await runner.query(`
      CREATE FUNCTION mesh_offer(offers jsonb, lease interval, waiting_max integer)
      RETURNS TABLE (session_id text, unreachable text, is_inserted boolean) LANGUAGE plpgsql
        SET search_path FROM CURRENT SET enable_seqscan TO off SET plan_cache_mode TO force_generic_plan AS $$
      #variable_conflict use_column
      BEGIN
        -- In one order, so that nobody waits for who waits for them.
        PERFORM pg_advisory_xact_lock(hashtextextended('inbox ' || targets.target, 0))
           FROM (SELECT DISTINCT offer->>'target_hash' COLLATE "C" AS target
                   FROM jsonb_array_elements(offers) AS offer ORDER BY 1) AS targets;
        RETURN QUERY
        WITH asked AS MATERIALIZED (
          SELECT offer.*, decode(offer.target_hash, 'hex') AS target, decode(offer.offer_hash, 'hex') AS caller,
                 decode(offer.call_key, 'hex') AS call
            FROM jsonb_to_recordset(offers) AS offer (
                   place integer, session_id text, call_key text, request_digest text, offer_key text, offer_hash text,
                   target_key text, target_hash text, sdp_offer text, offer_proof jsonb, progress jsonb, state text,
                   version integer, expires_at timestamptz)),
        seen AS (
          SELECT asked.*, waiting.count,
                 CASE WHEN NOT EXISTS (SELECT FROM mesh_inbox
                                        WHERE peer_hash = asked.target AND last_seen > now() - lease) THEN 'absent'
                      WHEN waiting.of_caller > 0 THEN 'called' END AS fault,
                 EXISTS (SELECT FROM mesh_session AS known WHERE known.call_key = asked.call) AS is_known
            FROM asked CROSS JOIN LATERAL (
                   SELECT count(*), count(*) FILTER (WHERE offer_hash = asked.caller) AS of_caller FROM mesh_session
                    WHERE target_hash = asked.target AND state = 'waiting' AND expires_at > now()) AS waiting),
        -- Those before it take their places first.
        ranked AS (
          SELECT *, count(*) FILTER (WHERE fault IS NULL AND NOT is_known) OVER (
                      PARTITION BY target ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
            FROM seen),
        judged AS MATERIALIZED (
          SELECT *, coalesce(fault, CASE WHEN count + before >= waiting_max THEN 'full' END) AS why FROM ranked),
        made AS (
          INSERT INTO mesh_session (session_id, kind, call_key, request_digest, offer_key, offer_hash, identity, target_key,
                 target_hash, sdp_offer, offer_proof, progress, state, version, expires_at)
          SELECT session_id, 'brokered', call, decode(request_digest, 'hex'), offer_key, caller, 'verified', target_key,
                 target, sdp_offer, offer_proof, progress, state, version, expires_at
            FROM judged WHERE why IS NULL ORDER BY place
          ON CONFLICT (call_key) DO NOTHING RETURNING session_id),
        offered AS (
          INSERT INTO mesh_inbox_event (peer_hash, session_id, type)
          SELECT target, session_id, 'offer' FROM judged JOIN made USING (session_id) ORDER BY place)
        SELECT judged.session_id, judged.why, made.session_id IS NOT NULL
          FROM judged LEFT JOIN made USING (session_id) ORDER BY judged.place;
      END $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP FUNCTION mesh_offer`);
  }
}
