import { Injectable } from '@nestjs/common';
import type { AccountsQuery, AdminAccount, KeyHolder } from '@svc/contracts';
import type { EntityManager } from 'typeorm';
import { maskedEmail } from '../lead/leads.js';
import { decodeCursor, encodeCursor } from '../page/page-cursor.js';

type Row = Record<string, unknown>;

/** When it was made, to the microsecond that Postgres keeps, and its id: the order of the list. */
const POSITION = /^([0-9]{4}(?:-[0-9]{2}){2}T[0-9:]{8}\.[0-9]{6}Z) (acct_[a-z0-9]{20})$/;

/** The accounts as operators look for them. */
@Injectable()
export class AccountRegister {
  /** The newest first. */
  async list(manager: EntityManager, by: KeyHolder, { limit, cursor, ...filters }: AccountsQuery) {
    const page = { list: 'accounts', filters };
    const position = decodeCursor(page, cursor, POSITION);
    const [, beforeTime, beforeId] = (position && POSITION.exec(position)) || [];
    const rows: Row[] = await manager.query(
      `SELECT *, to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS created_text
         FROM account
        WHERE ($1::timestamptz IS NULL OR (created_at, account_id) < ($1::timestamptz, $2::text))
          AND ($3::text IS NULL OR lower(email) = lower($3))
          AND ($4::text IS NULL OR plan = $4)
          AND ($5::text IS NULL OR kind = $5)
        ORDER BY created_at DESC, account_id DESC LIMIT $6`,
      [
        ...[beforeTime ?? null, beforeId ?? null],
        ...[filters.email ?? null, filters.plan ?? null, filters.kind ?? null, limit + 1],
      ],
    );
    const last = rows.length > limit ? rows[limit - 1] : undefined;
    return {
      items: rows.slice(0, limit).map(row => accountOf(row, by)),
      nextCursor: last ? encodeCursor(page, `${last.created_text} ${last.account_id}`) : null,
    };
  }

  /** One account; undefined where there is none. */
  async find(manager: EntityManager, by: KeyHolder, accountId: string): Promise<AdminAccount | undefined> {
    const rows: Row[] = await manager.query(`SELECT * FROM account WHERE account_id = $1`, [accountId]);
    return rows[0] && accountOf(rows[0], by);
  }
}

function accountOf(row: Row, { scopes }: KeyHolder): AdminAccount {
  const email = row.email as string | null;
  const until = row.plan_until as Date | null;
  return {
    accountId: row.account_id as string,
    kind: row.kind as AdminAccount['kind'],
    plan: row.plan as AdminAccount['plan'],
    planState: row.plan_state as AdminAccount['planState'],
    ...(until === null ? {} : { planUntil: until.toISOString() }),
    ...(email === null ? {} : { email: scopes.includes('leads:pii') ? email : maskedEmail(email) }),
    balanceMicroUsd: Number(row.balance_micro_usd),
    createdAt: (row.created_at as Date).toISOString(),
  };
}
