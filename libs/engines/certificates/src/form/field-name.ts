import { CERTIFICATE_FIELDS, type CertificateField } from '../certificate-field.js';

/**
 * Other names of the same fields, with the reason that each is met. Sources: lists of the form's field names that makers of
 * form fillers publish; names alone, nothing of the form itself.
 */
const ALIASES: Readonly<Record<string, CertificateField>> = {
  // The form since 2009: the whole name of the line of business, twice.
  Policy_WorkersCompensationAndEmployersLiability_PolicyNumberIdentifier:
    'Policy_WorkersCompensation_PolicyNumberIdentifier',
  Policy_WorkersCompensationAndEmployersLiability_EffectiveDate: 'Policy_WorkersCompensation_EffectiveDate',
  Policy_WorkersCompensationAndEmployersLiability_ExpirationDate: 'Policy_WorkersCompensation_ExpirationDate',
  Policy_WorkersCompensationAndEmployersLiability_SubrogationWaivedCode:
    'Policy_WorkersCompensation_SubrogationWaivedCode',
  WorkersCompensationEmployersLiability_WorkersCompensationStatutoryLimitIndicator:
    'WorkersCompensationEmployersLiability_StatutoryLimitsIndicator',
  WorkersCompensationEmployersLiability_EmployersLiability_EachAccidentLimitAmount:
    'WorkersCompensationEmployersLiability_EachAccidentLimitAmount',
  WorkersCompensationEmployersLiability_EmployersLiability_DiseaseEachEmployeeLimitAmount:
    'WorkersCompensationEmployersLiability_DiseaseEachEmployeeLimitAmount',
  WorkersCompensationEmployersLiability_EmployersLiability_DiseasePolicyLimitAmount:
    'WorkersCompensationEmployersLiability_DiseasePolicyLimitAmount',
  // Automobiles are vehicles there, all but their policy.
  Vehicle_InsurerLetterCode: 'AutomobileLiability_InsurerLetterCode',
  // Umbrella or excess is a type of policy there.
  Policy_PolicyType_UmbrellaIndicator: 'ExcessUmbrella_UmbrellaIndicator',
  Policy_PolicyType_ExcessIndicator: 'ExcessUmbrella_ExcessIndicator',
  CertificateOfLiabilityInsurance_ACORDForm_RemarkText: 'CertificateOfInsurance_RemarkText',
  OtherPolicy_OtherPolicyDescription: 'OtherPolicy_PolicyDescription',
  OtherPolicy_PolicyEffectiveDate: 'OtherPolicy_EffectiveDate',
  OtherPolicy_PolicyExpirationDate: 'OtherPolicy_ExpirationDate',
  OtherPolicy_CoverageLimitAmount: 'OtherPolicy_LimitAmount',
  // Before the codes there were indicators.
  GeneralLiability_AdditionalInsuredIndicator:
    'CertificateOfInsurance_GeneralLiability_AdditionalInsuredCode',
  AutomobileLiability_AdditionalInsuredIndicator:
    'CertificateOfInsurance_AutomobileLiability_AdditionalInsuredCode',
  ExcessUmbrella_AdditionalInsuredIndicator: 'CertificateOfInsurance_ExcessLiability_AdditionalInsuredCode',
  GeneralLiability_WaiverOfSubrogationIndicator: 'Policy_GeneralLiability_SubrogationWaivedCode',
  AutomobileLiability_WaiverOfSubrogationIndicator: 'Policy_AutomobileLiability_SubrogationWaivedCode',
  ExcessUmbrella_WaiverOfSubrogationIndicator: 'Policy_ExcessLiability_SubrogationWaivedCode',
  WorkersCompensationAndEmployersLiability_WaiverOfSubrogationIndicator:
    'Policy_WorkersCompensation_SubrogationWaivedCode',
};

const BY_NAME: ReadonlyMap<string, CertificateField> = new Map([
  ...CERTIFICATE_FIELDS.map(field => [field.toLowerCase(), field] as const),
  ...Object.entries(ALIASES).map(([name, field]) => [name.toLowerCase(), field] as const),
]);

/** Boxes to tick. Whether persons are excluded is answered with a letter, for all that its name says. */
const MARKS: ReadonlySet<CertificateField> = new Set(
  CERTIFICATE_FIELDS.filter(field => /Indicator$/.test(field) && !/AnyPersonsExcluded/.test(field)),
);
const ON = /^(x|y|yes|on|true|1|\/1|\/yes|\/on|checked)$/i;
const OFF = /^(|n|no|off|false|0|\/off|\/0|unchecked)$/i;

/**
 * The field that a name in a form stands for, whatever the page's prefix and the letters' case: of the parts between dots the
 * last, without its index, and without the suffix of the first row. A row that is not the first is another policy's.
 *
 * @example certificateFieldOf('F[0].P1[0].Vehicle_InsurerLetterCode_A[0]') === 'AutomobileLiability_InsurerLetterCode'
 */
export function certificateFieldOf(name: string): CertificateField | undefined {
  const leaf = leafOf(name).toLowerCase();
  return BY_NAME.get(leaf) ?? BY_NAME.get(leaf.replace(/_a$/, ''));
}

/** The last part of a field's name, without its index. */
export const leafOf = (name: string): string => (name.split('.').at(-1) ?? '').trim().replace(/\[\d+\]$/, '');

/** Whether a field is a box to tick. */
export function isMark(field: CertificateField): boolean {
  return MARKS.has(field);
}

/** A field's value, trimmed, line breaks as one; a ticked box is `X`, and what is empty or unticked is `undefined`. */
export function printedValue(field: CertificateField, value: string): string | undefined {
  const trimmed = value.replace(/\r\n?/g, '\n').trim();
  if (!isMark(field)) return trimmed === '' ? undefined : trimmed;
  if (OFF.test(trimmed)) return undefined;
  return ON.test(trimmed) ? 'X' : trimmed;
}

/** Fields as a caller names them. */
export interface NamedFields {
  readonly fields: Readonly<Partial<Record<CertificateField, string>>>;
  /** Names that stand for no field of a certificate. */
  readonly unknown: readonly string[];
  /** Fields that several names stood for, with different values: none of them is in `fields`. */
  readonly contradictory: readonly CertificateField[];
}

/** Fields that came by name instead of in a file, by the same names and aliases. */
export function namedFields(values: Readonly<Record<string, string>>): NamedFields {
  const fields = new Map<CertificateField, string | undefined>();
  const unknown: string[] = [];
  const contradictory = new Set<CertificateField>();
  for (const [name, text] of Object.entries(values)) {
    const field = certificateFieldOf(name);
    if (field === undefined) {
      unknown.push(name);
      continue;
    }
    const value = printedValue(field, text);
    if (fields.has(field) && fields.get(field) !== value) contradictory.add(field);
    fields.set(field, value);
  }
  const known = [...fields].filter(([field, value]) => value !== undefined && !contradictory.has(field));
  return { fields: Object.fromEntries(known), unknown, contradictory: [...contradictory] };
}
