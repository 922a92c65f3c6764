import type { CertificateField } from '../certificate-field.js';
import { type CertificateLayout, INSURER_LETTERS, LayoutSketch } from './layout.js';

const LEFT = 24;
const RIGHT = 588;
/** Where the columns of the table begin. */
const COLUMN = {
  letter: 26,
  type: 50,
  insured: 178,
  waived: 204,
  number: 230,
  effective: 330,
  expiration: 384,
  limitName: 440,
  limit: 528,
};

interface Row {
  readonly title: string;
  readonly policy: 'GeneralLiability' | 'AutomobileLiability' | 'ExcessLiability' | 'WorkersCompensation';
  readonly rows: number;
  readonly letter: CertificateField;
  readonly insured?: CertificateField;
  readonly waived?: CertificateField;
  readonly marks: readonly (readonly [field: CertificateField, text: string, x: number, row: number])[];
  readonly limits: readonly (readonly [field: CertificateField, text: string])[];
}

const ROWS: readonly Row[] = [
  {
    title: 'COMMERCIAL GENERAL LIABILITY',
    policy: 'GeneralLiability',
    rows: 6,
    letter: 'GeneralLiability_InsurerLetterCode',
    insured: 'CertificateOfInsurance_GeneralLiability_AdditionalInsuredCode',
    waived: 'Policy_GeneralLiability_SubrogationWaivedCode',
    marks: [
      ['GeneralLiability_CoverageIndicator', 'COMMERCIAL GENERAL LIABILITY', 0, 0],
      ['GeneralLiability_ClaimsMadeIndicator', 'CLAIMS-MADE', 8, 1],
      ['GeneralLiability_OccurrenceIndicator', 'OCCUR', 76, 1],
      ['GeneralLiability_GeneralAggregate_LimitAppliesPerPolicyIndicator', 'POLICY', 0, 4],
      ['GeneralLiability_GeneralAggregate_LimitAppliesPerProjectIndicator', 'PROJECT', 40, 4],
      ['GeneralLiability_GeneralAggregate_LimitAppliesPerLocationIndicator', 'LOC', 88, 4],
    ],
    limits: [
      ['GeneralLiability_EachOccurrence_LimitAmount', 'EACH OCCURRENCE'],
      ['GeneralLiability_FireDamageRentedPremises_EachOccurrenceLimitAmount', 'DAMAGE TO RENTED'],
      ['GeneralLiability_MedicalExpense_EachPersonLimitAmount', 'MED EXP (one person)'],
      ['GeneralLiability_PersonalAndAdvertisingInjury_LimitAmount', 'PERSONAL & ADV INJURY'],
      ['GeneralLiability_GeneralAggregate_LimitAmount', 'GENERAL AGGREGATE'],
      ['GeneralLiability_ProductsAndCompletedOperations_AggregateLimitAmount', 'PRODUCTS - COMP/OP'],
    ],
  },
  {
    title: 'AUTOMOBILE LIABILITY',
    policy: 'AutomobileLiability',
    rows: 4,
    letter: 'AutomobileLiability_InsurerLetterCode',
    insured: 'CertificateOfInsurance_AutomobileLiability_AdditionalInsuredCode',
    waived: 'Policy_AutomobileLiability_SubrogationWaivedCode',
    marks: [
      ['Vehicle_AnyAutoIndicator', 'ANY AUTO', 0, 1],
      ['Vehicle_AllOwnedAutosIndicator', 'OWNED AUTOS', 0, 2],
      ['Vehicle_ScheduledAutosIndicator', 'SCHEDULED', 66, 2],
      ['Vehicle_HiredAutosIndicator', 'HIRED AUTOS', 0, 3],
      ['Vehicle_NonOwnedAutosIndicator', 'NON-OWNED', 66, 3],
    ],
    limits: [
      ['Vehicle_CombinedSingleLimit_EachAccidentAmount', 'COMBINED SINGLE LIMIT'],
      ['Vehicle_BodilyInjury_PerPersonLimitAmount', 'BODILY INJURY (person)'],
      ['Vehicle_BodilyInjury_PerAccidentLimitAmount', 'BODILY INJURY (accident)'],
      ['Vehicle_PropertyDamage_PerAccidentLimitAmount', 'PROPERTY DAMAGE'],
    ],
  },
  {
    title: '',
    policy: 'ExcessLiability',
    rows: 3,
    letter: 'ExcessUmbrella_InsurerLetterCode',
    insured: 'CertificateOfInsurance_ExcessLiability_AdditionalInsuredCode',
    waived: 'Policy_ExcessLiability_SubrogationWaivedCode',
    marks: [
      ['ExcessUmbrella_UmbrellaIndicator', 'UMBRELLA LIAB', 0, 0],
      ['ExcessUmbrella_OccurrenceIndicator', 'OCCUR', 76, 0],
      ['ExcessUmbrella_ExcessIndicator', 'EXCESS LIAB', 0, 1],
      ['ExcessUmbrella_ClaimsMadeIndicator', 'CLAIMS-MADE', 66, 1],
      ['ExcessUmbrella_DeductibleIndicator', 'DED', 0, 2],
      ['ExcessUmbrella_RetentionIndicator', 'RETENTION', 40, 2],
    ],
    limits: [
      ['ExcessUmbrella_Umbrella_EachOccurrenceAmount', 'EACH OCCURRENCE'],
      ['ExcessUmbrella_Umbrella_AggregateAmount', 'AGGREGATE'],
      ['ExcessUmbrella_Umbrella_DeductibleOrRetentionAmount', 'DED / RETENTION'],
    ],
  },
  {
    title: 'WORKERS COMPENSATION',
    policy: 'WorkersCompensation',
    rows: 4,
    letter: 'WorkersCompensationEmployersLiability_InsurerLetterCode',
    waived: 'Policy_WorkersCompensation_SubrogationWaivedCode',
    marks: [['WorkersCompensationEmployersLiability_StatutoryLimitsIndicator', 'PER STATUTE', 0, 1]],
    limits: [
      ['WorkersCompensationEmployersLiability_EachAccidentLimitAmount', 'E.L. EACH ACCIDENT'],
      ['WorkersCompensationEmployersLiability_DiseaseEachEmployeeLimitAmount', 'E.L. DISEASE - EA EMPL'],
      ['WorkersCompensationEmployersLiability_DiseasePolicyLimitAmount', 'E.L. DISEASE - POLICY'],
    ],
  },
];

