import { z } from 'zod';
import { AuditProof } from './audit-proof.js';
import { AirDefinition } from './own-statement.contract.js';
import { Bytes, procedure } from './procedure.js';

const POWERS_OF_TWO = [...Array(18).keys()].map(i => 2 ** (i + 3));
/** Allowed trace lengths: powers of two from 2^3 to 2^20. */
export const DEGREES = POWERS_OF_TWO;
export const FRI_BLOWUPS = [2, 4, 8, 16, 32];
/** `0x` plus two digits a byte; text is bounded in bytes by the service, 65,536. */
export const TRACE_DATA_CHARS_MAX = 2 + 2 * 65_536;
/** Base64 characters of the largest proof that the verifier reads: 1.5 MB, which holds every proof that is sold. */
export const PROOF_BASE64_CHARS_MAX = 2_000_000;

/** One of a list of numbers, as OpenAPI shows an enum. */
export const oneOf = (values: readonly number[]) => z.literal(values as unknown as [number, ...number[]]);
const hexWhenPrefixed = (value: string) => !/^0x/i.test(value) || /^0x([0-9a-f]{2})+$/i.test(value);

/** Body of `POST /v1/zk/prove`. */
export const ProveRequest = z
  .strictObject({
    traceData: z
      .string()
      .min(1)
      .max(TRACE_DATA_CHARS_MAX)
      .refine(hexWhenPrefixed, {
        message: 'starts with 0x, so an even number of hexadecimal digits must follow, at least 2',
        params: { bound: '^0x([0-9a-f]{2})+$' },
      })
      .meta({
        description:
          'Execution trace or input string: `0x…` (or `0X…`) is hexadecimal, anything else UTF-8 text. 1 to 65,536 bytes, and no more than the chain absorbs: 28 bytes for each 32 of its rows, so 57,344 at the default degree.',
        example: '0x48656c6c6f',
      }),
    degree: oneOf(DEGREES).default(65_536).meta({
      type: 'integer',
      description: 'Rows of the execution trace: a power of two from 8 to 1,048,576',
    }),
    friBlowup: oneOf(FRI_BLOWUPS).default(8).meta({ type: 'integer', description: 'FRI blowup factor' }),
  })
  .meta({ id: 'ProveRequest', example: { traceData: '0x48656c6c6f' } });
export type ProveRequest = z.output<typeof ProveRequest>;

/** Members of public inputs, and elements of one of their lists. */
const PUBLIC_INPUT_MEMBERS_MAX = 64;
const PUBLIC_INPUT_ELEMENTS_MAX = 4_096;
const PUBLIC_INPUT_RECORD_MEMBERS_MAX = 16;

const PublicInputText = z.string().max(4_096);
/** One of a list of like things, such as an axis of a box. */
const PublicInputRecord = z
  .record(z.string().max(64), z.union([PublicInputText, z.number()]))
  .refine(record => Object.keys(record).length <= PUBLIC_INPUT_RECORD_MEMBERS_MAX, {
    error: `at most ${PUBLIC_INPUT_RECORD_MEMBERS_MAX} members`,
    params: { bound: PUBLIC_INPUT_RECORD_MEMBERS_MAX },
  });
const PublicInputValue = z
  .union([
    PublicInputText,
    z.number(),
    z.boolean(),
    z.array(z.union([PublicInputText, z.number(), PublicInputRecord])).max(PUBLIC_INPUT_ELEMENTS_MAX),
  ])
  .meta({ id: 'PublicInputValue', description: 'Field elements are strings, so that no digit is lost' });

/** Public inputs as JSON: which members there are is the AIR's to say. */
export const PublicInputs = z
  .record(z.string().max(64), PublicInputValue)
  .refine(inputs => Object.keys(inputs).length <= PUBLIC_INPUT_MEMBERS_MAX, {
    error: `at most ${PUBLIC_INPUT_MEMBERS_MAX} members`,
    params: { bound: PUBLIC_INPUT_MEMBERS_MAX },
  })
  .meta({ id: 'PublicInputs', maxProperties: PUBLIC_INPUT_MEMBERS_MAX });
export type PublicInputs = z.infer<typeof PublicInputs>;

/** Names one synchronous call, so that it can be cancelled when its caller has hung up: 128 random bits. */
export const ProofCallId = z.string().regex(/^pcl_[A-Za-z0-9_-]{22}$/);

