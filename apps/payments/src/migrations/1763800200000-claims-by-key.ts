import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Decides and books calls. What rolls up to one account is decided in memory and written once; the claims, and then the
 * entries, of all accounts are one statement each: a statement a claim costs three times as much.
 */
export const CLAIM_BY_KEY = `
CREATE FUNCTION claim_by_key(accounts jsonb, plan_limits jsonb, lease_seconds integer)
RETURNS TABLE (place integer, outcome text, claim_id uuid, attempt integer, given_up_count integer,
  funding text, receipt jsonb, balance_micro_usd bigint, plan text, used bigint, month date)
LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan TO off AS $$
#variable_conflict use_variable
DECLARE
  given record; call record; holder record; standing record;
  this_month date := date_trunc('month', now() AT TIME ZONE 'UTC')::date;
  payer text; balance bigint; seq bigint; month_used bigint; used_before bigint;
  given_up integer;
  debited uuid[] := '{}'; amounts bigint[] := '{}'; debtors text[] := '{}';
  seqs bigint[] := '{}'; balances bigint[] := '{}';
  new_ids uuid[] := '{}'; new_fundings text[] := '{}'; new_receipts jsonb[] := '{}';
  own_ids uuid[]; own_digests text[]; own_keys text[]; twin integer;
BEGIN
  FOR given IN
    SELECT a.account_id, a.calls FROM jsonb_to_recordset(accounts) AS a (account_id text, calls jsonb)
     ORDER BY a.account_id
  LOOP
    SELECT account.account_id, account.balance_micro_usd, account.ledger_seq,
           CASE WHEN account.plan_state = 'lapsed' OR account.plan_until <= now() THEN 'demo'
                ELSE account.plan END AS plan
      INTO holder FROM account WHERE account.account_id = given.account_id FOR NO KEY UPDATE;
    payer := 'account:' || given.account_id;
    balance := holder.balance_micro_usd;
    seq := holder.ledger_seq;
    plan := holder.plan;
    month := this_month;
    month_used := NULL;
    own_ids := '{}'; own_digests := '{}'; own_keys := '{}';
    SELECT count(*) INTO given_up FROM payment_claim c
     WHERE c.payer = 'account:' || given.account_id AND c.given_up_count > 0
       AND c.claimed_at > now() - interval '1 hour';
    FOR call IN
      SELECT * FROM jsonb_to_recordset(given.calls) AS c (place integer, claim_id uuid, operation_id text,
        request_digest text, idempotency_key text, credential_digest text, amount_micro_usd bigint,
        amount_sats bigint, quota_covers boolean, receipt jsonb) ORDER BY c.place
    LOOP
      place := call.place;
      balance_micro_usd := balance;
      -- What this very batch has claimed is not in the table yet.
      twin := CASE WHEN call.idempotency_key IS NOT NULL
                   THEN array_position(own_keys, call.operation_id || ' ' || call.idempotency_key) END;
      IF own_digests[twin] <> call.request_digest THEN
        outcome := 'mismatch';
        RETURN NEXT;
        CONTINUE;
      END IF;
      twin := coalesce(twin, array_position(own_digests, call.request_digest));
      IF twin IS NOT NULL THEN
        outcome := 'in-flight';
        claim_id := own_ids[twin];
        attempt := 1;
        RETURN NEXT;
        CONTINUE;
      END IF;
      SELECT * INTO standing
        FROM standing_claim_by_key(payer, call.operation_id, call.idempotency_key, call.request_digest);
      claim_id := standing.claim_id;
      attempt := standing.attempt;
      given_up_count := standing.given_up_count;
      funding := standing.funding;
      receipt := NULL;
      used := month_used;
      IF standing.verdict = 'lapsed' THEN
        -- Its caller died: the call was paid for, and runs again.
        UPDATE payment_claim c
           SET attempt = c.attempt + 1, lease_until = now() + make_interval(secs => lease_seconds)
         WHERE c.claim_id = standing.claim_id AND c.state = 'claimed' AND c.attempt = standing.attempt
         RETURNING c.attempt, c.receipt INTO attempt, receipt;
        outcome := CASE WHEN FOUND THEN 'claimed' ELSE 'none' END;
      ELSE
        outcome := standing.verdict;
      END IF;
      IF outcome <> 'none' THEN
        RETURN NEXT;
        CONTINUE;
      END IF;
      claim_id := call.claim_id;
      attempt := 1;
      given_up_count := given_up;
      funding := NULL;
      IF holder.account_id IS NULL THEN
        outcome := 'no-account';
        RETURN NEXT;
        CONTINUE;
      END IF;
      IF call.quota_covers AND plan_limits ? plan THEN
        IF month_used IS NULL THEN
          INSERT INTO quota_usage AS q (subject, month, used) VALUES (payer, this_month, 0)
            ON CONFLICT DO NOTHING;
          SELECT q.used INTO month_used FROM quota_usage q
           WHERE q.subject = payer AND q.month = this_month FOR UPDATE;
          used_before := month_used;
        END IF;
        IF plan_limits ->> plan IS NULL OR month_used < (plan_limits ->> plan)::bigint THEN
          funding := 'quota';
          month_used := month_used + 1;
        END IF;
        used := month_used;
      END IF;
      IF funding IS NULL AND balance >= call.amount_micro_usd THEN
        funding := 'credit';
        balance := balance - call.amount_micro_usd;
        seq := seq + 1;
        debited := debited || call.claim_id;
        amounts := amounts || call.amount_micro_usd;
        debtors := debtors || given.account_id;
        seqs := seqs || seq;
        balances := balances || balance;
      END IF;
      balance_micro_usd := balance;
      IF funding IS NULL THEN
        outcome := 'insufficient';
      ELSE
        outcome := 'claimed';
        receipt := call.receipt;
        IF funding = 'quota' THEN
          receipt := receipt || '{"amountMicroUsd": 0, "amountSats": 0}';
        END IF;
        new_ids := new_ids || call.claim_id;
        new_fundings := new_fundings || funding;
        new_receipts := new_receipts || receipt;
        own_ids := own_ids || call.claim_id;
        own_digests := own_digests || call.request_digest;
        own_keys := own_keys || (call.operation_id || ' ' || call.idempotency_key);
      END IF;
      RETURN NEXT;
    END LOOP;
    IF seq > holder.ledger_seq THEN
      UPDATE account SET balance_micro_usd = balance, ledger_seq = seq WHERE account_id = given.account_id;
    END IF;
    IF month_used > used_before THEN
      UPDATE quota_usage q SET used = month_used WHERE q.subject = payer AND q.month = this_month;
    END IF;
  END LOOP;
  INSERT INTO payment_claim (claim_id, rail_family, proof_key, operation_id, request_digest, credential_digest, state,
    attempt, lease_until, amount_micro_usd, amount_sats, receipt, payer, idempotency_key, funding, settlement,
    settlement_evidence, charged_micro_usd, credit_account_id, claimed_at)
  SELECT c.claim_id, 'account', c.claim_id::text, c.operation_id, c.request_digest, c.credential_digest, 'claimed',
    1, now() + make_interval(secs => lease_seconds), c.amount_micro_usd, c.amount_sats, made.receipt,
    'account:' || a.account_id, c.idempotency_key, made.funding, 'settled',
    CASE WHEN made.funding = 'quota'
         THEN jsonb_build_object('subject', 'account:' || a.account_id, 'month', this_month) END,
    CASE WHEN made.funding = 'quota' THEN 0 ELSE c.amount_micro_usd END, a.account_id,
    -- Later than those that the account's lock was waited for: the newest is the last.
    clock_timestamp()
    FROM jsonb_to_recordset(accounts) AS a (account_id text, calls jsonb),
         LATERAL jsonb_to_recordset(a.calls) AS c (claim_id uuid, operation_id text, request_digest text,
           idempotency_key text, credential_digest text, amount_micro_usd bigint, amount_sats bigint)
         JOIN unnest(new_ids, new_fundings, new_receipts) AS made (claim_id, funding, receipt)
           ON made.claim_id = c.claim_id;
  INSERT INTO ledger_entry (transaction_id, account, amount_micro_usd, kind, claim_id, account_seq, balance_after)
  SELECT debit.transaction_id, leg.account, leg.sign * debit.amount, 'claim', debit.claim_id, leg.seq, leg.balance
    FROM (SELECT gen_random_uuid() AS transaction_id, d.*
            FROM unnest(debited, amounts, debtors, seqs, balances)
                 AS d (claim_id, amount, account_id, seq, balance)) debit,
         LATERAL (VALUES ('customer:' || debit.account_id, -1, debit.seq, debit.balance), ('holds', 1, NULL, NULL))
                 AS leg (account, sign, seq, balance);
END $$`;

