import { M2M_CONTRACT_CONTEXT } from '@svc/contracts';
import { canonicalJson } from '@svc/protocols';
import type { PublicInputs } from '../api-types.js';
import { toHex } from '../challenge/byte-text.js';
import { type LocalVerdict, verifyLocally } from './verify-locally.js';

/** What every execution is proved under. */
const EXECUTION_AIR_ID = 'hash-chain/v1';
/** Proven bits that every execution proof has. */
const SECURITY_BITS_MIN = 100;

/** A contract that a saga executed, and the proof that is said to be about it. */
export interface ExecutionClaim {
  /** The contract as it was answered, or its canonical bytes (RFC 8785). */
  readonly statement: Readonly<Record<string, unknown>> | Uint8Array;
  /** `GET /v1/stark/proofs/:proofId` of the answer's `starkExecutionProof`: bytes, or base64. */
  readonly proof: Uint8Array | string;
  /** As that route gives them. */
  readonly publicInputs: PublicInputs;
  readonly airId: string;
  readonly contextDomain?: string;
  /** `starkRoot` of the answer; without it, it is not compared. */
  readonly starkRoot?: string;
  /** When the service took back what the proof was made for, as the route says it. */
  readonly revokedAt?: string;
  /** The domain tag that the proof must be under. Default: that of the contracts of `m2m_license_contract`. */
  readonly expectedContextDomain?: string;
  /** Least proven security that you accept, bits. Default 100. */
  readonly securityBitsMin?: number;
}

/**
 * Checks on this machine that an execution proof is about the very bytes of a contract, under the tag that it must be under,
 * and that the service has not revoked it. What is false is a value, never an exception.
 *
 * @example
 * const proof = await (await fetch(`${base}/v1/stark/proofs/${answer.starkExecutionProof}`, { headers: { accept: 'application/json' } })).json();
 * const verdict = verifyExecutionProof({
 *   ...proof,
 *   statement: answer.contract,
 *   starkRoot: answer.starkRoot,
 * });
 */
export function verifyExecutionProof(claim: ExecutionClaim): LocalVerdict {
  const { proof, publicInputs, airId, contextDomain, starkRoot, revokedAt } = claim;
  const expectedContextDomain = claim.expectedContextDomain ?? M2M_CONTRACT_CONTEXT;
  const startedAt = performance.now();
  const rejected = (reason: string, detail: string): LocalVerdict => ({
    ...{ valid: false, airId, reason, detail, verificationLatencyMs: performance.now() - startedAt },
  });
  if (airId !== EXECUTION_AIR_ID)
    return rejected('unknown-air', `an execution is proved under ${EXECUTION_AIR_ID}`);
  if (contextDomain !== undefined && contextDomain !== expectedContextDomain) {
    return rejected('context-mismatch', `the proof is under another tag than ${expectedContextDomain}`);
  }
  const bytes = bytesOf(claim.statement);
  if (bytes === undefined) return rejected('malformed-statement', 'the contract has no canonical JSON');
  const verdict = verifyLocally({
    ...{ proof, publicInputs, airId, contextDomain: expectedContextDomain },
    traceData: `0x${toHex(bytes)}`,
    securityBitsMin: claim.securityBitsMin ?? SECURITY_BITS_MIN,
  });
  if (!verdict.valid) return verdict;
  if (starkRoot !== undefined && starkRoot !== verdict.starkRootCommitment) {
    return rejected('stark-root-mismatch', 'the proof commits to another trace than the answer says');
  }
  if (revokedAt !== undefined) return rejected('revoked', `the service took it back at ${revokedAt}`);
  return verdict;
}

function bytesOf(statement: ExecutionClaim['statement']): Uint8Array | undefined {
  if (statement instanceof Uint8Array) return statement;
  try {
    return new TextEncoder().encode(canonicalJson(statement));
  } catch {
    return undefined;
  }
}
