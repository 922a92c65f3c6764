import { z } from 'zod';
import { procedure, type ServiceName } from './procedure.js';
import { PublicInputs } from './prover.contract.js';
import { ToolName } from './tool-catalog.contract.js';

/** What an effect is known again by: 32 bytes as lower-case hexadecimal. */
export const IdemKey = z.string().regex(/^[0-9a-f]{64}$/);

const ToolJson = z.record(z.string(), z.unknown());

/** What a tool answered, and what of its evidence an answer repeats. */
export const ToolReply = z.object({
  /** The outputs of the catalogue. */
  output: ToolJson,
  /** `0x` hex, where the tool makes a STARK of its own. */
  starkRoot: z.string().optional(),
  proofId: z.string().optional(),
  /** The AIR of that proof, what it states in public, and its domain tag. */
  airId: z.string().optional(),
  publicInputs: PublicInputs.optional(),
  contextDomain: z.string().optional(),
  /**
   * What opens the commitment of that proof beside the inputs, for the payer alone. An answer that has it as `opening` has
   * `airId` too: its evidence leaves it out then.
   */
  opening: z.record(z.string(), z.string()).optional(),
});
export type ToolReply = z.infer<typeof ToolReply>;

/** Longest that a question for the progress of a call is held open, milliseconds. */
export const TOOL_PROGRESS_WAIT_MS_MAX = 10_000;

/** How far a call has come. */
export const ToolProgress = z.object({
  /** Grows with each step; 0 before the first. */
  seq: z.int().min(0),
  /** Share of the steps that are behind it, 0 to 1; it never falls. */
  progress: z.number().min(0).max(1),
  /** What is being done now. */
  stage: z.string().max(64).optional(),
  ended: z.boolean(),
});
export type ToolProgress = z.infer<typeof ToolProgress>;

/**
 * How any service runs tools of the catalogue: once for each `idemKey`, however often it is asked, and never after the
 * key was revoked.
 */
const toolCalls = (service: ServiceName) => ({
  /**
   * Whether the inputs can be worked on, asked before anything is taken. UNPROCESSABLE, OVERLOADED and the like;
   * NOT_YET_AVAILABLE for a tool that another service runs.
   */
  admitTool: procedure(service, 'admit-tool', {
    request: z.object({ tool: ToolName, input: ToolJson }),
    reply: z.object({}),
    timeoutMs: 2_000,
  }),
  /**
   * Runs the tool, or gives what the same key came to. CONFLICT where the key was revoked, or runs at another replica (then
   * with a time to come again); UNPROCESSABLE where the key is of other inputs; NOT_YET_AVAILABLE for a tool that another
   * service runs. After any other fault it may be asked again.
   */
  callTool: procedure(service, 'call-tool', {
    request: z.object({
      tool: ToolName,
      input: ToolJson,
      idemKey: IdemKey,
      receipt: z.string().max(16_384),
      /** The account whose key pays, where one does. */
      accountId: z.string().max(64).optional(),
      /** Origin that the client called: where a tool sends its buyer to. */
      baseUrl: z.url().max(512).optional(),
    }),
    reply: ToolReply,
    timeoutMs: 120_000,
  }),
  /** What became of a key: `unknown` where nothing is known of it. */
  toolOutcome: procedure(service, 'tool-outcome', {
    request: z.object({ idemKey: IdemKey }),
    reply: z.object({
      state: z.enum(['unknown', 'running', 'done', 'revoked']),
      reply: ToolReply.optional(),
    }),
    timeoutMs: 5_000,
  }),
  /**
   * How far the run of a key has come: answers when that is more than `afterSeq`, when the run has ended, or after `waitMs`.
   * A key that is not known yet may be on its way: it is waited for.
   */
  toolProgress: procedure(service, 'tool-progress', {
    request: z.object({
      idemKey: IdemKey,
      afterSeq: z.int().min(0).default(0),
      waitMs: z.int().min(0).max(TOOL_PROGRESS_WAIT_MS_MAX).default(0),
    }),
    reply: ToolProgress,
    timeoutMs: TOOL_PROGRESS_WAIT_MS_MAX + 5_000,
  }),
  /** Takes a call back, also one that never came: it is refused when it does. Idempotent. */
  revokeTool: procedure(service, 'revoke-tool', {
    request: z.object({ idemKey: IdemKey }),
    /** What it was when it was revoked; `unknown`: a tombstone stands where it would have been. */
    reply: z.object({ was: z.enum(['unknown', 'running', 'done', 'revoked']) }),
    timeoutMs: 5_000,
  }),
});

/** Services that run tools over the bus, by name. */
export const toolCallContract = {
  prover: toolCalls('prover'),
  payments: toolCalls('payments'),
  department: toolCalls('department'),
  snn: toolCalls('snn'),
  acoustic: toolCalls('acoustic'),
  'mesh-signalling': toolCalls('mesh-signalling'),
} as const;

/** Who runs each tool. */
export const TOOL_RUNNERS: Readonly<Record<ToolName, keyof typeof toolCallContract>> = {
  zk_prove_spatial: 'prover',
  generate_goldilocks_stark_proof: 'prover',
  create_purchase_link: 'payments',
  get_product_catalog: 'payments',
  verify_acoustic_proximity_token: 'acoustic',
  evaluate_spatial_parcel_fep: 'snn',
  webgpu_snn_attractor: 'snn',
  sync_mesh_crdt: 'mesh-signalling',
  arena_challenge: 'department',
  m2m_license_contract: 'payments',
};
