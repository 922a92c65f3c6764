import { z } from 'zod';
import { PqVerifyResult, VerifyAuditRequest } from './audit.contract.js';
import { ProofJob, ProofJobEvent, ProofJobId } from './proof-job.contract.js';
import { AirDefinition } from './own-statement.contract.js';
import {
  AirId,
  ContextDomain,
  PROOF_BASE64_CHARS_MAX,
  ProofId,
  ProveRequest,
  ProveResult,
  PublicInputs,
  VerifyPolicy,
  VerifyProofRequest,
  VerifyProofResult,
} from './prover.contract.js';
import { defineRoutes } from './route.js';
import {
  AirCheckRequest,
  AirCheckResult,
  StarkProveM31Request,
  StarkProveRequest,
  StarkProveResult,
} from './stark-prove.contract.js';
import { base64Bytes, base64Chars, IdempotencyHeaders } from './wire-format.js';

/** Bytes of an ML-DSA-65 signature and public key (FIPS 204, table 2). */
const ML_DSA_65_SIGNATURE_BYTES = 3_309;
const ML_DSA_65_PUBLIC_KEY_BYTES = 1_952;

/** Body of `POST /v1/stark/pq-verify`. */
export const PqVerifyRequest = z
  .strictObject({
    proof: z.base64().min(1).max(PROOF_BASE64_CHARS_MAX).meta({ description: 'The proof, base64' }),
    publicInputs: PublicInputs,
    airId: AirId,
    air: AirDefinition.optional(),
    contextDomain: ContextDomain,
    signature: base64Bytes(ML_DSA_65_SIGNATURE_BYTES).meta({ description: 'ML-DSA-65 signature, base64' }),
    publicKey: z
      .union([
        base64Bytes(ML_DSA_65_PUBLIC_KEY_BYTES),
        z.base64url().max(base64Chars(ML_DSA_65_PUBLIC_KEY_BYTES)),
      ])
      .optional()
      .meta({ description: 'ML-DSA-65 public key, base64 or, as keys are published, base64url' }),
    keyId: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .meta({ description: 'One of the published keys, in place of publicKey' }),
    context: z.string().max(255).default('svc/stark-root/v1'),
    expiresAt: z.iso.datetime().meta({ description: 'When the signature ends: part of what is signed' }),
    policy: VerifyPolicy.optional(),
  })
  .refine(body => (body.publicKey === undefined) !== (body.keyId === undefined), {
    error: 'send publicKey or keyId, one of the two',
    path: ['keyId'],
  })
  .meta({ id: 'PqVerifyRequest' });

/** Body of `POST /v1/stark/verify-proof`: a proof, or an audit proof. */
export const VerifyProofOrAuditRequest = z
  .union([VerifyProofRequest, VerifyAuditRequest])
  .meta({ id: 'VerifyProofOrAuditRequest' });
export type VerifyProofOrAuditRequest = z.output<typeof VerifyProofOrAuditRequest>;

/** A stored proof as JSON, for callers that do not take octets. */
export const StoredProofResult = z
  .object({
    proofId: ProofId,
    airId: z.string(),
    publicInputs: PublicInputs,
    contextDomain: z.string().optional().meta({
      description:
        'The tag that the proof was made under, and verifies under; empty: none. Absent where it is not known any more',
    }),
    createdAt: z.iso.datetime(),
    revokedAt: z.iso.datetime().optional().meta({
      description:
        'When what the proof was made for was taken back. Its statement stays true: the service stands by it no more',
    }),
    proofBytes: z.int(),
    proof: z.string().meta({ description: 'The proof, base64' }),
  })
  .meta({ id: 'StoredProofResult' });
export type StoredProofResult = z.infer<typeof StoredProofResult>;

/** Body bytes of a proof request: 65,536 bytes of text take up to six characters a byte in JSON. */
const PROVE_BODY_BYTES_MAX = 524_288;
/** The largest proof with its inputs, or an answer that holds it with its request. */
const VERIFY_BODY_BYTES_MAX = 3_145_728;
/** A raw statement may bring a whole trace: 65,536 rows of two columns, for one. */
const STATEMENT_BODY_BYTES_MAX = 4_194_304;

