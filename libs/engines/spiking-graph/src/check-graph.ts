import {
  EDGES_MAX,
  type GraphProblem,
  GraphProblemError,
  NODES_MAX,
  RESTARTS_MAX,
  STEPS_MAX,
  WEIGHT_MAX,
  WORK_MAX,
} from './graph-problem.js';

/** Steps and restarts of a stochastic problem. */
export interface Schedule {
  readonly steps: number;
  readonly restarts: number;
}

const STEPS_DEFAULT = 1_000;
const STEPS_DEFAULT_MIN = 30;
const RESTARTS_DEFAULT = 32;
/** Work of a call that names neither steps nor restarts: six seconds at most. */
const WORK_DEFAULT = 1e9;
const SEED_MAX = 2 ** 32 - 1;

/**
 * Checks a whole problem, its work too, before any of it is computed.
 * @throws GraphProblemError at the first fault
 */
export function checkGraph(graph: GraphProblem): void {
  checkShape(graph);
  if (graph.problem !== 'sssp') scheduleOf(graph);
}

function checkShape(graph: GraphProblem): void {
  const { problem, nodes, u, v, w } = graph;
  range('nodes', nodes, 1, NODES_MAX);
  if (u.length !== v.length || u.length !== w.length) {
    const message = `the columns of the edges have ${u.length}, ${v.length} and ${w.length} entries`;
    throw new GraphProblemError('OUT_OF_RANGE', 'edges', message);
  }
  if (u.length > EDGES_MAX) {
    const message = `a graph has at most ${EDGES_MAX} edges, not ${u.length}`;
    throw new GraphProblemError('OUT_OF_RANGE', 'edges', message, { max: EDGES_MAX }, u.length);
  }
  const isDelay = problem === 'sssp';
  for (let e = 0; e < u.length; e++) {
    // One test for what nearly every edge passes; which fault it was is asked of those that don't.
    const [from, to, weight] = [u[e], v[e], w[e]];
    const isEdge = from >>> 0 < nodes && to >>> 0 < nodes && from !== to;
    const isWeight = isDelay
      ? weight >= 1 && weight <= WEIGHT_MAX && Math.floor(weight) === weight
      : Math.abs(weight) <= WEIGHT_MAX;
    if (!isEdge || !isWeight) throw edgeFault(graph, e);
  }
  checkFields(graph);
}

function edgeFault({ problem, nodes, u, v, w }: GraphProblem, e: number): GraphProblemError {
  const ends = [u[e], v[e]];
  const unknown = ends.findIndex(node => !(node >= 0 && node < nodes));
  if (unknown >= 0) {
    const message = `is no node of ${nodes}`;
    return new GraphProblemError(
      'OUT_OF_RANGE',
      `edges.${e}.${unknown}`,
      message,
      { min: 0, max: nodes - 1 },
      ends[unknown],
    );
  }
  if (ends[0] === ends[1]) {
    return new GraphProblemError('LOOP', `edges.${e}`, 'runs from a node to itself', undefined, ends[0]);
  }
  const bound = { min: problem === 'sssp' ? 1 : -WEIGHT_MAX, max: WEIGHT_MAX };
  const message =
    problem === 'sssp'
      ? `is no whole number from ${bound.min} to ${bound.max}: a weight of sssp is a delay`
      : `is no weight from ${bound.min} to ${bound.max}`;
  return new GraphProblemError('WEIGHT', `edges.${e}.2`, message, bound, w[e]);
}

function checkFields({ problem, nodes, source, target, seed, steps, restarts }: GraphProblem): void {
  if (problem === 'sssp') {
    if (source === undefined)
      throw new GraphProblemError('FIELD', 'source', 'is what sssp begins at, and is missing');
    range('source', source, 0, nodes - 1);
    if (target !== undefined) range('target', target, 0, nodes - 1);
    for (const [path, value] of Object.entries({ steps, restarts })) {
      if (value === undefined) continue;
      throw new GraphProblemError('FIELD', path, 'is not taken by sssp, which is exact', undefined, value);
    }
  } else {
    for (const [path, value] of Object.entries({ source, target })) {
      if (value === undefined) continue;
      throw new GraphProblemError('FIELD', path, `belongs to sssp, not to ${problem}`, undefined, value);
    }
  }
  if (seed !== undefined) range('seed', seed, 0, SEED_MAX);
  if (steps !== undefined) range('steps', steps, 1, STEPS_MAX);
  if (restarts !== undefined) range('restarts', restarts, 1, RESTARTS_MAX);
}

function range(path: string, value: number, min: number, max: number): void {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  const message = `is a whole number from ${min} to ${max}`;
  throw new GraphProblemError('OUT_OF_RANGE', path, message, { min, max }, value);
}

/** What one step of a network costs: every node decides, and each of its spikes may reach every end of its edges. */
const workOfStep = ({ nodes, u }: GraphProblem): number => nodes + 2 * u.length;

/**
 * Steps and restarts that a stochastic problem runs: those it names, and for the others what the default of work allows.
 * @throws GraphProblemError where they come to more than {@link WORK_MAX}
 */
export function scheduleOf(graph: GraphProblem): Schedule {
  const step = workOfStep(graph);
  const affordable = Math.floor(WORK_DEFAULT / step);
  const restarts =
    graph.restarts ??
    Math.min(RESTARTS_DEFAULT, Math.max(1, Math.floor(affordable / (graph.steps ?? STEPS_DEFAULT))));
  const steps =
    graph.steps ?? Math.min(STEPS_DEFAULT, Math.max(STEPS_DEFAULT_MIN, Math.floor(affordable / restarts)));
  const work = step * steps * restarts;
  if (work > WORK_MAX) {
    const path = graph.steps === undefined ? 'restarts' : 'steps';
    const message = `(nodes + 2·edges)·steps·restarts is at most ${WORK_MAX}, not ${work}`;
    throw new GraphProblemError('TOO_MUCH_WORK', path, message, { max: WORK_MAX }, work);
  }
  return { steps, restarts };
}

/** Of one core, on the machine that this was measured on: 3 to 6.5 ns for large sparse graphs, 1 to 4 for small ones. */
const SECONDS_OF_WORK = 8e-9;
/** Of an edge of `sssp`, sorted, sent and checked: 0.1 µs were measured. */
const SECONDS_OF_EDGE = 2e-7;

/**
 * Seconds of one core that a problem takes at most, roughly: for who has to queue it.
 * @throws GraphProblemError where it is more work than a call may ask for
 */
export function estimateSeconds(graph: GraphProblem): number {
  if (graph.problem === 'sssp') return SECONDS_OF_EDGE * (graph.nodes + graph.u.length);
  const { steps, restarts } = scheduleOf(graph);
  return SECONDS_OF_WORK * workOfStep(graph) * steps * restarts;
}
