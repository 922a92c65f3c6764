import { Injectable } from '@nestjs/common';
import type { KeyHolder, Lead, LeadPage, LeadsQuery } from '@svc/contracts';
import { problem } from '@svc/platform';
import type { EntityManager } from 'typeorm';
import { AdminAudit } from '../admin/admin-audit.js';
import { decodeCursor, encodeCursor } from '../page/page-cursor.js';
import { maskedEmail } from './leads.js';

const COLUMNS = `lead_seq, lead_id, status, source, email, account_id, detail, seen_count, created_at, last_seen_at`;

type Row = Record<string, unknown>;

/** Leads as operators read and change them: each time on the record. */
@Injectable()
export class LeadBook {
  constructor(private readonly audit: AdminAudit) {}

  /** The newest leads first. Addresses are whole for a key with `leads:pii` alone, and searched by it alone. */
  list(by: KeyHolder, { limit, cursor, ...filters }: LeadsQuery): Promise<LeadPage> {
    const asked = { ...filters, limit, cursor };
    return this.audit.act({ by, action: 'leads.list', asked }, async manager => {
      const page = { list: 'leads', filters };
      const before = decodeCursor(page, cursor, /^[1-9][0-9]{0,18}$/);
      const rows = await select(manager, before, filters, seesAddresses(by), limit + 1);
      const last = rows.length > limit ? rows[limit - 1] : undefined;
      return {
        items: rows.slice(0, limit).map(row => leadOf(row, seesAddresses(by))),
        nextCursor: last ? encodeCursor(page, String(last.lead_seq)) : null,
      };
    });
  }

  /** @throws ProblemError NOT_FOUND */
  change(by: KeyHolder, leadId: string, status: Lead['status']): Promise<Lead> {
    const act = { by, action: 'lead.change', target: leadId, asked: { leadId, status } };
    return this.audit.act(act, async manager => {
      const [rows]: [Row[], number] = await manager.query(
        `UPDATE lead SET status = $2 WHERE lead_id = $1 RETURNING ${COLUMNS}`,
        [leadId, status],
      );
      if (!rows[0]) throw problem('NOT_FOUND', `There is no lead ${leadId}`);
      return leadOf(rows[0], seesAddresses(by));
    });
  }
}

const seesAddresses = ({ scopes }: KeyHolder) => scopes.includes('leads:pii');

function select(
  manager: EntityManager,
  before: string | undefined,
  { status, source, since, q }: Omit<LeadsQuery, 'limit' | 'cursor'>,
  wholeAddresses: boolean,
  limit: number,
): Promise<Row[]> {
  return manager.query(
    // Who must not see an address must not find out its letters by searching for them either.
    `SELECT ${COLUMNS} FROM lead
      WHERE ($1::bigint IS NULL OR lead_seq < $1)
        AND ($2::text IS NULL OR status = $2)
        AND ($3::text IS NULL OR source = $3)
        AND ($4::timestamptz IS NULL OR created_at >= $4)
        AND ($5::text IS NULL OR account_id ILIKE $5 OR
             CASE WHEN $6::boolean THEN email ELSE email_domain END ILIKE $5)
      ORDER BY lead_seq DESC LIMIT $7`,
    [
      ...[before ?? null, status ?? null, source ?? null, since ?? null],
      ...[q === undefined ? null : `%${literalPattern(q)}%`, wholeAddresses, limit],
    ],
  );
}

/** Text that a pattern of ILIKE takes for itself. */
export const literalPattern = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

function leadOf(row: Row, wholeAddresses: boolean): Lead {
  const email = row.email as string;
  return {
    leadId: row.lead_id as string,
    status: row.status as Lead['status'],
    source: row.source as Lead['source'],
    email: wholeAddresses ? email : maskedEmail(email),
    ...(row.account_id === null ? {} : { accountId: row.account_id as string }),
    detail: row.detail as Lead['detail'],
    seenCount: row.seen_count as number,
    createdAt: (row.created_at as Date).toISOString(),
    lastSeenAt: (row.last_seen_at as Date).toISOString(),
  };
}
