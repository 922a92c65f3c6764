import type { CertificateField } from '../certificate-field.js';
import { type CertificateLayout, INSURER_LETTERS, LayoutSketch } from './layout.js';

type Labelled = readonly [field: CertificateField, text: string];

interface Panel {
  readonly title: string;
  readonly policy: readonly Labelled[];
  readonly marks: readonly Labelled[];
  readonly limits: readonly Labelled[];
}

const policyOf = (policy: 'GeneralLiability' | 'AutomobileLiability' | 'ExcessLiability') =>
  [
    [`Policy_${policy}_PolicyNumberIdentifier`, 'Policy number'],
    [`Policy_${policy}_EffectiveDate`, 'Effective date'],
    [`Policy_${policy}_ExpirationDate`, 'Expiration date'],
    [`CertificateOfInsurance_${policy}_AdditionalInsuredCode`, 'Additional insured'],
    [`Policy_${policy}_SubrogationWaivedCode`, 'Subrogation waived'],
  ] as const;

const PANELS: readonly Panel[] = [
  {
    title: 'General Liability',
    policy: [['GeneralLiability_InsurerLetterCode', 'Insurer letter'], ...policyOf('GeneralLiability')],
    marks: [
      ['GeneralLiability_CoverageIndicator', 'Commercial general liability'],
      ['GeneralLiability_OccurrenceIndicator', 'Occurrence'],
      ['GeneralLiability_ClaimsMadeIndicator', 'Claims made'],
      ['GeneralLiability_GeneralAggregate_LimitAppliesPerPolicyIndicator', 'Aggregate per policy'],
      ['GeneralLiability_GeneralAggregate_LimitAppliesPerProjectIndicator', 'Aggregate per project'],
      ['GeneralLiability_GeneralAggregate_LimitAppliesPerLocationIndicator', 'Aggregate per location'],
    ],
    limits: [
      ['GeneralLiability_EachOccurrence_LimitAmount', 'Each occurrence'],
      ['GeneralLiability_GeneralAggregate_LimitAmount', 'General aggregate'],
      ['GeneralLiability_ProductsAndCompletedOperations_AggregateLimitAmount', 'Products/completed ops'],
      ['GeneralLiability_PersonalAndAdvertisingInjury_LimitAmount', 'Personal & adv. injury'],
      ['GeneralLiability_FireDamageRentedPremises_EachOccurrenceLimitAmount', 'Rented premises'],
      ['GeneralLiability_MedicalExpense_EachPersonLimitAmount', 'Medical expense'],
    ],
  },
  {
    title: 'Automobile Liability',
    policy: [['AutomobileLiability_InsurerLetterCode', 'Insurer letter'], ...policyOf('AutomobileLiability')],
    marks: [
      ['Vehicle_AnyAutoIndicator', 'Any auto'],
      ['Vehicle_AllOwnedAutosIndicator', 'All owned autos'],
      ['Vehicle_ScheduledAutosIndicator', 'Scheduled autos'],
      ['Vehicle_HiredAutosIndicator', 'Hired autos'],
      ['Vehicle_NonOwnedAutosIndicator', 'Non-owned autos'],
    ],
    limits: [
      ['Vehicle_CombinedSingleLimit_EachAccidentAmount', 'Combined single limit'],
      ['Vehicle_BodilyInjury_PerPersonLimitAmount', 'Bodily injury/person'],
      ['Vehicle_BodilyInjury_PerAccidentLimitAmount', 'Bodily injury/accident'],
      ['Vehicle_PropertyDamage_PerAccidentLimitAmount', 'Property damage'],
    ],
  },
  {
    title: 'Umbrella / Excess Liability',
    policy: [['ExcessUmbrella_InsurerLetterCode', 'Insurer letter'], ...policyOf('ExcessLiability')],
    marks: [
      ['ExcessUmbrella_UmbrellaIndicator', 'Umbrella'],
      ['ExcessUmbrella_ExcessIndicator', 'Excess'],
      ['ExcessUmbrella_OccurrenceIndicator', 'Occurrence'],
      ['ExcessUmbrella_ClaimsMadeIndicator', 'Claims made'],
      ['ExcessUmbrella_DeductibleIndicator', 'Deductible'],
      ['ExcessUmbrella_RetentionIndicator', 'Retention'],
    ],
    limits: [
      ['ExcessUmbrella_Umbrella_EachOccurrenceAmount', 'Each occurrence'],
      ['ExcessUmbrella_Umbrella_AggregateAmount', 'Aggregate'],
      ['ExcessUmbrella_Umbrella_DeductibleOrRetentionAmount', 'Deductible/retention'],
    ],
  },
  {
    title: "Workers' Compensation and Employers' Liability",
    policy: [
      ['WorkersCompensationEmployersLiability_InsurerLetterCode', 'Insurer letter'],
      ['Policy_WorkersCompensation_PolicyNumberIdentifier', 'Policy number'],
      ['Policy_WorkersCompensation_EffectiveDate', 'Effective date'],
      ['Policy_WorkersCompensation_ExpirationDate', 'Expiration date'],
      ['WorkersCompensationEmployersLiability_AnyPersonsExcludedIndicator', 'Persons excluded (Y/N)'],
      ['Policy_WorkersCompensation_SubrogationWaivedCode', 'Subrogation waived'],
    ],
    marks: [['WorkersCompensationEmployersLiability_StatutoryLimitsIndicator', 'Statutory limits']],
    limits: [
      ['WorkersCompensationEmployersLiability_EachAccidentLimitAmount', 'Each accident'],
      ['WorkersCompensationEmployersLiability_DiseaseEachEmployeeLimitAmount', 'Disease, each employee'],
      ['WorkersCompensationEmployersLiability_DiseasePolicyLimitAmount', 'Disease, policy limit'],
    ],
  },
  {
    title: 'Other Coverage',
    policy: [
      ['OtherPolicy_InsurerLetterCode', 'Insurer letter'],
      ['OtherPolicy_PolicyNumberIdentifier', 'Policy number'],
      ['OtherPolicy_EffectiveDate', 'Effective date'],
      ['OtherPolicy_ExpirationDate', 'Expiration date'],
      ['OtherPolicy_PolicyDescription', 'Description'],
    ],
    marks: [],
    limits: [['OtherPolicy_LimitAmount', 'Limit']],
  },
];

