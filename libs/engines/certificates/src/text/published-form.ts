/** A field of the form: its published name, and its rectangle in points from the lower left corner; its height is a row's where it is not said. */
export type FormField = readonly [name: string, left: number, bottom: number, right: number, height?: number];
/** Printed words of the form: the start of their baseline, in points from the lower left corner. */
export type FormLabel = readonly [text: string, left: number, baseline: number];

/** A part of the form that stands where it stands as one: editions move parts, not what is in them. */
export interface FormBlock {
  readonly labels: readonly FormLabel[];
  readonly texts: readonly FormField[];
  readonly ticks: readonly FormField[];
}

/** Height of the page and of a row of the form, in points. */
export const FORM_HEIGHT = 792;
export const FORM_ROW = 12;

const LETTERS = ['A', 'B', 'C', 'D', 'E', 'F'] as const;

function party(who: string, left: number, top: number): FormField[] {
  const address = `${who}_MailingAddress`;
  return [
    [`${who}_FullName_A`, left, top - 12, 302],
    [`${address}_LineOne_A`, left, top - 24, 302],
    [`${address}_LineTwo_A`, left, top - 36, 302],
    [`${address}_CityName_A`, left, top - 48, 238],
    [`${address}_StateOrProvinceCode_A`, 238, top - 48, 256],
    [`${address}_PostalCode_A`, 256, top - 48, 302],
  ];
}

const PARTIES: FormBlock = {
  labels: [
    ['PRODUCER', 21.6, 664.1],
    ['INSURED', 21.6, 604.1],
    ['CONTACT', 309.6, 666.6],
    ['NAME:', 309.6, 661.1],
    ['PHONE', 309.6, 654.1],
    ['(A/C, No, Ext):', 309.6, 648.6],
    ['FAX', 486, 654.6],
    ['(A/C, No):', 486, 649.1],
    ['E-MAIL', 309.6, 642.5],
    ['ADDRESS:', 309.6, 637],
    ['INSURER(S) AFFORDING COVERAGE', 369.1, 625.7],
    ['NAIC #', 557.3, 625.7],
    ...LETTERS.map((letter, i): FormLabel => [`INSURER ${letter} :`, 309.6, 613.6 - FORM_ROW * i]),
    ['COVERAGES', 21.6, 542.4],
    ['CERTIFICATE NUMBER:', 158.4, 542.4],
    ['REVISION NUMBER:', 424.8, 542.4],
  ],
  texts: [
    ...party('Producer', 22, 660),
    ['Producer_ContactPerson_FullName_A', 346, 660, 590],
    ['Producer_ContactPerson_PhoneNumber_A', 353, 648, 479],
    ['Producer_FaxNumber_A', 518, 648, 590],
    ['Producer_ContactPerson_EmailAddress_A', 346, 636, 590],
    ...party('NamedInsured', 72, 600),
    ...LETTERS.flatMap((letter, i): FormField[] => [
      [`Insurer_FullName_${letter}`, 349, 612 - FORM_ROW * i, 536],
      [`Insurer_NAICCode_${letter}`, 544, 612 - FORM_ROW * i, 590],
    ]),
    ['CertificateOfInsurance_CertificateNumberIdentifier_A', 259, 540, 349],
    ['CertificateOfInsurance_RevisionNumberIdentifier_A', 508, 540, 590],
  ],
  ticks: [],
};

interface Row {
  readonly insurer: string;
  readonly policy: string;
  readonly waived?: string;
  readonly insured?: string;
  readonly bottom: number;
}

/** What each policy has in one row: the insurer's letter, two flags, the number, and two dates. */
const row = ({ insurer, policy, waived = policy, insured, bottom }: Row): FormField[] => [
  [`${insurer}_InsurerLetterCode_A`, 18, bottom, 36],
  ...(insured === undefined
    ? []
    : [[`CertificateOfInsurance_${insured}_AdditionalInsuredCode_A`, 176, bottom, 194] as const]),
  [`${waived}SubrogationWaivedCode_A`, 194, bottom, 212],
  [`${policy}PolicyNumberIdentifier_A`, 216, bottom, 328],
  [`${policy}EffectiveDate_A`, 331, bottom, 378],
  [`${policy}ExpirationDate_A`, 378, bottom, 425],
];

