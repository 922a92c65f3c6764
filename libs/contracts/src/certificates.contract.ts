import { z } from 'zod';
import { AccountId, KeyHolder } from './account.contract.js';
import { agentEvidence, AgentPriceRecord } from './agent-price.js';
import { Bytes, procedure } from './procedure.js';
import { defineRoutes } from './route.js';
import { FileSha256, UploadId } from './uploads.contract.js';
import {
  base64Bytes,
  CalendarDate,
  IdempotencyHeaders,
  PageCursor,
  PlainText,
  plainText,
  unguessableId,
} from './wire-format.js';

/** Bytes of one certificate file. */
export const CERTIFICATE_BYTES_MAX = 7_864_320;
/** A body with such a file in base64. */
const CERTIFICATE_BODY_BYTES_MAX = 10_616_832;
/** Pages of one certificate file. */
export const CERTIFICATE_PAGES_MAX = 20;

/** Fields of a certificate that are sent in the place of a file. */
const FIELDS_MAX = 400;
/** Texts of endorsement pages that come along with fields, and characters of one. */
const ATTACHMENTS_MAX = 16;
const ATTACHMENT_CHARS_MAX = 20_000;
/** Text of a form's field: it may have lines. */
const FieldText = plainText(String.raw`\t\n\r`, 'text without control characters but line breaks');

/** One of those built in, `electrical`, or a holder's own. */
export const RequirementSetId = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)
  .max(64);
export const AuditId = unguessableId('aud');
const LimitUsd = z.int().min(0).max(1_000_000_000);
const Flag = z.boolean();

/** What a certificate must show; what is left out is not asked for. */
export const CoiRequirements = z
  .strictObject({
    name: PlainText.min(1).max(128).optional(),
    certificateHolder: PlainText.min(1).max(256).optional(),
    namedInsured: PlainText.min(1).max(256).optional(),
    generalLiability: z
      .strictObject({
        eachOccurrenceUsd: LimitUsd.optional(),
        generalAggregateUsd: LimitUsd.optional(),
        productsCompletedOperationsUsd: LimitUsd.optional(),
        personalAdvertisingInjuryUsd: LimitUsd.optional(),
        damageToRentedPremisesUsd: LimitUsd.optional(),
        medicalExpenseUsd: LimitUsd.optional(),
        additionalInsured: Flag.optional(),
        subrogationWaived: Flag.optional(),
        occurrenceForm: Flag.default(true).meta({ description: 'Claims-made does not do' }),
        aggregatePerProject: Flag.default(false),
      })
      .optional(),
    automobileLiability: z
      .strictObject({
        combinedSingleLimitUsd: LimitUsd.optional(),
        additionalInsured: Flag.optional(),
        subrogationWaived: Flag.optional(),
        anyAutoOrHiredAndNonOwned: Flag.default(false),
      })
      .optional(),
    umbrella: z
      .strictObject({
        eachOccurrenceUsd: LimitUsd.optional(),
        aggregateUsd: LimitUsd.optional(),
        topsUpPrimary: Flag.default(true).meta({
          description: 'What the primary limits lack may come from the umbrella',
        }),
      })
      .optional(),
    workersCompensation: z
      .strictObject({
        eachAccidentUsd: LimitUsd.optional(),
        diseasePolicyLimitUsd: LimitUsd.optional(),
        diseaseEachEmployeeUsd: LimitUsd.optional(),
        subrogationWaived: Flag.optional(),
        noExclusions: Flag.default(true).meta({ description: 'No proprietor or partner is excluded' }),
      })
      .optional(),
    endorsements: z.array(PlainText.min(1).max(32)).max(16).default([]).meta({
      description: 'Forms that must be named, with or without an edition: CG 20 10, CG 20 37 04 13',
    }),
    expiryWarningDays: z.int().min(0).max(365).default(30),
    signature: Flag.default(true),
  })
  .meta({ id: 'CoiRequirements' });
export type CoiRequirements = z.output<typeof CoiRequirements>;

