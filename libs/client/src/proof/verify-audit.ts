import { type AuditVerdict, type ProofKey, verifyAuditProof } from '@svc/audit-proof';

/** An answer with its evidence, and what it is checked against. */
export interface AuditedAnswer {
  /** The answer as it came, with its `auditProof`. */
  readonly answer: Readonly<Record<string, unknown>>;
  /** The proof of the batch, `GET /v1/stark/proofs/:proofId`. */
  readonly proof: Uint8Array;
  /** The published keys, `GET /.well-known/svc-proof-keys.json`. */
  readonly keys: readonly ProofKey[];
  /** The request as it was read, defaults filled in and private inputs left out; without it, it is not compared. */
  readonly request?: Readonly<Record<string, unknown>>;
  /** Least proven security that you accept, bits. Default 100. */
  readonly securityBitsMin?: number;
}

/**
 * Checks on this machine that an answer is the one that was committed to, that its rules were applied as it says, and that
 * both are under a root that is proved and signed. What is false is a value, never an exception.
 */
export function verifyAuditedAnswer(audited: AuditedAnswer): AuditVerdict {
  const { answer, proof, keys, request, securityBitsMin } = audited;
  const policy = securityBitsMin === undefined ? {} : { securityBitsMin };
  return verifyAuditProof({ auditProof: answer['auditProof'], result: answer, request, proof, keys }, policy);
}
