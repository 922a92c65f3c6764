import type { CertificateField } from '../certificate-field.js';
import { type CertificateLayout, INSURER_LETTERS, LayoutSketch } from './layout.js';

type Labelled = readonly [field: CertificateField, text: string];

interface Entry {
  readonly title: readonly [string, string?];
  readonly height: number;
  /** In the order of `COLUMNS`. */
  readonly columns: readonly (CertificateField | undefined)[];
  readonly marks: readonly (readonly [...Labelled, x: number, row: number])[];
  /** Two beside each other, each after its label. */
  readonly limits: readonly Labelled[];
}

/** Number first, then the days, then who insures and for whom. */
const COLUMNS: readonly (readonly [title: readonly [string, string?], x: number, width: number])[] = [
  [['POLICY NO.'], 190, 96],
  [['FROM'], 292, 54],
  [['TO'], 350, 54],
  [['INSURER'], 412, 24],
  [["ADD'L", 'INSURED'], 452, 20],
  [['WAIVER', 'OF SUBR.'], 488, 20],
];
const LIMIT_COLUMNS = [
  [530, 602],
  [658, 716],
] as const;

const ENTRIES: readonly Entry[] = [
  {
    title: ['GENERAL LIABILITY'],
    height: 48,
    columns: [
      'Policy_GeneralLiability_PolicyNumberIdentifier',
      'Policy_GeneralLiability_EffectiveDate',
      'Policy_GeneralLiability_ExpirationDate',
      'GeneralLiability_InsurerLetterCode',
      'CertificateOfInsurance_GeneralLiability_AdditionalInsuredCode',
      'Policy_GeneralLiability_SubrogationWaivedCode',
    ],
    marks: [
      ['GeneralLiability_CoverageIndicator', 'Commercial form', 0, 1],
      ['GeneralLiability_OccurrenceIndicator', 'Occurrence', 84, 0],
      ['GeneralLiability_ClaimsMadeIndicator', 'Claims-made', 84, 1],
      ['GeneralLiability_GeneralAggregate_LimitAppliesPerProjectIndicator', 'per project', 52, 2],
      ['GeneralLiability_GeneralAggregate_LimitAppliesPerLocationIndicator', 'per loc.', 112, 2],
      ['GeneralLiability_GeneralAggregate_LimitAppliesPerPolicyIndicator', 'Agg. per pol.', 0, 2],
    ],
    limits: [
      ['GeneralLiability_EachOccurrence_LimitAmount', 'Each occurrence'],
      ['GeneralLiability_GeneralAggregate_LimitAmount', 'Gen. aggregate'],
      ['GeneralLiability_FireDamageRentedPremises_EachOccurrenceLimitAmount', 'Rented premises'],
      ['GeneralLiability_ProductsAndCompletedOperations_AggregateLimitAmount', 'Prod./comp. ops'],
      ['GeneralLiability_PersonalAndAdvertisingInjury_LimitAmount', 'Personal & adv. inj.'],
      ['GeneralLiability_MedicalExpense_EachPersonLimitAmount', 'Medical exp.'],
    ],
  },
  {
    title: ['AUTOMOBILE LIABILITY'],
    height: 48,
    columns: [
      'Policy_AutomobileLiability_PolicyNumberIdentifier',
      'Policy_AutomobileLiability_EffectiveDate',
      'Policy_AutomobileLiability_ExpirationDate',
      'AutomobileLiability_InsurerLetterCode',
      'CertificateOfInsurance_AutomobileLiability_AdditionalInsuredCode',
      'Policy_AutomobileLiability_SubrogationWaivedCode',
    ],
    marks: [
      ['Vehicle_AnyAutoIndicator', 'Any auto', 0, 1],
      ['Vehicle_AllOwnedAutosIndicator', 'Owned', 52, 1],
      ['Vehicle_ScheduledAutosIndicator', 'Scheduled', 104, 1],
      ['Vehicle_HiredAutosIndicator', 'Hired', 0, 2],
      ['Vehicle_NonOwnedAutosIndicator', 'Non-owned', 52, 2],
    ],
    limits: [
      ['Vehicle_CombinedSingleLimit_EachAccidentAmount', 'Combined single'],
      ['Vehicle_BodilyInjury_PerPersonLimitAmount', 'BI per person'],
      ['Vehicle_PropertyDamage_PerAccidentLimitAmount', 'Property damage'],
      ['Vehicle_BodilyInjury_PerAccidentLimitAmount', 'BI per accident'],
    ],
  },
  {
    title: ['UMBRELLA / EXCESS'],
    height: 48,
    columns: [
      'Policy_ExcessLiability_PolicyNumberIdentifier',
      'Policy_ExcessLiability_EffectiveDate',
      'Policy_ExcessLiability_ExpirationDate',
      'ExcessUmbrella_InsurerLetterCode',
      'CertificateOfInsurance_ExcessLiability_AdditionalInsuredCode',
      'Policy_ExcessLiability_SubrogationWaivedCode',
    ],
    marks: [
      ['ExcessUmbrella_UmbrellaIndicator', 'Umbrella', 0, 1],
      ['ExcessUmbrella_ExcessIndicator', 'Excess', 0, 2],
      ['ExcessUmbrella_OccurrenceIndicator', 'Occurrence', 52, 1],
      ['ExcessUmbrella_ClaimsMadeIndicator', 'Claims-made', 52, 2],
      ['ExcessUmbrella_DeductibleIndicator', 'Ded.', 112, 1],
      ['ExcessUmbrella_RetentionIndicator', 'Ret.', 112, 2],
    ],
    limits: [
      ['ExcessUmbrella_Umbrella_EachOccurrenceAmount', 'Each occurrence'],
      ['ExcessUmbrella_Umbrella_AggregateAmount', 'Aggregate'],
      ['ExcessUmbrella_Umbrella_DeductibleOrRetentionAmount', 'Ded. / retention'],
    ],
  },
  {
    title: ['WORKERS COMPENSATION', "and employers' liability"],
    height: 48,
    columns: [
      'Policy_WorkersCompensation_PolicyNumberIdentifier',
      'Policy_WorkersCompensation_EffectiveDate',
      'Policy_WorkersCompensation_ExpirationDate',
      'WorkersCompensationEmployersLiability_InsurerLetterCode',
      undefined,
      'Policy_WorkersCompensation_SubrogationWaivedCode',
    ],
    marks: [['WorkersCompensationEmployersLiability_StatutoryLimitsIndicator', 'Statutory', 112, 1]],
    limits: [
      ['WorkersCompensationEmployersLiability_EachAccidentLimitAmount', 'Each accident'],
      ['WorkersCompensationEmployersLiability_DiseaseEachEmployeeLimitAmount', 'Disease, empl.'],
      ['WorkersCompensationEmployersLiability_DiseasePolicyLimitAmount', 'Disease, policy'],
    ],
  },
  {
    title: ['OTHER'],
    height: 22,
    columns: [
      'OtherPolicy_PolicyNumberIdentifier',
      'OtherPolicy_EffectiveDate',
      'OtherPolicy_ExpirationDate',
      'OtherPolicy_InsurerLetterCode',
    ],
    marks: [],
    limits: [['OtherPolicy_LimitAmount', 'Limit']],
  },
];

