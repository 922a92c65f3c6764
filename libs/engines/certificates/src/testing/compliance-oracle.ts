import type { CertificateField } from '../certificate-field.js';
import type { CertificateRequirements } from '../requirements/certificate-requirements.js';
import type { CertificateTruth } from './certificate-truth.js';

const DAY_MS = 86_400_000;

/** The lines of business that requirements can ask for, by the names that their fields go by. */
const LINES = {
  generalLiability: { policy: 'GeneralLiability', letter: 'GeneralLiability_InsurerLetterCode' },
  automobileLiability: { policy: 'AutomobileLiability', letter: 'AutomobileLiability_InsurerLetterCode' },
  umbrella: { policy: 'ExcessLiability', letter: 'ExcessUmbrella_InsurerLetterCode' },
  workersCompensation: {
    policy: 'WorkersCompensation',
    letter: 'WorkersCompensationEmployersLiability_InsurerLetterCode',
  },
} as const;
type Line = keyof typeof LINES;

/** Requirements with the holder and the insured that whoever asks about this certificate has in mind. */
export function requirementsOf(
  truth: CertificateTruth,
  set: CertificateRequirements,
): CertificateRequirements {
  return { ...set, certificateHolder: truth.expectedHolder, namedInsured: truth.expectedInsured };
}

/**
 * Why a certificate may not be called compliant; empty where it may. Written from the specification and from what the truth
 * says alone, without a line of the rule engine: whoever is called compliant by the engine and has a fault here is falsely so.
 */
export function complianceFaults(truth: CertificateTruth, requirements: CertificateRequirements): string[] {
  const faults: string[] = [];
  const { fields } = truth;
  const need = (holds: boolean, fault: string) => void (holds || faults.push(fault));
  const asked = (Object.keys(LINES) as Line[]).filter(line => requirements[line] !== undefined);
  const umbrella = umbrellaSurplus(truth, requirements);
  for (const line of asked.filter(
    name => name !== 'umbrella' || umbrella.isAsked || umbrella.isUsed(faultsOfLimits),
  )) {
    for (const fault of policyFaults(truth, line)) faults.push(`${line}: ${fault}`);
  }
  faults.push(
    ...faultsOfLimits(umbrella.eachOccurrenceUsd, umbrella.aggregateUsd),
    ...flagFaults(truth, requirements),
  );
  const issued = usDay(fields.Form_CompletionDate);
  need(issued !== undefined && issued <= isoDay(truth.asOf), 'not issued, or issued in the future');
  need(
    !requirements.signature || fields.Producer_AuthorizedRepresentative_Signature !== undefined,
    'not signed',
  );
  need(same(fields.CertificateHolder_FullName, requirements.certificateHolder), 'another holder');
  need(same(fields.NamedInsured_FullName, requirements.namedInsured), 'another insured');
  for (const form of requirements.endorsements) need(named(truth, form), `${form} is not named`);
  return faults;

  function faultsOfLimits(occurrenceMoreUsd: number, aggregateMoreUsd: number): string[] {
    return limitFaults(truth, requirements, occurrenceMoreUsd, aggregateMoreUsd);
  }
}

/** What the umbrella has beyond what is asked of itself. */
function umbrellaSurplus({ fields }: CertificateTruth, { umbrella }: CertificateRequirements) {
  const occurrence = usd(fields.ExcessUmbrella_Umbrella_EachOccurrenceAmount) ?? 0;
  const aggregate = usd(fields.ExcessUmbrella_Umbrella_AggregateAmount) ?? 0;
  const tops = umbrella?.topsUpPrimary === true;
  const eachOccurrenceUsd = tops ? Math.max(0, occurrence - (umbrella.eachOccurrenceUsd ?? 0)) : 0;
  const aggregateUsd = tops ? Math.max(0, aggregate - (umbrella.aggregateUsd ?? 0)) : 0;
  return {
    eachOccurrenceUsd,
    aggregateUsd,
    isAsked: umbrella?.eachOccurrenceUsd !== undefined || umbrella?.aggregateUsd !== undefined,
    /** Whether a limit holds only with its help. */
    isUsed: (faults: (occurrenceUsd: number, aggregateUsd: number) => string[]) =>
      faults(0, 0).length > faults(eachOccurrenceUsd, aggregateUsd).length,
  };
}

