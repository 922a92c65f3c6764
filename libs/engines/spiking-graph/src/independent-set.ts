import { type Adjacency, adjacencyOf } from './adjacency.js';
import { anneal } from './anneal.js';
import type { BoltzmannNetwork } from './annealed-network.js';
import { scheduleOf } from './check-graph.js';
import type { GraphProblem, GraphSolution, SolveHooks } from './graph-problem.js';
import { degeneracyOrder } from './node-order.js';

/** Inhibition by an active neighbour, where being active is worth 1: more, so that a settled state has no edge inside. */
const INHIBITION = 1.5;
const COOLING = { hot: 1, cold: 0.12 };

/**
 * A large independent set: neurons that spike of themselves and inhibit their neighbours. A neuron that has settled is active
 * where no neighbour is, and silent where one is: the set is independent, and maximal.
 */
export function solveIndependentSet(graph: GraphProblem, hooks: SolveHooks): GraphSolution {
  const adjacency = adjacencyOf(graph, false);
  const network: BoltzmannNetwork = {
    graph: adjacency,
    bias: new Float64Array(graph.nodes).fill(1),
    synapse: new Float64Array(adjacency.neighbour.length).fill(-INHIBITION),
  };
  const { active, spikes, events, simSteps, objective } = anneal(network, countActive, {
    schedule: scheduleOf(graph),
    cooling: COOLING,
    seed: graph.seed ?? 0,
    hooks,
  });
  return {
    exact: false,
    objective,
    solution: active,
    bound: independenceBound(adjacency),
    spikes,
    events,
    simSteps,
    valid: isMaximalIndependentSet(adjacency, active),
  };
}

const countActive = (active: Int8Array): number => active.reduce((sum, z) => sum + z, 0);

/** Whether no edge lies inside the set and every node outside has a neighbour inside. */
export function isMaximalIndependentSet({ nodes, offset, neighbour }: Adjacency, active: Int8Array): boolean {
  for (let i = 0; i < nodes; i++) {
    let inside = 0;
    for (let k = offset[i]; k < offset[i + 1]; k++) inside += active[neighbour[k]];
    if (active[i] === 1 ? inside > 0 : inside === 0) return false;
  }
  return true;
}

/**
 * No independent set is larger: it has one node at most of each clique of a cover, which is made greedily; and each node of the
 * greatest degree Δ that is left out touches Δ edges at most, so that edges/Δ are left out.
 */
export function independenceBound(graph: Adjacency): number {
  const { nodes, offset, neighbour } = graph;
  const { order } = degeneracyOrder(graph);
  const cliqueOf = new Int32Array(nodes).fill(-1);
  const sizes: number[] = [];
  const touching = new Int32Array(nodes);
  let degreeMax = 0;
  for (const node of order) {
    degreeMax = Math.max(degreeMax, offset[node + 1] - offset[node]);
    let joined = -1;
    for (let k = offset[node]; k < offset[node + 1]; k++) {
      const clique = cliqueOf[neighbour[k]];
      if (clique < 0) continue;
      // A clique joins the node when all of its members are neighbours; the largest such is taken.
      if (++touching[clique] === sizes[clique] && (joined < 0 || sizes[clique] > sizes[joined]))
        joined = clique;
    }
    for (let k = offset[node]; k < offset[node + 1]; k++) {
      if (cliqueOf[neighbour[k]] >= 0) touching[cliqueOf[neighbour[k]]] = 0;
    }
    cliqueOf[node] = joined < 0 ? sizes.push(0) - 1 : joined;
    sizes[cliqueOf[node]]++;
  }
  const edges = neighbour.length / 2;
  return Math.min(sizes.length, degreeMax === 0 ? nodes : nodes - Math.ceil(edges / degreeMax));
}
