import { z } from 'zod';
import { Bytes, procedure } from './procedure.js';
import { ProofId, PublicInputs } from './prover.contract.js';
import { IdemKey } from './tool-call.contract.js';

/** Bytes that one execution proof is about. */
export const EXECUTION_BYTES_MAX = 16_384;

/** The domain tag that contracts of `m2m_license_contract` are proved under. */
export const M2M_CONTRACT_CONTEXT = 'svc/m2m-contract/v1';

/** A STARK over the canonical bytes of what a saga executes, kept and fetched as every proof. */
export const ExecutionProof = z.object({
  proofId: ProofId,
  /** Merkle commitment to the execution trace, `0x` hex. */
  starkRoot: z.string(),
  airId: z.string(),
  contextDomain: z.string(),
  publicInputs: PublicInputs,
  traceLength: z.int(),
  securityBits: z.number(),
  proverLatencyMs: z.number(),
});
export type ExecutionProof = z.infer<typeof ExecutionProof>;

export const executionProofContract = {
  /**
   * Proves once for each key. CONFLICT where the key was revoked, or runs at another replica (then with a time to come again);
   * UNPROCESSABLE where the key is of other bytes; QUEUE_FULL.
   */
  proveExecution: procedure('prover', 'prove-execution', {
    request: z.object({ idemKey: IdemKey, statement: Bytes, contextDomain: z.string().min(1).max(256) }),
    reply: ExecutionProof,
    timeoutMs: 30_000,
  }),
  executionOutcome: procedure('prover', 'execution-outcome', {
    request: z.object({ idemKey: IdemKey }),
    reply: z.object({
      state: z.enum(['unknown', 'running', 'done', 'revoked']),
      proof: ExecutionProof.optional(),
    }),
    timeoutMs: 5_000,
  }),
  /** Marks the proof revoked, also one that was not made yet: it is refused when it is asked for. Idempotent. */
  revokeExecution: procedure('prover', 'revoke-execution', {
    request: z.object({ idemKey: IdemKey }),
    reply: z.object({ was: z.enum(['unknown', 'running', 'done', 'revoked']) }),
    timeoutMs: 5_000,
  }),
} as const;
