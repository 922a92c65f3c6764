import { z } from 'zod';
import { AuditProof } from './audit-proof.js';
import { Bytes, procedure } from './procedure.js';
import {
  Admission,
  ConjecturedSecurityBits,
  ContextDomain,
  DEGREES,
  FRI_BLOWUPS,
  oneOf,
  PROVE_TIMEOUT_MS,
  ProofCallId,
  ProofId,
  PublicInputs,
} from './prover.contract.js';
import { TOOLS } from './tool-catalog.contract.js';

/** Elements in one list of inputs of a `binding/v1` proof. */
const BINDING_INPUTS_MAX = 1_024;
/** Decimal or hexadecimal text of one input. */
const BINDING_INPUT_CHARS_MAX = 256;
/** Columns of the widest AIR that takes a caller's trace, and rows of the longest such trace. */
const RAW_COLUMNS_MAX = 64;
const RAW_ROWS_MAX = 65_536;
/** A constraint speaks of a row and the next. */
const RAW_ROWS_MIN = 2;
/** Decimal digits of 2^64. */
const ELEMENT_CHARS_MAX = 20;

/** What a proof can be about: see the description of the request. */
export const STATEMENTS = ['binding', 'preimage', 'raw'] as const;
export const GOLDILOCKS_PARAMETER_SETS = ['P100', 'P128', 'udr100', 'conjectured96'] as const;
export const M31_PARAMETER_SETS = ['m31', 'm31-fast'] as const;

const BindingInput = z
  .string()
  .max(BINDING_INPUT_CHARS_MAX)
  .regex(/^(0x[0-9a-fA-F]+|[0-9]+)$/, { error: 'a decimal number, or hexadecimal digits after 0x' });

/** A field element: a decimal or hexadecimal string, or a number that JSON carries exactly. */
const TraceElement = z.union([
  z
    .string()
    .max(ELEMENT_CHARS_MAX)
    .regex(/^(0x[0-9a-fA-F]+|[0-9]+)$/, { error: 'a decimal number, or hexadecimal digits after 0x' }),
  z.int().min(0),
]);

const GeneratorInput = z.union([
  z.string().max(4_096),
  z.number(),
  z.boolean(),
  z
    .array(z.union([z.string().max(64), z.number()]))
    .min(1)
    .max(RAW_ROWS_MAX),
]);

const statementFields = {
  statement: z.enum(STATEMENTS).default('binding').meta({
    description:
      'binding: a commitment to all inputs, which is an output; preimage: knowledge of a witness whose hash is `publicInputs`; raw: a trace under a published AIR',
  }),
  publicInputs: z.array(BindingInput).max(BINDING_INPUTS_MAX).optional().meta({
    description:
      'Hexadecimal or decimal; required for binding (at most 8,192 bytes of numbers in all) and preimage (the digest)',
  }),
  privateWitness: z.array(BindingInput).max(BINDING_INPUTS_MAX).optional().meta({
    description: 'Hexadecimal or decimal; stays private: the proof is in zero knowledge',
  }),
  // What a proof states is kept as JSON in Postgres, which has no U+0000.
  contextDomain: ContextDomain.refine(tag => !tag?.includes('\0'), {
    error: 'must not hold the character U+0000',
    params: { bound: 'no U+0000' },
  }).meta({ description: 'Domain tag for the circuit, at most 256 bytes, without U+0000' }),
  friBlowup: oneOf(FRI_BLOWUPS).default(8).meta({ type: 'integer', description: 'FRI blowup factor' }),
  airId: z
    .string()
    .regex(/^raw\/[a-z0-9-]{1,40}\/v[0-9]{1,3}$/)
    .optional()
    .meta({ description: 'The AIR of a raw statement', example: 'raw/fibonacci/v1' }),
  trace: z
    .array(z.array(TraceElement).min(RAW_ROWS_MIN).max(RAW_ROWS_MAX))
    .min(1)
    .max(RAW_COLUMNS_MAX)
    .optional()
    .meta({ description: 'raw: the whole trace, one array a column; instead of `inputs`' }),
  inputs: z
    .record(z.string().max(64), GeneratorInput)
    .optional()
    .meta({
      description:
        'raw: what the AIR makes the trace from, instead of `trace`. Elements are below the modulus; `rows`, 2 to 1,048,576, is optional. `raw/fibonacci/v1`: `first`, `second`, `rows`. `raw/counter/v1`: `start`, `step`, `rows`. `raw/cubic8/v1`: `input` (8 elements), `rows`. `raw/lif-step/v1`, all integers: `decay` (0 to 4,095), `threshold`, `reset` (below `threshold`), `initialPotential` and each of `currents` (-32,768 to 32,767), `refractorySteps` (0 to 65,535); 1 to 65,536 `currents`, one a step.',
      example: { first: '1', second: '1', rows: 100 },
    }),
  degree: oneOf(DEGREES).optional().meta({
    type: 'integer',
    description: 'raw: rows of the trace, a power of two; by default what the statement needs',
  }),
  zeroKnowledge: z
    .boolean()
    .optional()
    .meta({ description: 'raw: hides the trace; the other statements always do' }),
};

