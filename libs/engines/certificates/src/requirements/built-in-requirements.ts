import type { CertificateRequirements } from './certificate-requirements.js';

const MILLION = 1_000_000;
const EMPLOYERS_LIABILITY_OF_A_MILLION = {
  eachAccidentUsd: MILLION,
  diseasePolicyLimitUsd: MILLION,
  diseaseEachEmployeeUsd: MILLION,
  noExclusions: true,
};
const AUTO_OF_A_MILLION = { combinedSingleLimitUsd: MILLION, anyAutoOrHiredAndNonOwned: true };
const OCCURRENCE_AND_TWICE = {
  eachOccurrenceUsd: MILLION,
  generalAggregateUsd: 2 * MILLION,
  productsCompletedOperationsUsd: 2 * MILLION,
  personalAdvertisingInjuryUsd: MILLION,
  occurrenceForm: true,
};
const BOTH_OPERATIONS = ['CG 20 10', 'CG 20 37'];
const WARNED_AND_SIGNED = { expiryWarningDays: 30, signature: true };

/**
 * Requirement sets by trade: examples, with limits as they often stand in subcontracts. None is advice, and none replaces the
 * contract that a certificate is asked for under. Holder and insured are the asker's to name, in a set of their own.
 */
export const BUILT_IN_REQUIREMENTS: Readonly<Record<string, CertificateRequirements>> = {
  'general-contractor': {
    name: 'General contractor (example)',
    generalLiability: {
      ...OCCURRENCE_AND_TWICE,
      damageToRentedPremisesUsd: 100_000,
      medicalExpenseUsd: 5_000,
      additionalInsured: true,
      subrogationWaived: true,
      aggregatePerProject: true,
    },
    automobileLiability: { ...AUTO_OF_A_MILLION, additionalInsured: true, subrogationWaived: true },
    umbrella: { eachOccurrenceUsd: 5 * MILLION, aggregateUsd: 5 * MILLION, topsUpPrimary: true },
    workersCompensation: { ...EMPLOYERS_LIABILITY_OF_A_MILLION, subrogationWaived: true },
    endorsements: [...BOTH_OPERATIONS, 'CG 24 04'],
    ...WARNED_AND_SIGNED,
  },
  electrical: {
    name: 'Electrical subcontractor (example)',
    generalLiability: {
      ...OCCURRENCE_AND_TWICE,
      additionalInsured: true,
      subrogationWaived: true,
      aggregatePerProject: true,
    },
    automobileLiability: AUTO_OF_A_MILLION,
    umbrella: { eachOccurrenceUsd: 2 * MILLION, aggregateUsd: 2 * MILLION, topsUpPrimary: true },
    workersCompensation: { ...EMPLOYERS_LIABILITY_OF_A_MILLION, subrogationWaived: true },
    endorsements: BOTH_OPERATIONS,
    ...WARNED_AND_SIGNED,
  },
  roofing: {
    name: 'Roofing subcontractor (example)',
    generalLiability: {
      ...OCCURRENCE_AND_TWICE,
      additionalInsured: true,
      subrogationWaived: true,
      aggregatePerProject: true,
    },
    automobileLiability: AUTO_OF_A_MILLION,
    umbrella: { eachOccurrenceUsd: 5 * MILLION, aggregateUsd: 5 * MILLION, topsUpPrimary: true },
    workersCompensation: { ...EMPLOYERS_LIABILITY_OF_A_MILLION, subrogationWaived: true },
    endorsements: BOTH_OPERATIONS,
    ...WARNED_AND_SIGNED,
  },
  janitorial: {
    name: 'Janitorial and cleaning services (example)',
    generalLiability: {
      eachOccurrenceUsd: MILLION,
      generalAggregateUsd: 2 * MILLION,
      damageToRentedPremisesUsd: 100_000,
      medicalExpenseUsd: 5_000,
      additionalInsured: true,
      occurrenceForm: true,
      aggregatePerProject: false,
    },
    automobileLiability: AUTO_OF_A_MILLION,
    umbrella: { topsUpPrimary: true },
    workersCompensation: {
      eachAccidentUsd: 500_000,
      diseasePolicyLimitUsd: 500_000,
      diseaseEachEmployeeUsd: 500_000,
      noExclusions: true,
    },
    endorsements: [],
    ...WARNED_AND_SIGNED,
  },
  landscaping: {
    name: 'Landscaping (example)',
    generalLiability: {
      ...OCCURRENCE_AND_TWICE,
      additionalInsured: true,
      subrogationWaived: false,
      aggregatePerProject: false,
    },
    automobileLiability: AUTO_OF_A_MILLION,
    umbrella: { topsUpPrimary: true },
    workersCompensation: {
      eachAccidentUsd: 500_000,
      diseasePolicyLimitUsd: 500_000,
      diseaseEachEmployeeUsd: 500_000,
      noExclusions: true,
    },
    endorsements: ['CG 20 10'],
    ...WARNED_AND_SIGNED,
  },
};