/**
 * Calls paid by key, many in one transaction: a function that decides each of them on its own and books them all, and
 * one that counts requests against their quotas. An account's row lock decides between instances, and every function
 * takes accounts, and then quotas, in the order of their ids.
 */
export class ClaimsByKey1763800200000 implements MigrationInterface {
  readonly name = 'ClaimsByKey1763800200000';

  async up(runner: QueryRunner): Promise<void> {
    await this.createStanding(runner);
    await runner.query(CLAIM_BY_KEY);
    await this.createCounts(runner);
  }

  private async createStanding(runner: QueryRunner): Promise<void> {
    // The claim that answers a call in place of a new one, if there is one: the newest under its Idempotency-Key
    // within a day, or the newest for the same request.
    await runner.query(`
      CREATE FUNCTION standing_claim_by_key(of_payer text, operation text, idempotency text, digest text,
        OUT claim_id uuid, OUT state text, OUT attempt integer, OUT lease_until timestamptz, OUT given_up_count integer,
        OUT funding text, OUT verdict text)
      LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan TO off AS $$
      DECLARE found_digest text; delivered timestamptz; kept interval := interval '24 hours';
      BEGIN
        IF idempotency IS NOT NULL THEN
          SELECT c.claim_id, c.state, c.attempt, c.lease_until, c.given_up_count, c.funding, c.request_digest,
                 c.delivered_at
            INTO claim_id, state, attempt, lease_until, given_up_count, funding, found_digest, delivered
            FROM payment_claim c
           WHERE c.payer = of_payer AND c.operation_id = operation AND c.idempotency_key = idempotency
             AND c.claimed_at > now() - interval '24 hours'
           ORDER BY c.claimed_at DESC LIMIT 1;
          IF found_digest <> digest THEN
            verdict := 'mismatch';
            RETURN;
          END IF;
        END IF;
        IF found_digest IS NULL THEN
          kept := interval '60 seconds';
          SELECT c.claim_id, c.state, c.attempt, c.lease_until, c.given_up_count, c.funding, c.request_digest,
                 c.delivered_at
            INTO claim_id, state, attempt, lease_until, given_up_count, funding, found_digest, delivered
            FROM payment_claim c
           WHERE c.payer = of_payer AND c.request_digest = digest
           ORDER BY c.claimed_at DESC LIMIT 1;
        END IF;
        verdict := CASE
          WHEN state = 'claimed' AND lease_until > clock_timestamp() THEN 'in-flight'
          WHEN state = 'claimed' THEN 'lapsed'
          WHEN state = 'unknown' THEN 'unknown'
          WHEN state = 'delivered' AND delivered > now() - kept THEN 'delivered'
          ELSE 'none' END;
      END $$`);
  }

