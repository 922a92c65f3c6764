import type { CertificateField } from '../certificate-field.js';
import type { CertificateRequirements } from '../requirements/certificate-requirements.js';
import type { CertificateReading, Reading } from './certificate-reading.js';
import {
  applied,
  type CertificateRule,
  type RuleFinding,
  tickedFinding,
  unread,
} from './certificate-rule.js';
import { GENERAL_LIABILITY, rowOf, UMBRELLA } from './coverage-line.js';
import { LIMIT_TERMS, type LimitTerm } from './limit-terms.js';
import { usdText } from './printed-amount.js';

/** What an umbrella has beyond what is asked of it. */
export interface Surplus {
  readonly occurrence: Reading<number>;
  readonly aggregate: Reading<number>;
}

/** What the limits come to. */
export interface LimitFindings {
  readonly rules: CertificateRule[];
  /** Some limit is held against the umbrella too: the umbrella's own rules count. */
  readonly usesUmbrella: boolean;
}

/** Holds every limit that is asked for against the certificate, with the umbrella where that is allowed. */
export function limitRules(
  reading: CertificateReading,
  requirements: CertificateRequirements,
): LimitFindings {
  const surplus = umbrellaSurplus(reading, requirements);
  let usesUmbrella = false;
  const rules = LIMIT_TERMS.flatMap(term => {
    const askedUsd = term.asked(requirements);
    if (askedUsd === undefined) return [];
    const primary = reading.amount(term.field, rowOf(term.line));
    const isShort = primary.state === 'known' && primary.value > 0 && primary.value < askedUsd;
    const title = `${capitalised(term.line.name)}: ${term.name}`;
    const head = { id: term.id, title, required: usdText(askedUsd) };
    if (!isShort || term.topUp === 'none' || !surplus) {
      return [applied(head, primaryFinding(term, primary, askedUsd))];
    }
    usesUmbrella = true;
    return [applied(head, toppedUp(term, primary, surplus[term.topUp], askedUsd))];
  });
  return { rules, usesUmbrella };
}

/**
 * What the umbrella has beyond what the set asks of it: that much may top up primary limits, and no dollar counts twice.
 * Undefined where the set lets nothing come from it, or there is no umbrella.
 */
export function umbrellaSurplus(
  reading: CertificateReading,
  { umbrella }: CertificateRequirements,
): Surplus | undefined {
  if (!umbrella?.topsUpPrimary) return undefined;
  const row = rowOf(UMBRELLA);
  const fields = [
    'ExcessUmbrella_Umbrella_EachOccurrenceAmount',
    'ExcessUmbrella_Umbrella_AggregateAmount',
  ] as const;
  // On a scan a whole row may have been missed.
  const isRead = reading.certificate.variant !== 'scanned';
  if (isRead && reading.isBlank([...row, ...fields])) return undefined;
  const beyond = (field: CertificateField, askedUsd = 0): Reading<number> => {
    const limit = reading.amount(field, row);
    return limit.state === 'known' ? { ...limit, value: Math.max(0, limit.value - askedUsd) } : limit;
  };
  return {
    occurrence: beyond(fields[0], umbrella.eachOccurrenceUsd),
    aggregate: beyond(fields[1], umbrella.aggregateUsd),
  };
}

function primaryFinding(term: LimitTerm, primary: Reading<number>, askedUsd: number): RuleFinding {
  const what = `${term.name} limit of ${term.line.name}`;
  if (primary.state !== 'known') return unread(primary, what);
  const { value, evidence, confidence } = primary;
  return {
    outcome: value >= askedUsd ? 'pass' : 'fail',
    detail:
      value >= askedUsd
        ? `${usdText(value)} is shown.`
        : `${usdText(value)} is shown, ${usdText(askedUsd - value)} less than required.`,
    evidence,
    confidence,
    comparison: { statement: `${what} (US dollars)`, value, threshold: askedUsd },
  };
}

