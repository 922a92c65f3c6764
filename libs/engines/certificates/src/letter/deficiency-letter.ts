import type { CertificateVerdict } from '../rules/audit-certificate.js';
import type { CertificateRule } from '../rules/certificate-rule.js';
import { shortened } from '../rules/certificate-rule.js';
import { COVERAGE_LINES } from '../rules/coverage-line.js';
import { remedyOf } from './remedy.js';

export type LetterRule = Pick<
  CertificateRule,
  'id' | 'title' | 'outcome' | 'affectsVerdict' | 'detail' | 'required'
>;

/** What a letter says of an audit. */
export interface LetterAudit {
  readonly verdict: CertificateVerdict;
  readonly rules: readonly LetterRule[];
  /** As printed on the certificate. */
  readonly insured: string | null;
  readonly producer: string | null;
  /** `YYYY-MM-DD` */
  readonly asOf: string;
  readonly projectEnd?: string;
  /** Of the requirements that were applied. */
  readonly requirementsName?: string;
  /** What the answer to this letter should name. */
  readonly reference: string;
}

const CHARS_PER_NAME_MAX = 200;
const REQUIRED_CHARS_MAX = 600;

/**
 * The letter to whoever sent a certificate: what does not meet the requirements, what could not be confirmed, and what to send,
 * rule by rule. It says nothing but what the audit found. Null where there is nothing to ask for.
 */
export function deficiencyLetter(audit: LetterAudit): string | null {
  const rules = withMissingCoveragesAsOne(audit.rules);
  const failed = rules.filter(({ outcome }) => outcome === 'fail');
  const open = rules.filter(
    ({ outcome, affectsVerdict }) => affectsVerdict && (outcome === 'warn' || outcome === 'not_determinable'),
  );
  if (failed.length + open.length === 0) return null;
  const notes = rules.filter(({ outcome, affectsVerdict }) => outcome === 'warn' && !affectsVerdict);
  const numbered = [...failed, ...open];
  const item = (rule: LetterRule) => itemText(rule, numbered.indexOf(rule) + 1);
  return [
    ...heading(audit),
    '',
    ...opening(audit),
    ...section('What does not meet the requirements', failed.map(item)),
    ...section('What could not be confirmed', open.map(item)),
    ...section(
      'For your information',
      notes.map(note => `${note.title}: ${note.detail}`),
    ),
    '',
    `Please answer with the reference ${audit.reference}, so that what you send finds its place.`,
    '',
    'This letter says how the certificate compares with what was asked for. It is no statement about what the policies cover, and changes none of them.',
    '',
    'Thank you.',
  ].join('\n');
}

/** What fails of a coverage that is not there at all: nothing of its policy is shown. */
const POLICY_RULES = ['POLICY_NUMBER', 'INSURER', 'TERM'];

/** A coverage that is not there is one thing to ask for, with all that is required of it, and not ten. */
function withMissingCoveragesAsOne(rules: readonly LetterRule[]): readonly LetterRule[] {
  return COVERAGE_LINES.reduce<readonly LetterRule[]>((left, { id }) => {
    const ofLine = left.filter(rule => rule.id.startsWith(`${id}_`));
    const failing = new Set(ofLine.filter(({ outcome }) => outcome === 'fail').map(rule => rule.id));
    const showsSome = ofLine.some(rule => rule.outcome === 'pass' && !rule.id.endsWith('_LIMITS_CONSISTENT'));
    if (showsSome || !POLICY_RULES.every(rule => failing.has(`${id}_${rule}`))) return left;
    return [...left.filter(rule => !ofLine.includes(rule)), missingCoverage(id, ofLine)];
  }, rules);
}

function missingCoverage(id: string, rules: readonly LetterRule[]): LetterRule {
  const asked = rules
    .filter(({ required }) => required !== undefined)
    .map(({ title, required }) => `${title.slice(title.indexOf(':') + 2)} ${required}`);
  return {
    id: `${id}_COVERAGE`,
    title: rules[0].title.split(':')[0],
    outcome: 'fail',
    affectsVerdict: true,
    detail: 'The certificate shows no such coverage.',
    ...(asked.length === 0 ? {} : { required: asked.join('; ') }),
  };
}

function heading({ insured, producer, asOf, reference }: LetterAudit): string[] {
  return [
    'Certificate of insurance: information needed',
    '',
    `To: ${insured === null ? 'the named insured' : shortened(insured, CHARS_PER_NAME_MAX)}`,
    ...(producer === null ? [] : [`Copy: ${shortened(producer, CHARS_PER_NAME_MAX)} (producer)`]),
    `Reference: ${reference}`,
    `As of: ${asOf}`,
  ];
}

function opening({ verdict, requirementsName, asOf, projectEnd }: LetterAudit): string[] {
  const against =
    requirementsName === undefined ? 'the requirements' : `the requirements “${requirementsName}”`;
  const until = projectEnd === undefined ? '' : ` and a project that ends on ${projectEnd}`;
  const found =
    verdict === 'DEFICIENT'
      ? 'It does not meet them yet. Below is what is missing, and what would settle each point.'
      : 'Some points could not be confirmed from it. Below is what they are, and what would settle each.';
  return [
    `Thank you for your certificate of liability insurance. It was compared with ${against} as of ${asOf}${until}.`,
    found,
  ];
}

function section(title: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : ['', `${title}:`, '', ...items];
}

function itemText(rule: LetterRule, number: number): string {
  // Names that are asked for are in what to send, exactly.
  const required =
    rule.required === undefined ? '' : ` Required: ${shortened(rule.required, REQUIRED_CHARS_MAX)}.`;
  return `${number}. ${rule.title}.${required} ${rule.detail}\n   ${remedyOf(rule)}`;
}