/** Landscape; other words for the same things, another order of the columns, limits after their labels. */
export function ledgerLayout(): CertificateLayout {
  const sketch = new LayoutSketch('ledger', 792, 612);
  sketch.label('LIABILITY INSURANCE CERTIFICATE', 24, 44, 14, true);
  sketch.label('Issue date:', 330, 42, 8).text('Form_CompletionDate', 376, 33, 64, 12);
  sketch.label('Certificate no.:', 460, 42, 8);
  sketch.text('CertificateOfInsurance_CertificateNumberIdentifier', 522, 33, 100, 12);
  sketch
    .label('Revision:', 650, 42, 8)
    .text('CertificateOfInsurance_RevisionNumberIdentifier', 690, 33, 40, 12);
  parties(sketch);
  let top = tableHead(sketch);
  for (const entry of ENTRIES) top = drawEntry(sketch, entry, top);
  ending(sketch, top);
  return sketch.finish();
}

function parties(sketch: LayoutSketch): void {
  sketch.frame(22, 54, 770, 172).line(230, 54, 230, 172).line(440, 54, 440, 172);
  sketch.label('AGENCY', 26, 63, 7, true).party('Producer', 32, 68, 194);
  sketch.label('Contact:', 32, 120).text('Producer_ContactPerson_FullName', 66, 112, 150);
  sketch.label('Tel.:', 32, 134).text('Producer_ContactPerson_PhoneNumber', 66, 126, 100);
  sketch.label('Fax:', 32, 148).text('Producer_FaxNumber', 66, 140, 100);
  sketch.label('E-mail:', 32, 162).text('Producer_ContactPerson_EmailAddress', 66, 154, 160);
  sketch.label('NAMED INSURED', 234, 63, 7, true).party('NamedInsured', 240, 68, 196);
  sketch.label('INSURERS', 446, 63, 7, true).label('NAIC NO.', 714, 63, 7, true);
  for (const [index, letter] of INSURER_LETTERS.entries()) {
    const y = 68 + index * 16;
    sketch.label(`Insurer ${letter}:`, 446, y + 8, 7).text(`Insurer_FullName_${letter}`, 486, y, 214);
    sketch.text(`Insurer_NAICCode_${letter}`, 714, y, 50);
  }
}

