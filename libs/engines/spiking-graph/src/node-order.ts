import type { Adjacency } from './adjacency.js';

/** An order of the nodes in which each has few neighbours after it, and how few. */
export interface NodeOrder {
  readonly order: Int32Array;
  /** Place of each node in the order. */
  readonly place: Int32Array;
  /** Neighbours after a node, at most: the least number for which an order exists. */
  readonly degeneracy: number;
}

/**
 * The smallest-last order: a node of least degree, then one of least degree in what is left (Matula & Beck 1983),
 * where degrees below one that was taken before count as that: its cores (Batagelj & Zaveršnik 2003). O(edges).
 */
export function degeneracyOrder({ nodes, offset, neighbour }: Adjacency): NodeOrder {
  const degree = Int32Array.from({ length: nodes }, (_, i) => offset[i + 1] - offset[i]);
  // `order` by degree, `bucket[d]` where those of degree d begin.
  const bucket = new Int32Array(degree.reduce((most, d) => Math.max(most, d), 0) + 2);
  for (const d of degree) bucket[d + 1]++;
  for (let d = 1; d < bucket.length; d++) bucket[d] += bucket[d - 1];
  const order = new Int32Array(nodes);
  const place = new Int32Array(nodes);
  const next = bucket.slice();
  for (let i = 0; i < nodes; i++) {
    place[i] = next[degree[i]]++;
    order[place[i]] = i;
  }
  let degeneracy = 0;
  for (let at = 0; at < nodes; at++) {
    const node = order[at];
    degeneracy = Math.max(degeneracy, degree[node]);
    for (let k = offset[node]; k < offset[node + 1]; k++) {
      const other = neighbour[k];
      // What is taken out already, or as low as the node that is, stays where it is.
      if (degree[other] <= degree[node]) continue;
      const front = Math.max(bucket[degree[other]], at + 1);
      const swapped = order[front];
      order[place[other]] = swapped;
      place[swapped] = place[other];
      order[front] = other;
      place[other] = front;
      bucket[degree[other]] = front + 1;
      degree[other]--;
    }
  }
  return { order, place, degeneracy };
}
