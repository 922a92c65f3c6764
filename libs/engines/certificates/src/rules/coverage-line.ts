import type { CertificateField } from '../certificate-field.js';
import { type CertificateReading, type Reading } from './certificate-reading.js';
import { applied, type CertificateRule, type RuleFinding, shortened, unread } from './certificate-rule.js';
import { matchCompanyName } from './company-name.js';
import { type Day, isoOf, parsePrintedDate } from './printed-date.js';

/** Longest term that one policy has, days: three years and some. */
const TERM_DAYS_MAX = 1_100;
const INSURER_LETTERS = ['A', 'B', 'C', 'D', 'E', 'F'] as const;
type InsurerLetter = (typeof INSURER_LETTERS)[number];

/** The fields of one coverage that every coverage has. */
export interface CoverageLine {
  /** Prefix of its rules' ids. */
  readonly id: 'GL' | 'AUTO' | 'UMBRELLA' | 'WC';
  /** As in a sentence: `general liability`. */
  readonly name: string;
  readonly letter: CertificateField;
  readonly policyNumber: CertificateField;
  readonly effective: CertificateField;
  readonly expiration: CertificateField;
  readonly additionalInsured?: CertificateField;
  readonly subrogationWaived: CertificateField;
}

export const GENERAL_LIABILITY: CoverageLine = {
  id: 'GL',
  name: 'general liability',
  letter: 'GeneralLiability_InsurerLetterCode',
  policyNumber: 'Policy_GeneralLiability_PolicyNumberIdentifier',
  effective: 'Policy_GeneralLiability_EffectiveDate',
  expiration: 'Policy_GeneralLiability_ExpirationDate',
  additionalInsured: 'CertificateOfInsurance_GeneralLiability_AdditionalInsuredCode',
  subrogationWaived: 'Policy_GeneralLiability_SubrogationWaivedCode',
};
export const AUTOMOBILE: CoverageLine = {
  id: 'AUTO',
  name: 'automobile liability',
  letter: 'AutomobileLiability_InsurerLetterCode',
  policyNumber: 'Policy_AutomobileLiability_PolicyNumberIdentifier',
  effective: 'Policy_AutomobileLiability_EffectiveDate',
  expiration: 'Policy_AutomobileLiability_ExpirationDate',
  additionalInsured: 'CertificateOfInsurance_AutomobileLiability_AdditionalInsuredCode',
  subrogationWaived: 'Policy_AutomobileLiability_SubrogationWaivedCode',
};
export const UMBRELLA: CoverageLine = {
  id: 'UMBRELLA',
  name: 'umbrella or excess liability',
  letter: 'ExcessUmbrella_InsurerLetterCode',
  policyNumber: 'Policy_ExcessLiability_PolicyNumberIdentifier',
  effective: 'Policy_ExcessLiability_EffectiveDate',
  expiration: 'Policy_ExcessLiability_ExpirationDate',
  additionalInsured: 'CertificateOfInsurance_ExcessLiability_AdditionalInsuredCode',
  subrogationWaived: 'Policy_ExcessLiability_SubrogationWaivedCode',
};
export const WORKERS_COMPENSATION: CoverageLine = {
  id: 'WC',
  name: 'workers compensation',
  letter: 'WorkersCompensationEmployersLiability_InsurerLetterCode',
  policyNumber: 'Policy_WorkersCompensation_PolicyNumberIdentifier',
  effective: 'Policy_WorkersCompensation_EffectiveDate',
  expiration: 'Policy_WorkersCompensation_ExpirationDate',
  subrogationWaived: 'Policy_WorkersCompensation_SubrogationWaivedCode',
};
export const COVERAGE_LINES: readonly CoverageLine[] = [
  GENERAL_LIABILITY,
  AUTOMOBILE,
  UMBRELLA,
  WORKERS_COMPENSATION,
];

/** Days that an audit is made for. */
export interface AuditDays {
  readonly asOf: Day;
  readonly projectEnd?: Day;
  readonly expiryWarningDays: number;
}

/** Fields that say whether the row of a coverage was read at all. */
export const rowOf = (line: CoverageLine): readonly CertificateField[] => [
  line.policyNumber,
  line.effective,
  line.expiration,
];

