import type { CardValuation, Comp } from './card-valuation.js';
import { RATIO_CARDS_MIN } from './grade-ratio.js';
import { KEPT_MIN } from './outlier-rejection.js';
import { DAY_MS } from './graded-sale.js';
import { WINDOWS_DAYS } from './sale-window.js';

export const VALUATION_RULESET_ID = 'card-valuation/1';
/** So many sales have a rule each; of more, the one that deviates most stands for all. */
const COMP_RULES_MAX = 24;
const COVERAGE_PERCENT_MIN = 95;
/** Of a 64th. */
const WEIGHT_DECIMALS = 6;
const LOG_DECIMALS = 6;

/** A rule with its two values as decimal texts: value ≥ threshold. */
export interface ValuationRule {
  readonly id: string;
  readonly statement: string;
  readonly decimals: number;
  readonly value: string;
  readonly threshold: string;
}

/**
 * The rules that a valuation claims to have followed, with the values that show it: how many sales, how old, how far from the
 * others, and that the median is one. A rule need not hold: too few sales are shown to be too few.
 *
 * @returns 2 … 36 rules
 */
export function valuationRules(valuation: CardValuation): ValuationRule[] {
  const { n, windowDays, medianUsd, comps } = valuation;
  const rules = [
    rule('sales-counted', `at least ${KEPT_MIN} sales count`, 0, n, KEPT_MIN),
    rule(
      'window',
      `the window has at most ${WINDOWS_DAYS.at(-1)} days`,
      0,
      WINDOWS_DAYS.at(-1) ?? 0,
      windowDays,
    ),
  ];
  if (comps.length > 0) rules.push(...timeRules(valuation), ...deviationRules(valuation));
  if (medianUsd !== null) rules.push(...medianRules(comps, valuation.ratio?.fromMedianUsd ?? medianUsd));
  return [...rules, ...intervalRules(valuation), ...ratioRules(valuation)];
}

function timeRules({ comps, asOfMs, windowDays }: CardValuation): ValuationRule[] {
  const newest = Math.max(...comps.map(({ soldAtMs }) => soldAtMs));
  const oldest = Math.min(...comps.map(({ soldAtMs }) => soldAtMs));
  return [
    rule('none-later', 'the newest sale is at most as late as asOf, ms since 1970', 0, asOfMs, newest),
    rule(
      'none-older',
      'the oldest sale is at most as old as the window, ms',
      0,
      windowDays * DAY_MS,
      asOfMs - oldest,
    ),
  ];
}

function deviationRules({ comps, deviationLimit }: CardValuation): ValuationRule[] {
  const statement = 'its log price is at most 3.5 × 1.4826 × MAD from the median before rejection';
  const limit = deviationLimit ?? 0;
  if (comps.length > COMP_RULES_MAX) {
    const largest = Math.max(...comps.map(({ deviation }) => deviation));
    return [rule('deviation-max', `of every sale: ${statement}`, LOG_DECIMALS, limit, largest)];
  }
  return comps.map(({ deviation }, i) =>
    rule(`deviation-${i + 1}`, `of the answer’s sale ${i + 1}: ${statement}`, LOG_DECIMALS, limit, deviation),
  );
}

function medianRules(comps: readonly Comp[], medianUsd: number): ValuationRule[] {
  const weightOf = (counted: readonly Comp[]) => counted.reduce((sum, { weight }) => sum + weight, 0);
  const half = weightOf(comps) / 2;
  const below = weightOf(comps.filter(({ priceUsd }) => priceUsd <= medianUsd));
  const above = weightOf(comps.filter(({ priceUsd }) => priceUsd >= medianUsd));
  return [
    // Twice, since half of an odd number of 64ths has one more decimal.
    rule(
      'half-below',
      'twice the weight of sales at or below the median is at least the whole',
      WEIGHT_DECIMALS,
      2 * below,
      2 * half,
    ),
    rule(
      'half-above',
      'twice the weight of sales at or above the median is at least the whole',
      WEIGHT_DECIMALS,
      2 * above,
      2 * half,
    ),
  ];
}

function intervalRules({ medianUsd, ci95, method }: CardValuation): ValuationRule[] {
  if (medianUsd === null || ci95 === null || method.intervalCoveragePercent === null) return [];
  return [
    rule('interval-low', 'the interval’s lower end is at most the median, US dollars', 2, medianUsd, ci95[0]),
    rule(
      'interval-high',
      'the interval’s upper end is at least the median, US dollars',
      2,
      ci95[1],
      medianUsd,
    ),
    rule(
      'interval-coverage',
      `the interval covers by its method at least ${COVERAGE_PERCENT_MIN} percent`,
      2,
      method.intervalCoveragePercent,
      COVERAGE_PERCENT_MIN,
    ),
  ];
}

function ratioRules({ medianUsd, ratio }: CardValuation): ValuationRule[] {
  if (ratio === null || medianUsd === null) return [];
  const difference = Math.abs(medianUsd - ratio.fromMedianUsd * ratio.ratio);
  return [
    rule(
      'ratio-cards',
      `the ratio is from at least ${RATIO_CARDS_MIN} cards`,
      0,
      ratio.cards,
      RATIO_CARDS_MIN,
    ),
    rule('ratio-pairs', 'every one of them has a pair of sales', 0, ratio.pairs, ratio.cards),
    rule(
      'ratio-applied',
      'the median is at most half a cent from the other grade’s times the ratio',
      6,
      0.005,
      difference,
    ),
  ];
}

function rule(
  id: string,
  statement: string,
  decimals: number,
  value: number,
  threshold: number,
): ValuationRule {
  return { id, statement, decimals, value: value.toFixed(decimals), threshold: threshold.toFixed(decimals) };
}
