import type { GraphProblem } from '../graph-problem.js';

/** Distances by Dijkstra's algorithm with a binary heap of (distance, node) pairs; −1 where a node is not reached. */
export function dijkstra({ nodes, u, v, w }: GraphProblem, source: number): Float64Array {
  const from: number[][] = Array.from({ length: nodes }, () => []);
  for (let e = 0; e < u.length; e++) from[u[e]].push(e);
  const distance = new Float64Array(nodes).fill(-1);
  const heap: { distance: number; node: number }[] = [];
  push(heap, { distance: 0, node: source });
  for (let top = pop(heap); top; top = pop(heap)) {
    if (distance[top.node] >= 0) continue;
    distance[top.node] = top.distance;
    for (const e of from[top.node]) {
      if (distance[v[e]] < 0) push(heap, { distance: top.distance + w[e], node: v[e] });
    }
  }
  return distance;
}

interface Entry {
  readonly distance: number;
  readonly node: number;
}

function push(heap: Entry[], entry: Entry): void {
  let at = heap.push(entry) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (heap[parent].distance <= entry.distance) break;
    heap[at] = heap[parent];
    at = parent;
  }
  heap[at] = entry;
}

function pop(heap: Entry[]): Entry | undefined {
  const top = heap[0];
  const last = heap.pop();
  if (heap.length === 0 || last === undefined) return top;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && heap[child + 1].distance < heap[child].distance) child++;
    if (heap[child].distance >= last.distance) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = last;
  return top;
}
