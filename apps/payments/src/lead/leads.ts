import { newId } from '@svc/platform';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** Where somebody showed that they may buy. */
export type LeadSource = 'checkout' | 'purchase-link';

/** What is known of a lead when it comes in. */
export interface NewLead {
  readonly source: LeadSource;
  /** An address that was validated; it is kept as it came, and compared without regard to case. */
  readonly email: string;
  readonly accountId?: string;
  /** What was asked for: pack, tier, session. No secrets; JSON of at most {@link DETAIL_CHARS_MAX} characters. */
  readonly detail?: Readonly<Record<string, string | number | boolean>>;
}

/** Bound of a lead's `detail` as JSON; what exceeds it is left out, since a lead stands in no purchase's way. */
export const DETAIL_CHARS_MAX = 1_800;

/** How long a lead is kept after it was last seen, days: one that never paid, and one that has. */
const KEPT_DAYS = { unpaid: 90, paid: 730 };

/** A NUL, or half of a surrogate pair, as JSON escapes them: jsonb refuses both. */
const NOT_STORABLE = /\\u0000|\\ud[89a-f]/;

/** The leads, written in the transaction of what made them. */
@Injectable()
export class Leads {
  /** Drops leads that were last seen long ago. Returns how many. */
  async purge(manager: EntityManager): Promise<number> {
    const [, count]: [unknown[], number] = await manager.query(
      `DELETE FROM lead WHERE last_seen_at < now() - make_interval(days => $1)
          AND (NOT detail @> '{"paid": true}' OR last_seen_at < now() - make_interval(days => $2))`,
      [KEPT_DAYS.unpaid, KEPT_DAYS.paid],
    );
    return count;
  }

  /**
   * Records a lead. The same address from the same source is one lead, seen again: its status stays, its account and
   * detail are those of the last time. What it has paid for stays, too, until it pays again: anybody may begin a checkout
   * under any address.
   */
  async record(manager: EntityManager, lead: NewLead): Promise<void> {
    const detail = JSON.stringify(lead.detail ?? {});
    await manager.query(
      `INSERT INTO lead (lead_id, source, email, account_id, detail) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (lower(email), source) DO UPDATE
          SET seen_count = lead.seen_count + 1, last_seen_at = now(),
              account_id = coalesce(excluded.account_id, lead.account_id),
              detail = CASE WHEN lead.detail @> '{"paid": true}' AND NOT excluded.detail @> '{"paid": true}'
                            THEN lead.detail ELSE excluded.detail END`,
      [
        newId('lead'),
        lead.source,
        lead.email,
        lead.accountId ?? null,
        detail.length > DETAIL_CHARS_MAX || NOT_STORABLE.test(detail) ? '{}' : detail,
      ],
    );
  }
}

/**
 * An address of which only the first letter and the domain are left. The stars are as many whatever they hide.
 * @example maskedEmail('alice@example.com') // 'a***@example.com'
 */
export function maskedEmail(email: string): string {
  const at = email.lastIndexOf('@');
  if (at < 1) return '***';
  // A local part of one letter would be shown whole.
  const [first] = at === 1 ? [''] : email;
  return `${first}***${email.slice(at)}`;
}
