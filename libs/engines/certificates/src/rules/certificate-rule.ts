import type { Evidence, Reading } from './certificate-reading.js';

export type RuleOutcome = 'pass' | 'fail' | 'warn' | 'not_determinable';

/** What an applied rule compares, for evidence: whether value ≥ threshold, in whole numbers. */
export interface RuleComparison {
  readonly statement: string;
  readonly value: number;
  readonly threshold: number;
}

/** One rule as it was applied to a certificate. */
export interface CertificateRule {
  /** Stable, upper case with underscores: `GL_EACH_OCCURRENCE`. */
  readonly id: string;
  readonly title: string;
  readonly outcome: RuleOutcome;
  /** False for a note: such a warning stops nothing. A failure always does. */
  readonly affectsVerdict: boolean;
  /** What was found, in words for people. */
  readonly detail: string;
  /** What was asked for, where that is not in the title. */
  readonly required?: string;
  readonly evidence?: Evidence;
  /** How sure the reading behind it is, 0 … 1. */
  readonly confidence: number;
  /** Where the outcome is more than a flag. */
  readonly comparison?: RuleComparison;
}

/** What a rule is, before it is applied. */
export interface RuleHead {
  readonly id: string;
  readonly title: string;
  readonly required?: string;
  /** True where it is not said. */
  readonly affectsVerdict?: boolean;
}

/** The rest of a rule, once applied. */
export interface RuleFinding {
  readonly outcome: RuleOutcome;
  readonly detail: string;
  readonly evidence?: Evidence;
  readonly confidence?: number;
  readonly comparison?: RuleComparison;
}

/** Puts a finding under its head; what is not there is left out. */
export function applied(head: RuleHead, finding: RuleFinding): CertificateRule {
  const { id, title, required, affectsVerdict = true } = head;
  const { outcome, detail, evidence, confidence = 1, comparison } = finding;
  return {
    id,
    title,
    outcome,
    affectsVerdict,
    detail,
    ...(required === undefined ? {} : { required }),
    ...(evidence === undefined ? {} : { evidence }),
    confidence,
    ...(comparison === undefined ? {} : { comparison }),
  };
}

/** What a reading that is not known makes of its rule: absent fails, unclear is not determinable. */
export function unread(reading: Exclude<Reading<unknown>, { state: 'known' }>, what: string): RuleFinding {
  if (reading.state === 'absent') {
    return { outcome: 'fail', detail: `The certificate shows no ${what}.`, confidence: reading.confidence };
  }
  const { evidence, why, confidence } = reading;
  const shown = evidence === undefined ? '' : ` (“${shortened(evidence.value)}”)`;
  return { outcome: 'not_determinable', detail: `The ${what}${shown} ${why}.`, evidence, confidence };
}

/** Whether a box is ticked that has to be. */
export function tickedFinding(reading: Reading<boolean>, what: string): RuleFinding {
  if (reading.state === 'unclear') return unread(reading, what);
  if (reading.state === 'absent' || !reading.value) {
    const evidence = reading.state === 'known' ? reading.evidence : undefined;
    return {
      outcome: 'fail',
      detail: `The ${what} is not ticked.`,
      evidence,
      confidence: reading.confidence,
    };
  }
  const { evidence, confidence } = reading;
  return { outcome: 'pass', detail: `The ${what} is ticked.`, evidence, confidence };
}

/** Text short enough to be repeated in a sentence, on one line. */
export function shortened(text: string, charsMax = 80): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const chars = [...line];
  return chars.length <= charsMax ? line : `${chars.slice(0, charsMax - 1).join('')}…`;
}
