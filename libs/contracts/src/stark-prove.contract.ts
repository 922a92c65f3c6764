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
import {
  AirDefinition,
  AirFacts,
  OwnAirId,
  ownTraceFields,
  refuseManyElements,
  TraceColumns,
} from './own-statement.contract.js';
import { TOOLS } from './tool-catalog.contract.js';

/** Elements in one list of inputs of a `binding/v1` proof. */
const BINDING_INPUTS_MAX = 1_024;
/** Decimal or hexadecimal text of one input. */
const BINDING_INPUT_CHARS_MAX = 256;
/** Rows of the longest list of inputs of a generator. */
const RAW_ROWS_MAX = 65_536;

/** What a proof can be about: see the description of the request. */
export const STATEMENTS = ['binding', 'preimage', 'raw', 'own'] as const;
export const GOLDILOCKS_PARAMETER_SETS = ['P100', 'P128', 'udr100', 'conjectured96'] as const;
export const M31_PARAMETER_SETS = ['m31', 'm31-fast'] as const;

const BindingInput = z
  .string()
  .max(BINDING_INPUT_CHARS_MAX)
  .regex(/^(0x[0-9a-fA-F]+|[0-9]+)$/, { error: 'a decimal number, or hexadecimal digits after 0x' });

const GeneratorInput = z.union([
  z.string().max(4_096),
  z.number(),
  z.boolean(),
  z
    .array(z.union([z.string().max(64), z.number()]))
    .min(1)
    .max(RAW_ROWS_MAX),
]);

/** A raw AIR of ours. */
const RAW_AIR_ID = /^raw\/[a-z0-9-]{1,40}\/v[0-9]{1,3}$/;

const statementFields = {
  statement: z.enum(STATEMENTS).default('binding').meta({
    description:
      'binding: a commitment to all inputs, which is an output; preimage: knowledge of a witness whose hash is `publicInputs`; raw: a trace under a published AIR; own: a trace under a definition of yours, `air`',
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
    .union([z.string().regex(RAW_AIR_ID), OwnAirId])
    .optional()
    .meta({
      description:
        'raw: the AIR; own: the id of `air` as you have computed it, which must be the id of what came; of a statement of the gallery it stands alone',
      example: 'raw/fibonacci/v1',
    }),
  air: AirDefinition.optional(),
  ...ownTraceFields,
  trace: TraceColumns.optional().meta({
    description:
      'raw: the whole trace, one array a column, instead of `inputs`; own: the columns that no constraint and no hint gives, in the order of the definition',
  }),
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
    description: 'raw, own: rows of the trace, a power of two; by default what the statement needs',
  }),
  zeroKnowledge: z.boolean().optional().meta({
    description:
      'raw: hides the trace, by default not; own: by default it does; the other statements always do',
  }),
};

type StatementFields = {
  statement: (typeof STATEMENTS)[number];
  [name: string]: unknown;
};
/** The members of one statement that others have not. */
const MEMBERS: Readonly<Record<(typeof STATEMENTS)[number], readonly string[]>> = {
  binding: ['publicInputs', 'privateWitness'],
  preimage: ['publicInputs', 'privateWitness'],
  raw: ['airId', 'trace', 'inputs', 'degree', 'zeroKnowledge'],
  own: ['airId', 'air', 'trace', ...Object.keys(ownTraceFields), 'degree', 'zeroKnowledge'],
};
const PARTICULAR = [...new Set(Object.values(MEMBERS).flat())];

/** The statements that have a member. */
const ownersOf = (name: string) =>
  STATEMENTS.filter(statement => MEMBERS[statement].includes(name))
    .map(statement => `"${statement}"`)
    .join(' or ');

