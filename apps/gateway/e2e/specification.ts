/**
 * The tables of the published specification, as it states them. Nothing here is made from the code: it is what the routes,
 * the index, the OpenAPI document and the catalogue are held against.
 */

/** `name: type`, with `!` where it is required, `= default` where it has one, and `in a b c` where it is one of few. */
export type Fields = readonly string[];

export interface SpecifiedEndpoint {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Members of the body, where the specification states them. */
  readonly request?: Fields;
  /** Members that this service takes beyond the table; none of them is required. */
  readonly more?: readonly string[];
  /** Query parameters. */
  readonly query?: Fields;
  /** Members of the answer with this status. */
  readonly response?: Fields;
  readonly status: 200 | 402;
  /** Answers 402 where payment is missing. */
  readonly asksForPayment?: boolean;
}

/** Endpoints, rows 1 to 14. */
export const ENDPOINTS: readonly SpecifiedEndpoint[] = [
  {
    ...{ method: 'GET', path: '/health', status: 200 },
    response: [
      ...['status: string', 'version: string', 'domainsOnline: integer', 'proverLatencyMs: number'],
      ...['snnFramerateFps: integer', 'fepSurprisal: number', 'timestamp: string'],
    ],
  },
  {
    ...{ method: 'POST', path: '/v1/zk/prove', status: 200, asksForPayment: true },
    request: ['traceData: string!', 'degree: integer = 65536', 'friBlowup: integer = 8'],
    response: [
      ...['proofRootHash: string', 'verificationLatencyMs: number', 'fieldOps: integer'],
      ...['primeField: string', 'status: string'],
    ],
  },
  {
    ...{ method: 'POST', path: '/v1/snn/solve', status: 200 },
    request: ['neuronCount: integer! = 1000000', 'iterations: integer = 100'],
    more: [
      ...['dtMs', 'seed', 'outDegree', 'delayMs', 'plasticity', 'connectivity', 'backend', 'threads'],
      ...['warmupSteps', 'record', 'dryRun'],
    ],
    response: [
      ...['activeNeurons: integer', 'spikeCount: integer', 'framerateFps: integer', 'vramConsumedMb: number'],
    ],
  },
  {
    ...{ method: 'POST', path: '/v1/acoustic/modulate', status: 200 },
    request: ['payloadHex: string!', 'carrierHz: integer = 18600'],
    more: ['baud', 'frequencyBand', 'profile', 'lineCode', 'includeWav'],
    response: ['sampleRate: integer', 'durationSeconds: number'],
  },
  {
    ...{ method: 'POST', path: '/v1/mesh/rendezvous', status: 200 },
    request: ['peerPublicKey: string!', 'sdpOffer: string!'],
    more: ['targetPeerKey', 'signature', 'nonce', 'timestamp'],
    response: ['sdpAnswer: string', 'sessionStatus: string'],
  },
  {
    ...{ method: 'GET', path: '/v1/x402/challenge', status: 402 },
    query: ['tool: string = m2m_license_contract'],
  },
  {
    ...{ method: 'POST', path: '/v1/x402/verify', status: 200 },
    request: ['challengeToken: string', 'agentId: string', 'capability: string'],
  },
  { method: 'POST', path: '/v1/x402/execute', status: 200 },
  { method: 'GET', path: '/v1/x402/telemetry', status: 200 },
  { method: 'POST', path: '/api/agent/verify-bullion', status: 200, asksForPayment: true },
  { method: 'POST', path: '/api/agent/card-valuation', status: 200, asksForPayment: true },
  { method: 'POST', path: '/partnerCoiVerify', status: 200, asksForPayment: true },
  {
    ...{ method: 'POST', path: '/prepay-credits', status: 200 },
    request: ['packId: string = pack_10 in pack_10 pack_50 pack_250', 'customerEmail: string'],
    response: ['checkoutUrl: string', 'sessionId: string', 'packId: string', 'credits: integer'],
  },
  {
    ...{ method: 'GET', path: '/prepay-success', status: 200 },
    query: ['session_id: string!'],
  },
];

