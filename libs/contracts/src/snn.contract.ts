import { z } from 'zod';
import { commitmentEvidence } from './audit-proof.js';
import { PreferHeaders, Task } from './departments.contract.js';
import { AdmittedWork, Bytes, procedure } from './procedure.js';
import { defineRoutes } from './route.js';
import { TOOL_PROGRESS_WAIT_MS_MAX, ToolProgress } from './tool-call.contract.js';
import { Seed } from './wire-format.js';

/** Neurons of one simulation; more than this does not fit the memory of a worker. */
export const NEURON_COUNT_MAX = 4_000_000;
export const ITERATIONS_MAX = 100_000;
/** Weight of an excitatory synapse that has not learned, mV. */
export const EXCITATORY_WEIGHT_MV = 1.62;

const Plasticity = z
  .strictObject({
    rule: z.enum(['none', 'stdp-nn', 'stdp-all']).default('stdp-nn').meta({
      description: 'stdp-nn: nearest-neighbour symmetric pairs; stdp-all: all pairs; none: weights stay',
    }),
    aPlus: z.number().min(0).max(1).default(0.01).meta({ description: 'Share of wMaxMv, of a pair at once' }),
    aMinus: z.number().min(0).max(1).default(0.0105).meta({ description: 'Share of wMaxMv' }),
    tauPlusMs: z.number().min(1).max(1_000).default(20),
    tauMinusMs: z.number().min(1).max(1_000).default(20),
    wMaxMv: z
      .number()
      .min(EXCITATORY_WEIGHT_MV)
      .max(100)
      .default(2 * EXCITATORY_WEIGHT_MV)
      .meta({ description: 'Greatest weight, mV; synapses begin at 1.62' }),
  })
  .meta({ id: 'SnnPlasticity' });

const Recording = z
  .strictObject({
    rasterNeurons: z.int().min(0).max(1_000).default(0).meta({
      description:
        'Neurons of which each spike is told, evenly spread over the network; at most 100,000 spikes',
    }),
    rateHistogramBins: z.int().min(1).max(1_000).default(50),
    binMs: z.number().min(0.1).max(1_000).default(4).meta({
      description: 'Bins of the rate of the population, at least a step wide; at most 10,000 bins',
    }),
    svg: z.boolean().default(false).meta({ description: 'Raster and rates as SVG too' }),
  })
  .meta({ id: 'SnnRecording' });

/** Body of `POST /v1/snn/solve`. */
export const SnnRequest = z
  .strictObject({
    neuronCount: z.int().min(100).max(NEURON_COUNT_MAX).default(1_000_000).meta({
      description: 'Neurons, 80 % excitatory. An absent value takes the default',
    }),
    iterations: z.int().min(1).max(ITERATIONS_MAX).default(100).meta({
      description: 'Steps of dtMs of the whole network',
    }),
    dtMs: z.number().min(0.01).max(1).default(0.1),
    seed: Seed.optional(),
    outDegree: z.int().min(1).max(10_000).default(80),
    delayMs: z.number().min(0.1).max(20).default(1.5),
    plasticity: Plasticity.optional(),
    connectivity: z.enum(['procedural', 'stored']).optional(),
    backend: z.enum(['auto', 'wasm', 'webgpu']).default('auto'),
    threads: z.int().min(1).max(64).optional(),
    warmupSteps: z.int().min(0).max(ITERATIONS_MAX).default(0),
    record: Recording.optional(),
    dryRun: z
      .boolean()
      .default(false)
      .meta({ description: 'Answer the memory estimate and simulate nothing' }),
  })
  .meta({
    id: 'SnnRequest',
    required: ['neuronCount'],
    example: { neuronCount: 1_000_000, iterations: 100 },
  });

export type SnnRequest = z.output<typeof SnnRequest>;

