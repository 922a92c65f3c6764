import { z } from 'zod';
import { AuditProof } from './audit-proof.js';
import {
  PROOF_BASE64_CHARS_MAX,
  ProofId,
  ProveRequest,
  ProveResult,
  PublicInputs,
  VerifyProofRequest,
  VerifyProofResult,
} from './prover.contract.js';
import { defineRoutes } from './route.js';
import { base64Bytes, IdempotencyHeaders } from './wire-format.js';

/** Elements in one list of inputs of a `binding/v1` proof. */
const BINDING_INPUTS_MAX = 1_024;
/** Decimal or hexadecimal text of one input. */
const BINDING_INPUT_CHARS_MAX = 256;

const BindingInput = z
  .string()
  .max(BINDING_INPUT_CHARS_MAX)
  .regex(/^(0x[0-9a-fA-F]+|[0-9]+)$/, { error: 'a decimal number, or hexadecimal digits after 0x' });

/** Body of `POST /v1/stark/prove-goldilocks` and `POST /v1/stark/prove-m31`: the tool's inputs. */
export const StarkProveRequest = z
  .strictObject({
    publicInputs: z
      .array(BindingInput)
      .max(BINDING_INPUTS_MAX)
      .meta({ description: 'Hexadecimal or decimal' }),
    privateWitness: z.array(BindingInput).max(BINDING_INPUTS_MAX).optional(),
    contextDomain: z.string().max(256).optional().meta({ description: 'Domain tag for the circuit' }),
    statement: z.enum(['binding', 'preimage']).default('binding').meta({
      description: 'binding: a commitment to all inputs; preimage: knowledge of the witness of a commitment',
    }),
  })
  .meta({ id: 'StarkProveRequest', example: { publicInputs: ['0x2a', '7'], contextDomain: 'demo' } });
export type StarkProveRequest = z.output<typeof StarkProveRequest>;

/** Response of the two `prove-*` routes. */
export const StarkProveResult = z
  .object({
    verified: z.boolean(),
    fieldPrimeHex: z.string(),
    executionTimeMs: z.number(),
    starkRootCommitment: z.string(),
    friQueryProofBytes: z.int(),
    securityLevelBits: z.number(),
    paymentReceipt: z.string(),
    proof: z.string().meta({ description: 'The proof, base64' }),
    proofId: ProofId,
    airId: z.string(),
    publicInputs: PublicInputs,
    conjecturedSecurityBits: z.number(),
    proves: z.literal('computation'),
    doesNotProve: z.string(),
  })
  .meta({ id: 'StarkProveResult' });

/** Bytes of an ML-DSA-65 signature and public key (FIPS 204, table 2). */
const ML_DSA_65_SIGNATURE_BYTES = 3_309;
const ML_DSA_65_PUBLIC_KEY_BYTES = 1_952;

/** Body of `POST /v1/stark/pq-verify`. */
export const PqVerifyRequest = z
  .strictObject({
    proof: z.base64().min(1).max(PROOF_BASE64_CHARS_MAX).meta({ description: 'The proof, base64' }),
    publicInputs: PublicInputs,
    airId: z.string().min(1).max(64),
    contextDomain: z.string().max(256).optional(),
    signature: base64Bytes(ML_DSA_65_SIGNATURE_BYTES).meta({ description: 'ML-DSA-65 signature, base64' }),
    publicKey: base64Bytes(ML_DSA_65_PUBLIC_KEY_BYTES).optional(),
    keyId: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .meta({ description: 'One of the published keys, in place of publicKey' }),
    context: z.string().max(255).default('svc/stark-root/v1'),
    expiresAt: z.iso.datetime().optional(),
  })
  .refine(body => (body.publicKey === undefined) !== (body.keyId === undefined), {
    error: 'send publicKey or keyId, one of the two',
    path: ['keyId'],
  })
  .meta({ id: 'PqVerifyRequest' });

/** Response of `POST /v1/stark/pq-verify`: valid only when both are. */
export const PqVerifyResult = z
  .object({
    valid: z.boolean(),
    reason: z.string().optional(),
    proof: VerifyProofResult,
    signature: z.object({ valid: z.boolean(), reason: z.string().optional(), keyId: z.string().optional() }),
  })
  .meta({ id: 'PqVerifyResult' });

/** A stored proof as JSON, for callers that do not take octets. */
export const StoredProofResult = z
  .object({
    proofId: ProofId,
    airId: z.string(),
    publicInputs: PublicInputs,
    createdAt: z.iso.datetime(),
    proofBytes: z.int(),
    proof: z.string().meta({ description: 'The proof, base64' }),
    auditProof: AuditProof.optional(),
  })
  .meta({ id: 'StoredProofResult' });