function limitFaults(
  { fields }: CertificateTruth,
  {
    generalLiability: gl,
    automobileLiability: auto,
    umbrella,
    workersCompensation: wc,
  }: CertificateRequirements,
  occurrenceMoreUsd: number,
  aggregateMoreUsd: number,
): string[] {
  const limits: [field: CertificateField, requiredUsd: number | undefined, moreUsd: number][] = [
    ['GeneralLiability_EachOccurrence_LimitAmount', gl?.eachOccurrenceUsd, occurrenceMoreUsd],
    ['GeneralLiability_GeneralAggregate_LimitAmount', gl?.generalAggregateUsd, aggregateMoreUsd],
    [
      'GeneralLiability_ProductsAndCompletedOperations_AggregateLimitAmount',
      gl?.productsCompletedOperationsUsd,
      aggregateMoreUsd,
    ],
    [
      'GeneralLiability_PersonalAndAdvertisingInjury_LimitAmount',
      gl?.personalAdvertisingInjuryUsd,
      occurrenceMoreUsd,
    ],
    ['GeneralLiability_FireDamageRentedPremises_EachOccurrenceLimitAmount', gl?.damageToRentedPremisesUsd, 0],
    ['GeneralLiability_MedicalExpense_EachPersonLimitAmount', gl?.medicalExpenseUsd, 0],
    ['Vehicle_CombinedSingleLimit_EachAccidentAmount', auto?.combinedSingleLimitUsd, occurrenceMoreUsd],
    ['ExcessUmbrella_Umbrella_EachOccurrenceAmount', umbrella?.eachOccurrenceUsd, 0],
    ['ExcessUmbrella_Umbrella_AggregateAmount', umbrella?.aggregateUsd, 0],
    ['WorkersCompensationEmployersLiability_EachAccidentLimitAmount', wc?.eachAccidentUsd, occurrenceMoreUsd],
    [
      'WorkersCompensationEmployersLiability_DiseaseEachEmployeeLimitAmount',
      wc?.diseaseEachEmployeeUsd,
      occurrenceMoreUsd,
    ],
    [
      'WorkersCompensationEmployersLiability_DiseasePolicyLimitAmount',
      wc?.diseasePolicyLimitUsd,
      aggregateMoreUsd,
    ],
  ];
  return limits.flatMap(([field, requiredUsd, moreUsd]) => {
    if (requiredUsd === undefined) return [];
    const shown = usd(fields[field]);
    return shown !== undefined && shown + moreUsd >= requiredUsd ? [] : [`${field} is below ${requiredUsd}`];
  });
}

function policyFaults({ fields, asOf, projectEnd }: CertificateTruth, line: Line): string[] {
  const { policy, letter } = LINES[line];
  const faults: string[] = [];
  const effective = usDay(fields[`Policy_${policy}_EffectiveDate`]);
  const expiration = usDay(fields[`Policy_${policy}_ExpirationDate`]);
  if (effective === undefined || expiration === undefined) faults.push('a date is missing or none');
  else {
    if (effective >= expiration) faults.push('it ends before it begins');
    if (effective > isoDay(asOf) || expiration <= isoDay(asOf)) faults.push('not in force');
    if (expiration <= isoDay(projectEnd)) faults.push('it ends before the project does');
  }
  if (fields[`Policy_${policy}_PolicyNumberIdentifier`] === undefined) faults.push('no policy number');
  const insurer = fields[letter];
  if (insurer === undefined || !/^[A-F]$/.test(insurer)) return [...faults, 'no insurer'];
  if (fields[`Insurer_FullName_${insurer as 'A'}`] === undefined) faults.push('an insurer that is not named');
  if (!/^\d{5}$/.test(fields[`Insurer_NAICCode_${insurer as 'A'}`] ?? '')) faults.push('no NAIC code');
  return faults;
}

