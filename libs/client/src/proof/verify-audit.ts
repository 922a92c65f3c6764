import { type AuditVerdict, type ProofKey, verifyAuditProof } from '@svc/audit-proof';
import { auditedRequest } from './audited-request.js';

/** An answer with its evidence, and what it is checked against. */
export interface AuditedAnswer {
  /** The answer as it came, with its `auditProof`. */
  readonly answer: Readonly<Record<string, unknown>>;
  /** The proof of the batch, `GET /v1/stark/proofs/:proofId`; evidence that is only signed (`version` 2) has none. */
  readonly proof?: Uint8Array;
  /** The published keys, `GET /.well-known/svc-proof-keys.json`. */
  readonly keys: readonly ProofKey[];
  /** The request as it was sent; without it, none is compared. */
  readonly request?: Readonly<Record<string, unknown>>;
  /** Least proven security that you accept, bits. Default 100. */
  readonly securityBitsMin?: number;
}

/**
 * Checks on this machine that an answer is the one that was committed to, that its rules were applied as it says, and that
 * both are under a root that is proved and signed, or signed alone. What is false is a value, never an exception.
 */
export function verifyAuditedAnswer(audited: AuditedAnswer): AuditVerdict {
  const { answer, proof, keys, securityBitsMin } = audited;
  const request = audited.request && auditedRequest(audited.request, answer);
  const claim = { auditProof: answer['auditProof'], result: answer, request, proof, keys };
  return verifyAuditProof(claim, { securityBitsMin });
}