/** One table for all policies, a column for each kind of entry, in capitals. */
export function columnsLayout(): CertificateLayout {
  const sketch = new LayoutSketch('columns', 612, 792);
  sketch.label('CERTIFICATE OF LIABILITY INSURANCE', 168, 42, 13, true);
  sketch.label('DATE (MM/DD/YYYY)', 500, 28).text('Form_CompletionDate', 500, 32, 84, 12);
  parties(sketch);
  const tableTop = table(sketch);
  remarksAndHolder(sketch, tableTop);
  return sketch.finish();
}

function parties(sketch: LayoutSketch): void {
  sketch.frame(LEFT, 52, RIGHT, 206).line(300, 52, 300, 206).line(LEFT, 128, 300, 128);
  sketch.label('PRODUCER', 27, 60).party('Producer', 40, 66, 240);
  sketch.label('INSURED', 27, 136).party('NamedInsured', 40, 144, 240);
  sketch.label('CONTACT NAME:', 303, 62).text('Producer_ContactPerson_FullName', 372, 54, 200);
  sketch.label('PHONE:', 303, 75).text('Producer_ContactPerson_PhoneNumber', 336, 67, 100);
  sketch.label('FAX:', 446, 75).text('Producer_FaxNumber', 466, 67, 100);
  sketch.label('E-MAIL ADDRESS:', 303, 88).text('Producer_ContactPerson_EmailAddress', 372, 80, 200);
  sketch.label('INSURER(S) AFFORDING COVERAGE', 360, 104).label('NAIC #', 546, 104);
  sketch.line(300, 94, RIGHT, 94).line(300, 108, RIGHT, 108).line(530, 94, 530, 206);
  for (const [index, letter] of INSURER_LETTERS.entries()) {
    const y = 111 + index * 16;
    sketch.label(`INSURER ${letter} :`, 303, y + 9);
    sketch.text(`Insurer_FullName_${letter}`, 350, y, 176).text(`Insurer_NAICCode_${letter}`, 536, y, 48);
  }
}

function table(sketch: LayoutSketch): number {
  sketch.label('COVERAGES', 27, 220, 8, true);
  sketch.label('CERTIFICATE NUMBER:', 190, 220);
  sketch.text('CertificateOfInsurance_CertificateNumberIdentifier', 268, 211, 110);
  sketch.label('REVISION NUMBER:', 430, 220);
  sketch.text('CertificateOfInsurance_RevisionNumberIdentifier', 500, 211, 60);
  sketch.frame(LEFT, 226, RIGHT, 246);
  sketch.label('INSR', 26, 234, 6).label('LTR', 26, 242, 6).label('TYPE OF INSURANCE', 74, 238);
  sketch
    .label('ADDL', 178, 234, 6)
    .label('INSD', 178, 242, 6)
    .label('SUBR', 204, 234, 6)
    .label('WVD', 204, 242, 6);
  sketch.label('POLICY NUMBER', 244, 238).label('POLICY EFF', 334, 238).label('POLICY EXP', 388, 238);
  sketch.label('LIMITS', 500, 238);
  let top = 248;
  for (const row of ROWS) top = policyRow(sketch, row, top);
  return otherRow(sketch, top);
}