/** Further endpoints, which the gateway index lists by method and path alone. */
export const FURTHER_ENDPOINTS = [
  'GET /openapi.json',
  'GET /mcp.json',
  'POST /v1/acoustic/verify-pairing',
  'POST /v1/acoustic/challenge',
  'POST /v1/speckle/extract-puf',
  'POST /v1/speckle/verify-slab',
  'POST /v1/escrow/create-intent',
  'POST /v1/stark/prove-goldilocks',
  'POST /v1/stark/prove-m31',
  'POST /v1/stark/verify-proof',
  'POST /v1/stark/pq-verify',
  'POST /v1/snn/solve-graph',
  'POST /v1/fep/active-inference',
  'POST /departments/:deptId',
  'GET /sam/verify-key/:licenseKey',
  'GET /leads',
];

export interface SpecifiedTool {
  readonly costUsd: string;
  readonly latencyMs?: number;
  readonly inputs: Fields;
  readonly outputs: Fields;
  /** What the description states, word for word. */
  readonly phrases?: readonly string[];
  /** Inputs and outputs that this service takes and gives beyond the table; none of them is required. */
  readonly more?: readonly string[];
}

/** The ten tools, in their order. */
export const SPECIFIED_TOOLS: Readonly<Record<string, SpecifiedTool>> = {
  zk_prove_spatial: {
    ...{ costUsd: '0.001', latencyMs: 0.041 },
    phrases: ['64-bit Goldilocks field', 'Stated latency: 0.041 ms; measured: latencyMs of each answer'],
    inputs: ['coordinates: array of number!', 'parcelId: string', 'altitude: number', 'traceData: string'],
    outputs: [
      ...['verified: boolean', 'starkRootCommitment: string', 'primeField: string', 'latencyMs: number'],
      ...['securityBits: number', 'paymentReceipt: string'],
    ],
    more: ['frame', 'bounds'],
  },
  generate_goldilocks_stark_proof: {
    costUsd: '0.001',
    phrases: [
      '64-bit Goldilocks field',
      'Stated latency: under 0.15 ms; measured: executionTimeMs of each answer',
    ],
    inputs: [
      ...['publicInputs: array of string!', 'privateWitness: array of string', 'contextDomain: string'],
    ],
    outputs: [
      ...['verified: boolean', 'fieldPrimeHex: string', 'executionTimeMs: number'],
      ...['starkRootCommitment: string', 'friQueryProofBytes: number', 'securityLevelBits: number'],
      'paymentReceipt: string',
    ],
  },
  verify_acoustic_proximity_token: {
    costUsd: '0.001',
    phrases: ['FSK at 18.6 kHz (space) and 19.2 kHz (mark) with (8,4) extended Hamming SECDED'],
    inputs: [
      ...['deviceId: string!', 'challengeNonce: string!'],
      'frequencyBand: string = ultrasonic_19khz in ultrasonic_19khz audible_fsk',
    ],
    outputs: [
      ...['pairingToken: string', 'secdedSyndrome: number', 'berNoiseFloorDb: number', 'validUntil: number'],
    ],
    more: ['recordingBase64', 'assurance', 'correctedWords', 'doubleErrorWords', 'snrDb'],
  },
  evaluate_spatial_parcel_fep: {
    costUsd: '0.001',
    phrases: ['ariational free energy', 'F below 0.022'],
    inputs: ['parcelId: string!', 'elevationContour: array of number!', 'soilConductivity: number'],
    outputs: [
      ...['variationalFreeEnergy: number', 'homeostaticStatus: string'],
      'optimalTrajectory: array of number',
    ],
    more: ['adaptingUpTo', 'samples', 'negLogEvidence'],
  },
  create_purchase_link: {
    costUsd: '0.001',
    inputs: [
      'tier: string = developer_sdk in developer_sdk enterprise_sam bullion_pro_trader',
      'workEmail: string',
    ],
    outputs: ['checkoutUrl: string', 'processorAccount: string', 'fulfillment: string'],
  },
  get_product_catalog: { costUsd: '0.001', inputs: [], outputs: ['catalog: array'] },
  webgpu_snn_attractor: {
    costUsd: '0.001',
    phrases: ['Stated rate: 1,667 frames per second; measured: snnFramerateFps of GET /health'],
    inputs: ['neuronCount: number = 1000000'],
    outputs: ['activeSpikes: number', 'branchingRatioSigma: number'],
    more: [
      ...['neuronCount', 'durationMs', 'warmupMs', 'meanRateHz', 'sigmaInterval', 'amplitude', 'fitError'],
      ...['oscillationHz', 'timeConstantMs', 'naiveRatio', 'binMs', 'seed', 'stateHash'],
      ...['backend', 'adapter'],
    ],
  },
  sync_mesh_crdt: {
    costUsd: '0.001',
    inputs: ['peerId: string'],
    outputs: ['crdtStateHash: string', 'meshNodesDiscovered: number'],
    more: ['stateVector', 'peerPresent'],
  },
  arena_challenge: {
    costUsd: '0.001',
    inputs: ['agentId: string', 'challengePayload: string'],
    outputs: ['cognitiveScore: number', 'starkProofHash: string', 'satsAwarded: number'],
    more: ['challenge', 'grading', 'award'],
  },
  m2m_license_contract: {
    costUsd: '0.005',
    inputs: [
      ...['licenseeAgentId: string!', 'contractId: string'],
      'licensingTier: string = m2m_continuous_metered in m2m_autonomous_perpetual m2m_continuous_metered m2m_enterprise_mesh',
      ...['capability: string', 'streamIndex: number', 'simulateFault: boolean'],
    ],
    outputs: [
      ...['contractId: string', 'status: string', 'sagaName: string', 'walHash: string', 'walCount: number'],
      ...['walEvents: array', 'm2mLicenseToken: string', 'starkExecutionProof: string'],
      ...['settlementTreasury: string', 'executionTimeMs: number'],
    ],
    more: ['faultStep'],
  },
};