const simulationFields = {
  activeNeurons: z.int().meta({ description: 'Distinct neurons that spiked' }),
  spikeCount: z.int(),
  framerateFps: z.int().meta({
    description:
      'Iterations by the wall time of the loop, the build left out: a frame is one step of all neurons',
  }),
  vramConsumedMb: z.number().meta({ description: 'Bytes really allocated, in megabytes of 10^6' }),
  meanRateHz: z.number(),
  rateHistogram: z
    .object({ binHz: z.number(), counts: z.array(z.int()) })
    .meta({ description: 'Neurons by their own rate: bin k is [k, k + 1) · binHz, and all of them fit' }),
  populationRate: z
    .object({ binMs: z.number(), ratesHz: z.array(z.number()) })
    .meta({ description: 'Mean rate of all neurons over time' }),
  raster: z
    .array(z.object({ neuron: z.int(), stepIndex: z.int() }))
    .optional()
    .meta({ description: 'Where rasterNeurons is more than 0: by step, then neuron' }),
  rasterTruncated: z.boolean().optional(),
  svg: z.object({ raster: z.string().optional(), rates: z.string() }).optional(),
  weights: z
    .object({
      meanMv: z.number(),
      sdMv: z.number(),
      truncatedHistories: z.int().meta({
        description:
          'Arrivals that may have missed spikes: since the arrival before, the neuron fired 16 times or more',
      }),
    })
    .optional()
    .meta({ description: 'Plastic weights at the end' }),
  buildMs: z.number(),
  stepMs: z.object({ p50: z.number(), p95: z.number() }),
  realTimeFactor: z.number().meta({ description: 'Simulated time by wall time' }),
  synapticEvents: z.int(),
  memoryKind: z.enum(['gpu', 'host']),
  backend: z.enum(['wasm', 'webgpu']),
  adapter: z.string().optional(),
  connectivity: z.enum(['procedural', 'stored']),
  threads: z.int(),
  iterations: z.int(),
  neuronCount: z.int(),
  stateHash: z.string().meta({
    description:
      'Digest of the state at the end: the same for the same request, whatever the threads and the connectivity, on the backend wasm',
  }),
  seed: z.int(),
};

/** What a simulation came to, as the service says it on the bus. */
export const SimulationReply = z.object(simulationFields);
export type SimulationReply = z.infer<typeof SimulationReply>;

/** What the evidence of each answer does not show, in one sentence. */
export const SNN_DOES_NOT_PROVE = {
  solve:
    'That the simulation was run as it says: only that this was answered then, and is unchanged; whoever runs the same request with the same seed on the backend wasm must get the same stateHash.',
  solveGraph:
    'That the solution is the best one, where exact is false, or was found by spikes: only that it was answered then, and is unchanged; whether it is valid anybody can check against the graph.',
  activeInference:
    'That the model is right, or was evaluated as it says: only that this was answered then, and is unchanged; whoever evaluates the same request must get the same numbers.',
} as const;

/** What `dryRun` answers: what a run would take. */
export const SnnEstimate = z
  .object({
    dryRun: z.literal(true),
    memoryMb: z.number().meta({ description: 'Bytes that would be allocated, in megabytes of 10^6' }),
    memoryKind: z.enum(['gpu', 'host']),
    backend: z.enum(['wasm', 'webgpu']),
    connectivity: z.enum(['procedural', 'stored']),
    threads: z.int(),
    synapses: z.int(),
    seconds: z.number().meta({
      description: 'Estimate of the time of the run alone, from runs that were measured here',
    }),
  })
  .meta({ id: 'SnnEstimate' });
export type SnnEstimate = z.infer<typeof SnnEstimate>;

/** Response of `POST /v1/snn/solve`; the first four fields are the spec's. */
export const SnnResult = z.object({ ...simulationFields, ...commitmentEvidence }).meta({ id: 'SnnResult' });
export type SnnResult = z.infer<typeof SnnResult>;

const GRAPH_NODES_MAX = 100_000;
const GRAPH_EDGES_MAX = 1_000_000;
const NodeIndex = z
  .int()
  .min(0)
  .max(GRAPH_NODES_MAX - 1);