const PreferHeaders = IdempotencyHeaders.extend({
  Prefer: z.string().max(256).optional().meta({
    description: '`respond-async`: the answer is 202 with a job to follow, at once (RFC 7240)',
  }),
});
const LastEventIdHeaders = z.object({
  'Last-Event-ID': z
    .string()
    .regex(/^[0-9]{1,9}$/)
    .optional()
    .meta({ description: 'The last event that was read; the stream goes on after it' }),
});
const jobParams = z.object({ jobId: ProofJobId });

/** The 202 of `Prefer: respond-async`, the same on every route that proves. */
const accepted = {
  description: 'With `Prefer: respond-async`: a job that the payment is held for',
  schema: ProofJob,
  headers: { Location: 'The job', 'Preference-Applied': 'respond-async' },
};
const RECEIPT_HEADERS = {
  'Payment-Receipt': 'Receipt of the payment: base64url JSON, as draft-httpauth-payment says',
  'SVC-Receipt': 'Signed receipt that binds request and answer: a compact JWS; not where a plan has paid',
};

/** What every route has that proves for a payment. */
const proving = <const R extends z.ZodType>(result: R) =>
  ({
    method: 'POST',
    tag: 'Proofs',
    access: 'paid',
    headers: PreferHeaders,
    replies: {
      200: { description: 'The proof, verified', schema: result, headers: RECEIPT_HEADERS },
      202: accepted,
    },
    problems: ['UNPROCESSABLE', 'QUEUE_FULL', 'OVERLOADED'],
  }) as const;

const provingStatements = {
  ...proving(StarkProveResult),
  description:
    '`binding` (the default) commits to `contextDomain`, `publicInputs` and `privateWitness`: the commitment is an output, and what opens it is in `opening`. `preimage` proves knowledge of a `privateWitness` whose hash is `publicInputs`. `raw` proves a trace under a published AIR, from `inputs` or a whole `trace`. `own` proves a trace under a definition of yours, `air`, from row 0 (`start`) or the columns that nothing gives (`trace`). A hang-up cancels the proof, and the payment goes back to its credential; after three of them it is made to its end, and the request, sent again, brings it.',
  bodyBytesMax: STATEMENT_BODY_BYTES_MAX,
} as const;