/** The monetization block; the three names are those of the installation. */
export const PRICING = {
  defaultProofFeeUsd: '0.001',
  minCardBundleUsd: '0.50',
  tempoStablecoinSupported: false,
  cardSptSupported: true,
  lightningSupported: false,
};

/** Per-call prices that are stated in satoshis too. */
export const AGENT_PRICES: Readonly<Record<string, readonly [usd: string, sats: number]>> = {
  '/api/agent/verify-bullion': ['0.05', 100],
  '/api/agent/card-valuation': ['0.03', 60],
  '/partnerCoiVerify': ['0.25', 500],
};

/** Plans: US dollars and requests a month; null is unlimited. */
export const SPECIFIED_PLANS: readonly (readonly [id: string, usd: string, requests: number | null])[] = [
  ['demo', '0', 1_000],
  ['developer', '49', 50_000],
  ['pro_agent', '299', 500_000],
  ['enterprise', '1200', null],
];

export const SPECIFIED_PACKS: readonly (readonly [id: string, usd: string, audits: number])[] = [
  ['pack_10', '10', 40],
  ['pack_50', '50', 200],
  ['pack_250', '250', 1_000],
];

export const VERSIONS = {
  api: '2026.4.2',
  gatewayIndex: '3.2.0',
  toolCatalog: '3.0.0',
  protocol: '2024-11-05',
};

/** What a path parameter is in a request that only asks whether the route is there. */
export const PATH_EXAMPLES: Readonly<Record<string, string>> = { deptId: 'proofs', licenseKey: 'sam1.a.b' };