const auditTerms = {
  asOf: CalendarDate.optional().meta({ description: 'Day of the audit; default today' }),
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
      .refine(oneRequirement, ONE_REQUIREMENT)
      .meta({ id: 'CoiFileRequest' }),
    z
      .strictObject({
        fields: z
          .record(PlainText.min(1).max(128), FieldText.max(4_096))
          .refine(fields => Object.keys(fields).length <= FIELDS_MAX, {
            error: `at most ${FIELDS_MAX} fields`,
            params: { bound: FIELDS_MAX },
          })
          .meta({ maxProperties: FIELDS_MAX }),
        attachments: z
          .array(FieldText.max(ATTACHMENT_CHARS_MAX))
          .max(ATTACHMENTS_MAX)
          .default([])
          .meta({ description: 'Texts of the endorsement pages that came with the certificate' }),
        ...auditTerms,
      })
      .refine(oneRequirement, ONE_REQUIREMENT)
      .meta({ id: 'CoiFieldsRequest' }),
  ])
  .meta({
    id: 'CoiVerifyRequest',
    example: { fields: { NamedInsured_FullName: 'Test Roofing LLC' }, requirementSetId: 'electrical' },
  });
export type CoiVerifyRequest = z.output<typeof CoiVerifyRequest>;

/** The same with a file that was uploaded: its digest stands for it. */
export const VerifyUploadedCertificate = z
  .strictObject({ fileSha256: FileSha256, ...auditTerms })
  .refine(oneRequirement, ONE_REQUIREMENT);

const Evidence = z.object({
  field: z.string(),
  value: z.string(),
  page: z.int().optional(),
  box: z
    .tuple([z.number(), z.number(), z.number(), z.number()])
    .optional()
    .meta({ description: 'Left, top, right, bottom in points from the page’s top left corner' }),
});

export const CoiVerdict = z.enum(['COMPLIANT', 'DEFICIENT', 'REVIEW']);
const RuleOutcome = z.enum(['pass', 'fail', 'warn', 'not_determinable']);

/** Response of `POST /partnerCoiVerify`. */
export const CoiVerifyResult = z
  .object({
    auditId: AuditId,
    compliant: CoiVerdict,
    rules: z.array(
      z.object({
        id: z.string(),
        title: z.string(),
        outcome: RuleOutcome,
        affectsVerdict: z.boolean().meta({ description: 'False for a note: such a warning stops nothing' }),
        detail: z.string(),
        required: z.string().optional(),
        evidence: Evidence.optional(),
        confidence: z.number(),
      }),
    ),
    variant: z.enum(['fillable', 'flattened', 'scanned', 'fields']).meta({
      description: 'How the fields were read: form fields, text, recognised characters, or as you sent them',
    }),
    edition: z.string().optional().meta({
      description: 'Edition that the form names at its foot, `2016/03`; absent where it names none',
    }),
    extracted: z.record(
      z.string(),
      z.object({
        value: z.string(),
        confidence: z.number(),
        page: z.int().optional(),
        box: Evidence.shape.box,
      }),
    ),
    insured: z.string().nullable(),
    requirementSetId: RequirementSetId.nullable(),
    requirements: CoiRequirements,
    deficiencyLetter: z.string().nullable(),
    expiresAt: CalendarDate.nullable().meta({ description: 'First day on which a policy in it has ended' }),
    asOf: CalendarDate,
    creditsRemaining: z
      .int()
      .nullable()
      .meta({ description: 'Audits that the balance of the key buys; null where no key came along' }),
    limits: z.array(z.string()).meta({ description: 'What this audit cannot tell' }),
    ...agentEvidence,
  })
  .meta({ id: 'CoiVerifyResult' });
export type CoiVerifyResult = z.infer<typeof CoiVerifyResult>;

/** A stored requirement set. */
export const RequirementSet = z
  .object({
    requirementSetId: RequirementSetId,
    builtIn: z.boolean(),
    updatedAt: z.iso.datetime().nullable(),
    requirements: CoiRequirements,
  })
  .meta({ id: 'RequirementSet' });
export type RequirementSet = z.infer<typeof RequirementSet>;

/** Response of `GET /coi/requirement-sets`. */
export const RequirementSetList = z
  .object({ items: z.array(RequirementSet) })
  .meta({ id: 'RequirementSetList' });

/** Text of a record that people read later: it says something, and shows it in the order in which it was written. */
const legible = (text: string): boolean =>
  /[\p{L}\p{N}]/u.test(text) && !/[\u202a-\u202e\u2066-\u2069]/u.test(text);