  private async createCounts(runner: QueryRunner): Promise<void> {
    // As many of the wanted requests as the limit leaves; none of them twice, whoever else counts.
    await runner.query(`
      CREATE FUNCTION count_requests(wanted jsonb)
      RETURNS TABLE (subject text, granted bigint, used_before bigint, month date)
      LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan TO off AS $$
      #variable_conflict use_variable
      DECLARE
        want record;
        this_month date := date_trunc('month', now() AT TIME ZONE 'UTC')::date;
      BEGIN
        month := this_month;
        FOR want IN
          SELECT w.* FROM jsonb_to_recordset(wanted) AS w (subject text, requests bigint, requests_max bigint)
           ORDER BY w.subject, w.requests_max
        LOOP
          subject := want.subject;
          INSERT INTO quota_usage AS q (subject, month, used) VALUES (want.subject, this_month, 0)
            ON CONFLICT DO NOTHING;
          SELECT q.used INTO used_before FROM quota_usage q
           WHERE q.subject = want.subject AND q.month = this_month FOR UPDATE;
          granted := CASE WHEN want.requests_max IS NULL THEN want.requests
            ELSE greatest(0, least(want.requests, want.requests_max - used_before)) END;
          IF granted > 0 THEN
            UPDATE quota_usage q SET used = used_before + granted
             WHERE q.subject = want.subject AND q.month = this_month;
          END IF;
          RETURN NEXT;
        END LOOP;
      END $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP FUNCTION count_requests`);
    await runner.query(`DROP FUNCTION claim_by_key`);
    await runner.query(`DROP FUNCTION standing_claim_by_key`);
  }
}
