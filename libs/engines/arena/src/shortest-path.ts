import type { RandomSource } from './random-source.js';

/** `[from, to, weight]`, with a `toll` where the problem has a budget. */
export type Road = readonly [from: number, to: number, weight: number, toll?: number];

/** A weighted digraph, and from where to where; with `tollMax`, tolls along the way may sum to no more. */
export interface ShortestPathProblem {
  readonly vertices: number;
  readonly edges: readonly Road[];
  readonly source: number;
  readonly target: number;
  readonly tollMax?: number;
}

/** Vertices of a problem, by level from 1. */
const VERTICES = [6, 10, 16, 28, 48, 40, 70, 110, 170, 260];
/** From this level on there is a budget of tolls: without it the problem is easy, with it NP-hard in general. */
const TOLL_LEVEL = 6;
const REACH = 8;
const MORE_ROADS = 3;
const WEIGHT_MAX = 99;
const TOLL_MAX = 9;

/**
 * A digraph whose vertices lie along a hidden line, so that the way from its one end to the other is long: each has a road
 * to the next and three to others near it. From level 6 on the lightest way is too dear, by half of what it costs more
 * than the cheapest.
 */
export function drawShortestPath(level: number, random: RandomSource): ShortestPathProblem {
  const vertices = VERTICES[level - 1];
  const name = random.permutation(vertices);
  const hasTolls = level >= TOLL_LEVEL;
  for (;;) {
    const edges = drawRoads(vertices, name, hasTolls, random);
    const problem = { vertices, edges, source: name[0], target: name[vertices - 1] };
    if (!hasTolls) return problem;
    const tollMax = bindingToll(problem);
    if (tollMax !== undefined) return { ...problem, tollMax };
  }
}

function drawRoads(
  vertices: number,
  name: readonly number[],
  hasTolls: boolean,
  random: RandomSource,
): Road[] {
  const edges: Road[] = [];
  for (let at = 0; at < vertices; at++) {
    const ends = new Set<number>();
    if (at + 1 < vertices) ends.add(at + 1);
    for (let i = 0; i < MORE_ROADS; i++) {
      const to = at + random.between(-REACH, REACH);
      if (to >= 0 && to < vertices && to !== at) ends.add(to);
    }
    for (const to of ends) {
      // What is far costs more, or the way would be the widest leaps.
      const weight = random.between(1, WEIGHT_MAX) + 10 * Math.abs(to - at);
      const road = [name[at], name[to], weight] as const;
      edges.push(hasTolls ? [...road, random.between(1, TOLL_MAX)] : road);
    }
  }
  return random.shuffle(edges);
}

/** A budget that the lightest way breaks and another keeps; undefined where the lightest is the cheapest too. */
function bindingToll(problem: ShortestPathProblem): number | undefined {
  const lightest = shortestPath(problem)!;
  const cheapest = shortestPath({
    ...problem,
    edges: problem.edges.map(([from, to, , toll]) => [from, to, toll!]),
  })!;
  const dear = tollOf(problem, lightest.path);
  return dear > cheapest.weight ? Math.floor((dear + cheapest.weight) / 2) : undefined;
}

function tollOf({ edges }: ShortestPathProblem, path: readonly number[]): number {
  let toll = 0;
  for (let i = 0; i + 1 < path.length; i++) {
    toll += edges.find(([from, to]) => from === path[i] && to === path[i + 1])![3]!;
  }
  return toll;
}

/** A way and what it weighs. */
export interface WeighedPath {
  readonly weight: number;
  readonly path: readonly number[];
}

/** The lightest way within the budget, exactly; undefined where there is none. */
export function shortestPath(problem: ShortestPathProblem): WeighedPath | undefined {
  return problem.tollMax === undefined ? dijkstra(problem) : withinBudget(problem, problem.tollMax);
}

/** Dijkstra's algorithm by scanning: the graphs are small. */
function dijkstra({ vertices, edges, source, target }: ShortestPathProblem): WeighedPath | undefined {
  const roads: Road[][] = Array.from({ length: vertices }, () => []);
  for (const road of edges) roads[road[0]].push(road);
  const weight = new Float64Array(vertices).fill(Infinity);
  const before = new Int32Array(vertices).fill(-1);
  const isDone = new Uint8Array(vertices);
  weight[source] = 0;
  for (;;) {
    let at = -1;
    for (let v = 0; v < vertices; v++) {
      if (!isDone[v] && weight[v] < Infinity && (at < 0 || weight[v] < weight[at])) at = v;
    }
    if (at < 0) return undefined;
    if (at === target) break;
    isDone[at] = 1;
    for (const [, to, more] of roads[at]) {
      if (weight[at] + more >= weight[to]) continue;
      weight[to] = weight[at] + more;
      before[to] = at;
    }
  }
  const path = [target];
  while (path[0] !== source) path.unshift(before[path[0]]);
  return { weight: weight[target], path };
}

/**
 * The lightest way whose tolls sum to at most the budget: dynamic programming over what was spent, which is exact because
 * every toll is at least 1. (H. C. Joksch: The shortest route problem with constraints, 1966.)
 */
function withinBudget(problem: ShortestPathProblem, tollMax: number): WeighedPath | undefined {
  const { vertices, edges, source, target } = problem;
  const at = (spent: number, vertex: number) => spent * vertices + vertex;
  const weight = new Float64Array((tollMax + 1) * vertices).fill(Infinity);
  const roadTo = new Int32Array(weight.length).fill(-1);
  weight[at(0, source)] = 0;
  for (let spent = 1; spent <= tollMax; spent++) {
    edges.forEach(([from, to, more, toll], road) => {
      if (toll! > spent) return;
      const reached = weight[at(spent - toll!, from)] + more;
      if (reached >= weight[at(spent, to)]) return;
      weight[at(spent, to)] = reached;
      roadTo[at(spent, to)] = road;
    });
  }
  let spent = 0;
  for (let s = 1; s <= tollMax; s++) if (weight[at(s, target)] < weight[at(spent, target)]) spent = s;
  const best = weight[at(spent, target)];
  if (best === Infinity) return undefined;
  const path = [target];
  for (let road = roadTo[at(spent, target)]; road >= 0; road = roadTo[at(spent, path[0])]) {
    spent -= edges[road][3]!;
    path.unshift(edges[road][0]);
  }
  return { weight: best, path };
}

/** What a way weighs, or why it is none. */
export function weighPath(
  problem: ShortestPathProblem,
  path: readonly number[],
): { weight: number } | { fault: string } {
  if (path[0] !== problem.source || path.at(-1) !== problem.target) {
    return { fault: `the path must lead from ${problem.source} to ${problem.target}` };
  }
  const roads = new Map(problem.edges.map(road => [`${road[0]} ${road[1]}`, road]));
  let [weight, toll] = [0, 0];
  for (let i = 0; i + 1 < path.length; i++) {
    const road = roads.get(`${path[i]} ${path[i + 1]}`);
    if (!road) return { fault: `there is no edge from ${path[i]} to ${path[i + 1]}` };
    weight += road[2];
    toll += road[3] ?? 0;
  }
  const { tollMax } = problem;
  if (tollMax !== undefined && toll > tollMax) {
    return { fault: `its tolls sum to ${toll}, more than ${tollMax}` };
  }
  return { weight };
}