const LEGIBLE = { error: 'text with a letter or digit, and nothing that turns the direction of writing' };

/** Body of `POST /coi/audits/:auditId/overrides`. */
export const OverrideRequest = z
  .strictObject({
    ruleId: z.string().min(1).max(64),
    outcome: z.enum(['pass', 'fail']),
    reason: PlainText.trim().min(3).max(2_000).refine(legible, LEGIBLE),
    by: PlainText.trim().min(1).max(128).refine(legible, LEGIBLE).meta({ description: 'Who answers for it' }),
  })
  .meta({ id: 'OverrideRequest' });

/** An override, as it stands in the audit's trail. */
export const Override = z
  .object({
    overrideId: z.string(),
    ruleId: z.string(),
    from: RuleOutcome,
    outcome: z.enum(['pass', 'fail']),
    reason: z.string(),
    by: z.string(),
    keyId: z.string(),
    at: z.iso.datetime(),
  })
  .meta({ id: 'Override' });
export type Override = z.infer<typeof Override>;

/** Response of `GET /coi/audits/:auditId`. */
export const CoiAudit = z
  .object({
    audit: CoiVerifyResult.meta({ description: 'As it was answered' }),
    overrides: z.array(Override).meta({ description: 'Oldest first; none is ever changed' }),
    compliant: CoiVerdict.meta({ description: 'With the overrides' }),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'CoiAudit' });

/** Response of `GET /coi/expiring`. */
export const CoiExpiring = z
  .object({
    items: z.array(
      z.object({
        auditId: AuditId,
        insured: z.string().nullable(),
        expiresAt: CalendarDate,
        daysLeft: z.int().meta({ description: 'Negative: it has ended' }),
        compliant: CoiVerdict,
      }),
    ),
    nextCursor: z.string().nullable(),
  })
  .meta({ id: 'CoiExpiring' });

const auditParams = z.object({ auditId: AuditId });
const setParams = z.object({ requirementSetId: RequirementSetId });
const expiringQuery = z.strictObject({
  withinDays: z.coerce.number().int().min(1).max(365).default(30),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: PageCursor.optional(),
});

export const certificatesRoutes = defineRoutes({
  verify: {
    operationId: 'agent.coi-verify',
    method: 'POST',
    path: '/partnerCoiVerify',
    summary: 'Audit an ACORD 25 certificate for subcontractor compliance',
    description:
      'A file that cannot be read is 422 and costs nothing. With an X-SVC-KEY the audit belongs to its account.',
    tag: 'Agents',
    access: 'paid',
    headers: IdempotencyHeaders,
    body: { schema: CoiVerifyRequest },
    bodyBytesMax: CERTIFICATE_BODY_BYTES_MAX,
    replies: { 200: { description: 'The audit', schema: CoiVerifyResult } },
    problems: ['UNPROCESSABLE', 'OVERLOADED'],
  },
  price: {
    operationId: 'agent.coi-verify-price',
    method: 'GET',
    path: '/partnerCoiVerify',
    summary: 'Price of a certificate audit, and how it is paid',
    tag: 'Agents',
    access: 'free',
    replies: { 200: { description: 'The price record', schema: AgentPriceRecord } },
  },
  requirementSets: {
    operationId: 'coi.list-requirement-sets',
    method: 'GET',
    path: '/coi/requirement-sets',
    summary: 'The requirement sets: those built in by trade, and your own',
    tag: 'Certificates',
    access: 'key',
    replies: { 200: { description: 'The sets', schema: RequirementSetList } },
  },
  putRequirementSet: {
    operationId: 'coi.put-requirement-set',
    method: 'PUT',
    path: '/coi/requirement-sets/:requirementSetId',
    summary: 'Store a requirement set under an id of your own',
    tag: 'Certificates',
    access: 'key',
    params: setParams,
    body: { schema: CoiRequirements },
    replies: { 200: { description: 'The set', schema: RequirementSet } },
    problems: ['CONFLICT', 'UNPROCESSABLE'],
  },
  requirementSet: {
    operationId: 'coi.get-requirement-set',
    method: 'GET',
    path: '/coi/requirement-sets/:requirementSetId',
    summary: 'A requirement set',
    tag: 'Certificates',
    access: 'key',
    params: setParams,
    replies: { 200: { description: 'The set', schema: RequirementSet } },
  },
  audit: {
    operationId: 'coi.get-audit',
    method: 'GET',
    path: '/coi/audits/:auditId',
    summary: 'An audit with its overrides',
    description: 'Whoever holds the id may ask: it is unguessable.',
    tag: 'Certificates',
    access: 'free',
    params: auditParams,
    replies: { 200: { description: 'The audit', schema: CoiAudit } },
  },
  letter: {
    operationId: 'coi.get-letter',
    method: 'GET',
    path: '/coi/audits/:auditId/letter',
    summary: 'The deficiency letter of an audit as PDF',
    description: 'Whoever holds the id may ask. 404 where the audit found nothing to ask for.',
    tag: 'Certificates',
    access: 'free',
    params: auditParams,
    replies: { 200: { description: 'The letter', mediaType: 'application/pdf' } },
  },
  override: {
    operationId: 'coi.override',
    method: 'POST',
    path: '/coi/audits/:auditId/overrides',
    summary: 'Override a rule of an audit, with a reason that is kept',
    description: 'Needs a key of the account that the audit belongs to.',
    tag: 'Certificates',
    access: 'key',
    params: auditParams,
    body: { schema: OverrideRequest },
    replies: { 201: { description: 'The override', schema: Override } },
    problems: ['FORBIDDEN', 'UNPROCESSABLE'],
  },
  expiring: {
    operationId: 'coi.expiring',
    method: 'GET',
    path: '/coi/expiring',
    summary: 'Certificates that expire soon',
    tag: 'Certificates',
    access: 'key',
    query: expiringQuery,
    replies: { 200: { description: 'A page, those that end first first', schema: CoiExpiring } },
  },
});

