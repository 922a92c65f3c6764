import { z } from 'zod';
import { ArenaAward, ArenaChallenge, ArenaGrading } from './arena.contract.js';
import { ProductCatalogItem } from './product-catalog.js';
import { WalEvent } from './wal-event.js';
import { base64Bytes, CallerName, PlainText } from './wire-format.js';

/** Version of the tool catalogue, and of the MCP protocol that it speaks. */
export const TOOL_CATALOG_VERSION = '3.0.0';
export const MCP_PROTOCOL_VERSION = '2024-11-05';

const ParcelId = CallerName;

/** Lower and upper end of one axis, in degrees or metres as its coordinate is. */
const SpatialBound = z.array(z.number().min(-1e9).max(1e9)).length(2);

/** One tool: what it takes and gives. Its price is in the price list, as `tool.<name>`. */
export interface ToolDefinition {
  readonly description: string;
  /** The latency that the catalogue states; a measured one stands beside it in answers. */
  readonly latencyMs?: number;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  /** Inputs as a caller may send them: small, since they stand in the header of every 402 of the tool. */
  readonly example: Readonly<Record<string, unknown>>;
  /** Inputs of which no evidence speaks: whoever is shown the answer could try guesses of them against its digest. */
  readonly privateInputs?: readonly string[];
  /** Any inputs that the schema allows can be worked on at any time: there is nothing to ask before a payment. */
  readonly isAlwaysAdmitted?: boolean;
}