function tableHead(sketch: LayoutSketch): number {
  sketch.frame(22, 180, 770, 198).label('COVERAGE', 26, 191, 7, true);
  for (const [[first, second], x] of COLUMNS) {
    sketch.label(first, x, second ? 187 : 191, 6);
    if (second) sketch.label(second, x, 195, 6);
  }
  sketch.label('LIMITS IN US DOLLARS', 600, 191, 7, true);
  return 200;
}

function drawEntry(
  sketch: LayoutSketch,
  { title, height, columns, marks, limits }: Entry,
  top: number,
): number {
  sketch.line(22, top + height, 770, top + height);
  for (const [index, text] of title.entries())
    sketch.label(text ?? '', 26, top + 9 + index * 9, 7, index === 0);
  for (const [index, field] of columns.entries()) {
    const [, x, width] = COLUMNS[index];
    if (field) sketch.text(field, x, top + 2, width);
  }
  for (const [field, text, x, row] of marks) sketch.mark(field, text, 26 + x, top + 3 + row * 14, 6);
  if (title[0] === 'WORKERS COMPENSATION') {
    sketch.label('Proprietor or partner excluded:', 26, top + 39, 6);
    sketch.text('WorkersCompensationEmployersLiability_AnyPersonsExcludedIndicator', 116, top + 31, 16);
  }
  if (title[0] === 'OTHER') sketch.text('OtherPolicy_PolicyDescription', 60, top + 2, 124);
  for (const [index, [field, text]] of limits.entries()) {
    const [labelX, x] = LIMIT_COLUMNS[index % 2];
    const y = top + 2 + Math.floor(index / 2) * 14;
    sketch.label(text, labelX, y + 8, 6).text(field, x, y, 52);
  }
  return top + height + 2;
}

function ending(sketch: LayoutSketch, top: number): void {
  sketch.label('OPERATIONS AND SPECIAL PROVISIONS', 26, top + 12, 7, true);
  sketch.paragraph('CertificateOfInsurance_RemarkText', 26, top + 16, 740, 44);
  const y = top + 66;
  sketch.frame(22, y, 770, y + 66).line(400, y, 400, y + 66);
  sketch
    .label('ISSUED TO (CERTIFICATE HOLDER)', 26, y + 10, 7, true)
    .party('CertificateHolder', 32, y + 18, 260);
  sketch.label('SIGNED FOR THE AGENCY BY', 406, y + 10, 7, true);
  sketch.text('Producer_AuthorizedRepresentative_Signature', 416, y + 24, 240, 14);
}
