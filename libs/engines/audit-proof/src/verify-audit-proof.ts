import { findAir, type RulesLeaf, rulesLeafDigest, rulesRootOf } from '@svc/stark-air';
import { type Verdict, verify, type VerifierBackend, type VerifierPolicy } from '@svc/stark-verifier';
import { AUDIT_AIR_ID, AUDIT_CONTEXT_DOMAIN, auditLeaves } from './audit-leaves.js';
import { type ReadAuditProof, readAuditProof } from './audit-proof.js';
import { RuleValueError } from './audit-rule.js';
import { toHex } from './byte-text.js';
import { canonicalDigest } from './canonical-digest.js';
import { type KeyFault, keyedSignatureFault, type ProofKey } from './proof-key.js';
import type { SignatureFault } from './root-signature.js';
import { rulesDigestToText } from './rules-digest-text.js';

/** An audit proof, what it is said to be about, and what it is checked against. */
export interface AuditClaim {
  /** Decoded JSON, of unknown shape. */
  readonly auditProof: unknown;
  /** The STARK proof of its batch; fetched by `proofId`. */
  readonly proof: Uint8Array;
  /** The published keys. */
  readonly keys: readonly ProofKey[];
  /** The result as it was answered, with or without its `auditProof` and `opening`; without it, only its digest is checked. */
  readonly result?: unknown;
  readonly request?: unknown;
}

export interface AuditPolicy extends VerifierPolicy {
  /** Unix seconds; default: the clock. */
  readonly nowSeconds?: number;
  /** Accept signatures that have expired. Default: no. */
  readonly acceptExpired?: boolean;
}

export type AuditRejection =
  | 'malformed-audit-proof'
  | 'result-mismatch'
  | 'request-mismatch'
  | 'unsupported-air'
  | 'leaf-not-in-batch'
  | 'leaf-not-under-root'
  | 'stark-invalid'
  | KeyFault
  | SignatureFault;

/** What became of each check; all must hold. */
export interface AuditVerdict {
  readonly valid: boolean;
  readonly reason?: AuditRejection;
  /** More about the reason, for people. */
  readonly detail?: string;
  /** The proof's own verdict, where it came to that. */
  readonly stark?: Verdict;
}

/** Least proven security of a batch. */
export const AUDIT_SECURITY_BITS_MIN = 100;

/**
 * Checks an audit proof: the digests of result and request, the leaves made from them and from the rules, their paths to the
 * root, the STARK that covers the root, and the signature over that proof. A false audit is a value, never an exception.
 */
export function verifyAuditProof(
  claim: AuditClaim,
  policy: AuditPolicy = {},
  backend?: VerifierBackend,
): AuditVerdict {
  const audit = readAuditProof(claim.auditProof);
  if (typeof audit === 'string') return { valid: false, reason: 'malformed-audit-proof', detail: audit };
  const fault = digestFault(claim, audit) ?? inclusionFault(audit);
  if (fault) return fault;

  const publicInputs = { root: audit.root.map(String), leafCount: audit.leafCount };
  const { nowSeconds = Date.now() / 1_000, acceptExpired = false, ...asked } = policy;
  const starkPolicy = { ...asked, securityBitsMin: asked.securityBitsMin ?? AUDIT_SECURITY_BITS_MIN };
  const starkClaim = {
    proof: claim.proof,
    airId: audit.airId,
    publicInputs,
    contextDomain: AUDIT_CONTEXT_DOMAIN,
  };
  const stark = verify(starkClaim, starkPolicy, backend);
  if (!stark.valid) return { valid: false, reason: 'stark-invalid', detail: stark.reason, stark };

  const signed = { ...starkClaim, expiresAtSeconds: audit.expiresAtSeconds };
  const { signature: bytes, keyId } = audit;
  const signature = keyedSignatureFault(signed, bytes, keyId, claim.keys, nowSeconds, backend);
  if (signature && !(acceptExpired && signature === 'expired'))
    return { valid: false, reason: signature, stark };
  return { valid: true, stark };
}

function digestFault(claim: AuditClaim, { statement, root }: ReadAuditProof): AuditVerdict | undefined {
  const audited = auditedPart(claim.result, rulesDigestToText(root));
  if (claim.result !== undefined && digestOf(audited) !== statement.resultDigest) {
    return { valid: false, reason: 'result-mismatch' };
  }
  if (claim.request !== undefined && digestOf(claim.request) !== statement.requestDigest) {
    return { valid: false, reason: 'request-mismatch' };
  }
  return undefined;
}

function inclusionFault(audit: ReadAuditProof): AuditVerdict | undefined {
  if (audit.airId !== AUDIT_AIR_ID) return { valid: false, reason: 'unsupported-air', detail: audit.airId };
  let leaves: RulesLeaf[];
  try {
    leaves = auditLeaves(
      audit.statement,
      audit.places.map(({ salt }) => salt),
    );
  } catch (error) {
    if (!(error instanceof RuleValueError)) throw error;
    return { valid: false, reason: 'malformed-audit-proof', detail: error.message };
  }
  for (const [i, { index, path }] of audit.places.entries()) {
    if (index >= audit.leafCount) return { valid: false, reason: 'leaf-not-in-batch', detail: `leaves.${i}` };
    const root = rulesRootOf(rulesLeafDigest(leaves[i]), index, path);
    if (root.some((element, k) => element !== audit.root[k])) {
      return { valid: false, reason: 'leaf-not-under-root', detail: `leaves.${i}` };
    }
  }
  return undefined;
}

/**
 * What of an answer its digest covers: all but the evidence that is added to it, a `starkRoot` that repeats the root of that
 * evidence and so is known after the digest alone, and, where the answer is a proof of an AIR that hides something in a
 * commitment, what opens that. Whoever is shown the answer must not see it.
 * @param root of the evidence, as text; default: that of the answer's own `auditProof`
 */
export function auditedPart(result: unknown, root?: string): unknown {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return result;
  const { auditProof: evidence, ...whole } = result as Record<string, unknown>;
  const answer = withoutRoot(whole, root ?? (evidence as { root?: unknown } | null | undefined)?.root);
  const { airId } = answer;
  if (typeof airId !== 'string' || !findAir(airId, 'goldilocks')?.opening) return answer;
  const { opening: _secret, ...audited } = answer;
  return audited;
}

function withoutRoot(answer: Record<string, unknown>, root: unknown): Record<string, unknown> {
  if (typeof root !== 'string' || answer['starkRoot'] !== root) return answer;
  const { starkRoot: _repeated, ...rest } = answer;
  return rest;
}

function digestOf(value: unknown): string | undefined {
  try {
    return toHex(canonicalDigest(value));
  } catch {
    // What JSON cannot say is no result of ours.
    return undefined;
  }
}
