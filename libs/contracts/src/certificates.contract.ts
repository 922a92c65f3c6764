import { z } from 'zod';
import { AuditProof } from './audit-proof.js';
import { defineRoutes } from './route.js';
import { base64Bytes, CalendarDate, IdempotencyHeaders, PageCursor, unguessableId } from './wire-format.js';

/** Bytes of one certificate file. */
export const CERTIFICATE_BYTES_MAX = 10_485_760;

const RequirementSetId = unguessableId('req');
const AuditId = unguessableId('aud');
const LimitUsd = z.int().min(0).max(1_000_000_000);
const CoverageLimits = z.strictObject({
  eachOccurrenceUsd: LimitUsd.optional(),
  aggregateUsd: LimitUsd.optional(),
  additionalInsured: z.boolean().optional(),
  subrogationWaived: z.boolean().optional(),
});

/** What a certificate must show. */
export const CoiRequirements = z
  .strictObject({
    name: z.string().max(128).optional(),
    certificateHolder: z.string().max(256).optional(),
    generalLiability: CoverageLimits.optional(),
    automobileLiability: CoverageLimits.optional(),
    umbrella: CoverageLimits.optional(),
    workersCompensation: CoverageLimits.optional(),
    umbrellaTopsUp: z.boolean().default(false),
    occurrenceForm: z.boolean().default(true),
    aggregatePerProject: z.boolean().default(false),
    endorsements: z.array(z.string().min(1).max(32)).max(32).default([]),
  })
  .meta({ id: 'CoiRequirements' });

const auditTerms = {
  asOf: CalendarDate.optional(),
  projectEnd: CalendarDate.optional(),
  requirements: CoiRequirements.optional(),
  requirementSetId: RequirementSetId.optional(),
};
const oneRequirement = (body: { requirements?: unknown; requirementSetId?: unknown }) =>
  (body.requirements === undefined) !== (body.requirementSetId === undefined);
const ONE_REQUIREMENT = {
  error: 'send requirements or requirementSetId, one of the two',
  path: ['requirements'],
};

/** Body of `POST /partnerCoiVerify`: the certificate as a file, or its fields. */
export const CoiVerifyRequest = z
  .union([
    z
      .strictObject({ pdfBase64: base64Bytes(CERTIFICATE_BYTES_MAX), ...auditTerms })
      .refine(oneRequirement, ONE_REQUIREMENT),
    z
      .strictObject({ fields: z.record(z.string().min(1).max(128), z.string().max(4_096)), ...auditTerms })
      .refine(oneRequirement, ONE_REQUIREMENT),
  ])
  .meta({ id: 'CoiVerifyRequest' });

const Evidence = z.object({
  field: z.string(),
  value: z.string(),
  page: z.int().optional(),
  box: z.tuple([z.number(), z.number(), z.number(), z.number()]).optional(),
});

/** Response of `POST /partnerCoiVerify`. */
export const CoiVerifyResult = z
  .object({
    auditId: AuditId,
    compliant: z.enum(['COMPLIANT', 'DEFICIENT', 'REVIEW']),
    rules: z.array(
      z.object({
        id: z.string(),
        outcome: z.enum(['pass', 'fail', 'warn', 'not_determinable']),
        evidence: Evidence.optional(),
        confidence: z.number(),
      }),
    ),
    extracted: z.record(z.string(), z.string()),
    deficiencyLetter: z.string().nullable(),
    expiresAt: CalendarDate.nullable(),
    creditsRemaining: z.int().nullable(),
    auditProof: AuditProof,
  })
  .meta({ id: 'CoiVerifyResult' });

/** A stored requirement set. */
export const RequirementSet = z
  .object({ requirementSetId: RequirementSetId, createdAt: z.iso.datetime(), requirements: CoiRequirements })
  .meta({ id: 'RequirementSet' });

/** Response of `GET /coi/requirement-sets`. */
export const RequirementSetList = z
  .object({ items: z.array(RequirementSet) })
  .meta({ id: 'RequirementSetList' });

