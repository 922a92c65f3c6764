import type { CertificateField } from '../certificate-field.js';
import type { CertificateTruth, EndorsementPage } from './certificate-truth.js';
import { DEFICIENCIES, type DeficiencyId, type TruthDraft } from './deficiencies.js';
import { seededRandom, type SeededRandom } from './seeded-random.js';
import {
  COMPANY_HEADS,
  FIRST_NAMES,
  HOLDER_TAILS,
  INSURER_HEADS,
  INSURER_TAILS,
  LAST_NAMES,
  LEGAL_FORMS,
  PLACES,
  STREETS,
  TRADES,
} from './truth-words.js';

type Fields = Partial<Record<CertificateField, string>>;

const DAY_MS = 86_400_000;
/** The first day that audits are asked about. */
const EPOCH = Date.UTC(2026, 0, 5);

export interface TruthOptions {
  /** What to make wrong; by default nothing in two of five certificates, else one thing or two. */
  readonly deficiencies?: readonly DeficiencyId[];
}

/**
 * What one certificate says: a company that would do for every requirement set of ours, and then what the seed makes wrong
 * with it. The same seed gives the same truth.
 */
export function certificateTruth(seed: number, { deficiencies }: TruthOptions = {}): CertificateTruth {
  const random = seededRandom(seed);
  const asOfMs = EPOCH + random.int(0, 700) * DAY_MS;
  const draft = soundDraft(seed, random, asOfMs);
  const ids = Object.keys(DEFICIENCIES) as DeficiencyId[];
  const chosen = deficiencies ?? (random.chance(0.4) ? [] : random.some(ids, random.chance(0.7) ? 1 : 2));
  for (const id of chosen) DEFICIENCIES[id](draft, random);
  return { ...draft, deficiencies: chosen };
}

function soundDraft(seed: number, random: SeededRandom, asOfMs: number): TruthDraft {
  const insured = `${random.pick(COMPANY_HEADS)} ${random.pick(TRADES)} ${random.pick(LEGAL_FORMS)}`;
  const holder = `${random.pick(COMPANY_HEADS)} ${random.pick(HOLDER_TAILS)}`;
  const forms = [
    `CG 20 10 ${random.pick(['04 13', '12 19', '07 04'])}`,
    `CG 20 37 ${random.pick(['04 13', '12 19', '07 04'])}`,
    `CG 24 04 ${random.pick(['05 09', '12 19'])}`,
  ];
  const fields: Fields = {
    ...producer(random, asOfMs),
    ...party('NamedInsured', insured, random),
    ...party('CertificateHolder', holder, random),
    ...insurers(random),
    ...generalLiability(random, asOfMs),
    ...automobile(random, asOfMs),
    ...umbrella(random, asOfMs),
    ...workersCompensation(random, asOfMs),
    ...(random.chance(0.4) ? otherPolicy(random, asOfMs) : {}),
  };
  fields.CertificateOfInsurance_RemarkText = remarks(random, holder, forms);
  const policyNumber = fields.Policy_GeneralLiability_PolicyNumberIdentifier ?? '';
  return {
    seed,
    fields,
    endorsementPages: forms.map(form => endorsementPage(form, policyNumber, holder)),
    asOf: isoDay(asOfMs),
    projectEnd: isoDay(asOfMs + random.int(30, 55) * DAY_MS),
    expectedHolder: holder,
    expectedInsured: insured,
  };
}

function producer(random: SeededRandom, asOfMs: number): Fields {
  const person = () => `${random.pick(FIRST_NAMES)} ${random.pick(LAST_NAMES)}`;
  const agency = `${random.pick(LAST_NAMES)} Insurance Agency`;
  const digits = () => `${random.int(200, 989)}) 555-0${random.int(100, 199)}`;
  return {
    Form_CompletionDate: usDay(asOfMs - random.int(1, 20) * DAY_MS),
    ...party('Producer', agency, random),
    Producer_ContactPerson_FullName: person(),
    Producer_ContactPerson_PhoneNumber: `(${digits()}`,
    Producer_FaxNumber: `(${digits()}`,
    Producer_ContactPerson_EmailAddress: `certificates@${agency.split(' ')[0].toLowerCase()}.example`,
    Producer_AuthorizedRepresentative_Signature: person(),
    CertificateOfInsurance_CertificateNumberIdentifier: `CL${random.int(10_000_000, 99_999_999)}`,
    CertificateOfInsurance_RevisionNumberIdentifier: String(random.int(0, 9)),
  };
}