/** Body of `POST /v1/snn/solve-graph`. */
export const SolveGraphRequest = z
  .strictObject({
    problem: z.enum(['sssp', 'maxcut', 'mis', 'coloring', 'hopfield']),
    nodes: z.int().min(1).max(GRAPH_NODES_MAX),
    edges: z
      .array(z.tuple([NodeIndex, NodeIndex, z.number().min(-1e9).max(1e9)]))
      .max(GRAPH_EDGES_MAX)
      .meta({
        description:
          '[u, v, weight]. sssp: directed from u to v, whole weights of 1 and more; the others: undirected, weights of mis and coloring are not looked at. No loops; of edges that are there twice sssp takes the lightest, maxcut and hopfield the sum',
      }),
    source: NodeIndex.optional().meta({ description: 'sssp alone, and needed there' }),
    target: NodeIndex.optional().meta({ description: 'sssp alone' }),
    seed: Seed.optional(),
    steps: z.int().min(1).max(1_000_000).optional().meta({ description: 'Not of sssp' }),
    restarts: z.int().min(1).max(1_000).optional().meta({ description: 'Not of sssp' }),
  })
  .meta({
    id: 'SolveGraphRequest',
    example: {
      problem: 'sssp',
      nodes: 3,
      edges: [
        [0, 1, 2],
        [1, 2, 3],
      ],
      source: 0,
      target: 2,
    },
  });

export type SolveGraphRequest = z.output<typeof SolveGraphRequest>;

const graphFields = {
  problem: SolveGraphRequest.shape.problem,
  exact: z.boolean().meta({ description: 'Whether nothing better can be: sssp alone' }),
  objective: z.number().meta({
    description:
      'sssp: distance to the target, -1 where it is out of reach, or the greatest distance without one; maxcut: weight of the cut; mis: size; coloring: colours; hopfield: energy',
  }),
  solution: z.array(z.number()).meta({
    description:
      'One value a node. sssp: distance, -1 out of reach; maxcut: side, 0 or 1; mis: member, 0 or 1; coloring: colour from 0; hopfield: -1 or 1',
  }),
  path: z.array(z.int()).optional().meta({
    description: 'sssp with a target: nodes from source to target; empty where it is out of reach',
  }),
  bound: z.number().optional().meta({
    description:
      'What no solution can pass: from above for maxcut and mis, from below for coloring and hopfield',
  }),
  spikes: z.int(),
  events: z.int().meta({ description: 'Spikes that arrived at a synapse' }),
  simSteps: z.int().meta({ description: 'Simulated time, in steps' }),
  valid: z.boolean().meta({ description: 'The solution was checked against the graph' }),
  solveMs: z.number().meta({ description: 'Measured time of the solution, reading the request left out' }),
};

/** The service has read the graph, so it says what was read: SHA-256 of the canonical JSON of the request. */
export const GraphReply = z.object({ ...graphFields, requestDigest: Bytes });
export type GraphReply = z.infer<typeof GraphReply>;

/** Response of `POST /v1/snn/solve-graph`. */
export const SolveGraphResult = z
  .object({ ...graphFields, ...commitmentEvidence })
  .meta({ id: 'SolveGraphResult' });
export type SolveGraphResult = z.infer<typeof SolveGraphResult>;

const STATES_MAX = 256;
/** Policies of one model: actions to the power of policyLength. */
const POLICIES_MAX = 16_384;
/** Numbers of A and B together. */
export const MODEL_ENTRIES_MAX = 196_608;
const Probability = z.number().min(0).max(1);
const Distribution = z.array(Probability).min(1).max(STATES_MAX);

/** Body of `POST /v1/fep/active-inference` (discrete states, as pymdp and SPM). */
export const ActiveInferenceRequest = z
  .strictObject({
    A: z
      .array(Distribution)
      .min(1)
      .max(STATES_MAX)
      .meta({ description: 'Likelihood: P(observation | state), columns sum to 1' }),
    B: z
      .array(z.array(Distribution).min(1).max(STATES_MAX))
      .min(1)
      .max(64)
      .meta({
        description: `Transitions: one matrix an action, columns sum to 1; A and B together have at most ${MODEL_ENTRIES_MAX} numbers`,
      }),
    C: z
      .array(z.number().min(-1e3).max(1e3))
      .min(1)
      .max(STATES_MAX)
      .meta({ description: 'Log preferences over observations' }),
    D: Distribution.meta({ description: 'Prior over the first state' }),
    E: z.array(Probability).min(1).max(POLICIES_MAX).optional().meta({ description: 'Prior over policies' }),
    observations: z
      .array(
        z
          .int()
          .min(0)
          .max(STATES_MAX - 1),
      )
      .min(1)
      .max(64),
    policyLength: z.int().min(1).max(8).default(1),
    gamma: z.number().min(0).max(1_000).default(16),
    alpha: z.number().min(0).max(1_000).default(16),
  })
  .meta({
    id: 'ActiveInferenceRequest',
    example: {
      A: [
        [0.8, 0.1, 0.3],
        [0.15, 0.7, 0.2],
        [0.05, 0.2, 0.5],
      ],
      B: [
        [
          [1, 0, 0],
          [0, 1, 0],
          [0, 0, 1],
        ],
        [
          [0.1, 0.1, 0.8],
          [0.8, 0.1, 0.1],
          [0.1, 0.8, 0.1],
        ],
      ],
      C: [2, 0, -1],
      D: [0.5, 0.3, 0.2],
      observations: [1],
      policyLength: 2,
    },
  });