const limit = (name: string, bottom: number): FormField => [`${name}_A`, 526, bottom, 590];
const WC = 'WorkersCompensationEmployersLiability';
const WC_POLICY = 'Policy_WorkersCompensationAndEmployersLiability_';
const PER = 'GeneralLiability_GeneralAggregate_LimitApplies';

const POLICIES: FormBlock = {
  labels: [
    ['INSR', 20.1, 498.6],
    ['LTR', 21.4, 493.1],
    ['TYPE OF INSURANCE', 75.4, 494.6],
    ['ADDL', 177.4, 499],
    ['INSD', 178.5, 492.6],
    ['SUBR', 195.2, 499],
    ['WVD', 196.6, 492.6],
    ['POLICY NUMBER', 247.2, 493.6],
    ['POLICY EFF', 337.3, 498.6],
    ['(MM/DD/YYYY)', 333.4, 493.1],
    ['POLICY EXP', 383.7, 498.6],
    ['(MM/DD/YYYY)', 380.2, 493.1],
    ['LIMITS', 499.7, 494.6],
    ['COMMERCIAL GENERAL LIABILITY', 54, 484],
    ['CLAIMS-MADE', 68.4, 470],
    ['OCCUR', 133.2, 470],
    ["GEN'L AGGREGATE LIMIT APPLIES PER:", 39.6, 434],
    ['POLICY', 54, 422],
    ['PRO-', 97.2, 426],
    ['JECT', 97.2, 420.6],
    ['LOC', 140.4, 422],
    ['OTHER:', 54, 409.6],
    ['EACH OCCURRENCE', 428.4, 482],
    ['DAMAGE TO RENTED', 428.4, 475],
    ['PREMISES (Ea occurrence)', 428.4, 469],
    ['MED EXP (Any one person)', 428.4, 458],
    ['PERSONAL & ADV INJURY', 428.4, 446],
    ['GENERAL AGGREGATE', 428.4, 434],
    ['PRODUCTS - COMP/OP AGG', 428.4, 422],
    ['AUTOMOBILE LIABILITY', 39.6, 400.1],
    ['ANY AUTO', 54, 388.4],
    ['OWNED', 54, 378.5],
    ['AUTOS ONLY', 54, 372.5],
    ['SCHEDULED', 122.4, 378.5],
    ['AUTOS', 122.4, 372.5],
    ['HIRED', 54, 366.5],
    ['AUTOS ONLY', 54, 360.5],
    ['NON-OWNED', 122.4, 366.7],
    ['AUTOS ONLY', 122.4, 360.5],
    ['COMBINED SINGLE LIMIT', 428.4, 402.5],
    ['(Ea accident)', 428.4, 397],
    ['BODILY INJURY (Per person)', 428.4, 388],
    ['BODILY INJURY (Per accident)', 428.4, 376],
    ['PROPERTY DAMAGE', 428.4, 366.5],
    ['(Per accident)', 428.4, 361],
    ['UMBRELLA LIAB', 54, 340.1],
    ['EXCESS LIAB', 54, 328.1],
    ['OCCUR', 133.2, 337.6],
    ['CLAIMS-MADE', 133.2, 326],
    ['DED', 54, 313.6],
    ['RETENTION$', 90, 313.6],
    ['EACH OCCURRENCE', 428.4, 338],
    ['AGGREGATE', 428.4, 326],
    ['WORKERS COMPENSATION', 37.8, 305.3],
    ["AND EMPLOYERS' LIABILITY", 37.8, 298.3],
    ['Y / N', 158.9, 295.7],
    ['ANY PROPRIETOR/PARTNER/EXECUTIVE', 37.8, 290.5],
    ['OFFICER/MEMBER EXCLUDED?', 37.8, 284.5],
    ['(Mandatory in NH)', 37.8, 278.5],
    ['If yes, describe under', 37.8, 271.6],
    ['DESCRIPTION OF OPERATIONS below', 37.8, 265.6],
    ['N / A', 178.6, 286],
    ['PER', 442.8, 306.5],
    ['STATUTE', 442.8, 301],
    ['OTH-', 493.1, 306.5],
    ['ER', 493.1, 301],
    ['E.L. EACH ACCIDENT', 428.4, 290],
    ['E.L. DISEASE - EA EMPLOYEE', 428.4, 278],
    ['E.L. DISEASE - POLICY LIMIT', 428.4, 266],
    ...[482, 470, 458, 446, 434, 422, 410, 398, 386, 374, 362, 350, 338, 326, 314, 290, 278, 266].map(
      (baseline): FormLabel => ['$', 518.4, baseline],
    ),
    // The heads of what follows stand at the table's foot.
    ['DESCRIPTION OF OPERATIONS / LOCATIONS / VEHICLES', 21.6, 220.1],
  ],
  texts: [
    ...row({
      insurer: 'GeneralLiability',
      policy: 'Policy_GeneralLiability_',
      insured: 'GeneralLiability',
      bottom: 444,
    }),
    ['GeneralLiability_OtherCoverageDescription_A', 54, 456, 173],
    ['GeneralLiability_OtherCoverageDescription_B', 54, 444, 173],
    [`${PER}ToCode_A`, 79, 408, 173],
    limit('GeneralLiability_EachOccurrence_LimitAmount', 480),
    limit('GeneralLiability_FireDamageRentedPremises_EachOccurrenceLimitAmount', 468),
    limit('GeneralLiability_MedicalExpense_EachPersonLimitAmount', 456),
    limit('GeneralLiability_PersonalAndAdvertisingInjury_LimitAmount', 444),
    limit('GeneralLiability_GeneralAggregate_LimitAmount', 432),
    limit('GeneralLiability_ProductsAndCompletedOperations_AggregateLimitAmount', 420),
    ['GeneralLiability_OtherCoverageLimitDescription_A', 428, 408, 511],
    limit('GeneralLiability_OtherCoverageLimitAmount', 408),
    ...row({
      insurer: 'Vehicle',
      policy: 'Policy_AutomobileLiability_',
      insured: 'AutomobileLiability',
      bottom: 372,
    }),
    ['Vehicle_OtherCoveredAutoDescription_A', 54, 348, 101],
    ['Vehicle_OtherCoveredAutoDescription_B', 122, 348, 173],
    limit('Vehicle_CombinedSingleLimit_EachAccidentAmount', 396),
    limit('Vehicle_BodilyInjury_PerPersonLimitAmount', 384),
    limit('Vehicle_BodilyInjury_PerAccidentLimitAmount', 372),
    limit('Vehicle_PropertyDamage_PerAccidentLimitAmount', 360),
    ['Vehicle_OtherCoverage_CoverageDescription_A', 428, 348, 511],
    limit('Vehicle_OtherCoverage_LimitAmount', 348),
    ...row({
      insurer: 'ExcessUmbrella',
      policy: 'Policy_ExcessLiability_',
      insured: 'ExcessLiability',
      bottom: 324,
    }),
    ['ExcessUmbrella_Umbrella_DeductibleOrRetentionAmount_A', 133, 312, 173],
    limit('ExcessUmbrella_Umbrella_EachOccurrenceAmount', 336),
    limit('ExcessUmbrella_Umbrella_AggregateAmount', 324),
    ['ExcessUmbrella_OtherCoverageDescription_A', 428, 312, 511],
    limit('ExcessUmbrella_OtherCoverageLimitAmount', 312),
    ...row({ insurer: WC, policy: WC_POLICY, waived: 'Policy_WorkersCompensation_', bottom: 282 }),
    [`${WC}_AnyPersonsExcludedIndicator_A`, 158, 282, 173],
    [`${WC}_OtherCoverageDescription_A`, 518, 300, 590],
    limit(`${WC}_EmployersLiability_EachAccidentLimitAmount`, 288),
    limit(`${WC}_EmployersLiability_DiseaseEachEmployeeLimitAmount`, 276),
    limit(`${WC}_EmployersLiability_DiseasePolicyLimitAmount`, 264),
    ['OtherPolicy_InsurerLetterCode_A', 18, 240, 36],
    ['OtherPolicy_OtherPolicyDescription_A', 40, 234, 173, 24],
    ['CertificateOfInsurance_OtherPolicy_AdditionalInsuredCode_A', 176, 240, 194],
    ['OtherPolicy_SubrogationWaivedCode_A', 194, 240, 212],
    ['OtherPolicy_PolicyNumberIdentifier_A', 216, 240, 328],
    ['OtherPolicy_PolicyEffectiveDate_A', 331, 240, 378],
    ['OtherPolicy_PolicyExpirationDate_A', 378, 240, 425],
    ...(['A', 'B', 'C'] as const).flatMap((letter, i): FormField[] => [
      [`OtherPolicy_CoverageCode_${letter}`, 428, 252 - FORM_ROW * i, 511],
      [`OtherPolicy_CoverageLimitAmount_${letter}`, 526, 252 - FORM_ROW * i, 590],
    ]),
  ],
  ticks: [
    ['GeneralLiability_CoverageIndicator_A', 36, 480, 50],
    ['GeneralLiability_ClaimsMadeIndicator_A', 50, 468, 65],
    ['GeneralLiability_OccurrenceIndicator_A', 115, 468, 130],
    ['GeneralLiability_OtherCoverageIndicator_A', 36, 456, 50],
    ['GeneralLiability_OtherCoverageIndicator_B', 36, 444, 50],
    [`${PER}PerPolicyIndicator_A`, 36, 420, 50],
    [`${PER}PerProjectIndicator_A`, 79, 420, 94],
    [`${PER}PerLocationIndicator_A`, 122, 420, 137],
    [`${PER}ToOtherIndicator_A`, 36, 408, 50],
    ['Vehicle_AnyAutoIndicator_A', 36, 384, 50],
    ['Vehicle_AllOwnedAutosIndicator_A', 36, 372, 50],
    ['Vehicle_ScheduledAutosIndicator_A', 104, 372, 119],
    ['Vehicle_HiredAutosIndicator_A', 36, 360, 50],
    ['Vehicle_NonOwnedAutosIndicator_A', 104, 360, 119],
    ['Vehicle_OtherCoveredAutoIndicator_A', 36, 348, 50],
    ['Vehicle_OtherCoveredAutoIndicator_B', 104, 348, 119],
    ['Policy_PolicyType_UmbrellaIndicator_A', 36, 336, 50],
    ['Policy_PolicyType_ExcessIndicator_A', 36, 324, 50],
    ['ExcessUmbrella_OccurrenceIndicator_A', 115, 336, 130],
    ['ExcessUmbrella_ClaimsMadeIndicator_A', 115, 324, 130],
    ['ExcessUmbrella_DeductibleIndicator_A', 36, 312, 50],
    ['ExcessUmbrella_RetentionIndicator_A', 72, 312, 86],
    [`${WC}_WorkersCompensationStatutoryLimitIndicator_A`, 425, 300, 439],
    [`${WC}_OtherCoverageIndicator_A`, 475, 300, 490],
  ],
};

const FOOT: FormBlock = {
  labels: [
    ['CERTIFICATE HOLDER', 21.6, 134],
    ['CANCELLATION', 309.6, 134],
    ['AUTHORIZED REPRESENTATIVE', 309.6, 76.1],
  ],
  texts: [
    ...party('CertificateHolder', 72, 102),
    ['Producer_AuthorizedRepresentative_Signature_A', 310, 48, 590, 24],
  ],
  ticks: [],
};

/**
 * Where labels and fields of the published certificate of liability insurance stand (edition 2016/03, whose grid 2025/12 keeps
 * within its parts): facts of the form, by its fields' rectangles and its printed labels. Nothing of its wording beyond labels,
 * and nothing of its design, is here.
 */
export const PUBLISHED_FORM = { parties: PARTIES, policies: POLICIES, foot: FOOT } as const;

/** The remarks lie between two parts, and lose or gain height where those move. Rectangle of 2016/03. */
export const REMARKS_FIELD: FormField = [
  'CertificateOfLiabilityInsurance_ACORDForm_RemarkText_A',
  22,
  150,
  590,
  66,
];
