import type { CertificateField } from '../certificate-field.js';
import type { CoverageId, PolicyId, Lexicon } from './form-wording.js';

/** Where the values of one policy go, and by which words they are found. */
export interface CoverageWording {
  readonly policy: Readonly<Partial<Record<PolicyId, CertificateField>>>;
  /** Labels that an amount or a word follows. */
  readonly limits: Lexicon<CertificateField>;
  /** Labels beside a square. */
  readonly marks: Lexicon<CertificateField>;
}

type Some = Partial<Record<CertificateField, readonly string[]>>;
const lexicon = (wordings: Some) => wordings as Lexicon<CertificateField>;

function policyFields(line: string, insurer: string, certificate?: string): CoverageWording['policy'] {
  const fields: Partial<Record<PolicyId, string>> = {
    letter: `${insurer}_InsurerLetterCode`,
    policyNumber: `Policy_${line}_PolicyNumberIdentifier`,
    effective: `Policy_${line}_EffectiveDate`,
    expiration: `Policy_${line}_ExpirationDate`,
    subrogation: `Policy_${line}_SubrogationWaivedCode`,
    additionalInsured: certificate && `CertificateOfInsurance_${certificate}_AdditionalInsuredCode`,
  };
  return fields as CoverageWording['policy'];
}

const GENERAL_LIABILITY: CoverageWording = {
  policy: policyFields('GeneralLiability', 'GeneralLiability', 'GeneralLiability'),
  limits: lexicon({
    GeneralLiability_EachOccurrence_LimitAmount: [
      'EACH OCCURRENCE',
      'PER OCCURRENCE',
      'OCCURRENCE LIMIT',
      'EACH OCCURRENCE LIMIT',
    ],
    GeneralLiability_FireDamageRentedPremises_EachOccurrenceLimitAmount: [
      'DAMAGE TO RENTED PREMISES EA OCCURRENCE',
      'DAMAGE TO RENTED PREMISES',
      'DAMAGE TO RENTED PREM',
      'DAMAGE TO RENTED',
      'DAMAGE TO PREMISES RENTED TO YOU',
      'DAMAGE TO PREMISES',
      'RENTED PREMISES',
      'PREMISES RENTED TO YOU',
      'PREMISES RENTED',
      'FIRE DAMAGE',
      'FIRE LEGAL LIABILITY',
    ],
    GeneralLiability_MedicalExpense_EachPersonLimitAmount: [
      'MED EXP ANY ONE PERSON',
      'MED EXP ONE PERSON',
      'MED EXP',
      'MEDICAL EXP',
      'MEDICAL EXPENSE',
      'MEDICAL EXPENSES',
      'MEDICAL PAYMENTS',
    ],
    GeneralLiability_PersonalAndAdvertisingInjury_LimitAmount: [
      'PERSONAL ADV INJURY',
      'PERSONAL AND ADV INJURY',
      'PERSONAL ADV INJ',
      'PERSONAL AND ADVERTISING INJURY',
      'PERSONAL ADVERTISING INJURY',
      'PERSONAL INJURY',
    ],
    GeneralLiability_GeneralAggregate_LimitAmount: [
      'GENERAL AGGREGATE',
      'GEN AGGREGATE',
      'GENERAL AGG',
      'AGGREGATE LIMIT',
      'AGGREGATE',
    ],
    GeneralLiability_ProductsAndCompletedOperations_AggregateLimitAmount: [
      'PRODUCTS COMP OP AGG',
      'PRODUCTS COMP OP',
      'PROD COMP OPS',
      'PROD COMP OPS AGG',
      'PRODUCTS COMPLETED OPERATIONS',
      'PRODUCTS COMPLETED OPERATIONS AGGREGATE',
      'PRODUCTS AND COMPLETED OPERATIONS',
      'PRODUCTS AND COMPLETED OPS',
      'PRODUCTS COMPLETED OPS',
      'PRODUCTS AGGREGATE',
      'COMPLETED OPERATIONS',
    ],
  }),
  marks: lexicon({
    GeneralLiability_CoverageIndicator: [
      'COMMERCIAL GENERAL LIABILITY',
      'COMMERCIAL FORM',
      'COMMERCIAL GENERAL LIAB',
    ],
    GeneralLiability_ClaimsMadeIndicator: ['CLAIMS MADE', 'CLAIMS MADE FORM'],
    GeneralLiability_OccurrenceIndicator: ['OCCUR', 'OCCURRENCE', 'OCCURRENCE FORM'],
    GeneralLiability_GeneralAggregate_LimitAppliesPerPolicyIndicator: [
      'POLICY',
      'PER POLICY',
      'PER POL',
      'AGG PER POL',
      'AGGREGATE PER POLICY',
      'AGG PER POLICY',
    ],
    GeneralLiability_GeneralAggregate_LimitAppliesPerProjectIndicator: [
      'PROJECT',
      'PRO JECT',
      'PRO',
      'PER PROJECT',
      'AGG PER PROJECT',
      'AGGREGATE PER PROJECT',
    ],
    GeneralLiability_GeneralAggregate_LimitAppliesPerLocationIndicator: [
      'LOC',
      'LOCATION',
      'PER LOC',
      'PER LOCATION',
      'AGG PER LOC',
      'AGGREGATE PER LOCATION',
    ],
  }),
};

