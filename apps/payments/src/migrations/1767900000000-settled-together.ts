import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Records that the money of held claims was taken: books it in, what came beyond a price as the credit of its payer, and holds each claim
 * anew. All of a batch in the same statements. A claim that is not as its holder left it, and a payment of which something was asked
 * back meanwhile, are left alone and not answered.
 */
const SETTLE_HELD = `
CREATE FUNCTION settle_held(settlements jsonb, lease_seconds integer, give_ups_max integer, lazily boolean)
RETURNS TABLE (place integer, given_up_count integer, credit_micro_usd bigint)
LANGUAGE plpgsql SET search_path FROM CURRENT SET plan_cache_mode TO force_generic_plan
  SET enable_seqscan TO off AS $$
#variable_conflict use_column
DECLARE mine uuid[]; others uuid[];
BEGIN
  IF lazily THEN
    -- A later commit that is waited for brings this one to the disk too.
    PERFORM set_config('synchronous_commit', 'off', true);
  END IF;
  -- In one order, so that two batches never wait for each other.
  SELECT array_agg(held.claim_id) INTO mine
    FROM (SELECT s.* FROM jsonb_to_recordset(settlements) AS s (claim_id uuid, attempt integer, charged bigint)
           ORDER BY s.claim_id) asked,
         LATERAL (SELECT c.claim_id FROM payment_claim c
                   WHERE c.claim_id = asked.claim_id AND c.attempt = asked.attempt AND c.state || '' = 'claimed'
                     AND c.settlement = 'pending' AND c.amount_micro_usd <= asked.charged
                     AND (c.given_up_count < give_ups_max OR NOT lazily)
                     FOR UPDATE) held;
  -- Looked at under the locks of the claims, which a refund or a dispute waits for.
  SELECT array_agg(s.claim_id) INTO others
    FROM jsonb_to_recordset(settlements) AS s (claim_id uuid, reference text)
   WHERE EXISTS (SELECT FROM credit_reversal r
                  WHERE r.payment_intent_id = s.reference AND r.asked_micro_usd > r.taken_micro_usd);
  IF others IS NOT NULL THEN
    SELECT array_agg(kept.claim_id) INTO mine
      FROM unnest(mine) AS kept (claim_id) WHERE kept.claim_id <> ALL (others);
  END IF;
  IF mine IS NULL THEN
    RETURN;
  END IF;
  INSERT INTO account (account_id, kind)
  SELECT s.account_id, 'derived'
    FROM jsonb_to_recordset(settlements) AS s (claim_id uuid, account_id text)
   WHERE s.account_id IS NOT NULL AND s.claim_id = ANY (mine)
   ORDER BY s.account_id ON CONFLICT (account_id) DO NOTHING;
  INSERT INTO api_key (key_id, account_id, key_hash)
  SELECT s.key_id, s.account_id, decode(s.key_hash, 'hex')
    FROM jsonb_to_recordset(settlements) AS s (claim_id uuid, account_id text, key_id text, key_hash text)
   WHERE s.account_id IS NOT NULL AND s.claim_id = ANY (mine)
   ORDER BY s.key_id ON CONFLICT (key_id) DO NOTHING;
  PERFORM FROM account a
    WHERE a.account_id IN (SELECT s.account_id FROM jsonb_to_recordset(settlements) AS s (claim_id uuid, account_id text)
                            WHERE s.claim_id = ANY (mine))
    ORDER BY a.account_id FOR NO KEY UPDATE;
  RETURN QUERY
  WITH asked AS MATERIALIZED (
    -- Of two tellings of one claim the first: the other finds it settled.
    SELECT DISTINCT ON (s.claim_id) s.* FROM jsonb_to_recordset(settlements) AS s (place integer, claim_id uuid, reference text, charged bigint,
      receipt jsonb, clearing text, account_id text, key_id text)
     WHERE s.claim_id = ANY (mine) ORDER BY s.claim_id, s.place
  ), settled AS (
    UPDATE payment_claim c
       SET settlement = 'settled', settlement_reference = asked.reference, charged_micro_usd = asked.charged,
           receipt = asked.receipt, credit_account_id = coalesce(asked.account_id, c.credit_account_id),
           lease_until = now() + make_interval(secs => lease_seconds)
      FROM asked WHERE c.claim_id = asked.claim_id
    RETURNING c.claim_id, c.amount_micro_usd, c.given_up_count
  ), credited AS (
    UPDATE account a
       SET balance_micro_usd = a.balance_micro_usd + asked.charged - settled.amount_micro_usd,
           ledger_seq = a.ledger_seq + 1
      FROM asked JOIN settled USING (claim_id) WHERE a.account_id = asked.account_id
    RETURNING asked.claim_id, a.balance_micro_usd, a.ledger_seq
  ), booked AS (
    INSERT INTO ledger_entry (transaction_id, account, amount_micro_usd, kind, claim_id, reference, account_seq,
      balance_after)
    SELECT moved.transaction_id, leg.account, leg.amount, 'settle', moved.claim_id, moved.reference, leg.seq, leg.balance
      FROM (SELECT gen_random_uuid() AS transaction_id, asked.*, settled.amount_micro_usd AS price,
                   credited.balance_micro_usd, credited.ledger_seq
              FROM asked JOIN settled USING (claim_id) LEFT JOIN credited USING (claim_id)) moved,
           LATERAL (VALUES (moved.clearing, -moved.charged, NULL, NULL), ('holds', moved.price, NULL, NULL),
                           ('customer:' || moved.account_id, moved.charged - moved.price, moved.ledger_seq,
                            moved.balance_micro_usd)) AS leg (account, amount, seq, balance)
     WHERE leg.account IS NOT NULL AND leg.amount <> 0
  )
  SELECT asked.place, settled.given_up_count,
         CASE WHEN k.state = 'active' OR (k.state = 'rotating' AND k.ends_at > now()) THEN credited.balance_micro_usd END
    FROM asked JOIN settled USING (claim_id) LEFT JOIN credited USING (claim_id)
    LEFT JOIN api_key k ON k.key_id = asked.key_id AND k.account_id = asked.account_id;
END $$`;

/** One statement records a settlement, and those that come together; it took some ten for each. */
export class SettledTogether1767900000000 implements MigrationInterface {
  readonly name = 'SettledTogether1767900000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(SETTLE_HELD);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP FUNCTION settle_held`);
  }
}
