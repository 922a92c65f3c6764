// Shortest paths by spikes beside Dijkstra's algorithm with a binary heap, from the same three columns of edges.
import { solveGraph } from '@svc/spiking-graph';

/**
 * @param {import('../../tools/bench/report.mjs').Report} report
 * @param {{ nodes: number; edges: number; rounds: number }} options
 */
export function benchShortestPaths(report, { nodes, edges, rounds }) {
  for (const weightMax of [1_000, 1e9]) {
    const graph = randomGraph({ nodes, edges, weightMax });
    const contenders = {
      'Dijkstra, binary heap': () => dijkstra(graph),
      'wave of spikes, with its certificate': () => solveGraph(graph).solution,
    };
    const times = Object.fromEntries(Object.keys(contenders).map(name => [name, []]));
    const answers = {};
    for (let round = 0; round <= rounds; round++) {
      for (const [name, solve] of Object.entries(contenders)) {
        const begin = performance.now();
        answers[name] = solve();
        // The first round warms up the compiler.
        if (round > 0) times[name].push(performance.now() - begin);
      }
    }
    const [theirs, ours] = Object.values(answers);
    if (theirs.some((distance, node) => distance !== ours[node])) throw new Error('the distances differ');
    report.table(`shortest paths: ${nodes} nodes, ${edges} edges, weights to ${weightMax}, rows built`);
    for (const [name, measured] of Object.entries(times)) {
      measured.sort((one, other) => one - other);
      report.row(name, { medianMs: measured[rounds >> 1], bestMs: measured[0], worstMs: measured.at(-1) });
    }
  }
}

function randomGraph({ nodes, edges, weightMax }) {
  let state = 1;
  const random = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  const u = Int32Array.from({ length: edges }, () => Math.floor(random() * nodes));
  const v = u.map(from => (from + 1 + Math.floor(random() * (nodes - 1))) % nodes);
  const w = Float64Array.from({ length: edges }, () => 1 + Math.floor(random() * weightMax));
  return { problem: 'sssp', nodes, u, v, w, source: 0 };
}

/** Typed arrays throughout: rows by counting, a heap of node numbers by their distances, stale entries left in it. */
function dijkstra({ nodes, u, v, w, source }) {
  const offset = new Int32Array(nodes + 1);
  for (const from of u) offset[from + 1]++;
  for (let i = 0; i < nodes; i++) offset[i + 1] += offset[i];
  const next = offset.slice();
  const end = new Int32Array(u.length);
  const weight = new Float64Array(u.length);
  for (let e = 0; e < u.length; e++) {
    const at = next[u[e]]++;
    end[at] = v[e];
    weight[at] = w[e];
  }
  const distance = new Float64Array(nodes).fill(Infinity);
  distance[source] = 0;
  const heap = new Heap(u.length + 1);
  heap.push(0, source);
  while (heap.size > 0) {
    const near = heap.keys[0];
    const node = heap.nodes[0];
    heap.pop();
    if (near > distance[node]) continue;
    for (let at = offset[node]; at < offset[node + 1]; at++) {
      const through = near + weight[at];
      if (through >= distance[end[at]]) continue;
      distance[end[at]] = through;
      heap.push(through, end[at]);
    }
  }
  return distance.map(value => (value === Infinity ? -1 : value));
}

class Heap {
  size = 0;

  constructor(capacity) {
    this.keys = new Float64Array(capacity);
    this.nodes = new Int32Array(capacity);
  }

  push(key, node) {
    let at = this.size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.keys[parent] <= key) break;
      this.keys[at] = this.keys[parent];
      this.nodes[at] = this.nodes[parent];
      at = parent;
    }
    this.keys[at] = key;
    this.nodes[at] = node;
  }

  pop() {
    const key = this.keys[--this.size];
    const node = this.nodes[this.size];
    let at = 0;
    for (let child = 1; child < this.size; child = 2 * at + 1) {
      if (child + 1 < this.size && this.keys[child + 1] < this.keys[child]) child++;
      if (this.keys[child] >= key) break;
      this.keys[at] = this.keys[child];
      this.nodes[at] = this.nodes[child];
      at = child;
    }
    this.keys[at] = key;
    this.nodes[at] = node;
  }
}