/** A request on the bus: its file travels as bytes beside it. */
const CertificateCall = z.object({
  request: z.record(z.string(), z.unknown()),
  /** The file, or an upload that is it. */
  pdf: Bytes.optional(),
  uploadId: UploadId.optional(),
  /** Of the key that came along: whose requirement sets count, and to whom the audit belongs. */
  accountId: AccountId.optional(),
});

export const certificatesContract = {
  /** Whether it could be audited: a file that opens, requirements that are known. UNPROCESSABLE says why not. */
  admit: procedure('department', 'admit-certificate', {
    request: CertificateCall,
    reply: z.object({}),
    timeoutMs: 15_000,
  }),
  verify: procedure('department', 'verify-certificate', {
    request: CertificateCall.extend({ creditsRemaining: z.int().nullable() }),
    reply: CoiVerifyResult,
    timeoutMs: 45_000,
  }),
  requirementSets: procedure('department', 'requirement-sets', {
    /** Without a holder those that are built in. */
    request: z.object({ by: KeyHolder.optional() }),
    reply: RequirementSetList,
    timeoutMs: 5_000,
  }),
  requirementSet: procedure('department', 'requirement-set', {
    request: z.object({ by: KeyHolder, requirementSetId: RequirementSetId }),
    reply: RequirementSet,
    timeoutMs: 5_000,
  }),
  /** CONFLICT for the id of a set that is built in; UNPROCESSABLE for endorsements that name no form. */
  putRequirementSet: procedure('department', 'put-requirement-set', {
    request: z.object({ by: KeyHolder, requirementSetId: RequirementSetId, requirements: CoiRequirements }),
    reply: RequirementSet,
    timeoutMs: 5_000,
  }),
  audit: procedure('department', 'coi-audit', {
    request: auditParams,
    reply: CoiAudit,
    timeoutMs: 5_000,
  }),
  letter: procedure('department', 'coi-letter', {
    request: auditParams,
    reply: z.object({ pdf: Bytes }),
    timeoutMs: 10_000,
  }),
  override: procedure('department', 'coi-override', {
    request: z.object({ by: KeyHolder, auditId: AuditId, request: OverrideRequest }),
    reply: Override,
    timeoutMs: 5_000,
  }),
  expiring: procedure('department', 'coi-expiring', {
    request: expiringQuery.extend({ by: KeyHolder }),
    reply: CoiExpiring,
    timeoutMs: 5_000,
  }),
} as const;
