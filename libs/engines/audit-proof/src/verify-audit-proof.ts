import { findAir } from '@svc/stark-air';
import { type Verdict, verify, type VerifierBackend, type VerifierPolicy } from '@svc/stark-verifier';
import { type InclusionRejection, inclusionFault } from './audit-inclusion.js';
import { AUDIT_CONTEXT_DOMAIN } from './audit-leaves.js';
import { type ReadAuditProof, readAuditProof } from './audit-proof.js';
import { toHex } from './byte-text.js';
import { canonicalDigest } from './canonical-digest.js';
import { type KeyFault, keyedSignatureFault, type ProofKey } from './proof-key.js';
import type { SignatureFault, SignedRoot, SignedStatement } from './root-signature.js';
import { rulesDigestToText } from './rules-digest-text.js';
import { answerDisclosureFault, hasDisclosure } from './verify-disclosure.js';

/** An audit proof, what it is said to be about, and what it is checked against. */
export interface AuditClaim {
  /** Decoded JSON, of unknown shape. */
  readonly auditProof: unknown;
  /** The STARK proof of its batch, fetched by `proofId`; not looked at where the evidence names none (`version` 2). */
  readonly proof?: Uint8Array;
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
  | 'result-mismatch'
  | 'request-mismatch'
  | InclusionRejection
  | 'disclosure-mismatch'
  | 'proof-missing'
  | 'stark-invalid'
  | 'not-proved'
  | KeyFault
  | SignatureFault;

/** What became of each check; all must hold. */
export interface AuditVerdict {
  readonly valid: boolean;
  readonly reason?: AuditRejection;
  /** More about the reason, for people. */
  readonly detail?: string;
  /** The proof's own verdict, where it came to that; of evidence that is only signed there is none. */
  readonly stark?: Verdict;
}

/** Least proven security of a batch. */
export const AUDIT_SECURITY_BITS_MIN = 100;

/**
 * Checks an audit proof: the digests of result and request, the leaves made from them and from the rules, their paths to the
 * root, the STARK that covers the root, and the signature over that proof. Evidence of version 2 has no STARK: the signature is
 * over the root, and a policy that asks for proven bits rejects it. A false audit is a value, never an exception.
 */
export function verifyAuditProof(
  claim: AuditClaim,
  policy: AuditPolicy = {},
  backend?: VerifierBackend,
): AuditVerdict {
  const audit = readAuditProof(claim.auditProof);
  if (typeof audit === 'string') return { valid: false, reason: 'malformed-audit-proof', detail: audit };
  const fault = digestFault(claim, audit) ?? inclusionFault(audit) ?? disclosureFault(claim, audit);
  if (fault) return { valid: false, ...fault };

  const { nowSeconds = Date.now() / 1_000, acceptExpired = false, ...asked } = policy;
  const covered = audit.stark
    ? starkOf(audit, audit.stark.airId, claim, asked, backend)
    : rootOf(audit, asked);
  if (!('signed' in covered)) return { valid: false, ...covered };
  const { signed, ...found } = covered;
  const { signature: bytes, keyId } = audit;
  const signature = keyedSignatureFault(signed, bytes, keyId, claim.keys, nowSeconds, backend);
  if (signature && !(acceptExpired && signature === 'expired'))
    return { valid: false, reason: signature, ...found };
  return { valid: true, ...found };
}

/** What the signature is over, and the verdict on the STARK; or why there is none. */
type Covered = { readonly signed: SignedStatement | SignedRoot; readonly stark?: Verdict } | Rejected;
type Rejected = Omit<AuditVerdict, 'valid'> & { readonly reason: AuditRejection };

function starkOf(
  { root, leafCount, expiresAtSeconds }: ReadAuditProof,
  airId: string,
  { proof }: AuditClaim,
  policy: VerifierPolicy,
  backend: VerifierBackend | undefined,
): Covered {
  if (!proof) return { reason: 'proof-missing' };
  const claim = {
    ...{ proof, airId, contextDomain: AUDIT_CONTEXT_DOMAIN },
    publicInputs: { root: root.map(String), leafCount },
  };
  const securityBitsMin = policy.securityBitsMin ?? AUDIT_SECURITY_BITS_MIN;
  const stark = verify(claim, { ...policy, securityBitsMin }, backend);
  if (!stark.valid) return { reason: 'stark-invalid', detail: stark.reason, stark };
  return { signed: { ...claim, expiresAtSeconds }, stark };
}

function rootOf(
  { root, leafCount, expiresAtSeconds }: ReadAuditProof,
  { securityBitsMin = 0 }: VerifierPolicy,
): Covered {
  if (securityBitsMin > 0)
    return {
      reason: 'not-proved',
      detail: `no STARK covers it, and ${securityBitsMin} proven bits are asked for`,
    };
  return { signed: { root, leafCount, expiresAtSeconds } };
}

type Fault = Pick<AuditVerdict, 'reason' | 'detail'>;

function digestFault(claim: AuditClaim, { statement, root }: ReadAuditProof): Fault | undefined {
  const audited = auditedPart(claim.result, rulesDigestToText(root));
  if (claim.result !== undefined && digestOf(audited) !== statement.resultDigest) {
    return { reason: 'result-mismatch' };
  }
  if (claim.request !== undefined && digestOf(claim.request) !== statement.requestDigest) {
    return { reason: 'request-mismatch' };
  }
  return undefined;
}

function disclosureFault({ result }: AuditClaim, audit: ReadAuditProof): Fault | undefined {
  const detail = answerDisclosureFault(result, audit);
  return detail === undefined ? undefined : { reason: 'disclosure-mismatch', detail };
}

/**
 * What of an answer its digest covers: all but the evidence that is added to it, a `starkRoot` that repeats the root of that
 * evidence and so is known after the digest alone, the proof of a disclosure, which is held to that evidence instead, and,
 * where the answer is a proof of an AIR that hides something in a commitment, what opens that. Whoever is shown the answer
 * must not see it.
 * @param root of the evidence, as text; default: that of the answer's own `auditProof`
 */
export function auditedPart(result: unknown, root?: string): unknown {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return result;
  const { auditProof: evidence, ...whole } = result as Record<string, unknown>;
  const rooted = withoutRoot(whole, root ?? (evidence as { root?: unknown } | null | undefined)?.root);
  const answer = withoutDisclosureProof(rooted);
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

function withoutDisclosureProof(answer: Record<string, unknown>): Record<string, unknown> {
  if (!hasDisclosure(answer)) return answer;
  const { disclosureProof: _held, ...rest } = answer as Record<string, unknown>;
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
