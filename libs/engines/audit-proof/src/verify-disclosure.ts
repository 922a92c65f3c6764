import { inclusionFault } from './audit-inclusion.js';
import { type ReadAuditProof, readAuditProof } from './audit-proof.js';
import { toHex } from './byte-text.js';
import {
  disclosedRootDigest,
  disclosedRootOf,
  DISCLOSURE_PROVES,
  DISCLOSURE_RULESET_ID,
  fieldLeavesOf,
  readFieldDisclosure,
} from './field-disclosure.js';
import { rulesDigestToText } from './rules-digest-text.js';

/**
 * Why the disclosure of a whole answer does not hold: its fields under its root, and its proof of that root in the batch of
 * the answer's own audit proof, whose STARK and signature so cover both. Undefined where it holds, or the answer has none.
 */
export function answerDisclosureFault(answer: unknown, audit: ReadAuditProof): string | undefined {
  if (!hasDisclosure(answer)) return undefined;
  const disclosure = readFieldDisclosure(answer.disclosure);
  if (typeof disclosure === 'string') return `disclosure.${disclosure}`;
  const leaves = fieldLeavesOf(answer, disclosure);
  if (typeof leaves === 'string') return leaves;
  const proof = readAuditProof(answer.disclosureProof);
  if (typeof proof === 'string') return `disclosureProof.${proof}`;
  const digest = toHex(disclosedRootDigest(disclosedRootOf(disclosure)));
  if (!isDisclosureStatement(proof, digest)) return 'disclosureProof is of something else';
  if (!isSameBatch(proof, audit)) return 'disclosureProof is of another batch';
  return inclusionFault(proof)?.reason;
}

/** Whether an answer has fields that can be shown one by one, and so a second proof beside its digest. */
export function hasDisclosure(
  answer: unknown,
): answer is { readonly disclosure: object; readonly disclosureProof: object } {
  if (typeof answer !== 'object' || answer === null) return false;
  const { disclosure, disclosureProof } = answer as Record<string, unknown>;
  return isObject(disclosure) && isObject(disclosureProof);
}

/** Whether an audit commits to the root of a disclosure, and to nothing that looks like one. */
export function isDisclosureStatement({ statement }: ReadAuditProof, digest: string): boolean {
  const { proves, rulesetId, rules, requestDigest, resultDigest } = statement;
  if (proves !== DISCLOSURE_PROVES || rulesetId !== DISCLOSURE_RULESET_ID || rules.length > 0) return false;
  return requestDigest === digest && resultDigest === digest;
}

function isSameBatch(one: ReadAuditProof, other: ReadAuditProof): boolean {
  const batchOf = ({ root, leafCount, stark, keyId, signature, expiresAtSeconds }: ReadAuditProof) =>
    JSON.stringify([
      rulesDigestToText(root),
      toHex(signature),
      ...[leafCount, stark?.airId, stark?.proofId, keyId, expiresAtSeconds],
    ]);
  return batchOf(one) === batchOf(other);
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
