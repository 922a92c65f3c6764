import { RULE_VALUE_BOUND, type RuleComparison } from '@svc/stark-air';
import { canonicalDigest } from './canonical-digest.js';

/** Digits after the point that a rule may compare. */
export const RULE_DECIMALS_MAX = 9;

/** What a rule asks, without the values it was asked of: `value ≥ threshold`, both with so many decimals. */
export interface RuleDefinition {
  readonly id: string;
  /** The rule in words, for people. */
  readonly statement: string;
  /** Digits after the point that count, 0 … 9. */
  readonly decimals: number;
}

/** A rule applied. A rule that demands "at most" swaps value and threshold, and says so in its statement. */
export interface AppliedRule extends RuleDefinition {
  /** Decimal text, `-12.5`. */
  readonly value: string;
  readonly threshold: string;
  /** Whether value ≥ threshold. */
  readonly holds: boolean;
}

/** A value that no rule can compare. */
export class RuleValueError extends Error {
  override readonly name = 'RuleValueError';
  readonly code = 'invalid-rule-value';

  constructor(
    readonly ruleId: string,
    readonly member: 'value' | 'threshold' | 'decimals',
    readonly reason: string,
  ) {
    super(`rule ${ruleId}: ${member} ${reason}`);
  }
}

const DECIMAL = /^(-?)(0|[1-9][0-9]{0,14})(?:\.([0-9]{1,9}))?$/;

/**
 * A rule's two sides as integers: the decimals times 10^decimals.
 * @throws RuleValueError for text that is no such decimal, or of a magnitude of 2^49 or more after scaling
 */
export function comparisonOf(rule: AppliedRule): RuleComparison {
  return {
    value: scaled(rule, 'value'),
    threshold: scaled(rule, 'threshold'),
    holds: rule.holds,
  };
}

/** Applies a rule: whether value ≥ threshold. @throws RuleValueError */
export function applyRule(rule: Omit<AppliedRule, 'holds'>): AppliedRule {
  const { value, threshold } = comparisonOf({ ...rule, holds: false });
  return { ...rule, holds: value >= threshold };
}

/** SHA-256 of a ruleset's canonical JSON: its id, and its rules without their values, in order. */
export function rulesetHash(rulesetId: string, rules: readonly RuleDefinition[]): Uint8Array {
  return canonicalDigest({
    id: rulesetId,
    rules: rules.map(({ id, statement, decimals }) => ({ id, statement, decimals })),
  });
}

function scaled(rule: AppliedRule, member: 'value' | 'threshold'): bigint {
  const { id, decimals } = rule;
  if (!Number.isInteger(decimals) || decimals < 0 || decimals > RULE_DECIMALS_MAX) {
    throw new RuleValueError(id, 'decimals', `must be an integer from 0 to ${RULE_DECIMALS_MAX}`);
  }
  const match = DECIMAL.exec(rule[member]);
  if (!match) throw new RuleValueError(id, member, 'must be a decimal number such as -12.5');
  const [, sign, whole, fraction = ''] = match;
  if (fraction.length > decimals) {
    throw new RuleValueError(id, member, `must have at most ${decimals} digits after the point`);
  }
  const magnitude = BigInt(whole + fraction.padEnd(decimals, '0'));
  if (magnitude >= RULE_VALUE_BOUND) {
    throw new RuleValueError(id, member, `must be below 2^49 when multiplied by 10^${decimals}`);
  }
  return sign ? -magnitude : magnitude;
}
