import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { CertificateRequirements } from '../requirements/certificate-requirements.js';
import { certificateTruth } from '../testing/index.js';
import { auditCertificate } from './audit-certificate.js';

const TRUTH = certificateTruth(1, { deficiencies: [] });
const MILLION = 1_000_000;

interface Case {
  /** Shown, millions: each occurrence, its aggregate; of the umbrella the same. */
  readonly shown: { occurrence: number; aggregate: number; umbrella: number; umbrellaAggregate: number };
  readonly asked: { occurrence: number; aggregate: number; umbrella: number; umbrellaAggregate: number };
}

/**
 * The arithmetic by hand: dollars are laid one by one, first under the umbrella that is asked for, then under the primary limit.
 * Nobody's dollar is laid twice.
 */
function suffices(shown: number, umbrella: number, asked: number, askedUmbrella: number): boolean {
  let left = umbrella;
  let laid = 0;
  for (let step = 0; step < askedUmbrella; step++) {
    if (left === 0) return false;
    left--;
    laid++;
  }
  for (let step = 0; step < asked; step++) {
    if (step < shown) continue;
    // A primary policy has to be there: an umbrella stands on one.
    if (shown === 0 || left === 0) return false;
    left--;
    laid++;
  }
  return laid >= askedUmbrella;
}

const amount = (millions: number) => (millions * MILLION).toLocaleString('en-US');

function verdictOf({ shown, asked }: Case, topsUpPrimary: boolean) {
  const fields = Object.entries({
    ...TRUTH.fields,
    GeneralLiability_EachOccurrence_LimitAmount: amount(shown.occurrence),
    GeneralLiability_GeneralAggregate_LimitAmount: amount(shown.aggregate),
    ExcessUmbrella_Umbrella_EachOccurrenceAmount: amount(shown.umbrella),
    ExcessUmbrella_Umbrella_AggregateAmount: amount(shown.umbrellaAggregate),
  }).map(([name, value]) => [name, { value, confidence: 1 }]);
  const requirements: CertificateRequirements = {
    generalLiability: {
      eachOccurrenceUsd: asked.occurrence * MILLION,
      generalAggregateUsd: asked.aggregate * MILLION,
      occurrenceForm: true,
      aggregatePerProject: false,
    },
    umbrella: {
      eachOccurrenceUsd: asked.umbrella * MILLION,
      aggregateUsd: asked.umbrellaAggregate * MILLION,
      topsUpPrimary,
    },
    endorsements: [],
    expiryWarningDays: 30,
    signature: true,
  };
  const certificate = {
    ...{ variant: 'fields' as const, pages: 1, attachments: [], tamperSigns: [] },
    fields: Object.fromEntries(fields),
  };
  const { rules } = auditCertificate(certificate, requirements, { asOf: TRUTH.asOf });
  return (id: string) => rules.find(rule => rule.id === id)?.outcome === 'pass';
}

const limits = fc.record({
  occurrence: fc.nat(4),
  aggregate: fc.nat(5),
  umbrella: fc.nat(6),
  umbrellaAggregate: fc.nat(6),
});

describe('limits with an umbrella', () => {
  it('suffice exactly where dollars laid one by one do', () => {
    fc.assert(
      fc.property(limits, limits, (shown, asked) => {
        const passes = verdictOf({ shown, asked }, true);
        // Who asks for no dollar is given it by any limit that is shown.
        const occurrence =
          asked.occurrence === 0 ||
          suffices(shown.occurrence, shown.umbrella, asked.occurrence, asked.umbrella);
        const umbrellaHolds = shown.umbrella >= asked.umbrella;
        const aggregateHolds = shown.umbrellaAggregate >= asked.umbrellaAggregate;
        expect(passes('GL_EACH_OCCURRENCE') && passes('UMBRELLA_EACH_OCCURRENCE')).toBe(
          occurrence && umbrellaHolds,
        );
        const aggregate =
          asked.aggregate === 0 ||
          suffices(shown.aggregate, shown.umbrellaAggregate, asked.aggregate, asked.umbrellaAggregate);
        expect(passes('GL_GENERAL_AGGREGATE') && passes('UMBRELLA_AGGREGATE')).toBe(
          aggregate && aggregateHolds,
        );
      }),
      { numRuns: process.env.SUITE_TIER === 'long' ? 50_000 : 1_000 },
    );
  });

  it('get nothing from it where the set does not let them', () => {
    fc.assert(
      fc.property(limits, limits, (shown, asked) => {
        expect(verdictOf({ shown, asked }, false)('GL_EACH_OCCURRENCE')).toBe(
          shown.occurrence >= asked.occurrence,
        );
      }),
      { numRuns: 500 },
    );
  });
});