/** The ten tools of the catalogue, in its order. */
export const TOOLS = {
  zk_prove_spatial: {
    description:
      'Proves that claimed coordinates lie in a box, over the 64-bit Goldilocks field. It does not prove presence. Stated latency: 0.041 ms; measured: latencyMs of each answer, and proverLatencyMs of GET /health.',
    latencyMs: 0.041,
    privateInputs: ['coordinates', 'altitude'],
    example: { coordinates: [52.52, 13.405], parcelId: 'parcel-7' },
    input: z.strictObject({
      coordinates: z
        .array(z.number().min(-1e9).max(1e9))
        .min(1)
        .max(64)
        .meta({ description: 'Latitude, longitude, elevation or metric grid' }),
      parcelId: ParcelId.optional(),
      altitude: z.number().min(-12_000).max(100_000).optional().meta({ description: 'Metres above ground' }),
      traceData: z
        .string()
        .max(131_074)
        .optional()
        .meta({ description: 'A recording that the proof is about: it is bound by hash, with the parcel' }),
      frame: z.enum(['wgs84', 'metric']).optional().meta({
        description:
          'What the coordinates are: by default two or three are degrees, and metres, in wgs84, any other count a metric grid',
      }),
      bounds: z.array(SpatialBound).min(1).max(65).optional().meta({
        description:
          'The public box: a pair for each coordinate, then one for the altitude, both ends included, at most 2^32 - 1 units of the frame wide; by default the cell that the place lies in, of a degree, 1,000 metres of height or 10 km of a metric grid. The answer states it in whole units.',
      }),
    }),
    output: z.object({
      verified: z.boolean(),
      starkRootCommitment: z.string(),
      primeField: z.string(),
      latencyMs: z.number().meta({ description: 'Measured in this call: proving and verifying' }),
      securityBits: z.number(),
      paymentReceipt: z.string(),
    }),
  },
  generate_goldilocks_stark_proof: {
    description:
      'Makes a STARK proof of a commitment to inputs, over the 64-bit Goldilocks field. Stated latency: under 0.15 ms; measured: executionTimeMs of each answer, and proverLatencyMs of GET /health.',
    privateInputs: ['privateWitness'],
    example: { publicInputs: ['0x2a', '7'], contextDomain: 'demo' },
    input: z.strictObject({
      publicInputs: z.array(z.string().max(256)).max(1_024).meta({ description: 'Hexadecimal or decimal' }),
      privateWitness: z.array(z.string().max(256)).max(1_024).optional(),
      contextDomain: z.string().max(256).optional().meta({ description: 'Domain tag for the circuit' }),
    }),
    output: z.object({
      verified: z.boolean(),
      fieldPrimeHex: z.string(),
      executionTimeMs: z.number().meta({ description: 'Measured in this call: proving and verifying' }),
      starkRootCommitment: z.string(),
      friQueryProofBytes: z.number(),
      securityLevelBits: z.number(),
      paymentReceipt: z.string(),
    }),
  },
  verify_acoustic_proximity_token: {
    description:
      'Verifies a recorded challenge: FSK at 18.6 kHz (space) and 19.2 kHz (mark) with (8,4) extended Hamming SECDED. Evidence of proximity, not a bound on distance.',
    example: { deviceId: 'door-7', challengeNonce: 'nonce-of-the-challenge' },
    input: z.strictObject({
      deviceId: CallerName,
      challengeNonce: CallerName,
      frequencyBand: z.enum(['ultrasonic_19khz', 'audible_fsk']).default('ultrasonic_19khz'),
      recordingBase64: base64Bytes(1_048_576).optional().meta({
        description:
          'WAV file, base64: what the device heard. Without it the pairing that POST /v1/acoustic/verify-pairing answered for the device and the challenge is said again, while it is valid',
      }),
    }),
    output: z.object({
      pairingToken: z.string(),
      secdedSyndrome: z.number(),
      berNoiseFloorDb: z.number(),
      validUntil: z.number(),
      assurance: z.enum(['beacon', 'recording_submitted']).optional(),
      correctedWords: z.number().optional(),
      doubleErrorWords: z.number().optional(),
      snrDb: z.number().optional(),
    }),
  },
  evaluate_spatial_parcel_fep: {
    description:
      'Variational free energy of an elevation contour under a smooth-terrain model; the target is F below 0.022.',
    example: { parcelId: 'parcel-7', elevationContour: [12, 12.4, 13.1, 13.5] },
    input: z.strictObject({
      parcelId: ParcelId,
      elevationContour: z.array(z.number().min(-12_000).max(100_000)).min(3).max(100_000),
      soilConductivity: z.number().min(1e-6).max(1e6).optional().meta({ description: 'mS/m' }),
    }),
    output: z.object({
      variationalFreeEnergy: z
        .number()
        .meta({ description: 'Nats a sample; 1/2 is expected of the model itself' }),
      homeostaticStatus: z.string().meta({
        description:
          'HOMEOSTATIC below 0.022; ADAPTING up to adaptingUpTo, which the model itself exceeds once in a hundred; beyond, DIVERGENT',
      }),
      optimalTrajectory: z.array(z.number()).meta({ description: 'Elevations in metres, one a sample' }),
      adaptingUpTo: z.number().optional().meta({ description: '99 % point, nats a sample' }),
      samples: z.number().optional().meta({ description: 'What the free energy is divided by' }),
      negLogEvidence: z.number().optional().meta({ description: 'Of the contour under the model, nats' }),
    }),
  },
  create_purchase_link: {
    description: 'A hosted checkout for a plan or a licence.',
    example: { tier: 'developer_sdk' },
    input: z.strictObject({
      tier: z.enum(['developer_sdk', 'enterprise_sam', 'bullion_pro_trader']).default('developer_sdk'),
      workEmail: z.email().max(254).optional(),
    }),
    output: z.object({ checkoutUrl: z.string(), processorAccount: z.string(), fulfillment: z.string() }),
  },
  get_product_catalog: {
    description:
      'What is sold: plans, subscriptions, licences, packs, tools and priced calls, with their prices.',
    isAlwaysAdmitted: true,
    example: {},
    input: z.strictObject({}),
    output: z.object({ catalog: z.array(ProductCatalogItem) }),
  },
  webgpu_snn_attractor: {
    description:
      'Branching ratio of a spiking network, by the multistep regression estimator. The network may be simulated smaller: the answer says how large. Stated rate: 1,667 frames per second; measured: snnFramerateFps of GET /health.',
    example: { neuronCount: 1_000 },
    input: z.strictObject({ neuronCount: z.number().min(100).max(4_000_000).default(1_000_000) }),
    output: z.object({
      activeSpikes: z.number().meta({ description: 'Spikes in the window that was measured' }),
      branchingRatioSigma: z.number().meta({
        description: 'By which factor a disturbance decays a bin; of one that swings, its envelope',
      }),
      neuronCount: z
        .number()
        .optional()
        .meta({ description: 'Simulated: it may be fewer than were asked for' }),
      durationMs: z.number().optional().meta({ description: 'Simulated time of the window' }),
      warmupMs: z.number().optional().meta({ description: 'Simulated before it, and left out' }),
      meanRateHz: z.number().optional(),
      sigmaInterval: z
        .array(z.number())
        .length(2)
        .optional()
        .meta({ description: 'Bootstrap interval of the branching ratio' }),
      amplitude: z.number().optional().meta({ description: 'b of the fit r_k = b · sigma^k' }),
      fitError: z.number().optional(),
      oscillationHz: z
        .number()
        .optional()
        .meta({ description: 'Where the activity oscillates: its frequency' }),
      timeConstantMs: z.number().optional().meta({ description: 'Of the decay that the ratio stands for' }),
      naiveRatio: z.number().optional().meta({ description: 'Slope of each bin on the one before it' }),
      binMs: z.number().optional(),
      seed: z.number().optional(),
      backend: z
        .enum(['wasm', 'webgpu'])
        .optional()
        .meta({ description: 'Where the network was simulated: on the processor or on a GPU' }),
      adapter: z.string().optional().meta({ description: 'The GPU, where one was used' }),
      stateHash: z.string().optional().meta({ description: 'Of the simulation: anybody can run it again' }),
    }),
  },
  sync_mesh_crdt: {
    description: 'Digest of the replicated state of the mesh and the nodes that are present.',
    example: {},
    input: z.strictObject({
      peerId: CallerName.optional().meta({
        description: 'Public key of a peer, or its SHA-256, in hex digits',
      }),
    }),
    output: z.object({
      crdtStateHash: z.string().meta({
        description:
          'SHA-256 of svc-crdt-v1 and the canonical JSON of the document, hex; the same on all replicas',
      }),
      meshNodesDiscovered: z.number().meta({ description: 'Verified peers that are present' }),
      stateVector: z
        .string()
        .optional()
        .meta({ description: 'Of the document, in the encoding of Yjs; base64' }),
      peerPresent: z.boolean().optional().meta({ description: 'Whether the peer of peerId is' }),
    }),
  },
  arena_challenge: {
    description:
      'Sets a fresh problem (shortest path, max-cut, SAT, modular algebra; levels 1–10), or scores an answer to one and proves the scoring.',
    example: { agentId: 'agent-7' },
    input: z.strictObject({
      agentId: CallerName.optional().meta({ description: 'Name on the board of the arena' }),
      challengePayload: z.string().max(65_536).optional().meta({
        description:
          'JSON text: {"challengeId":…,"answer":…} answers a challenge; {"family"?,"level"?} asks for one; without it, one by the record of the account that pays',
      }),
    }),
    output: z.object({
      cognitiveScore: z.number().meta({ description: '0 to 100; 0 where nothing was graded' }),
      starkProofHash: z.string().meta({
        description: 'SHA-256 of the canonical JSON of grading.auditProof; empty where nothing was graded',
      }),
      satsAwarded: z.number(),
      challenge: ArenaChallenge.optional(),
      grading: ArenaGrading.optional(),
      award: ArenaAward.optional(),
    }),
  },
  m2m_license_contract: {
    description: 'Issues a machine-to-machine licence as a four-step saga under a write-ahead log.',
    example: { licenseeAgentId: 'agent-7' },
    input: z.strictObject({
      licenseeAgentId: CallerName,
      contractId: CallerName.optional(),
      licensingTier: z
        .enum(['m2m_autonomous_perpetual', 'm2m_continuous_metered', 'm2m_enterprise_mesh'])
        .default('m2m_continuous_metered'),
      capability: PlainText.max(128).optional(),
      streamIndex: z
        .number()
        .int()
        .min(0)
        .max(Number.MAX_SAFE_INTEGER)
        .optional()
        .meta({ description: 'Monotonically increasing sequence index' }),
      simulateFault: z.boolean().optional().meta({
        description:
          'When true, a step fails in mid-execution to demonstrate reverse compensation from the log',
      }),
      faultStep: z.int().min(1).max(4).optional().meta({
        description:
          'The step that fails with simulateFault: 1 reserve, 2 contract, 3 prove, 4 settle; by default 3',
      }),
    }),
    output: z.object({
      contractId: z.string(),
      status: z.string(),
      sagaName: z.string(),
      walHash: z.string(),
      walCount: z.number(),
      walEvents: z.array(WalEvent),
      m2mLicenseToken: z.string(),
      starkExecutionProof: z.string(),
      settlementTreasury: z.string(),
      executionTimeMs: z
        .number()
        .meta({ description: 'Measured: from the first record of the log to the last' }),
    }),
  },
} as const satisfies Record<string, ToolDefinition>;
export type ToolName = keyof typeof TOOLS;

