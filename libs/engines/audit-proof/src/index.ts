export { type AnswerField, answerFields } from './answer-field.js';
export {
  AUDIT_AIR_ID,
  AUDIT_CONTEXT_DOMAIN,
  AUDIT_RULES_MAX,
  auditLeaves,
  type AuditStatement,
  leafCountOf,
  type Proves,
} from './audit-leaves.js';
export {
  type AuditLeafPlace,
  type AuditProof,
  type NestedAuditProof,
  type ProvedAuditProof,
  readAuditProof,
  type ReadAuditProof,
  type SignedAuditProof,
} from './audit-proof.js';
export {
  type AppliedRule,
  applyRule,
  comparisonOf,
  RULE_DECIMALS_MAX,
  type RuleDefinition,
  rulesetHash,
  RuleValueError,
} from './audit-rule.js';
export { fromBase64, fromHex, toBase64, toHex } from './byte-text.js';
export { canonicalDigest, fileDigest } from './canonical-digest.js';
export {
  type DisclosedField,
  type DisclosedFields,
  discloseFields,
  type DisclosureClaim,
  DisclosureError,
  type DisclosureRejection,
  type DisclosureVerdict,
  readDisclosedFields,
  verifyDisclosedFields,
} from './disclosed-fields.js';
export {
  disclosedRootDigest,
  disclosedRootOf,
  DISCLOSURE_PROVES,
  DISCLOSURE_RULESET_ID,
  type FieldDisclosure,
  makeDisclosure,
} from './field-disclosure.js';
export {
  INNER_LEAVES_MAX,
  INNER_TREE_ID,
  innerLeafHash,
  type InnerPlace,
  InnerTree,
  outerLeaf,
} from './inner-tree.js';
export { type KeyFault, keyedSignatureFault, type ProofKey, SIGNATURE_VALIDITY_DAYS } from './proof-key.js';
export {
  BARE_ROOT_CONTEXT,
  type ProofHasher,
  PUBLIC_KEY_BYTES,
  ROOT_SIGNATURE_CONTEXT,
  SIGNATURE_BYTES,
  signatureFault,
  type SignatureFault,
  signedMessage,
  type SignedRoot,
  signedRootMessage,
  type SignedStatement,
  signingKeyFromSeed,
  signProof,
  signRoot,
} from './root-signature.js';
export { rulesDigestFromText, rulesDigestToText } from './rules-digest-text.js';
export {
  AUDIT_SECURITY_BITS_MIN,
  auditedPart,
  type AuditClaim,
  type AuditPolicy,
  type AuditRejection,
  type AuditVerdict,
  verifyAuditProof,
} from './verify-audit-proof.js';
