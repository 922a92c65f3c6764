import type { FieldFault, SolveGraphRequest } from '@svc/contracts';
import {
  EDGES_MAX,
  type GraphProblem,
  NODES_MAX,
  RESTARTS_MAX,
  STEPS_MAX,
  WEIGHT_MAX,
} from '@svc/spiking-graph';
import { RefusedInput } from '../compute/input-problem.js';
import { readPackedJson, type ShapeKind, type TextBounds } from '../compute/packed-json.js';
import { digestOf, FAULTS_MAX, kindOf, refusalOf, requireMembers } from '../compute/request-faults.js';

const PROBLEMS: readonly SolveGraphRequest['problem'][] = ['sssp', 'maxcut', 'mis', 'coloring', 'hopfield'];
const SEED_MAX = 2 ** 32 - 1;
const TEXT: TextBounds = {
  name: 'graph',
  textBytesMax: 33_554_432,
  shapeMax: { containers: 1_200_000, values: 4_000_000, members: 10_000 },
  tooMany,
};

/** Whole numbers of a request beside its edges, by name: least, greatest, whether they must be there. */
const INTEGERS = {
  nodes: { min: 1, max: NODES_MAX, isNeeded: true },
  source: { min: 0, max: NODES_MAX - 1, isNeeded: false },
  target: { min: 0, max: NODES_MAX - 1, isNeeded: false },
  seed: { min: 0, max: SEED_MAX, isNeeded: false },
  steps: { min: 1, max: STEPS_MAX, isNeeded: false },
  restarts: { min: 1, max: RESTARTS_MAX, isNeeded: false },
} as const;
const MEMBERS: ReadonlySet<string> = new Set(['problem', 'edges', ...Object.keys(INTEGERS)]);

/** A request whose edges lie in columns of shared memory, and the digest of its canonical JSON. */
export interface GraphRequest {
  readonly problem: GraphProblem;
  readonly requestDigest: Uint8Array;
}

/**
 * Reads a request for the solution of a graph, with the limits of `SolveGraphRequest`. By hand: a schema that makes a report
 * of each of a million edges takes seconds and hundreds of megabytes.
 *
 * @param packed the text, deflated without a header (RFC 1951)
 * @throws RefusedInput MALFORMED_JSON, BODY_TOO_LARGE, VALIDATION_FAILED naming each fault, 32 at most
 */
export function readGraphRequest(packed: Uint8Array): GraphRequest {
  const request = requireMembers(readPackedJson(packed, TEXT));
  const faults: FieldFault[] = [];
  checkProblem(request.problem, faults);
  for (const [name, bounds] of Object.entries(INTEGERS)) {
    if (request[name] === undefined && !bounds.isNeeded) continue;
    checkInteger(name, request[name], bounds.min, bounds.max, faults);
  }
  const columns = readEdges(request.edges, faults);
  for (const name of Object.keys(request)) {
    if (faults.length >= FAULTS_MAX) break;
    if (!MEMBERS.has(name)) faults.push({ path: name.slice(0, 80), message: 'unknown field' });
  }
  if (faults.length > 0) throw refusalOf(faults);
  const { edges: _edges, ...rest } = request as unknown as SolveGraphRequest;
  return { problem: { ...rest, ...columns! }, requestDigest: digestOf(request) };
}

function checkProblem(problem: unknown, faults: FieldFault[]): void {
  if ((PROBLEMS as readonly unknown[]).includes(problem)) return;
  const got = typeof problem === 'string' ? problem.slice(0, 80) : kindOf(problem);
  const message = `Invalid option: expected one of ${PROBLEMS.map(name => `"${name}"`).join('|')}`;
  faults.push({ path: 'problem', message, bound: PROBLEMS, ...(problem === undefined ? {} : { got }) });
}

function checkInteger(path: string, value: unknown, min: number, max: number, faults: FieldFault[]): void {
  const fault = integerFault(value, min, max);
  if (fault) faults.push({ path, ...fault });
}

