import type { Answer, CallOptions } from '../paid-call.js';
import type {
  ActiveInferenceRequest,
  ActiveInferenceResult,
  SnnEstimate,
  SnnRequest,
  SnnResult,
  SolveGraphRequest,
  SolveGraphResult,
} from '../api-types.js';
import type { Ask } from '../tool/tool-methods.js';

/** Networks, graphs and inference: within the month's quota for nothing, beyond it paid. */
export interface NeuralMethods {
  /**
   * Simulates a spiking network: `POST /v1/snn/solve`. The same request with the same seed on the backend wasm has the same
   * `stateHash`, whoever runs it. A run of minutes is a task: `submitTask('neuro', { capability: 'snn.solve', task })`.
   */
  simulate(request: SnnRequest, options?: CallOptions): Promise<Answer<SnnResult>>;
  /** What that would take, in memory and time: the same route with `dryRun`, free and not counted. */
  estimateSimulation(request: SnnRequest, options?: CallOptions): Promise<Answer<SnnEstimate>>;
  /** Solves a graph problem with spikes: `POST /v1/snn/solve-graph`. */
  solveGraph(request: SolveGraphRequest, options?: CallOptions): Promise<Answer<SolveGraphResult>>;
  /** Infers states and chooses an action by expected free energy: `POST /v1/fep/active-inference`. */
  inferAction(request: ActiveInferenceRequest, options?: CallOptions): Promise<Answer<ActiveInferenceResult>>;
}

const SIMULATION_FIELDS = { stateHash: 'string', spikeCount: 'number', auditProof: 'object' };
const ESTIMATE_FIELDS = { dryRun: 'boolean', memoryMb: 'number' };
const GRAPH_FIELDS = { objective: 'number', solution: 'object', auditProof: 'object' };
const INFERENCE_FIELDS = { qs: 'object', qPi: 'object', action: 'number', auditProof: 'object' };

/** @param once an Idempotency-Key of its own for each call that somebody remembers */
export function neuralMethods(
  ask: Ask,
  once: (isTicketed: boolean) => { idempotencyKey?: string },
): NeuralMethods {
  const buy = <T extends object>(
    path: string,
    body: object,
    fields: Readonly<Record<string, string>>,
    options: CallOptions = {},
  ) => ask<T>('POST', path, { ...once(false), ...options, body }, () => fields);
  return {
    simulate: (request, options) =>
      buy('/v1/snn/solve', { ...request, dryRun: false }, SIMULATION_FIELDS, options),
    estimateSimulation: (request, options = {}) =>
      ask('POST', '/v1/snn/solve', { ...options, body: { ...request, dryRun: true } }, () => ESTIMATE_FIELDS),
    solveGraph: (request, options) => buy('/v1/snn/solve-graph', request, GRAPH_FIELDS, options),
    inferAction: (request, options) => buy('/v1/fep/active-inference', request, INFERENCE_FIELDS, options),
  };
}
