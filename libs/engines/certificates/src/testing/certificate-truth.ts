import type { CertificateField } from '../certificate-field.js';
import type { DeficiencyId } from './deficiencies.js';

/** What a certificate must show, in the members of the endpoint's own requirements. */
export interface TruthRequirements {
  readonly name: string;
  readonly certificateHolder?: string;
  readonly namedInsured?: string;
  readonly generalLiability?: {
    readonly eachOccurrenceUsd?: number;
    readonly generalAggregateUsd?: number;
    readonly productsCompletedOperationsUsd?: number;
    readonly personalAdvertisingInjuryUsd?: number;
    readonly damageToRentedPremisesUsd?: number;
    readonly medicalExpenseUsd?: number;
    readonly additionalInsured?: boolean;
    readonly subrogationWaived?: boolean;
    readonly occurrenceForm: boolean;
    readonly aggregatePerProject: boolean;
  };
  readonly automobileLiability?: {
    readonly combinedSingleLimitUsd?: number;
    readonly additionalInsured?: boolean;
    readonly subrogationWaived?: boolean;
    readonly anyAutoOrHiredAndNonOwned: boolean;
  };
  readonly umbrella?: {
    readonly eachOccurrenceUsd?: number;
    readonly aggregateUsd?: number;
    readonly topsUpPrimary: boolean;
  };
  readonly workersCompensation?: {
    readonly eachAccidentUsd?: number;
    readonly diseasePolicyLimitUsd?: number;
    readonly diseaseEachEmployeeUsd?: number;
    readonly subrogationWaived?: boolean;
    readonly noExclusions: boolean;
  };
  readonly endorsements: readonly string[];
  readonly expiryWarningDays: number;
  readonly signature: boolean;
}

/** An endorsement that came along as a page of its own. */
export interface EndorsementPage {
  /** `CG 20 10 04 13`. */
  readonly form: string;
  readonly lines: readonly string[];
}

/** What a generated certificate says, and on which day it is asked about. */
export interface CertificateTruth {
  readonly seed: number;
  /** As printed; ticked boxes are `X`, and what is not printed is left out. */
  readonly fields: Readonly<Partial<Record<CertificateField, string>>>;
  readonly endorsementPages: readonly EndorsementPage[];
  /** Day of the audit, `2026-03-14`. */
  readonly asOf: string;
  readonly projectEnd: string;
  /** Who asks: what the requirements name as holder and insured, whatever the page says. */
  readonly expectedHolder: string;
  readonly expectedInsured: string;
  /** What was made wrong on purpose; empty for a certificate that should do. */
  readonly deficiencies: readonly DeficiencyId[];
}