/** The figure beside the proven one, as answers and verdicts have it. */
export const ConjecturedSecurityBits = z.number().meta({
  description:
    'A heuristic, bits: what random words leave a cheating prover (ePrint 2025/2010). Nothing proves that no attack is better; rely on the proven figure',
});

const proveFields = {
  proofRootHash: z.string().meta({ description: 'BLAKE3 of the proof, 0x hex' }),
  verificationLatencyMs: z.number().meta({ description: 'Measured time of the verification in this call' }),
  fieldOps: z.number().int().meta({
    description:
      'Base-field multiplications and additions that this proof takes, computed from the AIR and the parameters; grinding excluded',
  }),
  primeField: z.string(),
  status: z.literal('VERIFIED_VALID'),
  proofId: z.string(),
  airId: z.string(),
  publicInputs: PublicInputs,
  starkRootCommitment: z.string().meta({ description: 'Merkle commitment to the execution trace, 0x hex' }),
  securityBits: z.number().meta({
    description: 'Proven soundness, bits, against a classical prover; half of them against a quantum one',
  }),
  conjecturedSecurityBits: ConjecturedSecurityBits,
  parameterSet: z.string(),
  proverLatencyMs: z.number().meta({ description: 'Measured time of the proving in this call' }),
  proofBytes: z.number().int(),
  friQueryProofBytes: z.number().int(),
  degree: z.number().int(),
  friBlowup: z.number().int(),
  traceLength: z
    .number()
    .int()
    .meta({ description: 'Rows that were proved: the degree, or the least that the AIR needs' }),
  proves: z.literal('computation'),
  doesNotProve: z.string(),
  auditProof: AuditProof.optional(),
};

/** Reply of the prover on the bus: the proof travels as raw bytes. */
export const ProveReply = z.object({ ...proveFields, proof: Bytes });
export type ProveReply = z.infer<typeof ProveReply>;

/** Response of `POST /v1/zk/prove`. */
export const ProveResult = z
  .object({
    ...proveFields,
    proof: z.string().meta({ description: 'The proof, base64; see docs/stark-format.md' }),
  })
  .meta({ id: 'ProveResult' });
export type ProveResult = z.infer<typeof ProveResult>;

/** Of a statement of ours, or of a definition: `air/sha256:` and 64 digits. */
export const AirId = z.string().min(1).max(80).meta({ example: 'hash-chain/v1' });
export const ContextDomain = z
  .string()
  .max(256)
  .refine(value => new TextEncoder().encode(value).length <= 256, {
    message: 'must be at most 256 bytes of UTF-8',
    params: { bound: 256 },
  })
  .optional()
  .meta({ description: 'Domain tag the proof was made under' });
const TraceLength = z.int().min(64).max(1_048_576).optional().meta({
  description:
    'Rows that the proof must be about; without it any length is accepted, and the answer says which',
});
/** The least that a verifier accepts. */
export const VerifyPolicy = z
  .strictObject({
    securityBitsMin: z.int().min(0).max(128).optional().meta({
      description: 'Least proven security, by default 80',
    }),
    conjecturedSecurityBitsMin: z.int().min(0).max(256).optional().meta({
      description: 'Least heuristic figure, by default 0',
    }),
    airIds: z.array(AirId).min(1).max(64).optional().meta({
      description:
        'The statements that are accepted. Without it a proof under a definition is valid for the definition beside it, which its author chose',
    }),
  })
  .meta({
    id: 'VerifyPolicy',
    description: 'The least security that the verifier accepts; the proof cannot lower it',
  });

/** Body of `POST /v1/stark/verify-proof`. */
export const VerifyProofRequest = z
  .strictObject({
    proof: z.base64().min(1).max(PROOF_BASE64_CHARS_MAX).meta({ description: 'The proof, base64' }),
    publicInputs: PublicInputs,
    airId: AirId,
    air: AirDefinition.optional(),
    contextDomain: ContextDomain,
    traceLength: TraceLength,
    policy: VerifyPolicy.optional(),
  })
  .meta({ id: 'VerifyProofRequest' });
export type VerifyProofRequest = z.output<typeof VerifyProofRequest>;

/** Request of the verifier on the bus. */
export const VerifyProofCall = z.object({
  proof: Bytes,
  publicInputs: PublicInputs,
  airId: z.string(),
  air: AirDefinition.optional(),
  contextDomain: z.string().optional(),
  traceLength: TraceLength,
  policy: VerifyPolicy.optional(),
});

