import { type BaseField, batchInverse } from '@svc/kernels';
import { fieldOf } from '../check-trace.js';
import { nodeValues, type OwnDefinition, type OwnNode } from './definition.js';

/** Elements by the names of columns or public inputs. */
export type NamedElements = Readonly<Record<string, bigint>>;

/**
 * What a trace is made from. Columns that the constraints give, row by row or from the row before, are filled; all others are `given`, a
 * list of `rows` elements each.
 */
export interface OwnStatement {
  /** Rows that the statement speaks of: 2 at least, and less than the trace has, so that constraints hold on the last of them too. */
  readonly rows: number;
  /** Those that a constraint uses, and any others that are to agree with the trace. */
  readonly publicInputs?: NamedElements;
  /** Row 0 of the columns that follow from the row before, where no boundary gives it. */
  readonly start?: NamedElements;
  readonly given?: Readonly<Record<string, ArrayLike<bigint>>>;
  /** The given columns behind `rows`; without it their last row goes on. */
  readonly filler?: NamedElements;
  /** Columns that are made from others row by row, in their order, instead of being given. */
  readonly hints?: readonly OwnHint[];
}

/** The bits of a column, least first, or its inverse, 0 for 0. A column that is local may be given for it, and stands before its bits do. */
export type OwnHint =
  | { readonly bits: { readonly of: string; readonly into: readonly string[] } }
  | { readonly inverse: { readonly of: string; readonly into: string } };

/** What a hint fills. */
export const hintedBy = (hint: OwnHint): readonly string[] =>
  'bits' in hint ? hint.bits.into : [hint.inverse.into];
/** What a hint looks at. */
export const hintedOf = (hint: OwnHint): string => ('bits' in hint ? hint.bits.of : hint.inverse.of);

/** A trace that keeps a definition, and the public inputs that it makes true. */
export interface OwnTrace {
  /** One array a column, each of as many elements as rows were asked for. */
  readonly columns: readonly BigUint64Array[];
  readonly publicInputs: NamedElements;
}

export type StatementErrorCode =
  | 'malformed-statement'
  | 'missing-input'
  | 'rows-out-of-range'
  | 'constraint-violated'
  | 'no-filler'
  | 'hint-too-small';

/** Where a trace breaks what. */
export interface BrokenRow {
  readonly row: number;
  /** Name of the constraint, or of the column that a boundary fixes. */
  readonly constraint?: string;
  readonly column?: string;
  /** The operands of the constraint's last node, which should cancel, or what stands in the cell and what should. */
  readonly operands: readonly bigint[];
}

/** Why a statement has no trace. `path` names the input; `broken` says where a constraint, a cell or a hint broke. */
export class StatementError extends Error {
  override readonly name = 'StatementError';

  constructor(
    readonly code: StatementErrorCode,
    readonly path: string,
    readonly reason: string,
    readonly broken?: BrokenRow,
  ) {
    super(`${path} ${reason}`);
  }
}

/** How each column comes about, by the form of the constraints. It helps to make a trace, and has no part in soundness. */
export interface ColumnSources {
  /** Follows from the row before: `next column − f`, of whose value the node `f` is. */
  readonly stepped: ReadonlyMap<number, number>;
  /** Follows from other columns of its row: `cur column − f`. */
  readonly local: ReadonlyMap<number, number>;
  readonly given: readonly number[];
}

/**
 * Tells columns by what gives them: the first constraint of the form `sub(next c, f)` with no `next` within f makes c stepped; the first of the
 * form `sub(cur c, f)` with neither `next` nor c within f, also by other local columns, makes it local; all others are given.
 */
export function columnSources(definition: OwnDefinition): ColumnSources {
  const known = knownSources.get(definition);
  if (known) return known;
  const sources = foundSources(definition);
  knownSources.set(definition, sources);
  return sources;
}

/** Finding them takes a tenth of a second for a definition that was made for that. */
const knownSources = new WeakMap<OwnDefinition, ColumnSources>();