/** Body of `POST /coi/audits/:auditId/overrides`. */
export const OverrideRequest = z
  .strictObject({
    ruleId: z.string().min(1).max(64),
    outcome: z.enum(['pass', 'fail']),
    reason: z.string().min(1).max(2_000),
    by: z.string().min(1).max(128),
  })
  .meta({ id: 'OverrideRequest' });

/** An override, as it stands in the audit's trail. */
export const Override = z
  .object({
    ruleId: z.string(),
    outcome: z.enum(['pass', 'fail']),
    reason: z.string(),
    by: z.string(),
    at: z.iso.datetime(),
  })
  .meta({ id: 'Override' });

/** Response of `GET /coi/audits/:auditId`. */
export const CoiAudit = z
  .object({ audit: CoiVerifyResult, overrides: z.array(Override), createdAt: z.iso.datetime() })
  .meta({ id: 'CoiAudit' });

/** Response of `GET /coi/expiring`. */
export const CoiExpiring = z
  .object({
    items: z.array(z.object({ auditId: AuditId, insured: z.string(), expiresAt: CalendarDate })),
    nextCursor: z.string().nullable(),
  })
  .meta({ id: 'CoiExpiring' });

const auditParams = z.object({ auditId: AuditId });

export const certificatesRoutes = defineRoutes({
  verify: {
    operationId: 'agent.coi-verify',
    method: 'POST',
    path: '/partnerCoiVerify',
    summary: 'Audit an ACORD 25 certificate for subcontractor compliance',
    tag: 'Agents',
    access: 'paid',
    available: false,
    headers: IdempotencyHeaders,
    body: { schema: CoiVerifyRequest },
    bodyBytesMax: 16_777_216,
    replies: { 200: { description: 'The audit', schema: CoiVerifyResult } },
    problems: ['UNPROCESSABLE'],
  },
  requirementSets: {
    operationId: 'coi.list-requirement-sets',
    method: 'GET',
    path: '/coi/requirement-sets',
    summary: 'The requirement sets: those built in by trade, and your own',
    tag: 'Certificates',
    access: 'key',
    available: false,
    replies: { 200: { description: 'The sets', schema: RequirementSetList } },
  },
  putRequirementSet: {
    operationId: 'coi.put-requirement-set',
    method: 'PUT',
    path: '/coi/requirement-sets/:requirementSetId',
    summary: 'Store a requirement set under an id of your own',
    tag: 'Certificates',
    access: 'key',
    available: false,
    params: z.object({ requirementSetId: RequirementSetId }),
    body: { schema: CoiRequirements },
    replies: { 200: { description: 'The set', schema: RequirementSet } },
  },
  requirementSet: {
    operationId: 'coi.get-requirement-set',
    method: 'GET',
    path: '/coi/requirement-sets/:requirementSetId',
    summary: 'A stored requirement set',
    tag: 'Certificates',
    access: 'key',
    available: false,
    params: z.object({ requirementSetId: RequirementSetId }),
    replies: { 200: { description: 'The set', schema: RequirementSet } },
  },
  audit: {
    operationId: 'coi.get-audit',
    method: 'GET',
    path: '/coi/audits/:auditId',
    summary: 'An audit with its overrides',
    tag: 'Certificates',
    access: 'key',
    available: false,
    params: auditParams,
    replies: { 200: { description: 'The audit', schema: CoiAudit } },
  },
  override: {
    operationId: 'coi.override',
    method: 'POST',
    path: '/coi/audits/:auditId/overrides',
    summary: 'Override a rule of an audit, with a reason that is kept',
    tag: 'Certificates',
    access: 'key',
    available: false,
    params: auditParams,
    body: { schema: OverrideRequest },
    replies: { 201: { description: 'The override', schema: Override } },
  },
  expiring: {
    operationId: 'coi.expiring',
    method: 'GET',
    path: '/coi/expiring',
    summary: 'Certificates that expire soon',
    tag: 'Certificates',
    access: 'key',
    available: false,
    query: z.object({
      withinDays: z.coerce.number().int().min(1).max(365).default(30),
      limit: z.coerce.number().int().min(1).max(200).default(50),
      cursor: PageCursor.optional(),
    }),
    replies: { 200: { description: 'A page', schema: CoiExpiring } },
  },
});
