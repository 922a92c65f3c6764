import { Injectable } from '@nestjs/common';
import {
  auditCertificate,
  type CertificateAudit,
  type CertificateRule,
  deficiencyLetter,
  type ExtractedCertificate,
} from '@svc/certificates';
import {
  certificatesContract,
  CoiVerifyRequest,
  type CoiVerifyResult,
  type ParsedRequestOf,
} from '@svc/contracts';
import { newId, parseOrProblem, problem } from '@svc/platform';
import { createHash } from 'node:crypto';
import { AgentEvidence, type Evidence } from '../evidence/agent-evidence.js';
import { auditClaim } from './audit-claim.js';
import { AuditStore } from './audit-store.js';
import { AuditTerms, type ResolvedTerms } from './audit-terms.js';
import { type CertificateInput, CertificateSource, type SourcedCertificate } from './certificate-source.js';

type Call = ParsedRequestOf<typeof certificatesContract.admit>;
type VerifyCall = ParsedRequestOf<typeof certificatesContract.verify>;

/** What no audit of a certificate can tell. */
const LIMITS = [
  'A certificate is information, not cover: whether a policy exists, is paid for or was changed since is known to its insurer alone.',
  'What an endorsement or an exclusion of the policy says is not on a certificate; where pages came along, their form numbers, policy number and names are compared, not their wording.',
  'Whether an umbrella follows the policies beneath it is not on a certificate.',
  'Whether a signature is genuine is not looked at.',
];
const SCAN_LIMIT =
  'The fields were recognised from a picture: what was not read surely is left undetermined, and a digit changed in the picture itself may go unseen.';
const NAMES_SHOWN_MAX = 8;

/** Audits certificates: what they say, held against requirements, with evidence and on record. */
@Injectable()
export class CertificateAuditService {
  constructor(
    private readonly terms: AuditTerms,
    private readonly source: CertificateSource,
    private readonly evidence: AgentEvidence,
    private readonly audits: AuditStore,
  ) {}

  /** @throws ProblemError UNPROCESSABLE for what could not be audited; OVERLOADED */
  async admit(call: Call): Promise<Record<string, never>> {
    const input = inputOf(call);
    await this.terms.resolve(input.request, call.accountId);
    await this.source.inspect(input);
    return {};
  }

  /**
   * @param auditId of an audit that may be asked for again: it is on record once, and that is the answer
   * @throws ProblemError as {@link admit}, and as {@link AgentEvidence.with}; TIMEOUT where nobody waits any more
   */
  async verify(call: VerifyCall, auditId = newAuditId()): Promise<CoiVerifyResult> {
    const startedAt = performance.now();
    const input = inputOf(call);
    const terms = await this.terms.resolve(input.request, call.accountId);
    const sourced = await this.source.read(input);
    const audit = auditCertificate(sourced.certificate, terms.requirements, terms);
    const found = answerOf(audit, auditId, sourced, terms, call.creditsRemaining);
    const answer = await this.evidence.with(found, auditClaim(audit.rules, claimedRequest(input)));
    assertAwaited(performance.now() - startedAt);
    return this.audits.add(answer, call.accountId);
  }
}

/** The caller has gone by then, and its payment was given back: what nobody paid for is not put on record either. */
function assertAwaited(elapsedMs: number): void {
  const { timeoutMs } = certificatesContract.verify;
  if (elapsedMs < timeoutMs) return;
  throw problem(
    'TIMEOUT',
    `The audit took ${Math.round(elapsedMs)} ms, and its caller waits ${timeoutMs} ms`,
  );
}

/** The request as the contract reads it; its file is bytes already. */
function inputOf({ request, pdf }: Call): CertificateInput & { readonly request: CoiVerifyRequest } {
  // In the place of the file, so that one schema judges both ways of asking.
  const body = parseOrProblem(CoiVerifyRequest, pdf ? { ...request, pdfBase64: 'AA==' } : request);
  return { request: body, ...(pdf && { pdf }) };
}

/** What the evidence says was asked: as the contract read it, the file as its digest. */
function claimedRequest({ request, pdf }: CertificateInput): Record<string, unknown> {
  if (!pdf) return { ...request };
  const { pdfBase64: _, ...terms } = request as Record<string, unknown>;
  return { ...terms, pdfSha256: `0x${createHash('sha256').update(pdf).digest('hex')}` };
}

const newAuditId = (): string => newId('aud');

function answerOf(
  audit: CertificateAudit,
  auditId: string,
  { certificate, unknownNames }: SourcedCertificate,
  terms: ResolvedTerms,
  creditsRemaining: number | null,
): Omit<CoiVerifyResult, keyof Evidence> {
  const { requirements, requirementSetId, asOf, projectEnd } = terms;
  const { verdict, rules, insured, expiresAt } = audit;
  const requirementsName = requirements.name ?? requirementSetId ?? undefined;
  return {
    auditId,
    compliant: verdict,
    rules: rules.map(answeredRule),
    variant: certificate.variant,
    ...(certificate.edition !== undefined && { edition: certificate.edition }),
    extracted: Object.fromEntries(
      Object.entries(certificate.fields).map(([name, { value, confidence, page, box }]) => [
        name,
        {
          value,
          confidence,
          ...(page === undefined ? {} : { page }),
          ...(box === undefined ? {} : { box: boxOf(box) }),
        },
      ]),
    ),
    insured,
    requirementSetId,
    requirements,
    deficiencyLetter: deficiencyLetter({
      ...{ verdict, rules, insured, asOf, reference: auditId },
      producer: certificate.fields.Producer_FullName?.value ?? null,
      ...(projectEnd === undefined ? {} : { projectEnd }),
      ...(requirementsName === undefined ? {} : { requirementsName }),
    }),
    expiresAt,
    asOf,
    creditsRemaining,
    limits: limitsOf(certificate, unknownNames),
    charged: true,
  };
}

/** A rule as it is answered: what its evidence compares is in the evidence. */
function answeredRule({
  comparison: _,
  evidence,
  ...rule
}: CertificateRule): CoiVerifyResult['rules'][number] {
  if (!evidence) return rule;
  const { box, ...found } = evidence;
  return { ...rule, evidence: { ...found, ...(box && { box: boxOf(box) }) } };
}

/** Since this edition the form says that it shows no more than its holder asked for. */
const INCLUSIVE_EDITION = '2025/12';
const INCLUSIVE_LIMIT =
  'The form is of edition 2025/12, whose limits are inclusive of amounts that the holder requested: the policies may have more.';

function limitsOf(
  { variant, edition, ignored = [] }: ExtractedCertificate,
  unknownNames: readonly string[],
): string[] {
  const shown = unknownNames.slice(0, NAMES_SHOWN_MAX).join(', ').slice(0, 400);
  return [
    ...LIMITS,
    ...(variant === 'scanned' ? [SCAN_LIMIT] : []),
    ...(edition === INCLUSIVE_EDITION ? [INCLUSIVE_LIMIT] : []),
    ...ignored.map(
      what => `The file holds ${what}, which was not run: other viewers may show what it makes.`,
    ),
    ...(variant === 'fields' ? ['The fields are as they were sent: no document was looked at.'] : []),
    ...(unknownNames.length > 0
      ? [`${unknownNames.length} fields have names that are not known: ${shown}.`]
      : []),
  ];
}

/** Hundredths of a point are more than any reading has. */
function boxOf(box: readonly [number, number, number, number]): [number, number, number, number] {
  return box.map(edge => Math.round(edge * 100) / 100) as [number, number, number, number];
}
