import { checkGraph } from './check-graph.js';
import { solveColoring } from './coloring.js';
import type { GraphProblem, GraphProblemKind, GraphSolution, SolveHooks } from './graph-problem.js';
import { solveIndependentSet } from './independent-set.js';
import { solveSssp } from './spike-wavefront.js';
import { solveHopfield, solveMaxCut } from './spin-problems.js';

const SOLVERS: Record<GraphProblemKind, (graph: GraphProblem, hooks: SolveHooks) => GraphSolution> = {
  sssp: (graph, hooks) => solveSssp(graph, graph.source ?? 0, hooks),
  maxcut: solveMaxCut,
  mis: solveIndependentSet,
  coloring: solveColoring,
  hopfield: solveHopfield,
};

/**
 * Solves a graph problem with spiking neurons. It computes until it is done: call it where nothing else waits.
 *
 * @throws GraphProblemError where the problem cannot be solved as it stands, before anything is computed
 * @throws GraphAbortedError where `hooks.isAborted` says so
 * @example solveGraph({ problem: 'sssp', nodes: 2, u: Int32Array.of(0), v: Int32Array.of(1), w: Float64Array.of(7), source: 0 })
 */
export function solveGraph(graph: GraphProblem, hooks: SolveHooks = {}): GraphSolution {
  checkGraph(graph);
  return SOLVERS[graph.problem](graph, hooks);
}
