import type { RandomSource } from './random-source.js';

/** `[one, other, weight]` of an undirected graph. */
export type CutEdge = readonly [one: number, other: number, weight: number];

export interface MaxCutProblem {
  readonly vertices: number;
  readonly edges: readonly CutEdge[];
}

/** A cut: the side of each vertex, `0` or `1`, in their order. */
export interface WeighedCut {
  readonly weight: number;
  readonly side: string;
}

/** Vertices, and how far apart on the hidden line two that share an edge may lie, by level from 1. */
const SHAPES: readonly (readonly [vertices: number, width: number])[] = [
  [4, 3],
  [6, 4],
  [9, 6],
  [12, 8],
  [16, 10],
  [22, 11],
  [30, 12],
  [40, 12],
  [52, 13],
  [64, 14],
];
/** Up to this level every edge weighs 1; beyond, some weigh less than nothing. */
const UNIT_LEVEL_MAX = 3;
const WEIGHT_MAX = 9;
const EDGE_IN = 2;
/** Widest window that the solver takes: it holds 2^width cuts at once. */
export const WINDOW_MAX = 16;

/** A drawn graph with the order of its vertices along the line, by which its optimum is found; the order is not told. */
export interface DrawnMaxCut {
  readonly problem: MaxCutProblem;
  readonly order: readonly number[];
}

/**
 * A graph whose vertices lie along a hidden line, with edges between such as are near one another, every second one drawn.
 * To whoever knows the line the exact optimum is a matter of milliseconds, which is how the grader has it.
 */
export function drawMaxCut(level: number, random: RandomSource): DrawnMaxCut {
  const [vertices, width] = SHAPES[level - 1];
  const order = random.permutation(vertices);
  const edges: CutEdge[] = [];
  for (let i = 0; i < vertices; i++) {
    for (let j = i + 1; j < Math.min(vertices, i + width + 1); j++) {
      const isDrawn = j === i + 1 || random.below(EDGE_IN) === 0;
      if (!isDrawn) continue;
      const size = level <= UNIT_LEVEL_MAX ? 1 : random.between(1, WEIGHT_MAX);
      const sign = level <= UNIT_LEVEL_MAX || random.below(3) > 0 ? 1 : -1;
      edges.push([order[i], order[j], sign * size]);
    }
  }
  return { problem: { vertices, edges: random.shuffle(edges) }, order };
}

/** Edges of an order are further apart than the solver's window. */
export class WindowError extends Error {
  readonly code = 'WINDOW_TOO_WIDE';
  constructor(
    readonly got: number,
    readonly max = WINDOW_MAX,
  ) {
    super(`two ends of an edge are ${got} apart in the order, more than ${max}`);
    this.name = 'WindowError';
  }
}

/**
 * A heaviest cut, exactly: vertices are placed one after another in the given order, and of all cuts that agree on the
 * last `width` vertices only the best is kept. Time and memory O(vertices · 2^width).
 * @throws WindowError where the order has an edge that is longer than {@link WINDOW_MAX}
 */
export function maxCut({ vertices, edges }: MaxCutProblem, order: readonly number[]): WeighedCut {
  const place = new Int32Array(vertices);
  order.forEach((vertex, i) => (place[vertex] = i));
  const apart = edges.map(([one, other]) => Math.abs(place[one] - place[other]));
  const width = Math.max(1, ...apart);
  if (width > WINDOW_MAX) throw new WindowError(width);
  // weightTo[d]: of the edge from the vertex that is placed to the one d + 1 places before it.
  const weightTo = Array.from({ length: vertices }, () => new Float64Array(width));
  edges.forEach(([one, other, weight], i) => {
    weightTo[Math.max(place[one], place[other])][apart[i] - 1] += weight;
  });
  const states = 1 << width;
  let best = new Float64Array(states).fill(-Infinity);
  best[0] = 0;
  const dropped: Uint8Array[] = [];
  const gain = new Float64Array(states);
  for (let i = 0; i < vertices; i++) {
    const total = fillGains(gain, weightTo[i]);
    const next = new Float64Array(states).fill(-Infinity);
    const from = new Uint8Array(states);
    for (let state = 0; state < states; state++) {
      if (best[state] === -Infinity) continue;
      for (let side = 0; side < 2; side++) {
        // On side 0 the edges to those on side 1 are cut, on side 1 the others.
        const value = best[state] + (side === 0 ? gain[state] : total - gain[state]);
        const into = ((state << 1) | side) & (states - 1);
        if (value <= next[into]) continue;
        next[into] = value;
        from[into] = state >>> (width - 1);
      }
    }
    best = next;
    dropped.push(from);
  }
  return traced(best, dropped, width, order);
}

/** For each state, the weight of the edges to those that it has on side 1; returns that of all. */
function fillGains(gain: Float64Array, weights: Float64Array): number {
  gain[0] = 0;
  let total = 0;
  weights.forEach((weight, d) => {
    const half = 1 << d;
    for (let state = 0; state < half; state++) gain[half + state] = gain[state] + weight;
    total += weight;
  });
  return total;
}

function traced(
  best: Float64Array,
  dropped: readonly Uint8Array[],
  width: number,
  order: readonly number[],
): WeighedCut {
  let state = 0;
  for (let s = 1; s < best.length; s++) if (best[s] > best[state]) state = s;
  const weight = best[state];
  const side = new Array<number>(order.length);
  for (let i = order.length - 1; i >= 0; i--) {
    side[order[i]] = state & 1;
    state = (state >>> 1) | (dropped[i][state] << (width - 1));
  }
  return { weight, side: side.join('') };
}

/** What a cut weighs: the sum of the edges whose ends lie on two sides. */
export function weighCut({ edges }: MaxCutProblem, side: string): number {
  let weight = 0;
  for (const [one, other, more] of edges) if (side[one] !== side[other]) weight += more;
  return weight;
}

/** The sum of all edges: a cut by chance weighs half of it on average. */
export const totalWeight = ({ edges }: MaxCutProblem): number =>
  edges.reduce((sum, [, , weight]) => sum + weight, 0);
