import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Decides and books calls that keys pay, as `claim_by_key` does, and sells those that bring their answer: the claim is delivered as it is
 * made. What rolls up to one account is decided in memory and written once; the claims, and then the entries, of all accounts are one
 * statement each. A key is looked at under the lock of its account, so that one that was revoked buys nothing.
 */
export const BUY_BY_KEY = `
CREATE FUNCTION buy_by_key(accounts jsonb, answers bytea[], plan_limits jsonb, lease_seconds integer, lazily boolean)
RETURNS TABLE (place integer, outcome text, claim_id uuid, attempt integer, given_up_count integer,
  funding text, receipt jsonb, balance_micro_usd bigint, plan text, used bigint, month date)
LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan TO off AS $$
#variable_conflict use_variable
DECLARE
  given record; call record; holder record; standing record; live_key text;
  this_month date := date_trunc('month', now() AT TIME ZONE 'UTC')::date;
  payer text; balance bigint; seq bigint; month_used bigint; used_before bigint;
  given_up integer;
  debited uuid[] := '{}'; amounts bigint[] := '{}'; debtors text[] := '{}'; sold boolean[] := '{}';
  seqs bigint[] := '{}'; balances bigint[] := '{}';
  new_places integer[] := '{}'; new_fundings text[] := '{}'; new_receipts jsonb[] := '{}';
  own_ids uuid[]; own_digests text[]; own_keys text[]; own_sold boolean[]; twin integer;
BEGIN
  IF lazily THEN
    -- A later commit that is waited for brings this one to the disk too.
    PERFORM set_config('synchronous_commit', 'off', true);
  END IF;
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
    own_ids := '{}'; own_digests := '{}'; own_keys := '{}'; own_sold := '{}';
    live_key := NULL;
    SELECT count(*) INTO given_up FROM payment_claim c
     WHERE c.payer = 'account:' || given.account_id AND c.given_up_count > 0
       AND c.claimed_at > now() - interval '1 hour';
    FOR call IN
      SELECT * FROM jsonb_to_recordset(given.calls) AS c (place integer, key_id text, claim_id uuid,
        operation_id text, request_digest text, request_forms text, idempotency_key text, amount_micro_usd bigint,
        quota_covers boolean, receipt jsonb, answer integer) ORDER BY c.place
    LOOP
      place := call.place;
      balance_micro_usd := balance;
      IF live_key IS DISTINCT FROM call.key_id THEN
        -- Under the lock of its account, which every end of a key waits for.
        SELECT k.key_id INTO live_key FROM api_key k
         WHERE k.key_id = call.key_id AND k.account_id = given.account_id
           AND (k.state = 'active' OR (k.state = 'rotating' AND k.ends_at > clock_timestamp()));
        IF live_key IS NULL THEN
          outcome := 'no-key';
          RETURN NEXT;
          CONTINUE;
        END IF;
      END IF;
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
        outcome := CASE WHEN own_sold[twin] THEN 'delivered' ELSE 'in-flight' END;
        claim_id := own_ids[twin];
        attempt := 1;
        RETURN NEXT;
        CONTINUE;
      END IF;
      SELECT * INTO standing
        FROM standing_claim_by_key(payer, call.operation_id, call.idempotency_key, call.request_forms);
      claim_id := standing.claim_id;
      attempt := standing.attempt;
      given_up_count := standing.given_up_count;
      funding := standing.funding;
      receipt := NULL;
      used := month_used;
      IF standing.verdict = 'lapsed' AND call.answer IS NULL THEN
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
        sold := sold || (call.answer IS NOT NULL);
        seqs := seqs || seq;
        balances := balances || balance;
      END IF;
      balance_micro_usd := balance;
      IF funding IS NULL THEN
        outcome := 'insufficient';
      ELSE
        outcome := CASE WHEN call.answer IS NULL THEN 'claimed' ELSE 'sold' END;
        receipt := call.receipt;
        IF funding = 'quota' THEN
          receipt := receipt || '{"amountMicroUsd": 0, "amountSats": 0}';
        END IF;
        new_places := new_places || call.place;
        new_fundings := new_fundings || funding;
        new_receipts := new_receipts || receipt;
        own_ids := own_ids || call.claim_id;
        own_digests := own_digests || call.request_digest;
        own_keys := own_keys || (call.operation_id || ' ' || call.idempotency_key);
        own_sold := own_sold || (call.answer IS NOT NULL);
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
    settlement_evidence, charged_micro_usd, credit_account_id, claimed_at, delivered_at, response_status,
    response_content_type, response_body, response_sealed)
  SELECT c.claim_id, 'account', c.claim_id::text, c.operation_id, c.request_digest, c.credential_digest,
    CASE WHEN c.answer IS NULL THEN 'claimed' ELSE 'delivered' END, 1, now() + make_interval(secs => lease_seconds), c.amount_micro_usd, c.amount_sats, made.receipt,
    'account:' || a.account_id, c.idempotency_key, made.funding, 'settled',
    CASE WHEN made.funding = 'quota'
         THEN jsonb_build_object('subject', 'account:' || a.account_id, 'month', this_month) END,
    CASE WHEN made.funding = 'quota' THEN 0 ELSE c.amount_micro_usd END, a.account_id,
    -- Later than those that the account's lock was waited for: the newest is the last.
    clock_timestamp(), CASE WHEN c.answer IS NOT NULL THEN now() END, c.status, c.content_type, answers[c.answer],
    c.answer IS NOT NULL
    FROM jsonb_to_recordset(accounts) AS a (account_id text, calls jsonb),
         LATERAL jsonb_to_recordset(a.calls) AS c (place integer, claim_id uuid, operation_id text, request_digest text,
           idempotency_key text, credential_digest text, amount_micro_usd bigint, amount_sats bigint, answer integer,
           status smallint, content_type text)
         -- By place: a sale that is retried may be in the batch twice, under one id.
         JOIN unnest(new_places, new_fundings, new_receipts) AS made (place, funding, receipt)
           ON made.place = c.place;
  INSERT INTO ledger_entry (transaction_id, account, amount_micro_usd, kind, claim_id, account_seq, balance_after)
  SELECT debit.transaction_id, leg.account, leg.sign * debit.amount,
         CASE WHEN debit.is_sold THEN 'sell' ELSE 'claim' END, debit.claim_id, leg.seq, leg.balance
    FROM (SELECT gen_random_uuid() AS transaction_id, d.*
            FROM unnest(debited, amounts, debtors, sold, seqs, balances)
                 AS d (claim_id, amount, account_id, is_sold, seq, balance)) debit,
         LATERAL (VALUES ('customer:' || debit.account_id, -1, debit.seq, debit.balance),
                         (CASE WHEN debit.is_sold THEN 'treasury' ELSE 'holds' END, 1, NULL, NULL))
                 AS leg (account, sign, seq, balance);
END $$`;

/**
 * Calls are sold by one statement where their answer is there. `claim_by_key` stays for replicas of the release before, until they are
 * gone.
 */
export class SalesByKey1767700000000 implements MigrationInterface {
  readonly name = 'SalesByKey1767700000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(BUY_BY_KEY);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP FUNCTION buy_by_key`);
  }
}