/** Response of `POST /v1/stark/verify-proof`; a proof that is merely false is 200 with `valid: false`. */
export const VerifyProofResult = z
  .object({
    valid: z.boolean(),
    reason: z.string().optional(),
    airId: z.string(),
    traceLength: z.int().optional().meta({ description: 'Rows that the proof is about, where it is valid' }),
    friBlowup: z.int().optional(),
    parameterSet: z.string().optional(),
    profile: z.string().optional().meta({ description: 'Field and domain: gl3, gl2 or m31' }),
    zeroKnowledge: z.boolean().optional().meta({ description: 'Whether the proof hides its trace' }),
    formatVersion: z.int().optional().meta({ description: 'Of the proof, where it is valid' }),
    definitionExpected: z.boolean().optional().meta({
      description:
        'Of a proof under a definition, where it is valid: whether `policy.airIds` names it. If not, it is valid under the definition that came beside it',
    }),
    doesNotProve: z.string().optional().meta({
      description:
        'What the proof might be taken to show and does not, of a definition, and where another statement has replaced that of `airId`',
    }),
    securityBits: z.number(),
    conjecturedSecurityBits: ConjecturedSecurityBits,
    verificationLatencyMs: z.number(),
  })
  .meta({ id: 'VerifyProofResult' });
export type VerifyProofResult = z.infer<typeof VerifyProofResult>;

/** Unguessable id of a stored proof: 128 random bits. */
export const ProofId = z
  .string()
  .regex(/^prf_[A-Za-z0-9_-]{22}$/)
  .meta({ description: 'Id of a stored proof: 128 random bits' });

export const StoredProof = z.object({
  proofId: ProofId,
  airId: z.string(),
  publicInputs: PublicInputs,
  contextDomain: z.string().optional(),
  createdAt: z.iso.datetime(),
  revokedAt: z.iso.datetime().optional(),
  proof: Bytes,
});
export type StoredProof = z.infer<typeof StoredProof>;

/** What a proof of an admitted request will be about and need. */
export const Admission = z.object({
  traceLength: z.number().int(),
  memoryBytes: z.number().int().meta({ description: 'Estimate of the working memory' }),
  waitMs: z
    .number()
    .optional()
    .meta({ description: 'Estimate of the wait behind the proofs that are ahead' }),
});
export type Admission = z.infer<typeof Admission>;

/** How long a caller waits for a proof; a longer one is asked for with `Prefer: respond-async`. */
export const PROVE_TIMEOUT_MS = 120_000;

export const proverContract = {
  /** Whether the request can be proved, asked before anything is paid. UNPROCESSABLE names the bound. */
  admit: procedure('prover', 'admit', { request: ProveRequest, reply: Admission, timeoutMs: 2_000 }),
  prove: procedure('prover', 'prove', {
    isPublic: true,
    request: z.object({ request: ProveRequest, callId: ProofCallId.optional() }),
    reply: ProveReply,
    timeoutMs: PROVE_TIMEOUT_MS,
  }),
  /**
   * Ends the proof of a synchronous call whose caller has gone. Any replica takes it; the one that
   * proves learns of it. `cancelled` says whether it was this one.
   */
  cancelProof: procedure('prover', 'cancel-proof', {
    isPublic: true,
    request: z.object({ callId: ProofCallId }),
    reply: z.object({ cancelled: z.boolean() }),
    timeoutMs: 5_000,
  }),
  verifyProof: procedure('prover', 'verify-proof', {
    isPublic: true,
    request: VerifyProofCall,
    reply: VerifyProofResult,
    timeoutMs: 10_000,
  }),
  fetchProof: procedure('prover', 'fetch-proof', {
    isPublic: true,
    request: z.object({ proofId: ProofId }),
    reply: StoredProof,
    timeoutMs: 5_000,
  }),
  /** Length and SHA-256 (`0x` hex) of a stored proof, for an answer that names the proof and leaves it out. NOT_FOUND. */
  proofDigest: procedure('prover', 'proof-digest', {
    request: z.object({ proofId: ProofId }),
    reply: z.object({ bytes: z.int().min(1), sha256: z.string().regex(/^0x[0-9a-f]{64}$/) }),
    timeoutMs: 1_000,
  }),
} as const;
