import { RULES_PER_LEAF, type RulesLeaf } from '@svc/stark-air';
import { type AppliedRule, comparisonOf, rulesetHash } from './audit-rule.js';
import { toHex } from './byte-text.js';
import { canonicalDigest } from './canonical-digest.js';

/** What an audit proof is evidence of: the computation, the rules applied, or that the answer stays what it is. */
export type Proves = 'commitment' | 'rules' | 'computation';

/** What an audit commits to, before it has a place in a tree. */
export interface AuditStatement {
  readonly proves: Proves;
  /** One sentence: what the evidence says nothing about. */
  readonly doesNotProve: string;
  /** 32 bytes as `0x` and hexadecimal digits. */
  readonly requestDigest: string;
  readonly resultDigest: string;
  readonly rulesetId: string;
  /** In order; empty for a mere commitment. */
  readonly rules: readonly AppliedRule[];
}

/** The domain tag that batches of audits are proved under. */
export const AUDIT_CONTEXT_DOMAIN = 'svc/audit/v1';
export const AUDIT_AIR_ID = 'rules/v1';
/** Rules of one audit: four leaves full. */
export const AUDIT_RULES_MAX = 4 * RULES_PER_LEAF;

/** Leaves that an audit of so many rules takes. */
export function leafCountOf(ruleCount: number): number {
  return Math.max(1, Math.ceil(ruleCount / RULES_PER_LEAF));
}

/**
 * The leaves of an audit, one for every 18 rules and at least one; each binds the whole statement and says which part it is.
 * Of several, each names the audit by the salt of its first leaf, so that parts of two audits cannot be exchanged.
 * @param salts 16 bytes a leaf
 * @throws RuleValueError
 */
export function auditLeaves(statement: AuditStatement, salts: readonly Uint8Array[]): RulesLeaf[] {
  const { rules, rulesetId, ...content } = statement;
  const ruleset = rulesetHash(rulesetId, rules);
  const parts = leafCountOf(rules.length);
  const audit = parts === 1 ? undefined : toHex(salts[0]);
  return Array.from({ length: parts }, (_, part) => ({
    salt: salts[part],
    rulesetHash: ruleset,
    contentDigest: contentDigest(content, { part, parts, audit }),
    rules: rules.slice(part * RULES_PER_LEAF, (part + 1) * RULES_PER_LEAF).map(comparisonOf),
  }));
}

/** Of an audit that one leaf holds. */
export const ONLY_PART = { part: 0, parts: 1, audit: undefined } as const;

/** What a leaf says of its answer, and which part of it the leaf is: SHA-256 of canonical JSON. */
export function contentDigest(
  { proves, doesNotProve, requestDigest, resultDigest }: Omit<AuditStatement, 'rules' | 'rulesetId'>,
  place: { part: number; parts: number; audit: string | undefined },
): Uint8Array {
  return canonicalDigest({ version: 1, proves, doesNotProve, requestDigest, resultDigest, ...place });
}