const AUTOMOBILE: CoverageWording = {
  policy: policyFields('AutomobileLiability', 'AutomobileLiability', 'AutomobileLiability'),
  limits: lexicon({
    Vehicle_CombinedSingleLimit_EachAccidentAmount: [
      'COMBINED SINGLE LIMIT EA ACCIDENT',
      'COMBINED SINGLE LIMIT',
      'COMBINED SINGLE',
      'CSL',
      'COMBINED LIMIT',
    ],
    Vehicle_BodilyInjury_PerPersonLimitAmount: [
      'BODILY INJURY PER PERSON',
      'BODILY INJURY PERSON',
      'BI PER PERSON',
      'BODILY INJURY EACH PERSON',
    ],
    Vehicle_BodilyInjury_PerAccidentLimitAmount: [
      'BODILY INJURY PER ACCIDENT',
      'BODILY INJURY ACCIDENT',
      'BI PER ACCIDENT',
      'BODILY INJURY EACH ACCIDENT',
    ],
    Vehicle_PropertyDamage_PerAccidentLimitAmount: [
      'PROPERTY DAMAGE PER ACCIDENT',
      'PROPERTY DAMAGE',
      'PD PER ACCIDENT',
    ],
  }),
  marks: lexicon({
    Vehicle_AnyAutoIndicator: ['ANY AUTO', 'ANY VEHICLE'],
    Vehicle_AllOwnedAutosIndicator: [
      'OWNED AUTOS ONLY',
      'OWNED AUTOS',
      'ALL OWNED AUTOS',
      'OWNED',
      'ALL OWNED',
    ],
    Vehicle_ScheduledAutosIndicator: ['SCHEDULED AUTOS', 'SCHEDULED'],
    Vehicle_HiredAutosIndicator: ['HIRED AUTOS ONLY', 'HIRED AUTOS', 'HIRED'],
    Vehicle_NonOwnedAutosIndicator: ['NON OWNED AUTOS ONLY', 'NON OWNED AUTOS', 'NON OWNED', 'NONOWNED'],
  }),
};

const EXCESS: CoverageWording = {
  policy: policyFields('ExcessLiability', 'ExcessUmbrella', 'ExcessLiability'),
  limits: lexicon({
    ExcessUmbrella_Umbrella_EachOccurrenceAmount: [
      'EACH OCCURRENCE',
      'PER OCCURRENCE',
      'OCCURRENCE LIMIT',
      'EACH OCCURRENCE LIMIT',
    ],
    ExcessUmbrella_Umbrella_AggregateAmount: ['AGGREGATE', 'AGGREGATE LIMIT', 'GENERAL AGGREGATE'],
    ExcessUmbrella_Umbrella_DeductibleOrRetentionAmount: [
      'DED RETENTION',
      'DEDUCTIBLE RETENTION',
      'DEDUCTIBLE OR RETENTION',
      'RETAINED LIMIT',
      'RETENTION AMOUNT',
    ],
  }),
  marks: lexicon({
    ExcessUmbrella_UmbrellaIndicator: ['UMBRELLA LIAB', 'UMBRELLA', 'UMBRELLA FORM', 'UMBRELLA LIABILITY'],
    ExcessUmbrella_ExcessIndicator: ['EXCESS LIAB', 'EXCESS', 'EXCESS FORM', 'EXCESS LIABILITY'],
    ExcessUmbrella_OccurrenceIndicator: ['OCCUR', 'OCCURRENCE', 'OCCURRENCE FORM'],
    ExcessUmbrella_ClaimsMadeIndicator: ['CLAIMS MADE', 'CLAIMS MADE FORM'],
    ExcessUmbrella_DeductibleIndicator: ['DED', 'DEDUCTIBLE'],
    ExcessUmbrella_RetentionIndicator: ['RETENTION', 'RET', 'SELF INSURED RETENTION'],
  }),
};

