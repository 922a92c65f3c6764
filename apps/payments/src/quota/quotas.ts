import { Injectable } from '@nestjs/common';
import type { QuotaState } from '@svc/contracts';
import { PLANS } from '@svc/protocols';
import { Batch, prepared } from '@svc/platform';
import { DataSource, type EntityManager } from 'typeorm';
import { EFFECTIVE_PLAN, type PlanId } from '../account/accounts.js';

/** Months whose counters are kept beside the running one. */
const MONTHS_KEPT = 12;
/** How long it is known that a count was taken back: whoever asks again does so within minutes of its task's end. */
const RETURNS_KEPT_HOURS = 48;

const COUNT = prepared(`SELECT subject, granted, used_before, month::text FROM count_requests($1)`);

/** Whether a request was counted, and where its subject stands then. */
export interface Count {
  readonly outcome: 'counted' | 'over';
  readonly quota: QuotaState;
}

interface Request {
  readonly subject: string;
  readonly plan: PlanId;
}

const LIMITS = new Map(PLANS.map(({ planId, requestsPerMonth }) => [planId, requestsPerMonth]));

/** Requests that a plan has a month; null is unlimited. */
export const limitOf = (plan: PlanId): number | null => LIMITS.get(plan) ?? null;

/** What an account is counted under. */
export const accountSubject = (accountId: string): string => `account:${accountId}`;

/** First day of the month before an instant that begins one, `2026-11-01`. */
export function monthBefore(resetsAt: string): string {
  const end = new Date(resetsAt);
  return new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth() - 1, 1)).toISOString().slice(0, 10);
}

/** Where a subject stands: a count at the instant it was made. @param month its first day, `2026-11-01` */
export function quotaState(plan: PlanId, used: number, month: string): QuotaState {
  const begin = new Date(`${month}T00:00:00Z`);
  const resetsAt = new Date(Date.UTC(begin.getUTCFullYear(), begin.getUTCMonth() + 1, 1)).toISOString();
  return { plan, limit: limitOf(plan), used, resetsAt };
}

/**
 * Requests counted by calendar month (UTC) in Postgres. Of any number of concurrent calls, over any number of
 * instances, no more are counted than the plan has.
 */
@Injectable()
export class Quotas {
  private readonly counts = new Batch<Request, Count>(requests => this.countAll(requests), { sizeMax: 256 });

  constructor(private readonly dataSource: DataSource) {}

  /** Counts a request, unless the month's are used up. @param subject `account:<id>` or `address:<digest>` */
  count(subject: string, plan: PlanId): Promise<Count> {
    return this.counts.add({ subject, plan });
  }

  /**
   * Takes a counted request back, of the month it was counted in.
   * @param month its first day, `2026-11-01`
   */
  async uncount(manager: EntityManager, subject: string, month: string): Promise<void> {
    await manager.query(
      `UPDATE quota_usage SET used = used - 1 WHERE subject = $1 AND month = $2::date AND used > 0`,
      [subject, month],
    );
  }

  /**
   * As {@link uncount}, of a call that has a key: however often it is asked, over any number of instances, the first one
   * takes it back.
   */
  async uncountOnce(callKey: string, subject: string, month: string): Promise<void> {
    await this.dataSource.query(
      `WITH taken AS (
         INSERT INTO quota_return (call_key, month) VALUES ($1, $3::date) ON CONFLICT (call_key) DO NOTHING RETURNING month
       )
       UPDATE quota_usage SET used = used - 1 FROM taken
        WHERE subject = $2 AND quota_usage.month = taken.month AND used > 0`,
      [callKey, subject, month],
    );
  }

  /** Where an account stands this month; undefined when there is none. */
  async state(
    accountId: string,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<QuotaState | undefined> {
    const rows: { plan: PlanId; used: string | null; month: string }[] = await manager.query(
      `SELECT ${EFFECTIVE_PLAN} AS plan, quota_usage.used, this.month::text
         FROM account
         CROSS JOIN (SELECT date_trunc('month', now() AT TIME ZONE 'UTC')::date AS month) this
         LEFT JOIN quota_usage ON quota_usage.subject = 'account:' || account.account_id
               AND quota_usage.month = this.month
        WHERE account.account_id = $1`,
      [accountId],
    );
    return rows[0] && quotaState(rows[0].plan, Number(rows[0].used ?? 0), rows[0].month);
  }

  /** Drops counters of months long past, and what is known of counts that were taken back long ago; returns how many rows. */
  async purge(): Promise<number> {
    const past = `month < date_trunc('month', now() AT TIME ZONE 'UTC')::date - make_interval(months => $1)`;
    const [, counters]: [unknown[], number] = await this.dataSource.query(
      `DELETE FROM quota_usage WHERE ${past}`,
      [MONTHS_KEPT],
    );
    const [, returns]: [unknown[], number] = await this.dataSource.query(
      `DELETE FROM quota_return WHERE returned_at < now() - make_interval(hours => $1)`,
      [RETURNS_KEPT_HOURS],
    );
    return counters + returns;
  }

  private async countAll(requests: readonly Request[]): Promise<Count[]> {
    const groups = new Map<string, { subject: string; plan: PlanId; requests: number }>();
    for (const { subject, plan } of requests) {
      const group = groups.get(`${subject} ${plan}`) ?? { subject, plan, requests: 0 };
      group.requests++;
      groups.set(`${subject} ${plan}`, group);
    }
    const granted = new Map<string, { left: number; used: number; month: string }>();
    // A subject is asked about once a plan: of one whose plan just changed, twice.
    for (const plan of new Set(requests.map(each => each.plan))) {
      const wanted = [...groups.values()].filter(each => each.plan === plan);
      const rows: { subject: string; granted: string; used_before: string; month: string }[] =
        await this.dataSource.query(COUNT, [
          JSON.stringify(wanted.map(each => ({ ...each, requests_max: limitOf(plan) }))),
        ]);
      for (const row of rows) {
        granted.set(`${row.subject} ${plan}`, {
          left: Number(row.granted),
          used: Number(row.used_before),
          month: row.month,
        });
      }
    }
    return requests.map(({ subject, plan }) => {
      const group = granted.get(`${subject} ${plan}`)!;
      if (group.left === 0) return { outcome: 'over', quota: quotaState(plan, group.used, group.month) };
      group.left--;
      group.used++;
      return { outcome: 'counted', quota: quotaState(plan, group.used, group.month) };
    });
  }
}
