import { type RulesLeaf, rulesLeafDigest, rulesRootOf } from '@svc/stark-air';
import { AUDIT_AIR_ID, auditLeaves } from './audit-leaves.js';
import type { ReadAuditProof } from './audit-proof.js';
import { RuleValueError } from './audit-rule.js';

export type InclusionRejection =
  'malformed-audit-proof' | 'unsupported-air' | 'leaf-not-in-batch' | 'leaf-not-under-root';

/** Why an audit's leaves, made anew from its statement, are not under its root; undefined where they are. */
export function inclusionFault(
  audit: ReadAuditProof,
): { reason: InclusionRejection; detail: string } | undefined {
  const { stark } = audit;
  if (stark && stark.airId !== AUDIT_AIR_ID) return { reason: 'unsupported-air', detail: stark.airId };
  let leaves: RulesLeaf[];
  try {
    leaves = auditLeaves(
      audit.statement,
      audit.places.map(({ salt }) => salt),
    );
  } catch (error) {
    if (!(error instanceof RuleValueError)) throw error;
    return { reason: 'malformed-audit-proof', detail: error.message };
  }
  for (const [i, { index, path }] of audit.places.entries()) {
    if (index >= audit.leafCount) return { reason: 'leaf-not-in-batch', detail: `leaves.${i}` };
    const root = rulesRootOf(rulesLeafDigest(leaves[i]), index, path);
    if (root.some((element, k) => element !== audit.root[k]))
      return { reason: 'leaf-not-under-root', detail: `leaves.${i}` };
  }
  return undefined;
}