/** Where the entries of a panel's first line begin, and how wide they are. */
const POLICY_COLUMNS = [
  [44, 40],
  [104, 120],
  [236, 80],
  [326, 80],
  [416, 70],
  [500, 70],
] as const;
const LIMIT_WIDTH = 90;
const MARK_WIDTH = 90;

/** A panel for each policy, each entry under its label. */
export function panelsLayout(): CertificateLayout {
  const sketch = new LayoutSketch('panels', 612, 792);
  sketch.label('Certificate of Liability Insurance', 36, 44, 15, true);
  sketch.label('Date issued', 480, 34).text('Form_CompletionDate', 480, 37, 80);
  sketch
    .label('Certificate number', 36, 60)
    .text('CertificateOfInsurance_CertificateNumberIdentifier', 36, 63, 110);
  sketch
    .label('Revision number', 160, 60)
    .text('CertificateOfInsurance_RevisionNumberIdentifier', 160, 63, 50);
  sketch.label('Producer', 36, 90, 8, true).party('Producer', 36, 94, 230);
  sketch.label('Named insured', 320, 90, 8, true).party('NamedInsured', 320, 94, 240);
  sketch.label('Contact name', 36, 142).text('Producer_ContactPerson_FullName', 36, 145, 130);
  sketch.label('Phone', 176, 142).text('Producer_ContactPerson_PhoneNumber', 176, 145, 100);
  sketch.label('Fax', 286, 142).text('Producer_FaxNumber', 286, 145, 100);
  sketch.label('E-mail', 396, 142).text('Producer_ContactPerson_EmailAddress', 396, 145, 180);
  insurers(sketch);
  let top = 228;
  for (const panel of PANELS) top = drawPanel(sketch, panel, top);
  ending(sketch, top);
  return sketch.finish();
}

function insurers(sketch: LayoutSketch): void {
  for (const [index, letter] of INSURER_LETTERS.entries()) {
    const x = index % 2 === 0 ? 36 : 320;
    const y = 162 + Math.floor(index / 2) * 20;
    sketch.label(`Insurer ${letter}`, x, y + 6).text(`Insurer_FullName_${letter}`, x, y + 8, 180);
    sketch.label('NAIC', x + 190, y + 6).text(`Insurer_NAICCode_${letter}`, x + 190, y + 8, 50);
  }
}

function drawPanel(sketch: LayoutSketch, panel: Panel, top: number): number {
  const markRows = Math.ceil(panel.marks.length / 6);
  const withLimitsBeside = panel.title === 'Other Coverage';
  const height = 36 + markRows * 13 + (withLimitsBeside ? 0 : 23);
  sketch.frame(34, top, 578, top + height);
  sketch.label(panel.title, 38, top + 10, 8, true);
  for (const [index, [field, text]] of panel.policy.entries()) {
    const [x, width] = POLICY_COLUMNS[index];
    sketch.label(text, x, top + 19, 6).text(field, x, top + 21, width);
  }
  for (const [index, [field, text]] of panel.marks.entries()) {
    sketch.mark(field, text, 44 + index * MARK_WIDTH, top + 35, 6);
  }
  const y = withLimitsBeside ? top + 19 : top + 35 + markRows * 13 + 7;
  for (const [index, [field, text]] of panel.limits.entries()) {
    const x = withLimitsBeside ? POLICY_COLUMNS[5][0] : 44 + index * LIMIT_WIDTH;
    sketch.label(text, x, y, 6).text(field, x, y + 2, LIMIT_WIDTH - 14);
  }
  return top + height + 4;
}

function ending(sketch: LayoutSketch, top: number): void {
  sketch.label('Remarks', 36, top + 10, 8, true);
  sketch.paragraph('CertificateOfInsurance_RemarkText', 36, top + 13, 540, 44);
  const y = top + 62;
  sketch.label('Certificate holder', 36, y + 8, 8, true).party('CertificateHolder', 36, y + 12, 240);
  sketch.label('Authorized representative', 340, y + 8, 8, true);
  sketch
    .text('Producer_AuthorizedRepresentative_Signature', 340, y + 14, 220, 14)
    .line(340, y + 30, 570, y + 30);
}
