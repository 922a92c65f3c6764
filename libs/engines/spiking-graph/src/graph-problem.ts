/** What is asked of a graph. */
export type GraphProblemKind = 'sssp' | 'maxcut' | 'mis' | 'coloring' | 'hopfield';

/**
 * A graph and what is asked of it. Edges are three columns of one length: edge e runs from `u[e]` to `v[e]` and weighs
 * `w[e]`. For `sssp` it is directed, for the others it has no direction. Edges may repeat: of equal ones the lightest
 * counts for `sssp`, for `maxcut` and `hopfield` their weights add up. `mis` and `coloring` look at no weight.
 */
export interface GraphProblem {
  readonly problem: GraphProblemKind;
  /** 1 … {@link NODES_MAX}. */
  readonly nodes: number;
  readonly u: Int32Array;
  readonly v: Int32Array;
  /** `sssp`: whole, 1 … {@link WEIGHT_MAX}; else any from −{@link WEIGHT_MAX} to {@link WEIGHT_MAX}. */
  readonly w: Float64Array;
  /** `sssp` alone, which needs it: where the wave starts. */
  readonly source?: number;
  /** `sssp` alone: the node whose path is asked. */
  readonly target?: number;
  /** 0 … 2^32 − 1, default 0: decides every chance of the stochastic problems. */
  readonly seed?: number;
  /** Steps of each restart, 1 … {@link STEPS_MAX}; not for `sssp`. Absent: as many as the default of work allows, at most 1,000. */
  readonly steps?: number;
  /** Independent runs, the best of which counts, 1 … {@link RESTARTS_MAX}; not for `sssp`. */
  readonly restarts?: number;
}

/** How a caller follows a solution and ends it. */
export interface SolveHooks {
  /** Asked every few milliseconds; true ends the solution with {@link GraphAbortedError}. */
  readonly isAborted?: () => boolean;
  /** Told as often; `total` is what there is to do at most. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** A checked solution. All of it is a function of the problem alone. */
export interface GraphSolution {
  /** Whether the solution is the optimum for certain: of `sssp` alone. */
  readonly exact: boolean;
  /**
   * `sssp`: distance to the target, −1 where it is not reached; without a target the greatest distance reached.
   * `maxcut`: weight of the cut. `mis`: nodes in the set. `coloring`: colours. `hopfield`: energy −Σ w·s_u·s_v.
   */
  readonly objective: number;
  /**
   * One entry a node. `sssp`: distance, −1 where it is not reached. `maxcut`: side, 0 or 1. `mis`: 1 in the set, else 0.
   * `coloring`: colour from 0. `hopfield`: −1 or 1.
   */
  readonly solution: Float64Array | Int32Array | Int8Array;
  /** `sssp` with a target: nodes from source to target; empty where it is not reached. */
  readonly path?: Int32Array;
  /** No solution is better than this: at most for `maxcut` and `mis`, at least for `coloring` and `hopfield`. */
  readonly bound?: number;
  /** Spikes that were fired. */
  readonly spikes: number;
  /** Spikes that reached a synapse. */
  readonly events: number;
  /** Simulated steps; for `sssp` the time of the last spike. */
  readonly simSteps: number;
  /**
   * What was checked on the solution after it was found. `sssp`: no edge is shorter than the distances say and each node
   * has one that is as long. `mis`: independent and maximal. `coloring`: no edge within a colour. `maxcut`, `hopfield`: no
   * single node does better on the other side.
   */
  readonly valid: boolean;
}

export const NODES_MAX = 100_000;
export const EDGES_MAX = 1_000_000;
export const WEIGHT_MAX = 1e9;
export const STEPS_MAX = 1_000_000;
export const RESTARTS_MAX = 1_000;
/** (nodes + 2·edges)·steps·restarts of a stochastic problem: about half a minute of one core. */
export const WORK_MAX = 4e9;

export type GraphProblemErrorCode =
  /** A node that the graph does not have, a number outside its range, columns of different lengths. */
  | 'OUT_OF_RANGE'
  /** An edge from a node to itself. */
  | 'LOOP'
  /** A weight that no delay can be. */
  | 'WEIGHT'
  /** A field that this problem needs, or one that it does not take. */
  | 'FIELD'
  /** More work than one call may ask for. */
  | 'TOO_MUCH_WORK';

/** What a number has to keep to. */
export interface GraphBound {
  readonly min?: number;
  readonly max?: number;
}

/** A problem that cannot be solved as it stands; `path` names the place as the body of a request has it: `edges.3.2`. */
export class GraphProblemError extends Error {
  override readonly name = 'GraphProblemError';

  constructor(
    readonly code: GraphProblemErrorCode,
    readonly path: string,
    message: string,
    readonly bound?: GraphBound,
    readonly got?: number,
  ) {
    super(message);
  }
}

/** The caller's {@link SolveHooks.isAborted} said so. */
export class GraphAbortedError extends Error {
  override readonly name = 'GraphAbortedError';
  readonly code = 'ABORTED';

  constructor() {
    super('the solution was ended before it was found');
  }
}