export type ActiveInferenceRequest = z.output<typeof ActiveInferenceRequest>;

const inferenceFields = {
  qs: z.array(z.number()).meta({ description: 'Posterior over states' }),
  F: z.number().meta({ description: 'Variational free energy, nats' }),
  negEFE: z
    .object({ utility: z.array(z.number()), infoGain: z.array(z.number()), total: z.array(z.number()) })
    .meta({ description: 'Negative expected free energy, nats, a value for each policy' }),
  qPi: z.array(z.number()).meta({ description: 'Posterior over policies' }),
  policies: z.array(z.array(z.int())).meta({ description: 'The policies, in the order of qPi' }),
  actionMarginal: z.array(z.number()).meta({ description: 'Posterior over the first action' }),
  actionProbabilities: z.array(z.number()).meta({ description: 'Softmax of alpha · ln of the marginal' }),
  action: z.int().meta({ description: 'The most probable one; of equals the first' }),
};

/** As {@link GraphReply}: the digest is of the request with its defaults filled in. */
export const InferenceReply = z.object({ ...inferenceFields, requestDigest: Bytes });
export type InferenceReply = z.infer<typeof InferenceReply>;

/** Response of `POST /v1/fep/active-inference`. */
export const ActiveInferenceResult = z
  .object({ ...inferenceFields, ...commitmentEvidence })
  .meta({ id: 'ActiveInferenceResult' });
export type ActiveInferenceResult = z.infer<typeof ActiveInferenceResult>;

const GRAPH_BODY_BYTES_MAX = 33_554_432;

/** Names one call, so that it can be followed, and ended when its caller has hung up: 128 random bits. */
export const SnnCallId = z.string().regex(/^snc_[A-Za-z0-9_-]{22}$/);

/** Whoever waits on an open connection is answered within this; a longer run is asked for with `Prefer: respond-async`. */
export const SNN_SYNC_MS_MAX = 100_000;
/** Longest run that is taken at all. */
export const SNN_RUN_MS_MAX = 900_000;

/** How a call is waited for: on an open connection, or as a task. */
const CallMode = z.enum(['sync', 'task']);

/** What an admitted simulation would take. */
export const SnnAdmission = SnnEstimate.omit({ dryRun: true }).extend({
  waitMs: z.number().meta({ description: 'Estimate of the wait behind what is ahead' }),
});
export type SnnAdmission = z.infer<typeof SnnAdmission>;