function flagFaults(truth: CertificateTruth, requirements: CertificateRequirements): string[] {
  const { fields } = truth;
  const { generalLiability: gl, automobileLiability: auto, workersCompensation: wc } = requirements;
  const is = (field: CertificateField) => /^[XY]$/.test(fields[field] ?? '');
  const faults: string[] = [];
  const need = (isAsked: boolean | undefined, holds: boolean, fault: string) =>
    void (isAsked && !holds && faults.push(fault));
  const occurrenceAlone =
    is('GeneralLiability_OccurrenceIndicator') && !is('GeneralLiability_ClaimsMadeIndicator');
  need(gl?.occurrenceForm, occurrenceAlone, 'not an occurrence form');
  const per = 'GeneralLiability_GeneralAggregate_LimitAppliesPer';
  need(
    gl?.aggregatePerProject,
    is(`${per}ProjectIndicator`) && !is(`${per}PolicyIndicator`) && !is(`${per}LocationIndicator`),
    'aggregate not per project',
  );
  need(
    gl?.additionalInsured,
    is('CertificateOfInsurance_GeneralLiability_AdditionalInsuredCode'),
    'no additional insured',
  );
  need(gl?.additionalInsured, hasAdditionalInsuredPage(truth), 'additional insured without its endorsement');
  need(gl?.subrogationWaived, is('Policy_GeneralLiability_SubrogationWaivedCode'), 'subrogation not waived');
  const completed = gl?.additionalInsured && gl.productsCompletedOperationsUsd !== undefined;
  need(completed, !named(truth, 'CG 20 10') || named(truth, 'CG 20 37'), 'completed operations not covered');
  const hiredAndNonOwned = is('Vehicle_HiredAutosIndicator') && is('Vehicle_NonOwnedAutosIndicator');
  need(
    auto?.anyAutoOrHiredAndNonOwned,
    is('Vehicle_AnyAutoIndicator') || hiredAndNonOwned,
    'hired autos not covered',
  );
  const autoInsured = is('CertificateOfInsurance_AutomobileLiability_AdditionalInsuredCode');
  need(auto?.additionalInsured, autoInsured, 'no additional insured of autos');
  need(auto?.subrogationWaived, is('Policy_AutomobileLiability_SubrogationWaivedCode'), 'autos: not waived');
  const excluded = fields.WorkersCompensationEmployersLiability_AnyPersonsExcludedIndicator;
  need(wc?.noExclusions, excluded === 'N', 'persons excluded, or not said');
  need(wc?.subrogationWaived, is('Policy_WorkersCompensation_SubrogationWaivedCode'), 'workers: not waived');
  return faults;
}

function hasAdditionalInsuredPage({ endorsementPages, fields }: CertificateTruth): boolean {
  const policy = fields.Policy_GeneralLiability_PolicyNumberIdentifier;
  return endorsementPages.some(
    ({ form, lines }) =>
      /^CG 20 (10|26|33|37|38)\b/.test(form) &&
      policy !== undefined &&
      lines.some(line => line.includes(policy)),
  );
}

/** Whether the remarks or a page that came along name a form. */
function named({ fields, endorsementPages }: CertificateTruth, form: string): boolean {
  const remark = fields.CertificateOfInsurance_RemarkText ?? '';
  return remark.includes(form) || endorsementPages.some(page => page.form.startsWith(form));
}

function same(printed: string | undefined, wanted: string | undefined): boolean {
  const key = (text: string) =>
    text
      .toLowerCase()
      .replace(/&/g, 'and')
      .replace(/[^a-z0-9]/g, '');
  return wanted === undefined || (printed !== undefined && key(printed) === key(wanted));
}

function usd(printed: string | undefined): number | undefined {
  return printed !== undefined && /^\d{1,3}(,\d{3})*$/.test(printed)
    ? Number(printed.replaceAll(',', ''))
    : undefined;
}

/** Days since 1970 of `03/14/2026`; `undefined` for a day that the calendar lacks. */
function usDay(printed: string | undefined): number | undefined {
  const [, month, day, year] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(printed ?? '') ?? [];
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)) || 0);
  const isDay = date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day);
  return isDay ? date.getTime() / DAY_MS : undefined;
}

function isoDay(text: string): number {
  return Date.parse(text) / DAY_MS;
}