function foundSources({ nodes, constraints, columns }: OwnDefinition): ColumnSources {
  const stepped = new Map<number, number>();
  const local = new Map<number, number>();
  const within = leavesWithin(nodes);
  const targets = (op: 'cur' | 'next') =>
    constraints.flatMap(({ node }) => {
      const top = nodes[node];
      const target = top.op === 'sub' ? nodes[top.left] : undefined;
      if (top.op !== 'sub' || target?.op !== op || within.hasNext(top.right)) return [];
      return [[target.at, top.right] as const];
    });
  for (const [column, from] of targets('next')) if (!stepped.has(column)) stepped.set(column, from);
  for (const [column, from] of targets('cur')) {
    if (stepped.has(column) || local.has(column)) continue;
    if (!needs(from, column, new Set())) local.set(column, from);
  }
  /** Whether a node's value hangs on a column of the same row, also through local ones. */
  function needs(from: number, column: number, seen: Set<number>): boolean {
    for (const at of within.current(from)) {
      if (at === column) return true;
      const through = local.get(at);
      if (through === undefined || seen.has(at)) continue;
      seen.add(at);
      if (needs(through, column, seen)) return true;
    }
    return false;
  }
  const given = columns.map((_, at) => at).filter(at => !stepped.has(at) && !local.has(at));
  return { stepped, local, given };
}

/** Which columns of the current row stand within each node, and whether any of the next does; a bit a column, 64 of them. */
function leavesWithin(nodes: readonly OwnNode[]) {
  const current: bigint[] = [];
  const next: boolean[] = [];
  for (const node of nodes) {
    const operands = 'left' in node ? [node.left, node.right] : [];
    current.push(
      operands.reduce((all, k) => all | current[k], node.op === 'cur' ? 1n << BigInt(node.at) : 0n),
    );
    next.push(node.op === 'next' || operands.some(k => next[k]));
  }
  return {
    hasNext: (node: number) => next[node],
    *current(node: number): Iterable<number> {
      for (let bits = current[node], at = 0; bits > 0n; bits >>= 1n, at++) if (bits & 1n) yield at;
    },
  };
}

/** A step needs two. */
export const ROWS_MIN = 2;

/** Looks for the first row that breaks, as {@link checkOwnTrace} does. */
export type TraceCheck = typeof checkOwnTrace;

/**
 * Makes the trace of a statement, and the public inputs that were not given.
 *
 * @param rowCount rows to fill, more than `rows`; those behind them keep the constraints too
 * @param check what it is checked with
 * @throws StatementError
 */
export function makeOwnTrace(
  definition: OwnDefinition,
  statement: OwnStatement,
  rowCount: number,
  check: TraceCheck = checkOwnTrace,
): OwnTrace {
  const { rows } = statement;
  const least =
    1 + Math.max(ROWS_MIN - 1, ...definition.boundary.map(({ row }) => (row === 'last' ? 0 : row)));
  if (!Number.isInteger(rows) || rows < least || rows >= rowCount) {
    const reason = `must be from ${least} to ${rowCount - 1}, of a trace of ${rowCount} rows, got ${rows}`;
    throw new StatementError('rows-out-of-range', 'rows', reason);
  }
  const maker = new TraceMaker(definition, statement, rowCount);
  const columns = maker.columns();
  const publicInputs = maker.publicInputsOf(columns);
  const broken = check(definition, columns, publicInputs, rows, rowCount);
  if (!broken) return { columns, publicInputs };
  const isBehind =
    broken.row >= rows || (broken.row === rows - 1 && looksAhead(definition, broken.constraint));
  const what = broken.constraint ?? `column ${String(broken.column)}`;
  throw isBehind
    ? new StatementError('no-filler', 'filler', `lets ${what} break behind the statement`, broken)
    : new StatementError('constraint-violated', 'trace', `breaks ${what} at row ${broken.row}`, broken);
}

/**
 * Sees that a statement has all that its trace is made from, without making it.
 * @throws StatementError missing-input, malformed-statement
 */
export function assertOwnInputs(definition: OwnDefinition, statement: OwnStatement): void {
  new TraceMaker(definition, statement, statement.rows + 1).assertInputs();
}

