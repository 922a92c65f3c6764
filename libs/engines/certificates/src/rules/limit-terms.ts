import type { CertificateField } from '../certificate-field.js';
import type { CertificateRequirements } from '../requirements/certificate-requirements.js';
import {
  AUTOMOBILE,
  type CoverageLine,
  GENERAL_LIABILITY,
  UMBRELLA,
  WORKERS_COMPENSATION,
} from './coverage-line.js';

/** Which limit of the umbrella is added to a primary one; none to what an umbrella does not follow. */
export type TopUp = 'occurrence' | 'aggregate' | 'none';

/** One limit that may be asked for. */
export interface LimitTerm {
  /** Of its rule. */
  readonly id: string;
  readonly line: CoverageLine;
  /** As in a sentence: `each occurrence`. */
  readonly name: string;
  readonly field: CertificateField;
  readonly topUp: TopUp;
  asked(requirements: CertificateRequirements): number | undefined;
}

/** The limits of the form, in its order. */
export const LIMIT_TERMS: readonly LimitTerm[] = [
  {
    id: 'GL_EACH_OCCURRENCE',
    line: GENERAL_LIABILITY,
    name: 'each occurrence',
    field: 'GeneralLiability_EachOccurrence_LimitAmount',
    topUp: 'occurrence',
    asked: ({ generalLiability }) => generalLiability?.eachOccurrenceUsd,
  },
  {
    id: 'GL_DAMAGE_TO_RENTED_PREMISES',
    line: GENERAL_LIABILITY,
    name: 'damage to rented premises',
    field: 'GeneralLiability_FireDamageRentedPremises_EachOccurrenceLimitAmount',
    topUp: 'none',
    asked: ({ generalLiability }) => generalLiability?.damageToRentedPremisesUsd,
  },
  {
    id: 'GL_MEDICAL_EXPENSE',
    line: GENERAL_LIABILITY,
    name: 'medical expense',
    field: 'GeneralLiability_MedicalExpense_EachPersonLimitAmount',
    topUp: 'none',
    asked: ({ generalLiability }) => generalLiability?.medicalExpenseUsd,
  },
  {
    id: 'GL_PERSONAL_ADVERTISING_INJURY',
    line: GENERAL_LIABILITY,
    name: 'personal and advertising injury',
    field: 'GeneralLiability_PersonalAndAdvertisingInjury_LimitAmount',
    topUp: 'occurrence',
    asked: ({ generalLiability }) => generalLiability?.personalAdvertisingInjuryUsd,
  },
  {
    id: 'GL_GENERAL_AGGREGATE',
    line: GENERAL_LIABILITY,
    name: 'general aggregate',
    field: 'GeneralLiability_GeneralAggregate_LimitAmount',
    topUp: 'aggregate',
    asked: ({ generalLiability }) => generalLiability?.generalAggregateUsd,
  },
  {
    id: 'GL_PRODUCTS_COMPLETED_OPERATIONS',
    line: GENERAL_LIABILITY,
    name: 'products and completed operations aggregate',
    field: 'GeneralLiability_ProductsAndCompletedOperations_AggregateLimitAmount',
    topUp: 'aggregate',
    asked: ({ generalLiability }) => generalLiability?.productsCompletedOperationsUsd,
  },
  {
    id: 'AUTO_COMBINED_SINGLE_LIMIT',
    line: AUTOMOBILE,
    name: 'combined single limit',
    field: 'Vehicle_CombinedSingleLimit_EachAccidentAmount',
    topUp: 'occurrence',
    asked: ({ automobileLiability }) => automobileLiability?.combinedSingleLimitUsd,
  },
  {
    id: 'UMBRELLA_EACH_OCCURRENCE',
    line: UMBRELLA,
    name: 'each occurrence',
    field: 'ExcessUmbrella_Umbrella_EachOccurrenceAmount',
    topUp: 'none',
    asked: ({ umbrella }) => umbrella?.eachOccurrenceUsd,
  },
  {
    id: 'UMBRELLA_AGGREGATE',
    line: UMBRELLA,
    name: 'aggregate',
    field: 'ExcessUmbrella_Umbrella_AggregateAmount',
    topUp: 'none',
    asked: ({ umbrella }) => umbrella?.aggregateUsd,
  },
  {
    id: 'WC_EACH_ACCIDENT',
    line: WORKERS_COMPENSATION,
    name: 'employers liability each accident',
    field: 'WorkersCompensationEmployersLiability_EachAccidentLimitAmount',
    topUp: 'occurrence',
    asked: ({ workersCompensation }) => workersCompensation?.eachAccidentUsd,
  },
  {
    id: 'WC_DISEASE_EACH_EMPLOYEE',
    line: WORKERS_COMPENSATION,
    name: 'employers liability disease, each employee',
    field: 'WorkersCompensationEmployersLiability_DiseaseEachEmployeeLimitAmount',
    topUp: 'occurrence',
    asked: ({ workersCompensation }) => workersCompensation?.diseaseEachEmployeeUsd,
  },
  {
    id: 'WC_DISEASE_POLICY_LIMIT',
    line: WORKERS_COMPENSATION,
    name: 'employers liability disease, policy limit',
    field: 'WorkersCompensationEmployersLiability_DiseasePolicyLimitAmount',
    topUp: 'aggregate',
    asked: ({ workersCompensation }) => workersCompensation?.diseasePolicyLimitUsd,
  },
];