function policyRow(sketch: LayoutSketch, row: Row, top: number): number {
  const height = 13 * row.rows + 4;
  sketch.frame(LEFT, top - 2, RIGHT, top + height - 2);
  if (row.marks.every(([, , , line]) => line > 0)) sketch.label(row.title, COLUMN.type, top + 8, 6.5, true);
  sketch.text(row.letter, COLUMN.letter, top, 16);
  for (const [field, text, x, line] of row.marks)
    sketch.mark(field, text, COLUMN.type + x, top + line * 13, 6);
  if (row.policy === 'GeneralLiability') {
    sketch.label("GEN'L AGGREGATE LIMIT APPLIES PER:", COLUMN.type, top + 47, 6);
  }
  if (row.policy === 'WorkersCompensation') {
    sketch.label("AND EMPLOYERS' LIABILITY", COLUMN.type, top + 34, 6);
    sketch.label('ANY PERSON EXCLUDED? (Y/N)', COLUMN.type, top + 46, 6);
    sketch.text('WorkersCompensationEmployersLiability_AnyPersonsExcludedIndicator', 150, top + 38, 16);
  }
  if (row.insured) sketch.text(row.insured, COLUMN.insured, top, 20);
  if (row.waived) sketch.text(row.waived, COLUMN.waived, top, 20);
  policyColumns(sketch, row.policy, top);
  for (const [index, [field, text]] of row.limits.entries()) {
    sketch.label(text, COLUMN.limitName, top + index * 13 + 8, 6);
    sketch
      .label('$', COLUMN.limit - 6, top + index * 13 + 8, 6)
      .text(field, COLUMN.limit, top + index * 13, 56);
  }
  return top + height + 2;
}

function policyColumns(sketch: LayoutSketch, policy: Row['policy'], top: number): void {
  sketch.text(`Policy_${policy}_PolicyNumberIdentifier`, COLUMN.number, top, 96);
  sketch.text(`Policy_${policy}_EffectiveDate`, COLUMN.effective, top, 52);
  sketch.text(`Policy_${policy}_ExpirationDate`, COLUMN.expiration, top, 52);
}

function otherRow(sketch: LayoutSketch, top: number): number {
  const y = top;
  sketch.frame(LEFT, y - 2, RIGHT, y + 14);
  sketch.text('OtherPolicy_InsurerLetterCode', COLUMN.letter, y, 16);
  sketch.text('OtherPolicy_PolicyDescription', COLUMN.type, y, 124);
  sketch.text('OtherPolicy_PolicyNumberIdentifier', COLUMN.number, y, 96);
  sketch.text('OtherPolicy_EffectiveDate', COLUMN.effective, y, 52);
  sketch.text('OtherPolicy_ExpirationDate', COLUMN.expiration, y, 52);
  sketch.label('LIMIT', COLUMN.limitName, y + 8, 6).label('$', COLUMN.limit - 6, y + 8, 6);
  sketch.text('OtherPolicy_LimitAmount', COLUMN.limit, y, 56);
  return y + 18;
}

function remarksAndHolder(sketch: LayoutSketch, top: number): void {
  sketch.frame(LEFT, top, RIGHT, top + 84);
  sketch.label('DESCRIPTION OF OPERATIONS / LOCATIONS / VEHICLES', 27, top + 9);
  sketch.paragraph('CertificateOfInsurance_RemarkText', 28, top + 13, 556, 66);
  const bottom = top + 92;
  sketch.label('CERTIFICATE HOLDER', 27, bottom + 8, 8, true).label('CANCELLATION', 310, bottom + 8, 8, true);
  sketch.frame(LEFT, bottom + 12, RIGHT, bottom + 92).line(304, bottom + 12, 304, bottom + 92);
  sketch.party('CertificateHolder', 40, bottom + 26, 250);
  sketch.label('Notice of cancellation follows the terms of each policy.', 308, bottom + 24);
  sketch.line(304, bottom + 50, RIGHT, bottom + 50).label('AUTHORIZED REPRESENTATIVE', 308, bottom + 58);
  sketch.text('Producer_AuthorizedRepresentative_Signature', 320, bottom + 66, 240, 14);
}
