import type { Adjacency } from './adjacency.js';
import type { NodeOrder } from './node-order.js';

/** Neighbours that the search for cliques looks at; what it has found until then is as good a proof. */
const CLIQUE_WORK_MAX = 2e7;

/**
 * No colouring takes fewer colours: as many as the nodes of a clique, found greedily from every node among those after it in the
 * order; 3 where there is an odd cycle.
 */
export function chromaticBound(graph: Adjacency, { order, place }: NodeOrder): number {
  const { nodes, offset, neighbour } = graph;
  const memberOf = new Int32Array(nodes).fill(-1);
  let clique = 1;
  let work = 0;
  // From the end of the order, where the dense part of the graph is.
  for (let at = nodes - 1; at >= 0 && work < CLIQUE_WORK_MAX; at--) {
    const start = order[at];
    const candidates: number[] = [];
    for (let k = offset[start]; k < offset[start + 1]; k++) {
      if (place[neighbour[k]] > at) candidates.push(neighbour[k]);
    }
    if (candidates.length < clique) continue;
    candidates.sort((one, other) => place[other] - place[one]);
    memberOf[start] = at;
    let size = 1;
    for (const candidate of candidates) {
      let members = 0;
      for (let k = offset[candidate]; k < offset[candidate + 1]; k++) {
        if (memberOf[neighbour[k]] === at) members++;
      }
      work += offset[candidate + 1] - offset[candidate];
      if (members < size) continue;
      memberOf[candidate] = at;
      size++;
    }
    clique = Math.max(clique, size);
  }
  return clique === 2 && !isBipartite(graph) ? 3 : clique;
}

function isBipartite({ nodes, offset, neighbour }: Adjacency): boolean {
  const side = new Int8Array(nodes).fill(-1);
  const queue = new Int32Array(nodes);
  for (let start = 0; start < nodes; start++) {
    if (side[start] >= 0) continue;
    side[start] = 0;
    queue[0] = start;
    for (let head = 0, tail = 1; head < tail; head++) {
      const node = queue[head];
      for (let k = offset[node]; k < offset[node + 1]; k++) {
        if (side[neighbour[k]] === side[node]) return false;
        if (side[neighbour[k]] >= 0) continue;
        side[neighbour[k]] = 1 - side[node];
        queue[tail++] = neighbour[k];
      }
    }
  }
  return true;
}