export const snnContract = {
  /**
   * Whether the request can be run, asked before anything is taken. UNPROCESSABLE names the bound and the estimate
   * (memory, work, time); QUEUE_FULL; SERVICE_UNAVAILABLE where the backend that is asked for is not there.
   */
  admitSolve: procedure('snn', 'admit-solve', {
    request: z.object({ request: SnnRequest, mode: CallMode.default('sync') }),
    reply: SnnAdmission,
    timeoutMs: 2_000,
  }),
  solve: procedure('snn', 'solve', {
    isPublic: true,
    request: z.object({ request: SnnRequest, callId: SnnCallId.optional(), mode: CallMode.default('sync') }),
    reply: SimulationReply,
    timeoutMs: SNN_RUN_MS_MAX + 30_000,
  }),
  /** As {@link admitSolve}. The graph travels as bytes: a million edges of JSON are more than the bus carries. */
  admitGraph: procedure('snn', 'admit-graph', {
    request: z.object({ graph: Bytes, mode: CallMode.default('sync') }),
    reply: z.object({
      seconds: z.number().meta({ description: 'Estimate of the time of the solution alone' }),
      waitMs: z.number(),
    }),
    timeoutMs: 10_000,
  }),
  solveGraph: procedure('snn', 'solve-graph', {
    isPublic: true,
    request: z.object({ graph: Bytes, callId: SnnCallId.optional(), mode: CallMode.default('sync') }),
    reply: GraphReply,
    timeoutMs: SNN_RUN_MS_MAX + 30_000,
  }),
  /** MALFORMED_JSON, VALIDATION_FAILED and UNPROCESSABLE as {@link infer}, without the work. The model travels as {@link admitGraph}. */
  admitInference: procedure('snn', 'admit-inference', {
    request: z.object({ model: Bytes }),
    reply: AdmittedWork,
    timeoutMs: 10_000,
  }),
  infer: procedure('snn', 'infer', {
    isPublic: true,
    request: z.object({ model: Bytes, callId: SnnCallId.optional() }),
    reply: InferenceReply,
    timeoutMs: 60_000,
  }),
  /** Ends a call at whichever replica runs it. */
  cancelCall: procedure('snn', 'cancel-call', {
    isPublic: true,
    request: z.object({ callId: SnnCallId }),
    reply: z.object({ cancelled: z.boolean() }),
    timeoutMs: 5_000,
  }),
  /** How far a call has come: as `toolProgress`. */
  callProgress: procedure('snn', 'call-progress', {
    isPublic: true,
    request: z.object({
      callId: SnnCallId,
      afterSeq: z.int().min(0).default(0),
      waitMs: z.int().min(0).max(TOOL_PROGRESS_WAIT_MS_MAX).default(0),
    }),
    reply: ToolProgress,
    timeoutMs: TOOL_PROGRESS_WAIT_MS_MAX + 5_000,
  }),
} as const;

const TASK_HEADERS = { Location: 'The task', 'Preference-Applied': '`respond-async`' };

export const snnRoutes = defineRoutes({
  solve: {
    operationId: 'snn.solve',
    method: 'POST',
    path: '/v1/snn/solve',
    summary: 'Simulate a spiking network',
    tag: 'Neural',
    access: 'quota',
    description: `Answers within ${SNN_SYNC_MS_MAX / 1_000} seconds; a longer run is asked for with \`Prefer: respond-async\`, and is a task of the desk \`neuro\`. \`dryRun\` is counted nowhere and costs nothing.`,
    headers: PreferHeaders,
    body: { schema: SnnRequest },
    replies: {
      200: {
        description:
          'What the network did; what it would take; or the task, where it has ended within the wait',
        schema: z.union([SnnResult, SnnEstimate, Task]),
      },
      202: { description: 'A task that goes on', schema: Task, headers: TASK_HEADERS },
    },
    problems: ['UNPROCESSABLE', 'QUEUE_FULL', 'OVERLOADED'],
  },
  solveGraph: {
    operationId: 'snn.solve-graph',
    method: 'POST',
    path: '/v1/snn/solve-graph',
    summary: 'Solve a graph problem with spikes',
    tag: 'Neural',
    access: 'quota',
    description:
      'The payment is bound to the bytes of the body: the same graph, written otherwise, is another request. `Prefer: respond-async` makes it a task of the desk `neuro`, of 4,000,000 bytes at most.',
    headers: PreferHeaders,
    body: { schema: SolveGraphRequest, packed: true },
    bodyBytesMax: GRAPH_BODY_BYTES_MAX,
    replies: {
      200: {
        description: 'The solution, checked; or the task, where it has ended within the wait',
        schema: z.union([SolveGraphResult, Task]),
      },
      202: { description: 'A task that goes on', schema: Task, headers: TASK_HEADERS },
    },
    problems: ['UNPROCESSABLE', 'QUEUE_FULL', 'OVERLOADED'],
  },
  activeInference: {
    operationId: 'fep.active-inference',
    method: 'POST',
    path: '/v1/fep/active-inference',
    summary: 'Infer states and choose an action by expected free energy',
    tag: 'Neural',
    access: 'quota',
    description:
      'The payment is bound to the bytes of the body: the same model, written otherwise, is another request.',
    body: { schema: ActiveInferenceRequest, packed: true },
    bodyBytesMax: 8_388_608,
    replies: {
      200: { description: 'Posteriors, free energies and the action', schema: ActiveInferenceResult },
    },
    problems: ['UNPROCESSABLE', 'QUEUE_FULL', 'OVERLOADED'],
  },
});