function toppedUp(
  term: LimitTerm,
  primary: Extract<Reading<number>, { state: 'known' }>,
  surplus: Reading<number>,
  askedUsd: number,
): RuleFinding {
  const what = `${term.name} limit of ${term.line.name}`;
  if (surplus.state === 'unclear') return unread(surplus, 'umbrella limit');
  const extra = surplus.state === 'known' ? surplus.value : 0;
  const total = primary.value + extra;
  const confidence = Math.min(primary.confidence, surplus.confidence);
  const sum = `${usdText(primary.value)} and ${usdText(extra)} of the umbrella`;
  return {
    outcome: total >= askedUsd ? 'pass' : 'fail',
    detail:
      total >= askedUsd
        ? `${sum} come to ${usdText(total)}.`
        : `${sum} come to ${usdText(total)}, ${usdText(askedUsd - total)} less than required.`,
    evidence: primary.evidence,
    confidence,
    comparison: { statement: `${what} with the umbrella (US dollars)`, value: total, threshold: askedUsd },
  };
}

/** An aggregate below each occurrence is a misreading or an error: no insurer sells it. */
export function consistencyRule(reading: CertificateReading): CertificateRule {
  const head = { id: 'GL_LIMITS_CONSISTENT', title: 'General liability: no aggregate below each occurrence' };
  const row = rowOf(GENERAL_LIABILITY);
  const occurrence = reading.amount('GeneralLiability_EachOccurrence_LimitAmount', row);
  const aggregates = (
    [
      'GeneralLiability_GeneralAggregate_LimitAmount',
      'GeneralLiability_ProductsAndCompletedOperations_AggregateLimitAmount',
    ] as const
  ).map(field => reading.amount(field, row));
  for (const aggregate of aggregates) {
    if (occurrence.state !== 'known' || aggregate.state !== 'known') continue;
    // A products aggregate may be excluded in words; that is another rule's.
    if (aggregate.value === 0 || aggregate.value >= occurrence.value) continue;
    const detail = `An aggregate of ${usdText(aggregate.value)} is below ${usdText(occurrence.value)} each occurrence.`;
    return applied(head, { outcome: 'warn', detail, evidence: aggregate.evidence });
  }
  return applied(head, { outcome: 'pass', detail: 'No aggregate is below the limit of each occurrence.' });
}

/** An umbrella that pays by occurrence, as the policies beneath it do. */
export function umbrellaBasisRule(reading: CertificateReading): CertificateRule {
  const row = rowOf(UMBRELLA);
  const claimsMade = reading.flag('ExcessUmbrella_ClaimsMadeIndicator', row);
  const occurrence = reading.flag('ExcessUmbrella_OccurrenceIndicator', row);
  return applied(
    { id: 'UMBRELLA_OCCURRENCE_FORM', title: 'Umbrella or excess liability: occurrence form' },
    occurrenceFinding(occurrence, claimsMade),
  );
}

/** Whether a policy pays by occurrence: one box of the two, and not both. */
export function occurrenceFinding(occurrence: Reading<boolean>, claimsMade: Reading<boolean>): RuleFinding {
  const isClaimsMade = claimsMade.state === 'known' && claimsMade.value;
  const isOccurrence = occurrence.state === 'known' && occurrence.value;
  if (isClaimsMade && isOccurrence) {
    const detail = 'Both occurrence and claims-made are ticked.';
    return { outcome: 'not_determinable', detail, evidence: claimsMade.evidence };
  }
  if (isClaimsMade) {
    const { evidence, confidence } = claimsMade;
    return { outcome: 'fail', detail: 'The policy is claims-made.', evidence, confidence };
  }
  // A mark in the claims-made box that cannot be told from a tick.
  if (claimsMade.state === 'unclear' && claimsMade.evidence) return unread(claimsMade, 'claims-made box');
  return tickedFinding(occurrence, 'occurrence box');
}

const capitalised = (text: string) => `${text[0].toUpperCase()}${text.slice(1)}`;
