import type { MigrationInterface, QueryRunner } from 'typeorm';
import { BUY_BY_KEY } from './1767700000000-sales-by-key.js';

/**
 * What a key may pay for, and how much. A key that replaces another has the same row, so that both spend from one cap. `lineage` names the
 * row itself, and those of the keys that made it: what one spends counts for all of them. Changed under the lock of the account alone.
 */
const KEY_LIMIT = `
CREATE TABLE key_limit (
  limit_id uuid PRIMARY KEY,
  account_id text NOT NULL REFERENCES account,
  lineage uuid[] NOT NULL CHECK (lineage @> ARRAY[limit_id] AND cardinality(lineage) <= 4),
  operations text[] CHECK (cardinality(operations) BETWEEN 1 AND 50),
  cap_day_micro_usd bigint CHECK (cap_day_micro_usd > 0),
  cap_total_micro_usd bigint CHECK (cap_total_micro_usd > 0),
  spent_micro_usd bigint NOT NULL DEFAULT 0 CHECK (spent_micro_usd >= 0),
  spent_day date,
  spent_day_micro_usd bigint NOT NULL DEFAULT 0 CHECK (spent_day_micro_usd >= 0),
  notify_below_micro_usd bigint CHECK (notify_below_micro_usd > 0),
  notify_url text CHECK (length(notify_url) <= 2048),
  is_low boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((notify_below_micro_usd IS NULL) = (notify_url IS NULL))
)`;

/** That little is left for a key, until who calls its holder has been told of it. */
const NOTICE = `
CREATE TABLE low_balance_notice (
  notice_id uuid PRIMARY KEY,
  account_id text NOT NULL REFERENCES account,
  key_id text NOT NULL,
  url text NOT NULL,
  below_micro_usd bigint NOT NULL,
  left_micro_usd bigint NOT NULL,
  balance_micro_usd bigint NOT NULL,
  cap_micro_usd bigint,
  spent_micro_usd bigint,
  noticed_at timestamptz NOT NULL DEFAULT now()
)`;

/** As the key's own rules say, before anything else about the call is looked at. */
const CHECK_RULES = `
      today := (now() AT TIME ZONE 'UTC')::date;
      cap_micro_usd := NULL;
      cap_spent_micro_usd := NULL;
      cap_by_day := NULL;
      operations := NULL;
      IF live_limit IS NOT NULL THEN
        SELECT l.* INTO rules FROM key_limit l WHERE l.limit_id = live_limit;
        operations := rules.operations;
        IF NOT EXISTS (SELECT FROM unnest(coalesce(rules.operations, '{*}')) AS o (pattern)
                        WHERE o.pattern IN ('*', call.operation_id)
                           OR (right(o.pattern, 2) = '.*' AND starts_with(call.operation_id, left(o.pattern, -1)))) THEN
          outcome := 'not-allowed';
          RETURN NEXT;
          CONTINUE;
        END IF;
        -- Of all caps that hold for the key, the one that leaves least.
        SELECT capped.cap, capped.spent, capped.by_day INTO cap_micro_usd, cap_spent_micro_usd, cap_by_day
          FROM key_limit l, LATERAL (VALUES
            (l.cap_day_micro_usd, CASE WHEN l.spent_day = today THEN l.spent_day_micro_usd ELSE 0 END, true),
            (l.cap_total_micro_usd, l.spent_micro_usd, false)) AS capped (cap, spent, by_day)
         WHERE l.limit_id = ANY (rules.lineage) AND capped.cap IS NOT NULL
         ORDER BY capped.cap - capped.spent, capped.by_day LIMIT 1;
      END IF;`;

/** Spends from the caps of the key, in the transaction that takes the credit. */
const SPEND = `
        IF live_limit IS NOT NULL THEN
          UPDATE key_limit l
             SET spent_micro_usd = l.spent_micro_usd + call.amount_micro_usd,
                 spent_day_micro_usd =
                   CASE WHEN l.spent_day = today THEN l.spent_day_micro_usd ELSE 0 END + call.amount_micro_usd,
                 spent_day = today
           WHERE l.limit_id = ANY (rules.lineage);
          cap_spent_micro_usd := cap_spent_micro_usd + call.amount_micro_usd;
        END IF;`;

/** Tells once that less is left than the key's holder wants to hear of, until there is more again. */
export const NOTICE_LOW = `
      IF live_limit IS NOT NULL THEN
        left_now := greatest(0, least(balance, coalesce(cap_micro_usd - cap_spent_micro_usd, balance)));
        -- Null where no notice is wanted.
        IF (left_now < rules.notify_below_micro_usd) <> rules.is_low THEN
          UPDATE key_limit l SET is_low = NOT l.is_low WHERE l.limit_id = live_limit;
          IF NOT rules.is_low THEN
            notice := gen_random_uuid();
            INSERT INTO low_balance_notice (notice_id, account_id, key_id, url, below_micro_usd, left_micro_usd,
              balance_micro_usd, cap_micro_usd, spent_micro_usd)
            VALUES (notice, given.account_id, call.key_id, rules.notify_url, rules.notify_below_micro_usd, left_now,
              balance, cap_micro_usd, cap_spent_micro_usd);
            INSERT INTO event_outbox (subject, event_id, data)
            VALUES ('events.payment.low-balance', 'low-balance:' || notice,
              json_build_object('specversion', '1.0', 'id', 'low-balance:' || notice, 'source', '/payments',
                'type', 'svc.payment.low-balance.v1', 'subject', given.account_id,
                'time', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                'datacontenttype', 'application/json',
                'data', json_build_object('accountId', given.account_id, 'keyId', call.key_id,
                  'belowMicroUsd', rules.notify_below_micro_usd, 'leftMicroUsd', left_now,
                  'balanceMicroUsd', balance))::text);
          END IF;
        END IF;
      END IF;`;

