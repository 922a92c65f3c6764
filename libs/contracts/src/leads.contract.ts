import { z } from 'zod';
import type { KeyScope } from './account.contract.js';
import { AccountKeyText } from './payments.contract.js';
import { procedure } from './procedure.js';
import { defineRoutes } from './route.js';
import { PageCursor, PlainText } from './wire-format.js';

export const LEAD_STATUSES = ['new', 'contacted', 'won', 'lost'] as const;
export const LEAD_SOURCES = ['checkout', 'purchase-link'] as const;
/** Most leads in one answer. */
export const LEADS_PAGE_MAX = 200;

const LeadId = z.string().regex(/^lead_[A-Za-z0-9_-]{22}$/);

/** Somebody who showed that they may buy. */
export const Lead = z
  .object({
    leadId: LeadId,
    status: z.enum(LEAD_STATUSES),
    source: z.enum(LEAD_SOURCES),
    email: z.string().meta({ description: 'Masked without the scope leads:pii' }),
    accountId: z.string().optional(),
    detail: z.record(z.string(), z.unknown()),
    seenCount: z.int().meta({ description: 'How often the address came from this source' }),
    createdAt: z.iso.datetime(),
    lastSeenAt: z.iso.datetime(),
  })
  .meta({ id: 'Lead' });
export type Lead = z.infer<typeof Lead>;

/** Response of `GET /leads`. */
export const LeadPage = z
  .object({ items: z.array(Lead), nextCursor: z.string().nullable() })
  .meta({ id: 'LeadPage' });
export type LeadPage = z.infer<typeof LeadPage>;

const LeadsQuery = z.strictObject({
  status: z.enum(LEAD_STATUSES).optional(),
  source: z.enum(LEAD_SOURCES).optional(),
  since: z.iso.datetime({ offset: true }).optional().meta({ description: 'Those that came at or after it' }),
  q: PlainText.min(2).max(128).optional().meta({
    description: 'Text in the account id or the domain of the address; with leads:pii in the whole address',
  }),
  limit: z.coerce.number().int().min(1).max(LEADS_PAGE_MAX).default(50),
  cursor: PageCursor.optional(),
});
export type LeadsQuery = z.output<typeof LeadsQuery>;

/** Body of `PATCH /leads/:leadId`. */
export const LeadChange = z.strictObject({ status: z.enum(LEAD_STATUSES) }).meta({ id: 'LeadChange' });

export const leadsRoutes = defineRoutes({
  leads: {
    operationId: 'admin.leads',
    method: 'GET',
    path: '/leads',
    summary: 'Leads from checkouts and purchase links',
    description: 'Newest first. Needs the scope `leads:read`; each read is recorded.',
    tag: 'Admin',
    access: 'admin',
    query: LeadsQuery,
    replies: { 200: { description: 'A page', schema: LeadPage } },
  },
  change: {
    operationId: 'admin.change-lead',
    method: 'PATCH',
    path: '/leads/:leadId',
    summary: 'Set the status of a lead',
    description: 'Needs the scope `leads:write`.',
    tag: 'Admin',
    access: 'admin',
    params: z.object({ leadId: LeadId.meta({ description: 'Id of a lead' }) }),
    body: { schema: LeadChange },
    replies: { 200: { description: 'The lead', schema: Lead } },
  },
});

/** What a key must be good for, by procedure. */
export const LEADS_SCOPES = { list: 'leads:read', change: 'leads:write' } as const satisfies Record<
  string,
  KeyScope
>;

/** Payments looks itself whose the key is and what it is good for. */
export const leadsContract = {
  /** A page of leads; the read is recorded. VALIDATION_FAILED for a cursor that is none, or of other filters. */
  list: procedure('payments', 'leads', {
    request: LeadsQuery.extend({ accountKey: AccountKeyText }),
    reply: LeadPage,
    timeoutMs: 10_000,
  }),
  change: procedure('payments', 'change-lead', {
    request: LeadChange.extend({ accountKey: AccountKeyText, leadId: LeadId }),
    reply: Lead,
    timeoutMs: 5_000,
  }),
} as const;
