import { type Adjacency, adjacencyOf } from './adjacency.js';
import { anneal, type Cooling } from './anneal.js';
import type { BoltzmannNetwork } from './annealed-network.js';
import { scheduleOf } from './check-graph.js';
import { couplingBound } from './coupling-bound.js';
import type { GraphProblem, GraphSolution, SolveHooks } from './graph-problem.js';

/**
 * The heaviest cut: Σ w over the edges between the active and the silent. With z = 1 on one side it is
 * Σ d_i z_i − 2 Σ w_ij z_i z_j, d the sum of a node's weights: a network whose biases are d and whose synapses are −2w.
 */
export function solveMaxCut(graph: GraphProblem, hooks: SolveHooks): GraphSolution {
  const adjacency = adjacencyOf(graph, true);
  const bias = rowSums(adjacency);
  const network: BoltzmannNetwork = {
    graph: adjacency,
    bias,
    synapse: adjacency.weight.map(weight => -2 * weight),
  };
  const found = anneal(network, active => cutWeight(adjacency, active), {
    schedule: scheduleOf(graph),
    cooling: coolingOf(adjacency),
    seed: graph.seed ?? 0,
    hooks,
  });
  const total = sumOf(bias) / 2;
  const atMost = (total + couplingBound(adjacency, -1)) / 2;
  return {
    exact: false,
    objective: found.objective,
    solution: found.active,
    // Where every weight is whole, so is every cut.
    bound: graph.w.every(Number.isInteger) ? Math.floor(atMost) : atMost,
    spikes: found.spikes,
    events: found.events,
    simSteps: found.simSteps,
    valid: found.isSettled,
  };
}

/**
 * A Hopfield network (1982) with the edges as couplings falls from a start by chance into a minimum of its energy
 * E = −Σ w_ij s_i s_j, s = 2z − 1: neurons without noise, one after another, by the sign of their potential. The lowest of the
 * restarts' minima is kept; `steps` bounds how long a fall may take.
 */
export function solveHopfield(graph: GraphProblem, hooks: SolveHooks): GraphSolution {
  const adjacency = adjacencyOf(graph, true);
  const network: BoltzmannNetwork = {
    graph: adjacency,
    bias: rowSums(adjacency).map(sum => -2 * sum),
    synapse: adjacency.weight.map(weight => 4 * weight),
  };
  const total = sumOf(adjacency.weight) / 2;
  const energy = (active: Int8Array): number => 2 * cutWeight(adjacency, active) - total;
  const found = anneal(network, active => -energy(active), {
    schedule: scheduleOf(graph),
    seed: graph.seed ?? 0,
    hooks,
  });
  const objective = energy(found.active);
  return {
    exact: false,
    objective,
    solution: found.active.map(z => 2 * z - 1),
    bound: -couplingBound(adjacency, 1),
    spikes: found.spikes,
    events: found.events,
    simSteps: found.simSteps,
    valid: found.isSettled,
  };
}

function rowSums({ nodes, offset, weight }: Adjacency): Float64Array {
  const sums = new Float64Array(nodes);
  for (let i = 0; i < nodes; i++) for (let k = offset[i]; k < offset[i + 1]; k++) sums[i] += weight[k];
  return sums;
}

const sumOf = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);

/** Σ of the weights between the active and the silent, each edge once. */
export function cutWeight({ nodes, offset, neighbour, weight }: Adjacency, active: Int8Array): number {
  let sum = 0;
  for (let i = 0; i < nodes; i++) {
    for (let k = offset[i]; k < offset[i + 1]; k++) {
      if (neighbour[k] > i && active[i] !== active[neighbour[k]]) sum += weight[k];
    }
  }
  return sum;
}

/** From where the strongest tied node is free to where the lightest edge is decided, where the weights aren't further apart. */
function coolingOf({ nodes, offset, weight }: Adjacency): Cooling {
  let strongest = 0;
  for (let i = 0; i < nodes; i++) {
    let square = 0;
    for (let k = offset[i]; k < offset[i + 1]; k++) square += weight[k] ** 2;
    strongest = Math.max(strongest, Math.sqrt(square));
  }
  let lightest = strongest;
  for (let k = 0; k < weight.length; k++) lightest = Math.min(lightest, Math.abs(weight[k]));
  const hot = strongest || 1;
  return { hot, cold: Math.min(hot / 10, Math.max(hot / 1e4, lightest / 4)) };
}