/** Whether a constraint speaks of the row behind its own: out of the last row of a statement, of one that is none of its. */
function looksAhead({ nodes, constraints }: OwnDefinition, name: string | undefined): boolean {
  const constraint = constraints.find(each => each.name === name);
  return constraint !== undefined && leavesWithin(nodes).hasNext(constraint.node);
}

/** The columns that a statement has to give, in the definition's order: what no constraint and no hint makes, and what a hint looks at. */
export function sentColumns(definition: OwnDefinition, hints: readonly OwnHint[] = []): string[] {
  const { stepped, given } = columnSources(definition);
  const hinted = new Set(hints.flatMap(hintedBy));
  const lookedAt = new Set(hints.map(hintedOf));
  return definition.columns.filter(
    (name, at) => !hinted.has(name) && (given.includes(at) || (lookedAt.has(name) && !stepped.has(at))),
  );
}

/** A hint by the places of its columns. */
interface PlacedHint {
  readonly of: number;
  readonly into: readonly number[];
  readonly isBits: boolean;
  /** Whether a constraint gives the column that it looks at, of which the statement has given the value. */
  readonly isLocal: boolean;
}

const LOW_BITS = 2n ** 32n - 1n;
const BITS = [0n, 1n];
const inverseOf = (field: BaseField, value: bigint): bigint => (value === 0n ? 0n : field.inverse(value));

/** Fills columns row by row. */
class TraceMaker {
  private readonly field: BaseField;
  private readonly sources: ColumnSources;
  private readonly hints: readonly PlacedHint[];
  /** By the hint that wants them, by rows. */
  private inverses: ReadonlyMap<number, readonly bigint[]> = new Map();
  private readonly sent: readonly number[];
  private readonly inputs: NamedElements;
  private readonly start: NamedElements;
  private readonly filler: NamedElements;
  private readonly given: Readonly<Record<string, ArrayLike<bigint>>>;

  constructor(
    private readonly definition: OwnDefinition,
    private readonly statement: OwnStatement,
    private readonly rowCount: number,
  ) {
    this.field = fieldOf(definition);
    this.sources = columnSources(definition);
    const { publicInputs, start, given, filler } = statement;
    const { columns } = definition;
    const named = (places: Iterable<number>) => [...places].map(at => columns[at]);
    const isGiven = sentColumns(definition, statement.hints);
    this.sent = isGiven.map(name => columns.indexOf(name));
    this.hints = this.placedHints();
    this.inputs = this.elements(publicInputs, 'publicInputs', definition.publicInputs);
    this.start = this.elements(start, 'start', named(this.sources.stepped.keys()));
    this.filler = this.elements(filler, 'filler', isGiven);
    this.given = ownMembers(given);
    for (const [name, list] of Object.entries(this.given)) {
      const path = `given.${name}`;
      if (!isGiven.includes(name)) throw malformed(path, 'is no column that is given');
      if (list.length !== statement.rows) {
        throw malformed(path, `must have an element for each of ${statement.rows} rows, got ${list.length}`);
      }
      for (let row = 0; row < list.length; row++) this.assertElement(list[row], `${path}.${row}`);
    }
  }

  assertInputs(): void {
    this.usedPublicInputs();
    for (const at of this.sources.stepped.keys()) this.startOf(this.definition.columns[at], at);
    for (const at of this.sent) this.givenAt(at, 0);
  }

  columns(): BigUint64Array[] {
    const { definition, rowCount, sources, field } = this;
    const columns = definition.columns.map(() => new BigUint64Array(rowCount));
    const publicInputs = this.usedPublicInputs();
    const current = definition.columns.map((name, at) =>
      sources.stepped.has(at) ? this.startOf(name, at) : 0n,
    );
    const { fixed, moving } = rowSchedule(definition, sources);
    const values = new Array<bigint>(definition.nodes.length);
    const known = { values, current, publicInputs, row: 0 };
    this.inverses = this.sentInverses();
    for (const node of fixed) values[node] = valueOf(field, definition, node, known);
    for (let row = 0; row < rowCount; row++) {
      known.row = row;
      for (const at of this.sent) current[at] = this.givenAt(at, row);
      this.fillHinted(current, row);
      for (const step of moving) {
        if ('column' in step) current[step.column] = values[step.from];
        else values[step.node] = valueOf(field, definition, step.node, known);
      }
      this.assertGivenAre(current, row);
      for (let at = 0; at < columns.length; at++) columns[at][row] = current[at];
      for (const [at, from] of sources.stepped) current[at] = values[from];
    }
    return columns;
  }