const LIVE = `(k.state = 'active' OR (k.state = 'rotating' AND k.ends_at > clock_timestamp()))`;

/** What changes in `buy_by_key`: each text stands in it once. */
const CHANGES: readonly (readonly [before: string, after: string])[] = [
  [
    'used bigint, month date)',
    'used bigint, month date,\n  cap_micro_usd bigint, cap_spent_micro_usd bigint, cap_by_day boolean, operations text[])',
  ],
  [
    'standing record; live_key text;',
    'standing record; live_key text; live_limit uuid; rules record; today date; left_now bigint; notice uuid;',
  ],
  ['new_receipts jsonb[] :=', "new_limits uuid[] := '{}'; new_receipts jsonb[] :="],
  ['SELECT k.key_id INTO live_key FROM', 'SELECT k.key_id, k.limit_id INTO live_key, live_limit FROM'],
  [LIVE, `k.state <> 'revoked' AND (k.ends_at IS NULL OR k.ends_at > clock_timestamp())`],
  [
    '      -- What this very batch has claimed is not in the table yet.',
    `${CHECK_RULES}\n      -- What this very batch has claimed is not in the table yet.`,
  ],
  [
    'IF funding IS NULL AND balance >= call.amount_micro_usd THEN',
    `IF funding IS NULL AND cap_micro_usd - cap_spent_micro_usd < call.amount_micro_usd THEN
        outcome := 'exhausted';
      ELSIF funding IS NULL AND balance >= call.amount_micro_usd THEN${SPEND}`,
  ],
  [
    "IF funding IS NULL THEN\n        outcome := 'insufficient';",
    "IF funding IS NULL THEN\n        outcome := CASE WHEN outcome = 'exhausted' THEN outcome ELSE 'insufficient' END;",
  ],
  [
    'new_fundings := new_fundings || funding;',
    `new_fundings := new_fundings || funding;
        new_limits := array_append(new_limits, CASE WHEN funding = 'credit' THEN live_limit END);`,
  ],
  [
    'own_sold := own_sold || (call.answer IS NOT NULL);\n      END IF;',
    `own_sold := own_sold || (call.answer IS NOT NULL);\n      END IF;${NOTICE_LOW}`,
  ],
  [
    'response_content_type, response_body, response_sealed)',
    'response_content_type, response_body, response_sealed, limit_id, limit_day)',
  ],
  [
    'answers[c.answer],\n    c.answer IS NOT NULL',
    'answers[c.answer],\n    c.answer IS NOT NULL, made.limit_id, CASE WHEN made.limit_id IS NOT NULL THEN today END',
  ],
  [
    'unnest(new_places, new_fundings, new_receipts) AS made (place, funding, receipt)',
    'unnest(new_places, new_fundings, new_receipts, new_limits) AS made (place, funding, receipt, limit_id)',
  ],
];

/** `buy_by_key` within the limits of the key. */
export const BUY_WITHIN_LIMITS = CHANGES.reduce(replaced, BUY_BY_KEY);

/** Keys with limits, and what they have spent. */
export class KeyLimits1768400000000 implements MigrationInterface {
  readonly name = 'KeyLimits1768400000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(KEY_LIMIT);
    await runner.query(`CREATE INDEX key_limit_by_account ON key_limit (account_id)`);
    await runner.query(NOTICE);
    await runner.query(`ALTER TABLE api_key ADD COLUMN limit_id uuid REFERENCES key_limit`);
    await runner.query(`CREATE INDEX api_key_by_limit ON api_key (limit_id) WHERE limit_id IS NOT NULL`);
    await runner.query(`ALTER TABLE payment_claim ADD COLUMN limit_id uuid, ADD COLUMN limit_day date`);
    // Its columns change: it cannot be replaced in place. Replicas of the release before name those that they read.
    await runner.query(`DROP FUNCTION buy_by_key`);
    await runner.query(BUY_WITHIN_LIMITS);
  }

  async down(runner: QueryRunner): Promise<void> {
    // Without its row, such a key could spend everything.
    await runner.query(
      `UPDATE api_key SET state = 'revoked', ends_at = least(ends_at, now()) WHERE limit_id IS NOT NULL`,
    );
    await runner.query(`DROP FUNCTION buy_by_key`);
    await runner.query(BUY_BY_KEY);
    await runner.query(`ALTER TABLE payment_claim DROP COLUMN limit_day, DROP COLUMN limit_id`);
    await runner.query(`ALTER TABLE api_key DROP COLUMN limit_id`);
    await runner.query(`DROP TABLE low_balance_notice, key_limit`);
  }
}

/** @throws Error unless the text stands in it once */
export function replaced(text: string, [before, after]: readonly [string, string]): string {
  const parts = text.split(before);
  if (parts.length !== 2) throw new Error(`buy_by_key has ${parts.length - 1} times: ${before}`);
  return parts.join(after);
}