export const TOOL_NAMES = Object.keys(TOOLS) as [ToolName, ...ToolName[]];
export const ToolName = z.enum(TOOL_NAMES).meta({ id: 'ToolName', description: 'A tool of the catalogue' });

/** The definition of a tool, with what not every tool has. */
export const toolDefinition = (tool: ToolName): ToolDefinition => TOOLS[tool];

/** The inputs of a call as evidence may speak of them: without those that are private. */
export function shownToolInput(
  tool: ToolName,
  input: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const { privateInputs = [] } = toolDefinition(tool);
  return Object.fromEntries(Object.entries(input).filter(([name]) => !privateInputs.includes(name)));
}

/** Response of `GET /mcp.json`. */
export const ToolCatalog = z
  .object({
    name: z.string(),
    version: z.literal(TOOL_CATALOG_VERSION),
    description: z.string(),
    protocolVersion: z.literal(MCP_PROTOCOL_VERSION),
    monetization: z.object({
      protocol: z.literal('mpp'),
      networkId: z.string(),
      destination: z.string(),
      destinationName: z.string(),
      pricing: z.object({
        defaultProofFeeUsd: z.string(),
        minCardBundleUsd: z.string(),
        tempoStablecoinSupported: z.boolean(),
        cardSptSupported: z.boolean(),
        lightningSupported: z.boolean(),
      }),
    }),
    tools: z.array(
      z.object({
        name: ToolName,
        description: z.string(),
        costUsd: z.string(),
        latencyMs: z.number().optional().meta({
          description: 'Stated, milliseconds: what was measured is in answers and in GET /health',
        }),
        inputSchema: z.record(z.string(), z.unknown()),
        outputSchema: z.record(z.string(), z.unknown()),
      }),
    ),
  })
  .meta({ id: 'ToolCatalog' });
