import { Injectable } from '@nestjs/common';
import type { AccountLedger, AccountUsage } from '@svc/contracts';
import { DataSource } from 'typeorm';
import { decodeCursor, encodeCursor } from '../page/page-cursor.js';

const DAY_MS = 86_400_000;
const DAY = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;

type Row = Record<string, unknown>;

/** What an account has used and what moved its balance, newest first. */
@Injectable()
export class AccountStatement {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Calls by day and operation. A page is a span of days, so that what it costs is bounded by the days and not by how
   * many operations there are.
   * @param days of one page
   */
  async usage(
    accountId: string,
    days: number,
    cursor: string | undefined,
    nowMs: number,
  ): Promise<AccountUsage> {
    const page = { list: 'usage', filters: { accountId } };
    const before = decodeCursor(page, cursor, DAY);
    const toMs = before === undefined ? startOfDay(nowMs) : startOfDay(Date.parse(before)) - DAY_MS;
    const fromMs = toMs - (days - 1) * DAY_MS;
    const rows: Row[] = await this.dataSource.query(
      `SELECT to_char(claimed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, operation_id,
              count(*)::int AS calls,
              count(*) FILTER (WHERE state = 'delivered')::int AS delivered,
              count(*) FILTER (WHERE state = 'delivered' AND funding = 'quota')::int AS from_quota,
              coalesce(sum(amount_micro_usd) FILTER (WHERE state = 'delivered' AND funding = 'credit'), 0)::bigint
                AS debited
         FROM payment_claim
        WHERE payer = $1 AND claimed_at >= $2 AND claimed_at < $3
        GROUP BY 1, 2 ORDER BY 1 DESC, 2`,
      [`account:${accountId}`, new Date(fromMs), new Date(toMs + DAY_MS)],
    );
    const [older]: Row[] = await this.dataSource.query(
      `SELECT to_char(max(claimed_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day
         FROM payment_claim WHERE payer = $1 AND claimed_at < $2`,
      [`account:${accountId}`, new Date(fromMs)],
    );
    return {
      items: rows.map(row => ({
        day: row.day as string,
        operationId: row.operation_id as string,
        calls: row.calls as number,
        delivered: row.delivered as number,
        fromQuota: row.from_quota as number,
        debitedMicroUsd: Number(row.debited),
      })),
      from: dayOf(fromMs),
      to: dayOf(toMs),
      // The next page begins where there is something again, so that nobody reads years of nothing.
      nextCursor:
        older.day === null ? null : encodeCursor(page, dayOf(Date.parse(older.day as string) + DAY_MS)),
    };
  }

  /** Entries of the account in the ledger. */
  async ledger(accountId: string, limit: number, cursor: string | undefined): Promise<AccountLedger> {
    const page = { list: 'ledger', filters: { accountId } };
    const before = decodeCursor(page, cursor, /^[1-9][0-9]{0,17}$/);
    const rows: Row[] = await this.dataSource.query(
      `SELECT entry.account_seq, entry.kind, entry.amount_micro_usd, entry.balance_after, entry.reference,
              entry.created_at, entry.claim_id, claim.operation_id
         FROM ledger_entry entry LEFT JOIN payment_claim claim USING (claim_id)
        WHERE entry.account = $1 AND ($2::bigint IS NULL OR entry.account_seq < $2)
        ORDER BY entry.account_seq DESC LIMIT $3`,
      [`customer:${accountId}`, before ?? null, limit + 1],
    );
    const items = rows.slice(0, limit).map(row => ({
      seq: Number(row.account_seq),
      kind: row.kind as string,
      amountMicroUsd: Number(row.amount_micro_usd),
      balanceAfterMicroUsd: Number(row.balance_after),
      ...(row.operation_id === null ? {} : { operationId: row.operation_id as string }),
      ...(row.claim_id === null ? {} : { claimId: row.claim_id as string }),
      ...(row.reference === null ? {} : { reference: row.reference as string }),
      at: (row.created_at as Date).toISOString(),
    }));
    const last = rows.length > limit ? items.at(-1) : undefined;
    return { items, nextCursor: last ? encodeCursor(page, String(last.seq)) : null };
  }
}

const startOfDay = (ms: number) => Math.floor(ms / DAY_MS) * DAY_MS;
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