export const starkRoutes = defineRoutes({
  prove: {
    ...proving(ProveResult),
    operationId: 'zk.prove',
    path: '/v1/zk/prove',
    summary: 'Prove a hash chain over the trace data',
    description:
      'Absorbs `traceData` into a Poseidon2 sponge over the field of 2^64 - 2^32 + 1, iterates it over `degree` rows, proves the whole execution with a STARK and verifies the proof before it answers. Without a payment the answer is a 402 with everything needed to pay. A body that is not empty is validated first and a fault costs nothing. A hang-up cancels the proof, and the payment goes back to its credential; after three of them it is made to its end, and the request, sent again, brings it.',
    body: { schema: ProveRequest },
    bodyBytesMax: PROVE_BODY_BYTES_MAX,
  },
  proveGoldilocks: {
    ...provingStatements,
    operationId: 'stark.prove-goldilocks',
    path: '/v1/stark/prove-goldilocks',
    summary: 'Prove a statement about inputs, over Goldilocks',
    body: { schema: StarkProveRequest },
  },
  proveM31: {
    ...provingStatements,
    operationId: 'stark.prove-m31',
    path: '/v1/stark/prove-m31',
    summary: 'Prove a statement about inputs, over Mersenne-31 (circle STARK)',
    body: { schema: StarkProveM31Request },
  },
  checkAir: {
    operationId: 'zk.check-air',
    method: 'POST',
    path: '/v1/zk/airs/check',
    summary: 'Look at a definition of your own before you buy a proof under it',
    description:
      'Takes a definition and, if you like, a statement under it: answers its id, its degree, what to look at, what a proof takes and how many bits it has, and the first row that does not hold. Keeps nothing.',
    tag: 'Proofs',
    access: 'free',
    body: { schema: AirCheckRequest },
    bodyBytesMax: STATEMENT_BODY_BYTES_MAX,
    replies: {
      200: { description: 'What the definition is, and what came of the statement', schema: AirCheckResult },
    },
    problems: ['UNPROCESSABLE', 'OVERLOADED'],
  },
  job: {
    operationId: 'stark.get-job',
    method: 'GET',
    path: '/v1/stark/jobs/:jobId',
    summary: 'State of a proof job',
    description:
      'Answers whoever holds the id. Jobs are kept as long as proofs are. The payment is held while the job runs, delivered with its answer, and returned to its credential where there is none.',
    tag: 'Proofs',
    access: 'free',
    params: jobParams,
    replies: { 200: { description: 'The job', schema: ProofJob } },
  },
  jobEvents: {
    operationId: 'stark.job-events',
    method: 'GET',
    path: '/v1/stark/jobs/:jobId/events',
    summary: 'Progress of a proof job, as it happens',
    description:
      'Server-sent events, one a stage, named by the state of the job, with the `ProofJobEvent` as data. The stream ends with the job. `Last-Event-ID` goes on where another stream ended; where nothing can come any more, the answer is 204, and an EventSource stops.',
    tag: 'Proofs',
    access: 'free',
    params: jobParams,
    headers: LastEventIdHeaders,
    replies: {
      200: { description: 'The events', schema: ProofJobEvent, mediaType: 'text/event-stream' },
      204: { description: 'The job has ended and every event was read' },
    },
    problems: ['OVERLOADED'],
  },
  cancelJob: {
    operationId: 'stark.cancel-job',
    method: 'DELETE',
    path: '/v1/stark/jobs/:jobId',
    summary: 'Cancel a proof job',
    description:
      'The job ends between two batches of work, and its payment goes back to its credential. A job that is at its end by then may still succeed: its answer is delivered, and paid for. Asking again changes nothing; a job that has succeeded or failed is a 409, and so is one that runs and whose payment was given back three times before.',
    tag: 'Proofs',
    access: 'free',
    params: jobParams,
    replies: { 200: { description: 'The job, which was asked to end', schema: ProofJob } },
    problems: ['CONFLICT'],
  },
  verifyProof: {
    operationId: 'stark.verify-proof',
    method: 'POST',
    path: '/v1/stark/verify-proof',
    summary: 'Verify a proof, or the audit proof of an answer',
    description:
      'Takes a proof with its statement, or an `auditProof` with the answer it came with. What is merely false is 200 with `valid: false` and the reason.',
    tag: 'Proofs',
    access: 'free',
    body: { schema: VerifyProofOrAuditRequest },
    bodyBytesMax: VERIFY_BODY_BYTES_MAX,
    replies: { 200: { description: 'The verdict', schema: VerifyProofResult } },
    problems: ['UNPROCESSABLE', 'OVERLOADED'],
  },
  pqVerify: {
    operationId: 'stark.pq-verify',
    method: 'POST',
    path: '/v1/stark/pq-verify',
    summary: 'Verify a proof and its post-quantum (ML-DSA-65) signature',
    tag: 'Proofs',
    access: 'free',
    body: { schema: PqVerifyRequest },
    bodyBytesMax: VERIFY_BODY_BYTES_MAX,
    replies: { 200: { description: 'Both verdicts', schema: PqVerifyResult } },
    problems: ['UNPROCESSABLE', 'OVERLOADED'],
  },
  fetchProof: {
    operationId: 'stark.fetch-proof',
    method: 'GET',
    path: '/v1/stark/proofs/:proofId',
    summary: 'Fetch a stored proof',
    description:
      'The proof as octets, with `X-Proof-Air`, `X-Proof-Created-At`, where it has a domain tag `X-Proof-Context`, and where it was revoked `X-Proof-Revoked-At`; with `Accept: application/json` as JSON, with its public inputs too: all that `verify-proof` takes.',
    tag: 'Proofs',
    access: 'free',
    params: z.object({ proofId: ProofId }),
    replies: {
      200: {
        description: 'The proof: octets, or JSON by `Accept`',
        schema: StoredProofResult,
        mediaType: 'application/json, application/octet-stream',
        headers: {
          'X-Proof-Air': 'The AIR that the proof is for',
          'X-Proof-Created-At': 'When the proof was made, RFC 3339',
          'X-Proof-Context':
            'The domain tag that the proof was made under, its UTF-8 percent-encoded (RFC 3986); absent where it is empty',
          'X-Proof-Revoked-At':
            'When what the proof was made for was taken back, RFC 3339; absent where it was not',
        },
      },
    },
  },
});