const WORKERS: CoverageWording = {
  policy: policyFields('WorkersCompensation', 'WorkersCompensationEmployersLiability'),
  limits: lexicon({
    WorkersCompensationEmployersLiability_EachAccidentLimitAmount: [
      'EL EACH ACCIDENT',
      'EACH ACCIDENT',
      'ACCIDENT',
      'EMPLOYERS LIABILITY EACH ACCIDENT',
    ],
    WorkersCompensationEmployersLiability_DiseaseEachEmployeeLimitAmount: [
      'EL DISEASE EA EMPLOYEE',
      'EL DISEASE EA EMPL',
      'EL DISEASE EACH EMPLOYEE',
      'DISEASE EA EMPLOYEE',
      'DISEASE EACH EMPLOYEE',
      'DISEASE PER EMPLOYEE',
      'DISEASE EMPLOYEE',
      'DISEASE EMPL',
      'DISEASE EACH EMPL',
    ],
    WorkersCompensationEmployersLiability_DiseasePolicyLimitAmount: [
      'EL DISEASE POLICY LIMIT',
      'EL DISEASE POLICY',
      'DISEASE POLICY LIMIT',
      'DISEASE POLICY',
      'DISEASE PER POLICY',
    ],
    WorkersCompensationEmployersLiability_AnyPersonsExcludedIndicator: [
      'OFFICER MEMBER EXCLUDED',
      'ANY PROPRIETOR PARTNER EXECUTIVE OFFICER MEMBER EXCLUDED',
      'ANY PERSON EXCLUDED Y N',
      'ANY PERSON EXCLUDED',
      'ANY PERSONS EXCLUDED',
      'PROPRIETOR OR PARTNER EXCLUDED',
      'PROPRIETOR PARTNER EXCLUDED',
      'ANYONE EXCLUDED',
      'ANYONE EXCLUDED Y N',
      'PERSONS EXCLUDED',
      'OFFICERS EXCLUDED',
      'OWNERS EXCLUDED',
      'EXCLUDED PERSONS',
    ],
  }),
  marks: lexicon({
    WorkersCompensationEmployersLiability_StatutoryLimitsIndicator: [
      'PER STATUTE',
      'STATUTORY',
      'STATUTORY LIMITS',
      'WC STATUTORY LIMITS',
      'WC STATU TORY LIMITS',
      'STATUTORY COVERAGE',
      'STATUTE',
    ],
  }),
};

const OTHER: CoverageWording = {
  policy: {
    letter: 'OtherPolicy_InsurerLetterCode',
    policyNumber: 'OtherPolicy_PolicyNumberIdentifier',
    effective: 'OtherPolicy_EffectiveDate',
    expiration: 'OtherPolicy_ExpirationDate',
  },
  limits: lexicon({
    OtherPolicy_PolicyDescription: ['DESCRIPTION', 'KIND OF POLICY', 'KIND OF INSURANCE', 'TYPE OF POLICY'],
    OtherPolicy_LimitAmount: ['LIMIT', 'LIMIT OF INSURANCE', 'POLICY LIMIT', 'EACH OCCURRENCE'],
  }),
  marks: lexicon({}),
};

export const COVERAGE_WORDINGS: Readonly<Record<CoverageId, CoverageWording>> = {
  generalLiability: GENERAL_LIABILITY,
  automobile: AUTOMOBILE,
  excess: EXCESS,
  workers: WORKERS,
  other: OTHER,
};