function party(
  who: 'Producer' | 'NamedInsured' | 'CertificateHolder',
  name: string,
  random: SeededRandom,
): Fields {
  const [city, state, zip] = random.pick(PLACES);
  return {
    [`${who}_FullName`]: name,
    [`${who}_MailingAddress_LineOne`]: `${random.int(10, 9_999)} ${random.pick(STREETS)}`,
    [`${who}_MailingAddress_CityName`]: city,
    [`${who}_MailingAddress_StateOrProvinceCode`]: state,
    [`${who}_MailingAddress_PostalCode`]: `${zip}${random.int(100, 999)}`,
  };
}

function insurers(random: SeededRandom): Fields {
  const fields: Fields = {};
  const heads = random.some(INSURER_HEADS, 4);
  for (const [index, letter] of (['A', 'B', 'C', 'D'] as const).entries()) {
    fields[`Insurer_FullName_${letter}`] = `${heads[index]} ${random.pick(INSURER_TAILS)}`;
    fields[`Insurer_NAICCode_${letter}`] = String(random.int(10_001, 45_999));
  }
  return fields;
}

/** A year that has run for a while and outlasts every project and warning of ours. */
function term(random: SeededRandom, asOfMs: number): [effective: string, expiration: string] {
  const from = asOfMs - random.int(20, 250) * DAY_MS;
  const day = new Date(from);
  return [usDay(from), usDay(Date.UTC(day.getUTCFullYear() + 1, day.getUTCMonth(), day.getUTCDate()))];
}

const policyNumber = (prefix: string, random: SeededRandom) =>
  `${prefix}${random.pick(['-', ' ', ''])}${random.int(100_000, 9_999_999)}${random.pick(['', '-01', '-26'])}`;

function generalLiability(random: SeededRandom, asOfMs: number): Fields {
  const [effective, expiration] = term(random, asOfMs);
  const occurrence = random.pick([1_000_000, 2_000_000]);
  return {
    GeneralLiability_InsurerLetterCode: 'A',
    GeneralLiability_CoverageIndicator: 'X',
    GeneralLiability_OccurrenceIndicator: 'X',
    GeneralLiability_GeneralAggregate_LimitAppliesPerProjectIndicator: 'X',
    CertificateOfInsurance_GeneralLiability_AdditionalInsuredCode: random.pick(['Y', 'X']),
    Policy_GeneralLiability_SubrogationWaivedCode: random.pick(['Y', 'X']),
    Policy_GeneralLiability_PolicyNumberIdentifier: policyNumber('GL', random),
    Policy_GeneralLiability_EffectiveDate: effective,
    Policy_GeneralLiability_ExpirationDate: expiration,
    GeneralLiability_EachOccurrence_LimitAmount: amount(occurrence),
    GeneralLiability_FireDamageRentedPremises_EachOccurrenceLimitAmount: amount(
      random.pick([100_000, 300_000]),
    ),
    GeneralLiability_MedicalExpense_EachPersonLimitAmount: amount(random.pick([5_000, 10_000, 15_000])),
    GeneralLiability_PersonalAndAdvertisingInjury_LimitAmount: amount(occurrence),
    GeneralLiability_GeneralAggregate_LimitAmount: amount(2 * occurrence),
    GeneralLiability_ProductsAndCompletedOperations_AggregateLimitAmount: amount(2 * occurrence),
  };
}

function automobile(random: SeededRandom, asOfMs: number): Fields {
  const [effective, expiration] = term(random, asOfMs);
  const autos: Fields = random.chance(0.6)
    ? { Vehicle_AnyAutoIndicator: 'X' }
    : {
        Vehicle_ScheduledAutosIndicator: 'X',
        Vehicle_HiredAutosIndicator: 'X',
        Vehicle_NonOwnedAutosIndicator: 'X',
      };
  return {
    AutomobileLiability_InsurerLetterCode: 'B',
    ...autos,
    CertificateOfInsurance_AutomobileLiability_AdditionalInsuredCode: 'Y',
    Policy_AutomobileLiability_SubrogationWaivedCode: 'Y',
    Policy_AutomobileLiability_PolicyNumberIdentifier: policyNumber('BA', random),
    Policy_AutomobileLiability_EffectiveDate: effective,
    Policy_AutomobileLiability_ExpirationDate: expiration,
    Vehicle_CombinedSingleLimit_EachAccidentAmount: amount(random.pick([1_000_000, 2_000_000])),
  };
}