  /** @throws StatementError for hints that cannot be followed in their order */
  private placedHints(): PlacedHint[] {
    const { columns } = this.definition;
    const { stepped, local, given } = this.sources;
    const known = new Set([...this.sent, ...stepped.keys()]);
    const bitsMax = this.field.modulus.toString(2).length - 1;
    const placeOf = (name: string, path: string): number => {
      const at = columns.indexOf(name);
      return at >= 0 ? at : raise(malformed(path, 'is no column'));
    };
    return (this.statement.hints ?? []).map((hint, i) => {
      const path = `hints.${i}.${'bits' in hint ? 'bits' : 'inverse'}`;
      const of = placeOf(hintedOf(hint), `${path}.of`);
      const into = hintedBy(hint).map(name => placeOf(name, `${path}.into`));
      if (!known.has(of)) throw malformed(`${path}.of`, 'must be given, or made before');
      if (into.length < 1 || into.length > bitsMax)
        throw malformed(`${path}.into`, `must name 1 to ${bitsMax} columns, got ${into.length}`);
      for (const at of into) {
        if (!given.includes(at))
          throw malformed(`${path}.into`, `has ${columns[at]}, which a constraint gives`);
        if (known.has(at)) throw malformed(`${path}.into`, `has ${columns[at]} twice`);
        known.add(at);
      }
      return { of, into, isBits: 'bits' in hint, isLocal: local.has(of) };
    });
  }

  private fillHinted(current: bigint[], row: number): void {
    this.hints.forEach(({ of, into, isBits }, i) => {
      const value = current[of];
      if (!isBits) {
        current[into[0]] = this.inverses.get(i)?.[row] ?? inverseOf(this.field, value);
        return;
      }
      // Numbers shift a hundred times as fast as bigints.
      const [low, high] = [Number(value & LOW_BITS), Number(value >> 32n)];
      for (let bit = 0; bit < into.length; bit++)
        current[into[bit]] = BITS[(bit < 32 ? low >>> bit : high >>> (bit - 32)) & 1];
      if (value >> BigInt(into.length) === 0n) return;
      const column = this.definition.columns[of];
      const reason = `has ${into.length} bits, too few for ${column} at row ${row}`;
      throw new StatementError('hint-too-small', `hints.${i}`, reason, { row, column, operands: [value] });
    });
  }

  /** Inverses of columns that are sent, of all rows at once: one by one each takes a thousand times as long as a product. */
  private sentInverses(): ReadonlyMap<number, readonly bigint[]> {
    const found = new Map<number, readonly bigint[]>();
    this.hints.forEach(({ of, isBits }, i) => {
      if (isBits || !this.sent.includes(of)) return;
      const values = Array.from({ length: this.rowCount }, (_, row) => this.givenAt(of, row));
      const inverses = batchInverse(
        this.field,
        values.filter(value => value !== 0n),
      );
      let at = 0;
      found.set(
        i,
        values.map(value => (value === 0n ? 0n : inverses[at++])),
      );
    });
    return found;
  }

  /** A given column that a constraint makes, too, must come out as it was given. */
  private assertGivenAre(current: readonly bigint[], row: number): void {
    for (const { of, isLocal } of this.hints) {
      if (!isLocal) continue;
      const [made, wanted] = [current[of], this.givenAt(of, row)];
      if (made === wanted) continue;
      const column = this.definition.columns[of];
      const reason = `gives ${column} another value at row ${row} than its constraint does`;
      throw new StatementError('constraint-violated', 'trace', reason, {
        row,
        column,
        operands: [made, wanted],
      });
    }
  }