/** Which members belong to which statement; a member of another statement is refused, not passed over. */
function refuseForeignMembers(body: StatementFields, context: z.RefinementCtx): void {
  const { statement } = body;
  const refuse = (path: string, message: string) =>
    context.addIssue({ code: 'custom', path: [path], message, params: { bound: statement } });
  const has = (name: string) => body[name] !== undefined;
  for (const name of PARTICULAR)
    if (has(name) && !MEMBERS[statement].includes(name))
      refuse(
        name,
        `is no member of a ${statement} statement${statement === 'binding' ? `: "statement" is to be ${ownersOf(name)}` : ''}`,
      );
  switch (statement) {
    case 'raw':
      if (!has('airId')) refuse('airId', 'is required for a raw statement');
      else if (String(body['airId']).startsWith('air/')) refuse('airId', 'is that of an own statement');
      if (has('trace') === has('inputs'))
        refuse('trace', 'a raw statement takes trace or inputs, one of the two');
      return;
    case 'own':
      if (!has('air') && !has('airId')) refuse('air', 'is required for an own statement');
      if (String(body['airId'] ?? 'air/').startsWith('raw/')) refuse('airId', 'is that of a raw statement');
      if (has('trace') && has('traceBytes'))
        refuse('traceBytes', 'an own statement takes trace or traceBytes, one of the two');
      refuseManyElements(body['trace'] as unknown[][] | undefined, context);
      return;
    default:
      if (!has('publicInputs')) refuse('publicInputs', `is required for ${statement}`);
  }
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

/** A definition, and as much of a statement under it as there is. */
const ownStatementFields = {
  air: AirDefinition.optional(),
  airId: OwnAirId.optional(),
  ...ownTraceFields,
  trace: TraceColumns.optional(),
  parameterSet: z.enum([...GOLDILOCKS_PARAMETER_SETS, ...M31_PARAMETER_SETS]).optional(),
  ...{ friBlowup: statementFields.friBlowup, degree: statementFields.degree },
  zeroKnowledge: z.boolean().default(true),
};

/** Arguments of the MCP tool `prove_own_statement`: the members of an own statement over either field. */
export const OwnStatementArguments = z.strictObject({
  ...ownStatementFields,
  contextDomain: statementFields.contextDomain,
});

/** Body of `POST /v1/zk/airs/check`. */
export const AirCheckRequest = z
  .strictObject({
    statement: z.literal('own').optional().meta({ description: 'As the body of a proof has it' }),
    ...ownStatementFields,
  })
  .superRefine((body, context) => {
    refuseManyElements(body.trace, context);
    if (body.air === undefined && body.airId === undefined)
      context.addIssue({ code: 'custom', path: ['air'], message: 'is required, or airId of the gallery' });
    if (body.trace && body.traceBytes !== undefined)
      context.addIssue({
        code: 'custom',
        path: ['traceBytes'],
        message: 'is sent beside trace: one of the two is taken',
      });
  })
  .meta({ id: 'AirCheckRequest' });
export type AirCheckRequest = z.output<typeof AirCheckRequest>;

/** What a proof of a statement would be, and take. */
const AirCost = z.object({
  rows: z.int(),
  traceLength: z.int(),
  units: z.int().meta({ description: 'What the proof takes; one unit is 10 ns on two cores' }),
  unitsMax: z.int().meta({ description: 'What is sold at the price of the route' }),
  rowsThatFit: z.int().optional().meta({
    description: 'Where it takes more: rows that would be sold, 0 for none; the trace was not looked at',
  }),
  memoryBytes: z.int(),
  security: z
    .array(
      z.object({
        parameterSet: z.string(),
        securityBits: z.number(),
        conjecturedSecurityBits: ConjecturedSecurityBits,
      }),
    )
    .meta({ description: 'For each parameter set of its field that offers `friBlowup`' }),
});

/** Answer of `POST /v1/zk/airs/check`. */
export const AirCheckResult = z
  .object({
    airId: OwnAirId,
    field: z.enum(['goldilocks', 'm31']),
    air: z.string().meta({ description: 'The definition, canonical: `airId` is the SHA-256 of this text' }),
    facts: AirFacts,
    trace: z.array(z.string()).meta({ description: 'The columns that `trace` is to have, in this order' }),
    cost: AirCost.optional().meta({ description: 'Of the statement, where one came' }),
    holds: z
      .boolean()
      .optional()
      .meta({ description: 'Whether the trace keeps the definition, where a statement came' }),
    publicInputs: PublicInputs.optional(),
    broken: z
      .object({
        row: z.int(),
        constraint: z.string().optional(),
        column: z.string().optional(),
        operands: z
          .array(z.string())
          .meta({ description: 'What should have cancelled, or what stands in the cell and what should' }),
        message: z.string(),
      })
      .optional()
      .meta({ description: 'The first row that does not hold' }),
  })
  .meta({ id: 'AirCheckResult' });
export type AirCheckResult = z.infer<typeof AirCheckResult>;

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
  air: z.string().optional().meta({
    description:
      'own: the definition, canonical: `airId` is the SHA-256 of this text, and a verifier needs it beside the proof',
  }),
  formatVersion: z.int().optional().meta({ description: 'own: of the proof, 3' }),
  facts: AirFacts.optional(),
  units: z
    .int()
    .optional()
    .meta({ description: 'own: what the proof takes, as the price of the route bounds it' }),
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
  /** What a definition is, and what a proof of a statement under it would take. UNPROCESSABLE names the fault. */
  checkAir: procedure('prover', 'check-air', {
    request: AirCheckRequest,
    reply: AirCheckResult,
    timeoutMs: 15_000,
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