function umbrella(random: SeededRandom, asOfMs: number): Fields {
  const [effective, expiration] = term(random, asOfMs);
  const limit = amount(random.pick([5_000_000, 10_000_000]));
  return {
    ExcessUmbrella_InsurerLetterCode: 'C',
    ExcessUmbrella_UmbrellaIndicator: 'X',
    ExcessUmbrella_OccurrenceIndicator: 'X',
    ExcessUmbrella_RetentionIndicator: 'X',
    CertificateOfInsurance_ExcessLiability_AdditionalInsuredCode: 'Y',
    Policy_ExcessLiability_SubrogationWaivedCode: 'Y',
    Policy_ExcessLiability_PolicyNumberIdentifier: policyNumber('UMB', random),
    Policy_ExcessLiability_EffectiveDate: effective,
    Policy_ExcessLiability_ExpirationDate: expiration,
    ExcessUmbrella_Umbrella_EachOccurrenceAmount: limit,
    ExcessUmbrella_Umbrella_AggregateAmount: limit,
    ExcessUmbrella_Umbrella_DeductibleOrRetentionAmount: amount(10_000),
  };
}

function workersCompensation(random: SeededRandom, asOfMs: number): Fields {
  const [effective, expiration] = term(random, asOfMs);
  const limit = amount(random.pick([1_000_000, 2_000_000]));
  return {
    WorkersCompensationEmployersLiability_InsurerLetterCode: 'D',
    WorkersCompensationEmployersLiability_StatutoryLimitsIndicator: 'X',
    WorkersCompensationEmployersLiability_AnyPersonsExcludedIndicator: 'N',
    Policy_WorkersCompensation_SubrogationWaivedCode: 'Y',
    Policy_WorkersCompensation_PolicyNumberIdentifier: policyNumber('WC', random),
    Policy_WorkersCompensation_EffectiveDate: effective,
    Policy_WorkersCompensation_ExpirationDate: expiration,
    WorkersCompensationEmployersLiability_EachAccidentLimitAmount: limit,
    WorkersCompensationEmployersLiability_DiseaseEachEmployeeLimitAmount: limit,
    WorkersCompensationEmployersLiability_DiseasePolicyLimitAmount: limit,
  };
}

function otherPolicy(random: SeededRandom, asOfMs: number): Fields {
  const [effective, expiration] = term(random, asOfMs);
  return {
    OtherPolicy_InsurerLetterCode: 'A',
    OtherPolicy_PolicyDescription: random.pick([
      'Professional Liability',
      'Pollution Liability',
      'Rented Equipment',
    ]),
    OtherPolicy_PolicyNumberIdentifier: policyNumber('PR', random),
    OtherPolicy_EffectiveDate: effective,
    OtherPolicy_ExpirationDate: expiration,
    OtherPolicy_LimitAmount: amount(random.pick([500_000, 1_000_000])),
  };
}

function remarks(
  random: SeededRandom,
  holder: string,
  [ongoing, completed, waiver]: readonly string[],
): string {
  const project = `Project ${random.int(1_000, 9_999)}, ${random.pick(PLACES)[0]}.`;
  return (
    `${project} ${holder} is additional insured for ongoing and completed operations per ${ongoing} and ${completed}. ` +
    `Waiver of subrogation applies per ${waiver}.`
  );
}

/** Our own words: the texts of the standard forms belong to others. */
function endorsementPage(form: string, policy: string, holder: string): EndorsementPage {
  const grant = form.startsWith('CG 24')
    ? `Rights of recovery against ${holder} are waived.`
    : `${holder} is an additional insured for ${form.startsWith('CG 20 37') ? 'completed' : 'ongoing'} operations.`;
  return { form, lines: [`Endorsement form ${form}`, `This endorsement changes policy ${policy}.`, grant] };
}

/** `1,000,000`. */
export function amount(usd: number): string {
  return usd.toLocaleString('en-US');
}

/** `03/14/2026`. */
export function usDay(ms: number): string {
  const [year, month, day] = isoDay(ms).split('-');
  return `${month}/${day}/${year}`;
}

function isoDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