/** What has to hold of every coverage that is asked for: its policy, its insurer, its term. */
export function coverageRules(
  reading: CertificateReading,
  line: CoverageLine,
  days: AuditDays,
): CertificateRule[] {
  const title = (what: string) => `${line.name[0].toUpperCase()}${line.name.slice(1)}: ${what}`;
  const head = (rule: string, what: string) => ({ id: `${line.id}_${rule}`, title: title(what) });
  const effective = reading.date(line.effective, rowOf(line));
  const expiration = reading.date(line.expiration, rowOf(line));
  const rules = [
    applied(head('POLICY_NUMBER', 'policy number'), policyNumberFinding(reading, line)),
    applied(head('INSURER', 'insurer letter names an insurer'), insurerFinding(reading, line)),
    applied(head('NAIC', 'NAIC code of the insurer'), naicFinding(reading, line)),
    applied(head('TERM', 'effective before expiration'), termFinding(line, effective, expiration)),
    applied(
      { ...head('ACTIVE', 'in force on the day of the audit'), required: isoOf(days.asOf) },
      activeFinding(line, effective, expiration, days.asOf),
    ),
  ];
  if (days.projectEnd !== undefined) {
    rules.push(
      applied(
        { ...head('PROJECT_END', 'in force at the end of the project'), required: isoOf(days.projectEnd) },
        activeFinding(line, effective, expiration, days.projectEnd),
      ),
    );
  }
  if (expiration.state === 'known' && expiration.value > days.asOf) {
    const rule = { ...head('EXPIRING', 'time left'), affectsVerdict: false };
    rules.push(applied(rule, expiringFinding(line, expiration, days)));
  }
  return rules;
}

/** The letter of a coverage's insurer, where it is one. */
export function insurerLetter(reading: CertificateReading, line: CoverageLine): Reading<InsurerLetter> {
  const letter = reading.text(line.letter, rowOf(line));
  if (letter.state !== 'known') return letter;
  const known = INSURER_LETTERS.find(each => each === letter.value.toUpperCase());
  // On a scan one letter is easily taken for another: a letter without an insurer is no proof that one is missing.
  if (known && reading.isScan && reading.text(`Insurer_FullName_${known}`).state === 'absent')
    return { ...letter, state: 'unclear', why: 'names no insurer of this scan' };
  if (known) return { ...letter, value: known };
  return { ...letter, state: 'unclear', why: 'is no letter from A to F' };
}

function policyNumberFinding(reading: CertificateReading, line: CoverageLine): RuleFinding {
  const number = reading.text(line.policyNumber, rowOf(line));
  if (number.state !== 'known') return unread(number, `${line.name} policy number`);
  const { value, evidence, confidence } = number;
  const isNumber = /\d/.test(value) && value.length >= 3 && value.length <= 40;
  if (!isNumber || parsePrintedDate(value).kind === 'date') {
    const detail = `“${shortened(value)}” does not look like a policy number.`;
    return { outcome: 'not_determinable', detail, evidence, confidence };
  }
  return { outcome: 'pass', detail: `Policy ${shortened(value)}.`, evidence, confidence };
}

function insurerFinding(reading: CertificateReading, line: CoverageLine): RuleFinding {
  const letter = insurerLetter(reading, line);
  if (letter.state !== 'known') return unread(letter, `insurer letter of ${line.name}`);
  const insurer = reading.text(`Insurer_FullName_${letter.value}`);
  if (insurer.state !== 'known') {
    return unread(insurer, `insurer under letter ${letter.value}, which the ${line.name} policy refers to`);
  }
  const { value, evidence } = insurer;
  const confidence = Math.min(letter.confidence, insurer.confidence);
  const taken = otherPartyOf(reading, value);
  if (taken !== undefined) {
    const detail = `“${shortened(value)}” stands as insurer ${letter.value} and as ${taken}.`;
    return { outcome: 'not_determinable', detail, evidence, confidence };
  }
  if (!/\p{L}{2}/u.test(value)) {
    const detail = `“${shortened(value)}” does not look like the name of an insurer.`;
    return { outcome: 'not_determinable', detail, evidence, confidence };
  }
  return { outcome: 'pass', detail: `Insurer ${letter.value}: “${shortened(value)}”.`, evidence, confidence };
}

/** Which other party of the certificate the name of an insurer is, where it is one. */
function otherPartyOf(reading: CertificateReading, insurer: string): string | undefined {
  const parties = [
    ['Producer_FullName', 'producer'],
    ['NamedInsured_FullName', 'insured'],
    ['CertificateHolder_FullName', 'certificate holder'],
  ] as const;
  return parties.find(([field]) => {
    const party = reading.text(field);
    return party.state === 'known' && matchCompanyName(party.value, insurer) !== 'other';
  })?.[1];
}

