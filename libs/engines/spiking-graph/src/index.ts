export { checkGraph, estimateSeconds } from './check-graph.js';
export {
  EDGES_MAX,
  GraphAbortedError,
  type GraphBound,
  type GraphProblem,
  GraphProblemError,
  type GraphProblemErrorCode,
  type GraphProblemKind,
  type GraphSolution,
  NODES_MAX,
  RESTARTS_MAX,
  type SolveHooks,
  STEPS_MAX,
  WEIGHT_MAX,
  WORK_MAX,
} from './graph-problem.js';
export { solveGraph } from './solve-graph.js';