function integerFault(value: unknown, min: number, max: number): Omit<FieldFault, 'path'> | undefined {
  const got = typeof value === 'number' && Number.isFinite(value) ? value : kindOf(value);
  if (value === undefined) {
    return { message: 'Invalid input: expected number, received undefined', bound: 'number' };
  }
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    return { message: `Invalid input: expected int, received ${kindOf(value)}`, bound: 'int', got };
  }
  if (value < min) return { message: `Too small: expected number to be >=${min}`, bound: min, got };
  return value > max ? { message: `Too big: expected number to be <=${max}`, bound: max, got } : undefined;
}

/** The edges in three columns; undefined where they are none, or too many. */
function readEdges(edges: unknown, faults: FieldFault[]): Pick<GraphProblem, 'u' | 'v' | 'w'> | undefined {
  if (!Array.isArray(edges)) {
    const got = edges === undefined ? {} : { got: kindOf(edges) };
    const message = `Invalid input: expected array, received ${kindOf(edges)}`;
    faults.push({ path: 'edges', message, bound: 'array', ...got });
    return undefined;
  }
  if (edges.length > EDGES_MAX) {
    const message = `Too big: expected array to have <=${EDGES_MAX} items`;
    faults.push({ path: 'edges', message, bound: EDGES_MAX, got: `array of ${edges.length}` });
    return undefined;
  }
  const u = new Int32Array(new SharedArrayBuffer(4 * edges.length));
  const v = new Int32Array(new SharedArrayBuffer(4 * edges.length));
  const w = new Float64Array(new SharedArrayBuffer(8 * edges.length));
  for (let e = 0; e < edges.length && faults.length < FAULTS_MAX; e++) {
    const edge: unknown = edges[e];
    if (!isEdge(edge)) {
      checkEdge(e, edge, faults);
      continue;
    }
    [u[e], v[e], w[e]] = edge;
  }
  return { u, v, w };
}

const isNode = (value: unknown) =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) < NODES_MAX;

function isEdge(edge: unknown): edge is [number, number, number] {
  if (!Array.isArray(edge) || edge.length !== 3) return false;
  const weight: unknown = edge[2];
  return isNode(edge[0]) && isNode(edge[1]) && typeof weight === 'number' && Math.abs(weight) <= WEIGHT_MAX;
}

function checkEdge(e: number, edge: unknown, faults: FieldFault[]): void {
  const path = `edges[${e}]`;
  if (!Array.isArray(edge)) {
    const message = `Invalid input: expected tuple, received ${kindOf(edge)}`;
    faults.push({ path, message, bound: 'tuple', got: kindOf(edge) });
    return;
  }
  if (edge.length !== 3) {
    faults.push({ path, message: 'expected [u, v, weight]', bound: 3, got: `array of ${edge.length}` });
    return;
  }
  for (const end of [0, 1]) checkInteger(`${path}[${end}]`, edge[end], 0, NODES_MAX - 1, faults);
  const weight: unknown = edge[2];
  if (typeof weight !== 'number') {
    const message = `Invalid input: expected number, received ${kindOf(weight)}`;
    faults.push({ path: `${path}[2]`, message, bound: 'number', got: kindOf(weight) });
  } else if (!(Math.abs(weight) <= WEIGHT_MAX)) {
    const bound = weight < 0 ? -WEIGHT_MAX : WEIGHT_MAX;
    const message = `A weight is a number from ${-WEIGHT_MAX} to ${WEIGHT_MAX}`;
    faults.push({
      path: `${path}[2]`,
      message,
      bound,
      got: Number.isFinite(weight) ? weight : String(weight),
    });
  }
}

/** Beyond what a graph of so many edges has; where it is one, that is what is wrong with it. */
function tooMany(kind: ShapeKind): RefusedInput {
  const path = kind === 'members' ? '' : 'edges';
  const bound = kind === 'members' ? TEXT.shapeMax.members : EDGES_MAX;
  const message =
    kind === 'members'
      ? `Too big: objects have at most ${bound} members`
      : `Too big: expected array to have <=${bound} items`;
  return new RefusedInput({
    code: 'VALIDATION_FAILED',
    detail: `${path === '' ? 'body' : path}: ${message}`,
    errors: [{ path, message, bound }],
  });
}
