import type { ExtractedField } from '../extracted-certificate.js';
import type { CertificateRequirements } from '../requirements/certificate-requirements.js';
import { type CertificateReading, CONFIDENCE_MIN, type Evidence } from './certificate-reading.js';
import { applied, type CertificateRule, type RuleFinding, shortened } from './certificate-rule.js';
import { freeCells } from './free-cells.js';
import { type EndorsementLine, lineOf, namedForms, purposeOf } from './endorsement-form.js';
import type { EndorsementReading } from './endorsement-rules.js';
import { type SortedRemarks, sortRemarks } from './remark-wording.js';
import { sentencesOf } from './remark-words.js';
import { takenCover } from './taken-cover.js';

/** The form's own words beside the box, where they were read with what stands in it. */
const PRINTED_LABEL =
  /\(?(?:attach )?ACORD 101, Additional Remarks Schedule, (?:may be attached )?if more space is required\)?/gi;
const SCHEDULE = /\bACORD 101\b|\badditional remarks schedule\b/i;
/** What a schedule of further remarks prints around them. */
const SCHEDULE_HEAD = /^[\s\S]{0,4000}?FORM TITLE:[^\n]*/i;
const SCHEDULE_FOOT = /ACORD 101 \([\s\S]*$/i;
const CONDITION =
  /\b(?:as|where|when|if|wherever|whenever)\b[^.;]{0,60}\brequire[sd]\b|\b(?:per|by|under|pursuant to)\s+(?:a |an |the |any )?(?:signed |executed )?written (?:contract|agreement)/i;
const WAIVER = /\bsubrogation\b|\bWOS\b|\btransfer of rights\b/i;
const STATUS = /\badditional insureds?\b|\bAI\b|\bdesignated insured\b|\bprimary\b/i;
const LINES: readonly (readonly [EndorsementLine, RegExp])[] = [
  ['GL', /\b(?:C?GL|general liab(?:ility)?)\b/i],
  ['AUTO', /\bauto(?:mobile)?s?\b/i],
  ['WC', /\b(?:WC|work(?:ers?)?['’]?s?['’]? comp(?:ensation)?)\b/i],
];
const LINE_NAMES: Readonly<Record<EndorsementLine, string>> = {
  GL: 'general liability',
  AUTO: 'automobile liability',
  WC: 'workers compensation',
  OTHER: 'another policy',
};

/** What stands in the box for remarks, on a schedule that goes on with them, and in cells that may say anything. */
export function remarksRule(
  reading: CertificateReading,
  requirements: CertificateRequirements,
  endorsements: EndorsementReading,
): CertificateRule {
  const head = { id: 'REMARKS', title: 'Remarks take nothing back' };
  return applied(head, remarksFinding(reading, requirements, endorsements));
}

function remarksFinding(
  reading: CertificateReading,
  requirements: CertificateRequirements,
  endorsements: EndorsementReading,
): RuleFinding {
  const { fields, attachments, blank, variant } = reading.certificate;
  const remarks = fields.CertificateOfInsurance_RemarkText;
  const isKnownBlank = blank ? blank.includes('CertificateOfInsurance_RemarkText') : variant !== 'scanned';
  if (remarks === undefined && !isKnownBlank) {
    const detail = 'The remarks were not read, and may say something.';
    return { outcome: 'not_determinable', detail, confidence: 0 };
  }
  const schedules = attachments.filter(({ text }) => SCHEDULE.test(text.slice(0, 4_000)));
  const cells = freeCells(reading.certificate);
  if (remarks && !(remarks.confidence >= CONFIDENCE_MIN)) {
    // The one word that was misread may be the one that takes everything back.
    const { confidence } = remarks;
    const detail = `The remarks were read with a confidence of ${confidence.toFixed(2)}, below ${CONFIDENCE_MIN}.`;
    return { outcome: 'not_determinable', detail, evidence: evidenceOf(remarks), confidence };
  }
  const texts: RemarkText[] = [
    ...(remarks
      ? [
          {
            where: 'the remarks',
            text: remarks.value.replace(PRINTED_LABEL, ' '),
            evidence: evidenceOf(remarks),
          },
        ]
      : []),
    ...schedules.map(({ page, text }) => ({
      where: 'the remarks',
      text: text.replace(SCHEDULE_HEAD, '').replace(SCHEDULE_FOOT, ''),
      evidence: { field: 'Attachment', value: shortened(text), page },
    })),
    ...cells.telling.map(({ field, text }) => ({
      where: field,
      text: text.value,
      evidence: evidenceOf(text, field),
    })),
  ];
  const findings = texts.map(each => findingOf(each, requirements, endorsements));
  const taken = findings.find(each => each?.outcome === 'fail');
  if (taken) return taken;
  if (cells.unread.length > 0) {
    const detail = `${cells.unread.slice(0, 4).join(', ')}: something stands there that was not surely read.`;
    return { outcome: 'not_determinable', detail, confidence: 0 };
  }
  const open = findings.find(each => each !== undefined);
  if (open) return open;
  const page = limitingPage(endorsements, requirements);
  if (page) return page;
  if (remarks && schedules.length === 0 && SCHEDULE.test(texts[0].text)) {
    const detail = 'The remarks go on in a schedule that did not come along.';
    return { outcome: 'warn', detail, evidence: texts[0].evidence };
  }
  if (texts.length === 0) return { outcome: 'pass', detail: 'There are no remarks.' };
  const { evidence } = texts[0];
  const confidence = remarks?.confidence ?? 1;
  return { outcome: 'pass', detail: 'Nothing in the remarks takes cover back.', evidence, confidence };
}

interface RemarkText {
  /** As in a sentence: `the remarks`. */
  readonly where: string;
  readonly text: string;
  readonly evidence: Evidence;
}

/** What there is to say of one text; undefined where it is harmless. */
function findingOf(
  { where, text, evidence }: RemarkText,
  requirements: CertificateRequirements,
  endorsements: EndorsementReading,
): RuleFinding | undefined {
  const sorted = sortRemarks(text);
  const taken = sorted.strange === undefined ? undefined : takenCover(sorted.text, requirements);
  if (taken) {
    const detail = `“${shortened(taken.quoted, 160)}” in ${where} takes back what is required (${taken.cover}).`;
    return { outcome: 'fail', detail, evidence };
  }
  const wrong = misnamedForm(sorted);
  if (wrong !== undefined) return { outcome: 'warn', detail: wrong, evidence };
  if (sorted.strange !== undefined) {
    const detail = `“${shortened(firstSentence(sorted.strange), 160)}” in ${where} is to be read.`;
    return { outcome: 'warn', detail, evidence };
  }
  const condition = openCondition(sorted, requirements, endorsements);
  return condition === undefined ? undefined : { outcome: 'warn', detail: condition, evidence };
}

/** A form that is named for what it does not do, or for a policy that it is no part of. */
function misnamedForm(sorted: SortedRemarks): string | undefined {
  for (const sentence of sentencesOf(sorted.text)) {
    const forms = namedForms(sentence);
    if (forms.length === 0) continue;
    const purposes = new Set(forms.map(({ form }) => purposeOf(form)));
    const names = [...new Set(forms.map(({ form }) => form))].slice(0, 4).join(', ');
    const quoted = `“${shortened(sentence, 100)}”`;
    if (WAIVER.test(sentence) && !STATUS.test(sentence) && !purposes.has('waiver')) {
      return `${quoted} names ${names} for a waiver of subrogation, which is not what it is for.`;
    }
    if (
      /\badditional insured/i.test(sentence) &&
      !WAIVER.test(sentence) &&
      !purposes.has('additional-insured')
    ) {
      if (!purposes.has('primary') || !/\bprimary\b/i.test(sentence)) {
        return `${quoted} names ${names} for additional insureds, which is not what it is for.`;
      }
    }
    const missing = LINES.filter(
      ([line, pattern]) => pattern.test(sentence) && !forms.some(({ form }) => lineOf(form) === line),
    );
    if (missing.length > 0) {
      return `${quoted} names ${names}, and no form of ${missing.map(([line]) => LINE_NAMES[line]).join(', ')}.`;
    }
  }
  return undefined;
}

/**
 * Whether what is required is promised "where required by written contract" alone. That is what automatic forms say themselves: with
 * such a form by its number, or its page, the condition is the form's; without one nothing shows that anything was agreed.
 */
function openCondition(
  sorted: SortedRemarks,
  { generalLiability, automobileLiability, workersCompensation }: CertificateRequirements,
  endorsements: EndorsementReading,
): string | undefined {
  const asked = { GL: generalLiability, AUTO: automobileLiability, WC: workersCompensation };
  const waived = (['GL', 'AUTO', 'WC'] as const).filter(line => asked[line]?.subrogationWaived);
  for (const sentence of sentencesOf(sorted.text)) {
    if (!CONDITION.test(sentence)) continue;
    const quoted = `“${shortened(sentence, 120)}”`;
    const named = LINES.filter(([, pattern]) => pattern.test(sentence)).map(([line]) => line);
    // What names no policy is of the first that is asked for, which is general liability wherever that is.
    const concerned = <T extends EndorsementLine>(lines: readonly T[]) =>
      named.length > 0 ? lines.filter(line => named.includes(line)) : lines.slice(0, 1);
    if (WAIVER.test(sentence)) {
      const open = concerned(waived).find(line => !endorsements.names('waiver', line));
      if (open) return `${quoted} waives on a condition, and no waiver form of ${LINE_NAMES[open]} is named.`;
    }
    const isStatusOpen =
      /\badditional insured/i.test(sentence) &&
      automobileLiability?.additionalInsured === true &&
      named.includes('AUTO') &&
      !endorsements.names('additional-insured', 'AUTO');
    // Of general liability the page itself is asked for by a rule of its own.
    if (isStatusOpen) return `${quoted} depends on a contract, and no form of automobile liability is named.`;
  }
  return undefined;
}

/** A page of an endorsement that takes cover away. */
function limitingPage(
  endorsements: EndorsementReading,
  requirements: CertificateRequirements,
): RuleFinding | undefined {
  const [page] = endorsements.limitingPages();
  if (page === undefined) return undefined;
  const taken = takenCover(page.form, requirements);
  const detail = taken
    ? `${page.form} came along, which takes back what is required (${taken.cover}).`
    : `${page.form} came along, which takes cover back: it is to be read.`;
  return { outcome: taken ? 'fail' : 'warn', detail, evidence: page.evidence };
}

function evidenceOf(
  { value, page, box }: ExtractedField,
  field = 'CertificateOfInsurance_RemarkText',
): Evidence {
  return {
    field,
    value: shortened(value, 200),
    ...(page === undefined ? {} : { page }),
    ...(box === undefined ? {} : { box }),
  };
}

const firstSentence = (text: string): string => sentencesOf(text)[0] ?? text;
