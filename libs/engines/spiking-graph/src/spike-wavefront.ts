import {
  GraphAbortedError,
  type GraphProblem,
  type GraphSolution,
  type SolveHooks,
} from './graph-problem.js';
import { TimingWheel } from './timing-wheel.js';

/** Spikes between two looks at the caller's hooks. */
const SPIKES_BETWEEN_HOOKS = 2048;

/** Outgoing edges: those of node i are `offset[i]` … `offset[i + 1]` − 1, each with its end and its delay in `rows`. */
interface OutgoingEdges {
  readonly offset: Int32Array;
  readonly rows: Int32Array;
}

/** Distances and, on a shortest path of each node, the node before it. */
interface Wave {
  readonly arrival: Float64Array;
  readonly before: Int32Array;
  readonly spikes: number;
  readonly events: number;
  readonly lastSpike: number;
}

/**
 * Shortest paths from one source by a wave of spikes: an edge is an axon whose delay is its weight, a node is a neuron that one
 * spike makes fire, once. The step at which it fires is its distance (Ponulak & Hopfield 2013). On this machine that is Dial's
 * algorithm (1969), exact, and no faster than Dijkstra's with a good queue.
 *
 * A spike is not sent to a neuron that has another one under way which is sooner: it could do nothing there.
 *
 * @throws GraphAbortedError
 */
export function solveSssp(graph: GraphProblem, source: number, hooks: SolveHooks): GraphSolution {
  const edges = outgoingEdges(graph);
  const { arrival, before, spikes, events, lastSpike } = runWave(graph.nodes, edges, source, hooks);
  const isCertified = certify(graph, source, arrival, before);
  const solution = arrival.map(time => (time === Infinity ? -1 : time));
  const { target } = graph;
  return {
    exact: true,
    objective: target === undefined ? lastSpike : solution[target],
    solution,
    ...(target === undefined ? {} : { path: pathTo(target, arrival, before) }),
    spikes,
    events,
    simSteps: lastSpike,
    valid: isCertified,
  };
}

/** Sorts the edges by the node they leave: counts, then places. */
function outgoingEdges({ nodes, u, v, w }: GraphProblem): OutgoingEdges {
  const offset = new Int32Array(nodes + 1);
  for (let e = 0; e < u.length; e++) offset[u[e] + 1]++;
  for (let i = 0; i < nodes; i++) offset[i + 1] += offset[i];
  const next = offset.slice();
  const rows = new Int32Array(2 * u.length);
  for (let e = 0; e < u.length; e++) {
    const at = 2 * next[u[e]]++;
    rows[at] = v[e];
    rows[at + 1] = w[e];
  }
  return { offset, rows };
}

function runWave(
  nodes: number,
  { offset, rows }: OutgoingEdges,
  source: number,
  { isAborted, onProgress }: SolveHooks,
): Wave {
  const wheel = new TimingWheel(rows.length / 2);
  /** The soonest spike that is under way to each node, or when it fired. */
  const arrival = new Float64Array(nodes).fill(Infinity);
  const before = new Int32Array(nodes).fill(-1);
  let spikes = 0;
  let events = 0;
  const fire = (node: number): void => {
    const { now } = wheel;
    spikes++;
    const end = offset[node + 1];
    for (let edge = offset[node]; edge < end; edge++) {
      const to = rows[2 * edge];
      const delay = rows[2 * edge + 1];
      const time = now + delay;
      if (time >= arrival[to]) continue;
      arrival[to] = time;
      before[to] = node;
      wheel.send(edge, delay);
    }
    if (spikes % SPIKES_BETWEEN_HOOKS !== 0) return;
    if (isAborted?.()) throw new GraphAbortedError();
    onProgress?.(spikes, nodes);
  };
  arrival[source] = 0;
  fire(source);
  let lastSpike = 0;
  for (let edge = wheel.advance(); edge >= 0; edge = wheel.advance()) {
    const { now } = wheel;
    while (edge >= 0) {
      // No delay is 0 and no edge is sent twice: what a spike sends now cannot touch this list.
      const next = wheel.after(edge);
      events++;
      const to = rows[2 * edge];
      // Later ones find the neuron spent: an arrival is one spike's alone, since a second as soon is not sent.
      if (arrival[to] === now) {
        lastSpike = now;
        fire(to);
      }
      edge = next;
    }
  }
  return { arrival, before, spikes, events, lastSpike };
}

/**
 * Whether these are the distances: no edge leads to its end sooner than the distances say, and each node that is reached is
 * reached, from the node before it, by an edge that is as long as they say. The first makes them no greater, the second no
 * smaller, than shortest paths.
 */
export function certify(
  { nodes, u, v, w }: GraphProblem,
  source: number,
  arrival: Float64Array,
  before: Int32Array,
): boolean {
  const isTight = new Uint8Array(nodes);
  isTight[source] = arrival[source] === 0 ? 1 : 0;
  for (let e = 0; e < u.length; e++) {
    const through = arrival[u[e]] + w[e];
    if (through < arrival[v[e]]) return false;
    if (through === arrival[v[e]] && before[v[e]] === u[e]) isTight[v[e]] = 1;
  }
  for (let i = 0; i < nodes; i++) if (arrival[i] !== Infinity && isTight[i] === 0) return false;
  return true;
}

function pathTo(target: number, arrival: Float64Array, before: Int32Array): Int32Array {
  if (arrival[target] === Infinity) return new Int32Array(0);
  const path: number[] = [];
  for (let node = target; node >= 0; node = before[node]) path.push(node);
  return Int32Array.from(path.reverse());
}