export type StoredProofResult = z.infer<typeof StoredProofResult>;

/** Body bytes of a proof request: 65,536 bytes of text take up to six characters a byte in JSON. */
const PROVE_BODY_BYTES_MAX = 524_288;
const VERIFY_BODY_BYTES_MAX = 2_097_152;

export const starkRoutes = defineRoutes({
  prove: {
    operationId: 'zk.prove',
    method: 'POST',
    path: '/v1/zk/prove',
    summary: 'Prove a hash chain over the trace data',
    description:
      'Absorbs `traceData` into a Poseidon2 sponge over the field of 2^64 - 2^32 + 1, iterates it over `degree` rows, proves the whole execution with a STARK and verifies the proof before it answers. Without a payment the answer is a 402 with everything needed to pay. A body that is not empty is validated first and a fault costs nothing.',
    tag: 'Proofs',
    access: 'paid',
    available: true,
    body: { schema: ProveRequest },
    bodyBytesMax: PROVE_BODY_BYTES_MAX,
    replies: {
      200: {
        description: 'The proof, verified',
        schema: ProveResult,
        headers: {
          'Payment-Receipt': 'Receipt of the payment: base64url JSON, as draft-httpauth-payment says',
        },
      },
    },
    problems: ['UNPROCESSABLE', 'OVERLOADED'],
  },
  proveGoldilocks: {
    operationId: 'stark.prove-goldilocks',
    method: 'POST',
    path: '/v1/stark/prove-goldilocks',
    summary: 'Prove a commitment to inputs, over Goldilocks',
    tag: 'Proofs',
    access: 'paid',
    available: false,
    headers: IdempotencyHeaders,
    body: { schema: StarkProveRequest },
    bodyBytesMax: PROVE_BODY_BYTES_MAX,
    replies: { 200: { description: 'The proof, verified', schema: StarkProveResult } },
    problems: ['UNPROCESSABLE', 'OVERLOADED'],
  },
  proveM31: {
    operationId: 'stark.prove-m31',
    method: 'POST',
    path: '/v1/stark/prove-m31',
    summary: 'Prove a commitment to inputs, over Mersenne-31 (circle STARK)',
    tag: 'Proofs',
    access: 'paid',
    available: false,
    headers: IdempotencyHeaders,
    body: { schema: StarkProveRequest },
    bodyBytesMax: PROVE_BODY_BYTES_MAX,
    replies: { 200: { description: 'The proof, verified', schema: StarkProveResult } },
    problems: ['UNPROCESSABLE', 'OVERLOADED'],
  },
  verifyProof: {
    operationId: 'stark.verify-proof',
    method: 'POST',
    path: '/v1/stark/verify-proof',
    summary: 'Verify a proof',
    description: 'A proof that is merely false is 200 with `valid: false` and the reason.',
    tag: 'Proofs',
    access: 'free',
    available: true,
    body: { schema: VerifyProofRequest },
    bodyBytesMax: VERIFY_BODY_BYTES_MAX,
    replies: { 200: { description: 'The verdict', schema: VerifyProofResult } },
    problems: ['UNPROCESSABLE', 'OVERLOADED'],
  },
  pqVerify: {
    operationId: 'stark.pq-verify',
    method: 'POST',
    path: '/v1/stark/pq-verify',
    summary: 'Verify a proof and its post-quantum signature',
    tag: 'Proofs',
    access: 'free',
    available: false,
    body: { schema: PqVerifyRequest },
    bodyBytesMax: VERIFY_BODY_BYTES_MAX,
    replies: { 200: { description: 'Both verdicts', schema: PqVerifyResult } },
    problems: ['UNPROCESSABLE'],
  },
  fetchProof: {
    operationId: 'stark.fetch-proof',
    method: 'GET',
    path: '/v1/stark/proofs/:proofId',
    summary: 'Fetch a stored proof',
    description:
      'The proof as octets, with `X-Proof-Air` and `X-Proof-Created-At`; with `Accept: application/json` as JSON with its public inputs.',
    tag: 'Proofs',
    access: 'free',
    available: true,
    params: z.object({ proofId: ProofId }),
    replies: {
      200: {
        description: 'The proof: octets, or JSON by `Accept`',
        schema: StoredProofResult,
        mediaType: 'application/json, application/octet-stream',
        headers: {
          'X-Proof-Air': 'The AIR that the proof is for',
          'X-Proof-Created-At': 'When the proof was made, RFC 3339',
        },
      },
    },
  },
});
