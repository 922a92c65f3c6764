/** What a certificate must show; what is left out is not asked for. Limits are whole US dollars. */
export interface CertificateRequirements {
  readonly name?: string;
  readonly certificateHolder?: string;
  readonly namedInsured?: string;
  readonly generalLiability?: GeneralLiabilityRequirements;
  readonly automobileLiability?: AutomobileRequirements;
  readonly umbrella?: UmbrellaRequirements;
  readonly workersCompensation?: WorkersCompensationRequirements;
  /** Forms that must be named, with or without an edition: `CG 20 10`, `CG 20 37 04 13`. */
  readonly endorsements: readonly string[];
  readonly expiryWarningDays: number;
  readonly signature: boolean;
}

export interface GeneralLiabilityRequirements {
  readonly eachOccurrenceUsd?: number;
  readonly generalAggregateUsd?: number;
  readonly productsCompletedOperationsUsd?: number;
  readonly personalAdvertisingInjuryUsd?: number;
  readonly damageToRentedPremisesUsd?: number;
  readonly medicalExpenseUsd?: number;
  readonly additionalInsured?: boolean;
  readonly subrogationWaived?: boolean;
  /** Claims-made does not do. */
  readonly occurrenceForm: boolean;
  readonly aggregatePerProject: boolean;
}

export interface AutomobileRequirements {
  readonly combinedSingleLimitUsd?: number;
  readonly additionalInsured?: boolean;
  readonly subrogationWaived?: boolean;
  readonly anyAutoOrHiredAndNonOwned: boolean;
}

export interface UmbrellaRequirements {
  readonly eachOccurrenceUsd?: number;
  readonly aggregateUsd?: number;
  /** What the primary limits lack may come from what the umbrella has beyond its own requirement. */
  readonly topsUpPrimary: boolean;
}

export interface WorkersCompensationRequirements {
  readonly eachAccidentUsd?: number;
  readonly diseasePolicyLimitUsd?: number;
  readonly diseaseEachEmployeeUsd?: number;
  readonly subrogationWaived?: boolean;
  /** No proprietor, partner or officer is excluded. */
  readonly noExclusions: boolean;
}
