import type { MigrationInterface, QueryRunner } from 'typeorm';
import { BUY_WITHIN_LIMITS, NOTICE_LOW, replaced } from './1768400000000-key-limits.js';

/**
 * As {@link NOTICE_LOW}, of the limits of the key and of those that made it: what a key spends, its maker has less of. Each is told of by the
 * newest key that has it.
 */
const NOTICES_LOW = `
      IF live_limit IS NOT NULL THEN
        FOR warned IN
          SELECT l.* FROM key_limit l WHERE l.limit_id = ANY (rules.lineage) AND l.notify_below_micro_usd IS NOT NULL
        LOOP
          -- Of the caps that hold for it, the one that leaves least.
          SELECT capped.cap, capped.spent INTO warned_cap, warned_spent
            FROM key_limit l, LATERAL (VALUES
              (l.cap_day_micro_usd, CASE WHEN l.spent_day = today THEN l.spent_day_micro_usd ELSE 0 END),
              (l.cap_total_micro_usd, l.spent_micro_usd)) AS capped (cap, spent)
           WHERE l.limit_id = ANY (warned.lineage) AND capped.cap IS NOT NULL
           ORDER BY capped.cap - capped.spent LIMIT 1;
          left_now := greatest(0, least(balance, coalesce(warned_cap - warned_spent, balance)));
          IF (left_now < warned.notify_below_micro_usd) <> warned.is_low THEN
            UPDATE key_limit l SET is_low = NOT l.is_low WHERE l.limit_id = warned.limit_id;
            IF NOT warned.is_low THEN
              notice := gen_random_uuid();
              SELECT k.key_id INTO warned_key FROM api_key k WHERE k.limit_id = warned.limit_id
               ORDER BY k.state = 'revoked', k.created_at DESC LIMIT 1;
              INSERT INTO low_balance_notice (notice_id, account_id, key_id, url, below_micro_usd, left_micro_usd,
                balance_micro_usd, cap_micro_usd, spent_micro_usd)
              VALUES (notice, given.account_id, coalesce(warned_key, call.key_id), warned.notify_url,
                warned.notify_below_micro_usd, left_now, balance, warned_cap, warned_spent);
              INSERT INTO event_outbox (subject, event_id, data)
              VALUES ('events.payment.low-balance', 'low-balance:' || notice,
                json_build_object('specversion', '1.0', 'id', 'low-balance:' || notice, 'source', '/payments',
                  'type', 'svc.payment.low-balance.v1', 'subject', given.account_id,
                  'time', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                  'datacontenttype', 'application/json',
                  'data', json_build_object('accountId', given.account_id, 'keyId', coalesce(warned_key, call.key_id),
                    'belowMicroUsd', warned.notify_below_micro_usd, 'leftMicroUsd', left_now,
                    'balanceMicroUsd', balance))::text);
            END IF;
          END IF;
        END LOOP;
      END IF;`;

const BUY_AND_TELL_MAKERS = [
  [NOTICE_LOW, NOTICES_LOW] as const,
  [
    'left_now bigint; notice uuid;',
    'left_now bigint; notice uuid; warned record; warned_cap bigint; warned_spent bigint; warned_key text;',
  ] as const,
].reduce(replaced, BUY_WITHIN_LIMITS);

const inPlace = (text: string): string => text.replace('CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION');

/** Holders are told that little is left for a key also where a key that it made has spent it. */
export class NoticesOfMakers1768900000000 implements MigrationInterface {
  readonly name = 'NoticesOfMakers1768900000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(inPlace(BUY_AND_TELL_MAKERS));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(inPlace(BUY_WITHIN_LIMITS));
  }
}
