import type { GraphProblem } from './graph-problem.js';

/**
 * An undirected graph by node: the neighbours of node i are `neighbour[offset[i]]` … `neighbour[offset[i + 1] − 1]`, ascending,
 * each once, with the sum of the weights between the two. Every edge is there from both of its ends.
 */
export interface Adjacency {
  readonly nodes: number;
  readonly offset: Int32Array;
  readonly neighbour: Int32Array;
  readonly weight: Float64Array;
}

/**
 * Sorts edges by their ends (two counting sorts) and makes one of those that repeat.
 * @param isWeighted edges whose weights come to 0 then count as none; otherwise each edge weighs 1
 */
export function adjacencyOf({ nodes, u, v, w }: GraphProblem, isWeighted: boolean): Adjacency {
  const count = 2 * u.length;
  const start = new Int32Array(nodes + 1);
  for (let e = 0; e < u.length; e++) {
    start[u[e] + 1]++;
    start[v[e] + 1]++;
  }
  for (let i = 0; i < nodes; i++) start[i + 1] += start[i];
  // Half-edge h is edge h >> 1 from its u (h even) or from its v. By the far end first, then, stably, by the near one.
  const byFar = new Int32Array(count);
  const next = start.slice();
  for (let h = 0; h < count; h++) byFar[next[h & 1 ? u[h >> 1] : v[h >> 1]]++] = h;
  next.set(start);
  const sorted = new Int32Array(count);
  for (let i = 0; i < count; i++) {
    const h = byFar[i];
    sorted[next[h & 1 ? v[h >> 1] : u[h >> 1]]++] = h;
  }

  const offset = new Int32Array(nodes + 1);
  const neighbour = new Int32Array(count);
  const weight = new Float64Array(count);
  let filled = 0;
  for (let i = 0; i < nodes; i++) {
    for (let k = start[i]; k < start[i + 1];) {
      const far = farEnd(sorted[k], u, v);
      let sum = 0;
      for (; k < start[i + 1] && farEnd(sorted[k], u, v) === far; k++) sum += w[sorted[k] >> 1];
      if (isWeighted && sum === 0) continue;
      neighbour[filled] = far;
      weight[filled++] = isWeighted ? sum : 1;
    }
    offset[i + 1] = filled;
  }
  return { nodes, offset, neighbour: neighbour.slice(0, filled), weight: weight.slice(0, filled) };
}

const farEnd = (h: number, u: Int32Array, v: Int32Array): number => (h & 1 ? u[h >> 1] : v[h >> 1]);
