import { type RulesLeaf, rulesLeafDigest, rulesRootOf } from '@svc/stark-air';
import { AUDIT_AIR_ID, auditLeaves } from './audit-leaves.js';
import type { ReadAuditProof } from './audit-proof.js';
import { RuleValueError } from './audit-rule.js';
import { type InnerPlace, innerRootOf, outerLeaf } from './inner-tree.js';

export type InclusionRejection =
  'malformed-audit-proof' | 'unsupported-air' | 'leaf-not-in-batch' | 'leaf-not-under-root';

/** The leaf of the batch that an answer of an inner tree lies under, or why it lies under none. */
function leafOverInner(
  { statement, places }: ReadAuditProof,
  inner: InnerPlace,
): RulesLeaf | InclusionRejection {
  if (inner.index >= inner.count) return 'leaf-not-in-batch';
  const root = innerRootOf(statement, inner);
  return root ? outerLeaf(root, inner.count, places[0].salt) : 'leaf-not-under-root';
}

/** Why an audit's leaves, made anew from its statement, are not under its root; undefined where they are. */
export function inclusionFault(
  audit: ReadAuditProof,
): { reason: InclusionRejection; detail: string } | undefined {
  const { stark } = audit;
  if (stark && stark.airId !== AUDIT_AIR_ID) return { reason: 'unsupported-air', detail: stark.airId };
  let leaves: RulesLeaf[];
  try {
    const over = audit.inner && leafOverInner(audit, audit.inner);
    if (typeof over === 'string') return { reason: over, detail: 'inner' };
    const salts = audit.places.map(({ salt }) => salt);
    leaves = over ? [over] : auditLeaves(audit.statement, salts);
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
