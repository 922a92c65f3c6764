import { DRAWN_MARK } from '../text/read-parties.js';
import type { CertificateRequirements } from '../requirements/certificate-requirements.js';
import type { CertificateReading } from './certificate-reading.js';
import { applied, type CertificateRule, type RuleFinding, shortened, unread } from './certificate-rule.js';
import { matchCompanyName, mayBeMisread } from './company-name.js';
import { type CoverageLine, insurerLetter, rowOf } from './coverage-line.js';
import { type Day, isoOf } from './printed-date.js';

const NO_SIGNATURE = /^(UNSIGNED|NOT SIGNED|NO SIGNATURE|SIGNATURE|SIGN HERE|AUTHORIZED REPRESENTATIVE)$/;

/** What has to hold of the certificate as a whole. */
export function documentRules(
  reading: CertificateReading,
  requirements: CertificateRequirements,
  lines: readonly CoverageLine[],
  asOf: Day,
): CertificateRule[] {
  const { namedInsured, certificateHolder, signature } = requirements;
  const rules = [
    tamperRule(reading),
    applied(
      { id: 'ISSUED', title: 'Issued, and not in the future', required: `by ${isoOf(asOf)}` },
      issuedFinding(reading, asOf),
    ),
    applied(
      {
        id: 'INSURED',
        title: 'Named insured',
        ...(namedInsured === undefined ? {} : { required: namedInsured }),
      },
      nameFinding(reading, 'NamedInsured_FullName', 'named insured', namedInsured),
    ),
  ];
  if (certificateHolder !== undefined) {
    rules.push(
      applied(
        { id: 'HOLDER', title: 'Certificate holder', required: certificateHolder },
        nameFinding(reading, 'CertificateHolder_FullName', 'certificate holder', certificateHolder),
      ),
    );
  }
  if (signature) {
    const head = { id: 'SIGNATURE', title: 'Signed by an authorized representative' };
    rules.push(applied(head, signatureFinding(reading)));
  }
  rules.push(
    applied(
      { id: 'POLICY_NUMBERS', title: 'Each policy has its own number' },
      numbersFinding(reading, lines),
    ),
  );
  return rules;
}

function tamperRule(reading: CertificateReading): CertificateRule {
  const head = { id: 'TAMPER', title: 'No sign that the file was changed' };
  const signs = reading.certificate.tamperSigns;
  if (signs.length === 0) return applied(head, { outcome: 'pass', detail: 'No sign of a change was found.' });
  const shown = signs.slice(0, 8).map(sign => shortened(sign, 160));
  return applied(head, { outcome: 'warn', detail: `${shown.join('; ')}.` });
}

function issuedFinding(reading: CertificateReading, asOf: Day): RuleFinding {
  const issued = reading.date('Form_CompletionDate');
  if (issued.state !== 'known') return unread(issued, 'date of issue');
  const { value, evidence, confidence } = issued;
  const isPast = value <= asOf;
  return {
    outcome: isPast ? 'pass' : 'fail',
    detail: isPast
      ? `Issued on ${isoOf(value)}.`
      : `The date of issue, ${isoOf(value)}, is after the day of the audit.`,
    evidence,
    confidence,
    comparison: {
      statement: 'the day of the audit is not before the date of issue (days since 1970)',
      value: asOf,
      threshold: value,
    },
  };
}

function nameFinding(
  reading: CertificateReading,
  field: 'NamedInsured_FullName' | 'CertificateHolder_FullName',
  what: string,
  asked: string | undefined,
): RuleFinding {
  const name = reading.text(field);
  if (name.state !== 'known') return unread(name, what);
  const { value, evidence, confidence } = name;
  const shown = `“${shortened(value)}”`;
  if (asked === undefined) return { outcome: 'pass', detail: `${shown}.`, evidence, confidence };
  const match = matchCompanyName(asked, value);
  if (match === 'same')
    return { outcome: 'pass', detail: `${shown} is the name asked for.`, evidence, confidence };
  const isMisread = confidence < 1 && mayBeMisread(asked, value);
  if (match === 'unsure' || isMisread) {
    const detail = `${shown} may or may not be “${shortened(asked)}”.`;
    return { outcome: 'not_determinable', detail, evidence, confidence };
  }
  return { outcome: 'fail', detail: `${shown} is not “${shortened(asked)}”.`, evidence, confidence };
}

function signatureFinding(reading: CertificateReading): RuleFinding {
  const signature = reading.text('Producer_AuthorizedRepresentative_Signature');
  if (signature.state !== 'known') return unread(signature, 'signature of an authorized representative');
  const { value, evidence, confidence } = signature;
  if (NO_SIGNATURE.test(value.toUpperCase())) {
    return { outcome: 'fail', detail: `“${shortened(value)}” is no signature.`, evidence, confidence };
  }
  const detail =
    value === DRAWN_MARK
      ? 'A mark is drawn where the representative signs; whose it is, is not verified.'
      : `Signed “${shortened(value)}”; whose hand it is, is not verified.`;
  return { outcome: 'pass', detail, evidence, confidence };
}

/**
 * One number on several policies is a package by one insurer, or a copying error. Workers compensation is never part of a
 * package, two insurers never share a number, and three coverages under one number are for people to look at.
 */
function numbersFinding(reading: CertificateReading, lines: readonly CoverageLine[]): RuleFinding {
  const byNumber = new Map<string, CoverageLine[]>();
  for (const line of lines) {
    const number = reading.text(line.policyNumber, rowOf(line));
    if (number.state !== 'known') continue;
    const key = number.value.toUpperCase().replace(/[^\p{L}\p{N}]/gu, '');
    byNumber.set(key, [...(byNumber.get(key) ?? []), line]);
  }
  for (const shared of byNumber.values()) {
    const letters = new Set(shared.map(line => valueOf(insurerLetter(reading, line))));
    const hasWorkers = shared.some(({ id }) => id === 'WC');
    if (shared.length < 2 || (letters.size === 1 && !hasWorkers && shared.length === 2)) continue;
    const names = shared.map(({ name }) => name).join(', ');
    return { outcome: 'warn', detail: `One policy number stands for ${names}.` };
  }
  return { outcome: 'pass', detail: 'No policy number stands where another belongs.' };
}

const valueOf = (letter: ReturnType<typeof insurerLetter>) =>
  letter.state === 'known' ? letter.value : undefined;