type StatementFields = {
  statement: (typeof STATEMENTS)[number];
  [name: string]: unknown;
};
const RAW_ONLY = ['airId', 'trace', 'inputs', 'degree', 'zeroKnowledge'];
const NOT_RAW = ['publicInputs', 'privateWitness'];

/** Which members belong to which statement; a member of another statement is refused, not passed over. */
function refuseForeignMembers(body: StatementFields, context: z.RefinementCtx): void {
  const refuse = (path: string, message: string) =>
    context.addIssue({ code: 'custom', path: [path], message, params: { bound: body.statement } });
  const foreign = body.statement === 'raw' ? NOT_RAW : RAW_ONLY;
  for (const name of foreign)
    if (body[name] !== undefined) refuse(name, `is no member of a ${body.statement} statement`);
  if (body.statement !== 'raw') {
    if (body['publicInputs'] === undefined) refuse('publicInputs', `is required for ${body.statement}`);
    return;
  }
  if (body['airId'] === undefined) refuse('airId', 'is required for a raw statement');
  if ((body['trace'] === undefined) === (body['inputs'] === undefined))
    refuse('trace', 'a raw statement takes trace or inputs, one of the two');
}

const example = { publicInputs: ['0x2a', '7'], privateWitness: ['1234'], contextDomain: 'demo' };

/** Body of `POST /v1/stark/prove-goldilocks`: the tool's inputs, and what they may be asked for. */
export const StarkProveRequest = z
  .strictObject({
    ...statementFields,
    parameterSet: z
      .enum(GOLDILOCKS_PARAMETER_SETS)
      .default('P100')
      .meta({ description: 'The level of security, by name' }),
  })
  .superRefine(refuseForeignMembers)
  .meta({ id: 'StarkProveRequest', example });
export type StarkProveRequest = z.output<typeof StarkProveRequest>;

/** Body of `POST /v1/stark/prove-m31`: as over Goldilocks, with the sets of the circle STARK. */
export const StarkProveM31Request = z
  .strictObject({
    ...statementFields,
    parameterSet: z
      .enum(M31_PARAMETER_SETS)
      .default('m31')
      .meta({ description: 'The level of security, by name' }),
  })
  .superRefine(refuseForeignMembers)
  .meta({ id: 'StarkProveM31Request', example });
export type StarkProveM31Request = z.output<typeof StarkProveM31Request>;

