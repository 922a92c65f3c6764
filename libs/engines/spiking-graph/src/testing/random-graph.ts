import type { GraphProblem, GraphProblemKind } from '../graph-problem.js';

export type Edge = readonly [u: number, v: number, w: number];

/** Numbers below 1 that a seed decides (Marsaglia's xorshift32): another generator than the engine's. */
export function randomOf(seed: number): () => number {
  let x = (seed * 2_654_435_769 + 1_013_904_223) >>> 0 || 1;
  return () => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return (x >>> 0) / 4_294_967_296;
  };
}

export function graphOf(
  problem: GraphProblemKind,
  nodes: number,
  edges: readonly Edge[],
  rest: Partial<GraphProblem> = {},
): GraphProblem {
  return {
    problem,
    nodes,
    u: Int32Array.from(edges, edge => edge[0]),
    v: Int32Array.from(edges, edge => edge[1]),
    w: Float64Array.from(edges, edge => edge[2]),
    ...(problem === 'sssp' ? { source: 0 } : {}),
    ...rest,
  };
}

/** Each pair of nodes with a probability (Erdős & Rényi), weighed by what `weigh` makes of a chance below 1. */
export function pairsByChance(
  nodes: number,
  probability: number,
  random: () => number,
  weigh: (chance: number) => number = () => 1,
): Edge[] {
  const edges: Edge[] = [];
  for (let i = 0; i < nodes; i++) {
    for (let j = i + 1; j < nodes; j++) if (random() < probability) edges.push([i, j, weigh(random())]);
  }
  return edges;
}

/** So many edges between any two different nodes; some repeat. */
export function edgesByChance(
  nodes: number,
  count: number,
  random: () => number,
  weigh: (chance: number) => number,
): GraphProblem {
  const u = new Int32Array(count);
  const v = new Int32Array(count);
  const w = new Float64Array(count);
  for (let e = 0; e < count; e++) {
    u[e] = Math.floor(random() * nodes);
    v[e] = (u[e] + 1 + Math.floor(random() * (nodes - 1))) % nodes;
    w[e] = weigh(random());
  }
  return { problem: 'sssp', nodes, u, v, w, source: 0 };
}