  /** Those that were given, and those that boundaries read from the trace. @throws StatementError where the two differ */
  publicInputsOf(columns: readonly BigUint64Array[]): NamedElements {
    const { boundary, publicInputs } = this.definition;
    const all = ownMembers(this.inputs);
    for (const { column, row, value } of boundary) {
      if (!('publicInput' in value)) continue;
      // Where one was given, what stands in the cell is checked with all else.
      all[publicInputs[value.publicInput]] ??=
        columns[column][row === 'last' ? this.statement.rows - 1 : row];
    }
    return all;
  }

  /** In their order, those that no node looks at as 0. */
  private usedPublicInputs(): bigint[] {
    const used = new Set(this.definition.nodes.flatMap(node => (node.op === 'public' ? [node.at] : [])));
    return this.definition.publicInputs.map((name, at) => {
      const value = this.inputs[name];
      if (value === undefined && used.has(at)) throw missing(`publicInputs.${name}`, 'a constraint uses it');
      return value ?? 0n;
    });
  }

  private startOf(name: string, at: number): bigint {
    const { boundary, publicInputs } = this.definition;
    const fixed = boundary.find(({ column, row }) => column === at && row === 0)?.value;
    const known =
      fixed && ('constant' in fixed ? fixed.constant : this.inputs[publicInputs[fixed.publicInput]]);
    const value = this.start[name] ?? known;
    if (value === undefined) throw missing(`start.${name}`, 'each row follows from the one before');
    return value;
  }

  private givenAt(at: number, row: number): bigint {
    const name = this.definition.columns[at];
    const list = this.given[name];
    if (!list) throw missing(`given.${name}`, 'no constraint gives it');
    if (row < list.length) return list[row];
    return this.filler[name] ?? list[list.length - 1];
  }

  private elements(values: NamedElements | undefined, path: string, names: readonly string[]): NamedElements {
    const own = ownMembers(values);
    for (const [name, value] of Object.entries(own)) {
      if (!names.includes(name)) throw malformed(`${path}.${name}`, 'is not asked for');
      this.assertElement(value, `${path}.${name}`);
    }
    return own;
  }

  private assertElement(value: bigint, path: string): void {
    const { modulus } = this.field;
    if (value < 0n || value >= modulus) throw malformed(path, `must be from 0 to ${modulus - 1n}`);
  }
}

type Step = { readonly node: number } | { readonly column: number; readonly from: number };

/** The nodes that filled columns take, operands first, and between them the columns that follow from them in the same row. */
function scheduleOf({ nodes }: OwnDefinition, { stepped, local }: ColumnSources): Step[] {
  const schedule: Step[] = [];
  const done = new Set<number>();
  const filled = new Set<number>();
  const fill = (column: number, from: number) => {
    filled.add(column);
    visit(from);
    schedule.push({ column, from });
  };
  // A stack of its own: a definition may have a chain of thousands of nodes.
  const visit = (top: number) => {
    for (const open = [top]; open.length > 0;) {
      const node = open[open.length - 1];
      const { op, ...rest } = nodes[node];
      if (op === 'cur' && 'at' in rest && local.has(rest.at) && !filled.has(rest.at))
        fill(rest.at, local.get(rest.at)!);
      const waiting = 'left' in rest ? [rest.left, rest.right].filter(operand => !done.has(operand)) : [];
      if (waiting.length > 0) {
        open.push(...waiting);
        continue;
      }
      open.pop();
      if (!done.has(node)) schedule.push({ node });
      done.add(node);
    }
  };
  for (const [column, from] of local) if (!filled.has(column)) fill(column, from);
  for (const from of stepped.values()) visit(from);
  return schedule;
}

/** What a row is filled with: nodes that are the same in every row, and the steps of each. */
function rowSchedule(definition: OwnDefinition, sources: ColumnSources) {
  const { nodes } = definition;
  const isFixed = nodes.map(() => false);
  nodes.forEach((node, at) => {
    isFixed[at] =
      node.op === 'const' ||
      node.op === 'public' ||
      ('left' in node && isFixed[node.left] && isFixed[node.right]);
  });
  const schedule = scheduleOf(definition, sources);
  const fixed = schedule.flatMap(step => ('node' in step && isFixed[step.node] ? [step.node] : []));
  return { fixed, moving: schedule.filter(step => !('node' in step && isFixed[step.node])) };
}