/** What is said of every proof of a statement, whichever it is. */
const evidenceFields = {
  proofRootHash: z.string().meta({ description: 'BLAKE3 of the proof, 0x hex' }),
  starkRootCommitment: z.string().meta({ description: 'Merkle commitment to the execution trace, 0x hex' }),
  proofId: ProofId,
  airId: z.string(),
  publicInputs: PublicInputs,
  contextDomain: z.string().meta({ description: 'The tag that the proof was made under; empty: none' }),
  opening: z.record(z.string(), z.string()).optional().meta({
    description:
      'What opens the commitment beside the inputs: who has both can show what was committed to. Keep it; give it to nobody else',
  }),
  parameterSet: z.string(),
  conjecturedSecurityBits: ConjecturedSecurityBits,
  zeroKnowledge: z.boolean(),
  traceLength: z.int().meta({ description: 'Rows that were proved' }),
  friBlowup: z.int(),
  fieldOps: z.int().meta({
    description:
      'Base-field multiplications and additions of this proof, from AIR and parameters; grinding excluded',
  }),
  proofBytes: z.int(),
  proverLatencyMs: z.number(),
  verificationLatencyMs: z.number(),
  paymentReceipt: z
    .string()
    .meta({ description: 'The receipt of the payment, as in the header Payment-Receipt' }),
  proves: z.literal('computation'),
  doesNotProve: z.string(),
  auditProof: AuditProof.optional(),
};

const starkProveFields = {
  verified: z.literal(true),
  fieldPrimeHex: z.string().meta({ example: '0xffffffff00000001' }),
  executionTimeMs: z.number().meta({ description: 'Measured: proving and verifying' }),
  friQueryProofBytes: z.int(),
  securityLevelBits: z.number().meta({ description: 'Proven soundness, bits' }),
  statement: z.enum(STATEMENTS),
  ...evidenceFields,
};

/** Reply of the prover on the bus: the proof travels as raw bytes. */
export const StarkProveReply = z.object({ ...starkProveFields, proof: Bytes });
export type StarkProveReply = z.infer<typeof StarkProveReply>;

/** Response of the two `prove-*` routes. */
export const StarkProveResult = z
  .object({
    ...starkProveFields,
    proof: z.string().meta({ description: 'The proof, base64; see docs/stark-format.md' }),
  })
  .meta({ id: 'StarkProveResult' });
export type StarkProveResult = z.infer<typeof StarkProveResult>;

/** Inputs of the tool `zk_prove_spatial`. */
export const SpatialProveRequest = TOOLS.zk_prove_spatial.input;
export type SpatialProveRequest = z.output<typeof SpatialProveRequest>;

/** What the tool `zk_prove_spatial` answers. */
export const SpatialProveReply = z.object({
  verified: z.literal(true),
  primeField: z.string(),
  latencyMs: z.number().meta({ description: 'Measured: proving and verifying' }),
  securityBits: z.number(),
  friQueryProofBytes: z.int(),
  ...evidenceFields,
  proof: Bytes,
});
export type SpatialProveReply = z.infer<typeof SpatialProveReply>;

const call = <R extends z.ZodType>(request: R) =>
  z.object({
    request,
    callId: ProofCallId.optional(),
    /** `Payment-Receipt`, for the answer. */
    receipt: z.string().max(16_384).default(''),
  });

export const starkProveContract = {
  /** Whether a request can be proved, asked before anything is paid. UNPROCESSABLE names the bound, QUEUE_FULL the wait. */
  admitGoldilocks: procedure('prover', 'admit-goldilocks', {
    request: StarkProveRequest,
    reply: Admission,
    timeoutMs: 2_000,
  }),
  admitM31: procedure('prover', 'admit-m31', {
    request: StarkProveM31Request,
    reply: Admission,
    timeoutMs: 2_000,
  }),
  admitSpatial: procedure('prover', 'admit-spatial', {
    request: SpatialProveRequest,
    reply: Admission,
    timeoutMs: 2_000,
  }),
  proveGoldilocks: procedure('prover', 'prove-goldilocks', {
    isPublic: true,
    request: call(StarkProveRequest),
    reply: StarkProveReply,
    timeoutMs: PROVE_TIMEOUT_MS,
  }),
  proveM31: procedure('prover', 'prove-m31', {
    isPublic: true,
    request: call(StarkProveM31Request),
    reply: StarkProveReply,
    timeoutMs: PROVE_TIMEOUT_MS,
  }),
  proveSpatial: procedure('prover', 'prove-spatial', {
    isPublic: true,
    request: call(SpatialProveRequest),
    reply: SpatialProveReply,
    timeoutMs: PROVE_TIMEOUT_MS,
  }),
} as const;