function naicFinding(reading: CertificateReading, line: CoverageLine): RuleFinding {
  const letter = insurerLetter(reading, line);
  if (letter.state !== 'known') return unread(letter, `insurer letter of ${line.name}`);
  const code = reading.text(`Insurer_NAICCode_${letter.value}`);
  if (code.state !== 'known') return unread(code, `NAIC code of insurer ${letter.value}`);
  const { value, evidence, confidence } = code;
  if (/^\d{5}$/.test(value) && value !== '00000') {
    return { outcome: 'pass', detail: `NAIC ${value}.`, evidence, confidence };
  }
  return {
    // A digit that a reading lost is no fault of the certificate.
    outcome: confidence === 1 ? 'fail' : 'not_determinable',
    detail: `The NAIC code of insurer ${letter.value}, “${shortened(value)}”, is not of five digits.`,
    evidence,
    confidence,
  };
}

function termFinding(line: CoverageLine, effective: Reading<Day>, expiration: Reading<Day>): RuleFinding {
  if (effective.state !== 'known') return unread(effective, `effective date of ${line.name}`);
  if (expiration.state !== 'known') return unread(expiration, `expiration date of ${line.name}`);
  const [from, to] = [effective.value, expiration.value];
  const evidence = expiration.evidence;
  const confidence = Math.min(effective.confidence, expiration.confidence);
  const term = `${isoOf(from)} to ${isoOf(to)}`;
  const comparison = {
    statement: `the ${line.name} policy ends at least a day after it begins (days since 1970)`,
    value: to,
    threshold: from + 1,
  };
  if (from >= to) {
    const detail = `The dates of ${line.name} are not in order: ${term}.`;
    return { outcome: 'fail', detail, evidence, confidence, comparison };
  }
  if (to - from > TERM_DAYS_MAX) {
    const detail = `A term of ${to - from} days is unusual for one policy: ${term}.`;
    return { outcome: 'not_determinable', detail, evidence, confidence };
  }
  return { outcome: 'pass', detail: `${term}.`, evidence, confidence, comparison };
}

/** A policy is in force from its effective date, and has ended on its expiration date. */
function activeFinding(
  line: CoverageLine,
  effective: Reading<Day>,
  expiration: Reading<Day>,
  day: Day,
): RuleFinding {
  // One date that rules it out is enough, whatever the other is.
  if (expiration.state === 'known' && expiration.value <= day) {
    const { evidence, confidence, value } = expiration;
    const detail = `The ${line.name} policy ends on ${isoOf(value)}, and is not in force on ${isoOf(day)}.`;
    return { outcome: 'fail', detail, evidence, confidence, comparison: endComparison(line, value, day) };
  }
  if (effective.state === 'known' && effective.value > day) {
    const { evidence, confidence, value } = effective;
    const detail = `The ${line.name} policy begins on ${isoOf(value)}, after ${isoOf(day)}.`;
    return { outcome: 'fail', detail, evidence, confidence };
  }
  if (effective.state !== 'known') return unread(effective, `effective date of ${line.name}`);
  if (expiration.state !== 'known') return unread(expiration, `expiration date of ${line.name}`);
  return {
    outcome: 'pass',
    detail: `In force from ${isoOf(effective.value)}, and ends on ${isoOf(expiration.value)}.`,
    evidence: expiration.evidence,
    confidence: Math.min(effective.confidence, expiration.confidence),
    comparison: endComparison(line, expiration.value, day),
  };
}

function endComparison(line: CoverageLine, expiration: Day, day: Day) {
  const statement = `the ${line.name} policy ends after ${isoOf(day)} (days since 1970)`;
  return { statement, value: expiration, threshold: day + 1 };
}

function expiringFinding(
  line: CoverageLine,
  expiration: Extract<Reading<Day>, { state: 'known' }>,
  { asOf, expiryWarningDays }: AuditDays,
): RuleFinding {
  const daysLeft = expiration.value - asOf;
  const { evidence, confidence } = expiration;
  return {
    outcome: daysLeft <= expiryWarningDays ? 'warn' : 'pass',
    detail: `The ${line.name} policy ends in ${daysLeft} days, on ${isoOf(expiration.value)}.`,
    evidence,
    confidence,
  };
}
