import { z } from 'zod';
import { defineRoutes } from './route.js';
import { Seed } from './wire-format.js';

/** Neurons of one simulation; more than this does not fit the memory of a worker. */
export const NEURON_COUNT_MAX = 4_000_000;
export const ITERATIONS_MAX = 100_000;

const Plasticity = z
  .strictObject({
    rule: z.enum(['none', 'stdp-nn', 'stdp-all']).default('stdp-nn'),
    aPlus: z.number().min(0).max(1).default(0.01),
    aMinus: z.number().min(0).max(1).default(0.0105),
    tauPlusMs: z.number().min(0.1).max(1_000).default(20),
    tauMinusMs: z.number().min(0.1).max(1_000).default(20),
    wMaxMv: z.number().min(0).max(100).optional(),
  })
  .meta({ id: 'SnnPlasticity' });

const Recording = z
  .strictObject({
    rasterNeurons: z.int().min(0).max(1_000).default(0),
    rateHistogramBins: z.int().min(1).max(1_000).default(50),
    binMs: z.number().min(0.1).max(1_000).default(4),
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

/** Response of `POST /v1/snn/solve`; the first four fields are the spec's. */
export const SnnResult = z
  .object({
    activeNeurons: z.int().meta({ description: 'Distinct neurons that spiked' }),
    spikeCount: z.int(),
    framerateFps: z
      .int()
      .meta({ description: 'Iterations by the wall time of the loop, the build left out' }),
    vramConsumedMb: z.number().meta({ description: 'Bytes really allocated, in megabytes' }),
    meanRateHz: z.number(),
    rateHistogram: z.array(z.number()),
    raster: z.array(z.object({ neuron: z.int(), stepIndex: z.int() })).optional(),
    buildMs: z.number(),
    stepMs: z.object({ p50: z.number(), p95: z.number() }),
    realTimeFactor: z.number(),
    synapticEvents: z.int(),
    memoryKind: z.enum(['gpu', 'host']),
    backend: z.enum(['wasm', 'webgpu']),
    adapter: z.string().optional(),
    stateHash: z.string(),
    seed: z.int(),
  })
  .meta({ id: 'SnnResult' });

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
      .meta({ description: '[u, v, weight]; sssp takes positive whole weights' }),
    source: NodeIndex.optional(),
    target: NodeIndex.optional(),
    seed: Seed.optional(),
    steps: z.int().min(1).max(1_000_000).optional(),
    restarts: z.int().min(1).max(1_000).optional(),
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

/** Response of `POST /v1/snn/solve-graph`. */
export const SolveGraphResult = z
  .object({
    exact: z.boolean(),
    objective: z.number(),
    solution: z.array(z.number()),
    path: z.array(z.int()).optional(),
    bound: z.number().optional(),
    spikes: z.int(),
    events: z.int(),
    simSteps: z.int(),
    valid: z.boolean(),
  })
  .meta({ id: 'SolveGraphResult' });

const STATES_MAX = 256;
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
      .meta({ description: 'Transitions: one matrix an action, columns sum to 1' }),
    C: z
      .array(z.number().min(-1e3).max(1e3))
      .min(1)
      .max(STATES_MAX)
      .meta({ description: 'Log preferences over observations' }),
    D: Distribution.meta({ description: 'Prior over the first state' }),
    E: Distribution.optional().meta({ description: 'Prior over policies' }),
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
  .meta({ id: 'ActiveInferenceRequest' });

/** Response of `POST /v1/fep/active-inference`. */
export const ActiveInferenceResult = z
  .object({
    qs: z.array(z.number()).meta({ description: 'Posterior over states' }),
    F: z.number().meta({ description: 'Variational free energy, nats' }),
    negEFE: z.object({ utility: z.array(z.number()), infoGain: z.array(z.number()) }),
    qPi: z.array(z.number()).meta({ description: 'Posterior over policies' }),
    action: z.int(),
  })
  .meta({ id: 'ActiveInferenceResult' });

const GRAPH_BODY_BYTES_MAX = 33_554_432;

export const snnRoutes = defineRoutes({
  solve: {
    operationId: 'snn.solve',
    method: 'POST',
    path: '/v1/snn/solve',
    summary: 'Simulate a spiking network',
    tag: 'Neural',
    access: 'quota',
    available: false,
    body: { schema: SnnRequest },
    replies: { 200: { description: 'What the network did', schema: SnnResult } },
    problems: ['UNPROCESSABLE', 'OVERLOADED'],
  },
  solveGraph: {
    operationId: 'snn.solve-graph',
    method: 'POST',
    path: '/v1/snn/solve-graph',
    summary: 'Solve a graph problem with spikes',
    tag: 'Neural',
    access: 'quota',
    available: false,
    body: { schema: SolveGraphRequest },
    bodyBytesMax: GRAPH_BODY_BYTES_MAX,
    replies: { 200: { description: 'The solution, checked', schema: SolveGraphResult } },
    problems: ['UNPROCESSABLE', 'OVERLOADED'],
  },
  activeInference: {
    operationId: 'fep.active-inference',
    method: 'POST',
    path: '/v1/fep/active-inference',
    summary: 'Infer states and choose an action by expected free energy',
    tag: 'Neural',
    access: 'quota',
    available: false,
    body: { schema: ActiveInferenceRequest },
    bodyBytesMax: 8_388_608,
    replies: {
      200: { description: 'Posteriors, free energies and the action', schema: ActiveInferenceResult },
    },
    problems: ['UNPROCESSABLE'],
  },
});
