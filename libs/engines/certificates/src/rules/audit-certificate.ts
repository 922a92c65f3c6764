import type { ExtractedCertificate } from '../extracted-certificate.js';
import type { CertificateRequirements } from '../requirements/certificate-requirements.js';
import { CertificateReading } from './certificate-reading.js';
import { applied, type CertificateRule } from './certificate-rule.js';
import { COVERAGE_LINES, coverageRules, rowOf, UMBRELLA } from './coverage-line.js';
import { documentRules } from './document-rules.js';
import { additionalInsuredRules, EndorsementReading, endorsementRules } from './endorsement-rules.js';
import { limitRules, umbrellaBasisRule } from './limit-rules.js';
import { askedLines, lineRules } from './line-rules.js';
import { dayOfIso, isoOf } from './printed-date.js';
import { remarksRule } from './remark-rules.js';

/** Version of the rules that are applied here. */
export const CERTIFICATE_RULESET_ID = 'coi-acord25/v1';

export type CertificateVerdict = 'COMPLIANT' | 'DEFICIENT' | 'REVIEW';

/** What a certificate is held against beside the requirements. Days are `YYYY-MM-DD`. */
export interface AuditTerms {
  readonly asOf: string;
  readonly projectEnd?: string;
}

export interface CertificateAudit {
  readonly verdict: CertificateVerdict;
  readonly rules: readonly CertificateRule[];
  /** First day on which a policy that is asked for has ended; of all that are shown where none is. Null where no date was read. */
  readonly expiresAt: string | null;
  /** As printed. */
  readonly insured: string | null;
}

const NO_COVERAGE = applied(
  { id: 'COVERAGE', title: 'Some coverage is shown' },
  { outcome: 'not_determinable', detail: 'No coverage was found on the certificate.', confidence: 0 },
);

/**
 * Holds a certificate against requirements. COMPLIANT only where every rule that was asked for is sure to hold: what is unread,
 * doubtful or contradictory is REVIEW, and what is sure to be missing is DEFICIENT.
 *
 * @example auditCertificate(certificate, BUILT_IN_REQUIREMENTS.roofing, { asOf: '2026-03-01' }).verdict
 * @throws RangeError for days that are none, and endorsements that name no form
 */
export function auditCertificate(
  certificate: ExtractedCertificate,
  requirements: CertificateRequirements,
  { asOf, projectEnd }: AuditTerms,
): CertificateAudit {
  const reading = new CertificateReading(certificate);
  const days = {
    asOf: dayOfIso(asOf),
    ...(projectEnd === undefined ? {} : { projectEnd: dayOfIso(projectEnd) }),
    expiryWarningDays: requirements.expiryWarningDays,
  };
  const limits = limitRules(reading, requirements);
  const shown = COVERAGE_LINES.filter(line => !reading.isBlank(rowOf(line)));
  const asked = askedLines(requirements, limits.usesUmbrella);
  // Where no coverage is asked for, those that are shown have to be in order.
  const lines = asked.length > 0 ? asked : shown;
  const boxes = lineRules(reading, requirements);
  const isTicked = boxes.some(({ id, outcome }) => id === 'GL_ADDITIONAL_INSURED' && outcome === 'pass');
  const endorsements = new EndorsementReading(reading);
  const rules = [
    ...documentRules(reading, requirements, shown, days.asOf),
    remarksRule(reading, requirements, endorsements),
    ...(lines.length === 0 ? [NO_COVERAGE] : []),
    ...lines.flatMap(line => coverageRules(reading, line, days)),
    ...limits.rules,
    ...(asked.includes(UMBRELLA) ? [umbrellaBasisRule(reading)] : []),
    ...boxes,
    ...additionalInsuredRules(endorsements, requirements, isTicked),
    ...endorsementRules(endorsements, requirements),
  ];
  const insured = reading.text('NamedInsured_FullName');
  return {
    verdict: verdictOf(rules),
    rules,
    expiresAt: expiryOf(reading, lines),
    insured: insured.state === 'known' ? insured.value : null,
  };
}

/** What the rules come to: a failure outweighs doubt, and doubt outweighs everything that passed. */
export function verdictOf(
  rules: readonly Pick<CertificateRule, 'outcome' | 'affectsVerdict'>[],
): CertificateVerdict {
  if (rules.some(({ outcome }) => outcome === 'fail')) return 'DEFICIENT';
  const isOpen = rules.some(({ outcome, affectsVerdict }) => affectsVerdict && outcome !== 'pass');
  return isOpen ? 'REVIEW' : 'COMPLIANT';
}

function expiryOf(reading: CertificateReading, lines: readonly (typeof UMBRELLA)[]): string | null {
  const ends = lines.flatMap(line => {
    const end = reading.date(line.expiration, rowOf(line));
    return end.state === 'known' ? [end.value] : [];
  });
  return ends.length === 0 ? null : isoOf(Math.min(...ends));
}
