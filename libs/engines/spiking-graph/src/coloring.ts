import { type Adjacency, adjacencyOf } from './adjacency.js';
import { HookClock } from './anneal.js';
import type { SpikeCounts } from './annealed-network.js';
import { scheduleOf } from './check-graph.js';
import { chromaticBound } from './chromatic-bound.js';
import { CounterRandom, GUMBEL, QUANTILE_SHIFT } from './counter-random.js';
import type { GraphProblem, GraphSolution, SolveHooks } from './graph-problem.js';
import { degeneracyOrder, type NodeOrder } from './node-order.js';

/** Steps for which a circuit's winner is refractory. */
const WINNER_STEPS = 3;
const COOLING = { hot: 0.5, cold: 0.1 };
/** Below every drive. */
const NEVER = -Infinity;

/**
 * Few colours such that no edge lies within one. Each node is a winner-take-all circuit of one neuron a colour: the first to
 * spike silences the others, and every spike inhibits its colour at the neighbours (Jonke, Habenschuss & Maass 2016). The
 * search begins with the smallest-last colouring, of degeneracy + 1 colours at most; the network then looks for one with a
 * colour less, again and again, until tries of `steps` steps have failed `restarts` times or the bound is reached.
 */
export function solveColoring(graph: GraphProblem, hooks: SolveHooks): GraphSolution {
  const adjacency = adjacencyOf(graph, false);
  const { steps, restarts } = scheduleOf(graph);
  const order = degeneracyOrder(adjacency);
  const bound = chromaticBound(adjacency, order);
  let best = smallestLastColoring(adjacency, order);
  let colors = colorCount(best);
  const counts: SpikeCounts = { spikes: 0, events: 0, simSteps: 0 };
  const clock = new HookClock(hooks, restarts * steps);
  // Steps that succeed are part of the same allowance: a call never takes more than it named.
  for (let attempt = 0; colors > bound && counts.simSteps < restarts * steps; attempt++) {
    const circuits = new ColorCircuits(adjacency, best, colors - 1, graph.seed ?? 0, attempt, counts);
    if (!circuits.search(Math.min(steps, restarts * steps - counts.simSteps), clock)) continue;
    best = circuits.color;
    colors = colorCount(best);
  }
  return {
    exact: false,
    objective: colors,
    solution: best,
    bound,
    ...counts,
    valid: isProperColoring(adjacency, best),
  };
}

/** Whether no edge lies within a colour. */
export function isProperColoring({ nodes, offset, neighbour }: Adjacency, color: Int32Array): boolean {
  for (let i = 0; i < nodes; i++) {
    for (let k = offset[i]; k < offset[i + 1]; k++) if (color[i] === color[neighbour[k]]) return false;
  }
  return true;
}

/** The order backwards, each node with the first colour that no neighbour has yet: degeneracy + 1 at most. */
export function smallestLastColoring(
  { nodes, offset, neighbour }: Adjacency,
  { order }: NodeOrder,
): Int32Array {
  const color = new Int32Array(nodes).fill(-1);
  const takenBy = new Int32Array(nodes + 1).fill(-1);
  for (let at = nodes - 1; at >= 0; at--) {
    const node = order[at];
    for (let k = offset[node]; k < offset[node + 1]; k++) {
      if (color[neighbour[k]] >= 0) takenBy[color[neighbour[k]]] = node;
    }
    let free = 0;
    while (takenBy[free] === node) free++;
    color[node] = free;
  }
  return color;
}

const colorCount = (color: Int32Array): number => color.reduce((most, c) => Math.max(most, c), -1) + 1;

/**
 * One winner-take-all circuit a node, on `colors` colours, or on one more than its neighbours are where that is fewer: a colouring in
 * which each node has the first colour that is free never needs another.
 */
class ColorCircuits {
  readonly color: Int32Array;
  private readonly stepsLeft: Int8Array;
  private readonly rivals: Int32Array;
  private readonly random: CounterRandom;
  private draws = 0;
  /** Edges within a colour. */
  private conflicts = 0;

  /** @param start a proper colouring; what has a colour too many starts with one by chance */
  constructor(
    private readonly graph: Adjacency,
    start: Int32Array,
    private readonly colors: number,
    seed: number,
    attempt: number,
    private readonly counts: SpikeCounts,
  ) {
    this.random = new CounterRandom(seed, attempt, colors);
    this.color = start.map((color, i) =>
      color < colors ? color : this.random.below(this.width(i), this.draws++),
    );
    this.stepsLeft = new Int8Array(graph.nodes);
    this.rivals = new Int32Array(colors);
    const { offset, neighbour } = graph;
    for (let i = 0; i < graph.nodes; i++) {
      this.stepsLeft[i] = this.random.below(WINNER_STEPS, this.draws++);
      for (let k = offset[i]; k < offset[i + 1]; k++) {
        if (neighbour[k] > i && this.color[i] === this.color[neighbour[k]]) this.conflicts++;
      }
    }
  }

  private width(node: number): number {
    return Math.min(this.colors, this.graph.offset[node + 1] - this.graph.offset[node] + 1);
  }

  /** Cools for some steps. @returns whether the colouring is proper, as soon as it is */
  search(steps: number, clock: HookClock): boolean {
    const { nodes, neighbour } = this.graph;
    for (let step = 0; step < steps && this.conflicts > 0; step++) {
      const share = steps === 1 ? 1 : step / (steps - 1);
      this.step(COOLING.hot * (COOLING.cold / COOLING.hot) ** share);
      this.counts.simSteps++;
      clock.tick(nodes + neighbour.length, this.counts.simSteps);
    }
    return this.conflicts === 0;
  }

  private step(temperature: number): void {
    const { nodes } = this.graph;
    for (let i = 0; i < nodes && this.conflicts > 0; i++) {
      if (this.stepsLeft[i] > 0) this.stepsLeft[i]--;
      else this.compete(i, temperature);
    }
  }

  /** The circuit of one node: the winner is colour c with probability exp(−rivals_c/T)/Σ. */
  private compete(node: number, temperature: number): void {
    const { offset, neighbour } = this.graph;
    const { color, rivals } = this;
    const width = this.width(node);
    for (let k = offset[node]; k < offset[node + 1]; k++) rivals[color[neighbour[k]]]++;
    let winner = 0;
    let first = NEVER;
    for (let c = 0; c < width; c++) {
      const noise = GUMBEL[this.random.word(this.draws++) >>> QUANTILE_SHIFT];
      const drive = temperature * noise - rivals[c];
      if (drive <= first) continue;
      first = drive;
      winner = c;
    }
    this.conflicts += rivals[winner] - rivals[color[node]];
    for (let k = offset[node]; k < offset[node + 1]; k++) rivals[color[neighbour[k]]] = 0;
    color[node] = winner;
    this.stepsLeft[node] = WINNER_STEPS - 1;
    this.counts.spikes++;
    this.counts.events += offset[node + 1] - offset[node];
  }
}