/** Nodes that are evaluated in each row for its trace to be made: those that stepped and local columns take. */
export const nodesOfRow = (definition: OwnDefinition): number =>
  rowSchedule(definition, columnSources(definition)).moving.length;

interface Known {
  readonly values: readonly bigint[];
  readonly current: readonly bigint[];
  readonly publicInputs: readonly bigint[];
  readonly row: number;
}

function valueOf(field: BaseField, { nodes, cycles }: OwnDefinition, at: number, known: Known): bigint {
  const node = nodes[at];
  switch (node.op) {
    case 'cur':
      return known.current[node.at];
    case 'periodic':
      return cycles[node.at].values[known.row % cycles[node.at].values.length];
    case 'public':
      return known.publicInputs[node.at];
    case 'const':
      return node.value;
    case 'next':
      throw new TypeError('what fills a row looks at the next one');
    default:
      return field[node.op](known.values[node.left], known.values[node.right]);
  }
}

/**
 * The first row, from the top, at which a trace breaks a constraint or a boundary; undefined if the definition holds of it. Constraints are
 * asked on every row but the last of `rowCount`, as by a proof.
 * @param suspect the only row that can break a constraint before others do, by another check; the number of rows for none. Default: any
 */
export function checkOwnTrace(
  definition: OwnDefinition,
  columns: readonly ArrayLike<bigint>[],
  publicInputs: NamedElements,
  rows: number,
  rowCount: number,
  suspect?: number,
): BrokenRow | undefined {
  const { nodes, constraints, cycles } = definition;
  const field = fieldOf(definition);
  const known = ownMembers(publicInputs);
  const inputs = definition.publicInputs.map(name => known[name]);
  const fixed = brokenBoundary(definition, columns, inputs, rows);
  const end = Math.min(
    suspect === undefined ? rowCount - 1 : suspect + 1,
    (fixed?.row ?? rowCount) + 1,
    rowCount - 1,
  );
  for (let row = suspect ?? 0; row < end; row++) {
    const values = nodeValues(field, definition, {
      current: columns.map(column => column[row]),
      next: columns.map(column => column[row + 1]),
      periodic: cycles.map(({ values: cycle }) => cycle[row % cycle.length]),
      publicInputs: inputs,
    });
    const broken = constraints.find(({ node }) => values[node] !== 0n);
    if (!broken) continue;
    const top = nodes[broken.node];
    const operands = 'left' in top ? [values[top.left], values[top.right]] : [values[broken.node]];
    return { row, constraint: broken.name, operands };
  }
  return fixed;
}

/** The topmost cell that is not what the statement fixes. */
function brokenBoundary(
  { boundary, columns: names }: OwnDefinition,
  columns: readonly ArrayLike<bigint>[],
  publicInputs: readonly bigint[],
  rows: number,
): BrokenRow | undefined {
  const broken = boundary.flatMap(({ column, row: place, value }) => {
    const row = place === 'last' ? rows - 1 : place;
    const wanted = 'constant' in value ? value.constant : publicInputs[value.publicInput];
    const found = columns[column][row];
    return found === wanted ? [] : [{ row, column: names[column], operands: [found, wanted] }];
  });
  return broken.sort((one, other) => one.row - other.row)[0];
}

/** Somebody may call a column `constructor`: only what an object has itself counts. */
export const ownMembers = <T>(record: Readonly<Record<string, T>> = {}): Record<string, T> =>
  Object.assign(Object.create(null) as Record<string, T>, record);

function raise(error: Error): never {
  throw error;
}
const malformed = (path: string, reason: string) => new StatementError('malformed-statement', path, reason);
const missing = (path: string, why: string) =>
  new StatementError('missing-input', path, `is missing: ${why}`);
