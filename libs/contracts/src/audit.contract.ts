import { z } from 'zod';
import { AUDIT_RULES_MAX, AuditProof, AuditRule } from './audit-proof.js';
import { PublicKeys } from './licences.contract.js';
import { AirDefinition } from './own-statement.contract.js';
import { Bytes, procedure } from './procedure.js';
import { PublicInputs, VerifyPolicy, VerifyProofResult } from './prover.contract.js';

/** What a service asks evidence for. Digests instead of documents, so that no result crosses the bus twice. */
export const AttestRequest = z.object({
  proves: z.enum(['commitment', 'rules', 'computation']),
  doesNotProve: z.string().min(1).max(2_048),
  /** SHA-256 of the canonical JSON of request and result, 32 bytes each. */
  requestDigest: Bytes,
  resultDigest: Bytes,
  rulesetId: z.string().max(128).default(''),
  rules: z.array(AuditRule).max(AUDIT_RULES_MAX).default([]),
});
export type AttestRequest = z.input<typeof AttestRequest>;

/**
 * The answer is free: within a quota, without a price, or sent without a charge. The root of its batch is signed and not proved,
 * so that nothing is stored.
 */
const IsFree = z.boolean();

/** Answers that are attested together. */
const ATTESTED_TOGETHER_MAX = 2;

const JsonObject = z.record(z.string().max(256), z.unknown());

/** Body of `POST /v1/stark/verify-proof` that asks about an audit proof. */
export const VerifyAuditRequest = z
  .strictObject({
    auditProof: AuditProof,
    result: JsonObject.optional().meta({
      description: 'The answer; its own auditProof is left out of account',
    }),
    request: JsonObject.optional().meta({
      description: 'The request, with the defaults that were filled in',
    }),
    policy: VerifyPolicy.optional(),
  })
  .meta({ id: 'VerifyAuditRequest' });
export type VerifyAuditRequest = z.output<typeof VerifyAuditRequest>;

/** A signed proof on the bus. */
export const PqVerifyCall = z.object({
  proof: Bytes,
  publicInputs: PublicInputs,
  airId: z.string(),
  air: AirDefinition.optional(),
  contextDomain: z.string().optional(),
  signature: Bytes,
  publicKey: Bytes.optional(),
  keyId: z.string().optional(),
  context: z.string(),
  expiresAt: z.string(),
  policy: VerifyPolicy.optional(),
});

/** Response of `POST /v1/stark/pq-verify`: valid only when both are. */
export const PqVerifyResult = z
  .object({
    valid: z.boolean(),
    reason: z.string().optional(),
    proof: VerifyProofResult,
    signature: z.object({ valid: z.boolean(), reason: z.string().optional(), keyId: z.string().optional() }),
  })
  .meta({ id: 'PqVerifyResult' });
export type PqVerifyResult = z.infer<typeof PqVerifyResult>;

export const auditContract = {
  /** Answers when the batch that took the audit is proved, signed and stored. OVERLOADED when no more may wait. */
  attest: procedure('prover', 'attest', {
    request: AttestRequest.extend({ isFree: IsFree.default(false) }),
    reply: AuditProof,
    timeoutMs: 10_000,
  }),
  /** The same for several answers, or parts of one, in one batch. */
  attestAll: procedure('prover', 'attest-all', {
    request: z.object({
      answers: z.array(AttestRequest).min(1).max(ATTESTED_TOGETHER_MAX),
      isFree: IsFree.optional(),
    }),
    reply: z.object({ auditProofs: z.array(AuditProof) }),
    timeoutMs: 10_000,
  }),
  verifyAudit: procedure('prover', 'verify-audit', {
    isPublic: true,
    request: VerifyAuditRequest,
    reply: VerifyProofResult,
    timeoutMs: 10_000,
  }),
  pqVerify: procedure('prover', 'pq-verify', {
    isPublic: true,
    request: PqVerifyCall,
    reply: PqVerifyResult,
    timeoutMs: 10_000,
  }),
  proofKeys: procedure('prover', 'proof-keys', {
    isPublic: true,
    request: z.object({}),
    reply: PublicKeys,
    timeoutMs: 2_000,
  }),
} as const;
