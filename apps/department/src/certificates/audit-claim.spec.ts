import { describe, expect, it } from '@jest/globals';
import { applyRule } from '@svc/audit-proof';
import { auditCertificate, type CertificateRequirements } from '@svc/certificates';
import { certificateTruth, DEFICIENCIES, type DeficiencyId } from '@svc/certificates/testing';
import { AUDIT_RULES_MAX, AuditRule } from '@svc/contracts';
import { auditClaim } from './audit-claim.js';

/** Everything that can be asked for at once. */
const EVERYTHING: CertificateRequirements = {
  certificateHolder: 'Holder LLC',
  namedInsured: 'Insured LLC',
  generalLiability: {
    eachOccurrenceUsd: 1_000_000,
    generalAggregateUsd: 2_000_000,
    productsCompletedOperationsUsd: 2_000_000,
    personalAdvertisingInjuryUsd: 1_000_000,
    damageToRentedPremisesUsd: 100_000,
    medicalExpenseUsd: 5_000,
    additionalInsured: true,
    subrogationWaived: true,
    occurrenceForm: true,
    aggregatePerProject: true,
  },
  automobileLiability: {
    combinedSingleLimitUsd: 1_000_000,
    additionalInsured: true,
    subrogationWaived: true,
    anyAutoOrHiredAndNonOwned: true,
  },
  umbrella: { eachOccurrenceUsd: 5_000_000, aggregateUsd: 5_000_000, topsUpPrimary: true },
  workersCompensation: {
    eachAccidentUsd: 1_000_000,
    diseasePolicyLimitUsd: 1_000_000,
    diseaseEachEmployeeUsd: 1_000_000,
    subrogationWaived: true,
    noExclusions: true,
  },
  endorsements: Array.from({ length: 16 }, (_, index) => `CG 20 ${10 + index}`),
  expiryWarningDays: 365,
  signature: true,
};

function rulesOf(deficiencies: readonly DeficiencyId[], confidence = 1) {
  const truth = certificateTruth(1, { deficiencies });
  const fields = Object.entries(truth.fields as Record<string, string>).map(([name, value]) => [
    name,
    { value, confidence },
  ]);
  const attachments = truth.endorsementPages.map(({ lines }, index) => ({
    page: index + 2,
    text: lines.join('\n'),
  }));
  const certificate = {
    ...{ variant: 'fields' as const, pages: 1, attachments, tamperSigns: [] },
    fields: Object.fromEntries(fields),
  };
  const requirements = {
    ...EVERYTHING,
    certificateHolder: truth.expectedHolder,
    namedInsured: truth.expectedInsured,
  };
  return auditCertificate(certificate, requirements, truth);
}

describe('what evidence claims of an audit', () => {
  it('has room for everything that can be asked for', () => {
    const { rules } = auditClaim(rulesOf([]).rules, {});
    expect(rules.length).toBeLessThanOrEqual(AUDIT_RULES_MAX);
    for (const rule of rules) expect(AuditRule.parse(rule)).toEqual(rule);
  });

  it.each([...(Object.keys(DEFICIENCIES) as DeficiencyId[]), undefined])(
    'holds rule by rule exactly where the audit passed it: %s',
    deficiency => {
      for (const confidence of [1, 0.5]) {
        const audit = rulesOf(deficiency ? [deficiency] : [], confidence);
        const claimed = auditClaim(audit.rules, {}).rules;
        const outcomes = new Map(audit.rules.map(({ id, outcome }) => [id, outcome]));
        for (const rule of claimed) {
          const { holds } = applyRule(rule);
          if (outcomes.has(rule.id))
            expect([rule.id, holds]).toEqual([rule.id, outcomes.get(rule.id) === 'pass']);
        }
        const last = claimed.at(-1)!;
        expect([last.id, applyRule(last).holds]).toEqual(['COMPLIANT', audit.verdict === 'COMPLIANT']);
      }
    },
  );
});
