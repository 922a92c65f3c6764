import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { type BaseField, type BaseFieldName, type Field } from '@svc/kernels';
import { fieldOf } from '../check-trace.js';
import { DefinitionError, type DefinitionErrorCode } from './definition-error.js';
import {
  canonicalText,
  isList,
  isObject,
  readStrictJson,
  type StrictJson,
  type StrictObject,
} from './strict-json.js';

/** What a definition may have of each, and how large its canonical text may be. */
export const DEFINITION_BOUNDS = {
  bytes: 262_144,
  columns: 64,
  publicInputs: 32,
  cycles: 32,
  cycleLength: 256,
  cycleValues: 2_048,
  nodes: 8_192,
  constraints: 224,
  boundaries: 32,
  boundaryRows: 8,
  fixedRow: 63,
  degree: 3,
} as const;
/** Text with spaces between is read, up to so many times the canonical one. */
const SPACED_TIMES = 4;

/** A step of the computation: a leaf, or two earlier nodes. `at` counts columns, cycles or public inputs. */
export type OwnNode =
  | { readonly op: 'cur' | 'next' | 'periodic' | 'public'; readonly at: number }
  | { readonly op: 'const'; readonly value: bigint }
  | { readonly op: 'add' | 'sub' | 'mul'; readonly left: number; readonly right: number };

/** A cell that the statement fixes, at a row or at the last of those that it speaks of. */
export interface OwnBoundary {
  readonly column: number;
  readonly row: number | 'last';
  readonly value: { readonly publicInput: number } | { readonly constant: bigint };
}

/** A statement that somebody else has written down, read and bounded. */
export interface OwnDefinition {
  /** `air/sha256:` and 64 hexadecimal digits, of {@link canonical}. */
  readonly id: string;
  /** The one text of this definition, by RFC 8785. */
  readonly canonical: string;
  readonly field: BaseFieldName;
  readonly columns: readonly string[];
  readonly publicInputs: readonly string[];
  readonly cycles: readonly { readonly name: string; readonly values: readonly bigint[] }[];
  /** Operands first. */
  readonly nodes: readonly OwnNode[];
  /** Each node is zero on every two neighbouring rows. */
  readonly constraints: readonly { readonly name: string; readonly node: number }[];
  readonly boundary: readonly OwnBoundary[];
  /** The greatest of a constraint in columns and cycles, computed: 1 to 3. */
  readonly degree: number;
}

/** What nodes look at: two neighbouring rows, the cycles at the first of them, and the public inputs. */
export interface OwnFrame<E> {
  readonly current: readonly E[];
  readonly next: readonly E[];
  readonly periodic: readonly E[];
  readonly publicInputs: readonly E[];
}

/**
 * Reads the text of a definition, `air/1` (shared form: docs/own-statements.md).
 *
 * @throws DefinitionError for what is no definition, passes a bound, or would state nothing
 * @example
 * const { id, degree } = readDefinition(await readFile('ratio.air.json', 'utf8'));
 */
export function readDefinition(text: string): OwnDefinition {
  const max = SPACED_TIMES * DEFINITION_BOUNDS.bytes;
  if (text.length > max) throw tooLong(max, text.length);
  return definitionOf(readStrictJson(text));
}

/**
 * Reads a definition that a JSON parser has read already. Of two equal members such a parser has kept one: who sends a definition so names
 * its id beside it, and holds the two against one another.
 * @throws DefinitionError as {@link readDefinition}
 */
export function definitionFromJson(json: unknown): OwnDefinition {
  let text: string | undefined;
  try {
    text = JSON.stringify(json);
  } catch {
    // A value that refers to itself, or is a bigint, came from no JSON.
  }
  if (text === undefined) throw new DefinitionError('malformed-definition', '', 'must be an object');
  return readDefinition(text);
}

/** The values of all nodes, in their order; those of the constraints' nodes are zero where they hold. */
export function nodeValues<E>(
  over: Field<E>,
  { nodes }: Pick<OwnDefinition, 'nodes'>,
  { current, next, periodic, publicInputs }: OwnFrame<E>,
): E[] {
  const values = new Array<E>(nodes.length);
  for (let i = 0; i < nodes.length; i++) {
    const node = nodes[i];
    switch (node.op) {
      case 'cur':
        values[i] = current[node.at];
        break;
      case 'next':
        values[i] = next[node.at];
        break;
      case 'periodic':
        values[i] = periodic[node.at];
        break;
      case 'public':
        values[i] = publicInputs[node.at];
        break;
      case 'const':
        values[i] = over.fromBase(node.value);
        break;
      default:
        values[i] = over[node.op](values[node.left], values[node.right]);
    }
  }
  return values;
}

const MEMBERS = ['format', 'field', 'columns', 'public', 'periodic', 'nodes', 'constraints', 'boundary'];
const NAME = /^[a-z][a-z0-9_]{0,31}$/;
const ELEMENT = /^(?:0|[1-9][0-9]{0,19})$/;
const FIELDS: readonly string[] = ['goldilocks', 'm31'] satisfies BaseFieldName[];

function definitionOf(json: StrictJson): OwnDefinition {
  const members = objectOf(json, '', MEMBERS);
  if (members['format'] !== 'air/1') throw malformed('format', 'must be "air/1"');
  const name = members['field'];
  if (typeof name !== 'string' || !FIELDS.includes(name)) {
    throw malformed('field', `must be one of ${FIELDS.join(', ')}`);
  }
  const canonical = canonicalText(json);
  if (canonical.length > DEFINITION_BOUNDS.bytes) throw tooLong(DEFINITION_BOUNDS.bytes, canonical.length);
  const reader = new DefinitionReader(fieldOf({ field: name as BaseFieldName }), members);
  const definition = { ...reader.read(), canonical, field: name as BaseFieldName, id: idOf(canonical) };
  assertSaysSomething(definition);
  return definition;
}

const idOf = (canonical: string): string =>
  `air/sha256:${bytesToHex(sha256(new TextEncoder().encode(canonical)))}`;

/** What of a node is known beside its values. */
interface NodeKind {
  readonly degree: number;
  readonly hasColumn: boolean;
}

/** Reads the members whose names and places refer to one another. */
class DefinitionReader {
  private readonly columns: ReadonlyMap<string, number>;
  private readonly publicInputs: ReadonlyMap<string, number>;
  private readonly cycles: OwnDefinition['cycles'];
  private readonly cycleNames: ReadonlyMap<string, number>;
  private readonly kinds: NodeKind[] = [];

  constructor(
    private readonly field: BaseField,
    private readonly members: StrictObject,
  ) {
    const { columns, publicInputs } = DEFINITION_BOUNDS;
    this.columns = namesOf(this.list('columns', 1, columns), 'columns');
    this.publicInputs = namesOf(this.list('public', 0, publicInputs), 'public');
    const rows = this.publicInputs.get('rows');
    if (rows !== undefined) throw malformed(`public.${rows}`, 'is rows, which every statement has');
    this.cycles = this.readCycles();
    this.cycleNames = namesOf(
      this.cycles.map(({ name }) => name),
      'periodic',
    );
  }

  read(): Omit<OwnDefinition, 'id' | 'canonical' | 'field'> {
    const nodes = this.readNodes();
    const constraints = this.readConstraints(nodes);
    const degree = Math.max(1, ...constraints.map(({ node }) => this.kinds[node].degree));
    const read = {
      columns: [...this.columns.keys()],
      publicInputs: [...this.publicInputs.keys()],
      ...{ cycles: this.cycles, nodes, constraints, boundary: this.readBoundary(), degree },
    };
    assertAllUsed(read);
    return read;
  }

  private list(member: string, min: number, max: number): readonly StrictJson[] {
    return listOf(this.members[member], member, min, max);
  }

  private readCycles(): OwnDefinition['cycles'] {
    const { cycles, cycleLength, cycleValues } = DEFINITION_BOUNDS;
    const read = this.list('periodic', 0, cycles).map((each, i) => {
      const path = `periodic.${i}`;
      const { name, values } = objectOf(each, path, ['name', 'values']);
      const list = listOf(values, `${path}.values`, 2, cycleLength);
      if (!Number.isInteger(Math.log2(list.length))) {
        throw malformed(`${path}.values`, `must be a power of two of values, got ${list.length}`);
      }
      return {
        name: nameOf(name, `${path}.name`),
        values: list.map((value, j) => this.element(value, `${path}.values.${j}`)),
      };
    });
    const all = read.reduce((sum, { values }) => sum + values.length, 0);
    if (all > cycleValues)
      throw passed('malformed-definition', 'periodic', 'values in all', cycleValues, all);
    return read;
  }

  private element(value: StrictJson, path: string): bigint {
    const { modulus } = this.field;
    if (typeof value !== 'string' || !ELEMENT.test(value)) {
      throw malformed(path, 'must be an element in decimal digits, as a string');
    }
    if (BigInt(value) >= modulus) throw malformed(path, `must be below ${modulus}`);
    return BigInt(value);
  }

  private readNodes(): OwnNode[] {
    const known = new Map<string, number>();
    return this.list('nodes', 1, DEFINITION_BOUNDS.nodes).map((json, i) => {
      const path = `nodes.${i}`;
      const parts = listOf(json, path, 2, 3);
      const text = canonicalText(parts);
      const before = known.get(text);
      if (before !== undefined)
        throw new DefinitionError('node-repeated', path, `is the same as node ${before}`);
      known.set(text, i);
      const node = this.nodeOf(parts, i, path);
      const kind = this.kindOf(node);
      const { degree } = DEFINITION_BOUNDS;
      if (kind.degree > degree) {
        const reason = `has degree ${kind.degree}, at most ${degree}: a factor in a column of its own lowers it`;
        throw new DefinitionError('degree-too-high', path, reason, { max: degree, got: kind.degree });
      }
      this.kinds.push(kind);
      return node;
    });
  }

  private nodeOf([op, first, second, ...more]: readonly StrictJson[], index: number, path: string): OwnNode {
    const isPair = second !== undefined && more.length === 0;
    switch (op) {
      case 'cur':
      case 'next':
      case 'periodic':
      case 'public': {
        if (isPair) throw malformed(path, `must be ${op} and a name`);
        const names =
          op === 'periodic' ? this.cycleNames : op === 'public' ? this.publicInputs : this.columns;
        return { op, at: placeOf(first, names, path) };
      }
      case 'const':
        if (isPair) throw malformed(path, 'must be const and an element');
        return { op, value: this.element(first, path) };
      case 'add':
      case 'sub':
      case 'mul': {
        const isEarlier = (operand: StrictJson): operand is number =>
          typeof operand === 'number' && operand < index;
        if (!isPair || !isEarlier(first) || !isEarlier(second)) {
          throw malformed(path, `must be ${op} and two earlier nodes`);
        }
        return { op, left: first, right: second };
      }
      default:
        throw malformed(path, 'must begin with cur, next, periodic, public, const, add, sub or mul');
    }
  }

  private kindOf(node: OwnNode): NodeKind {
    if (node.op === 'const' || node.op === 'public') return { degree: 0, hasColumn: false };
    if (!('left' in node)) return { degree: 1, hasColumn: node.op !== 'periodic' };
    const [left, right] = [this.kinds[node.left], this.kinds[node.right]];
    const degree = node.op === 'mul' ? left.degree + right.degree : Math.max(left.degree, right.degree);
    return { degree, hasColumn: left.hasColumn || right.hasColumn };
  }

  private readConstraints(nodes: readonly OwnNode[]): OwnDefinition['constraints'] {
    const list = this.list('constraints', 1, DEFINITION_BOUNDS.constraints);
    const stated = new Map<number, number>();
    const read = list.map((each, i) => {
      const path = `constraints.${i}`;
      const { name, node } = objectOf(each, path, ['name', 'node']);
      if (typeof node !== 'number' || node >= nodes.length) throw malformed(`${path}.node`, 'must be a node');
      if (!this.kinds[node].hasColumn) {
        throw new DefinitionError('constraint-without-column', path, 'says nothing of a column');
      }
      const before = stated.get(node);
      if (before !== undefined) {
        throw new DefinitionError('constraint-repeated', path, `states what constraint ${before} states`);
      }
      stated.set(node, i);
      return { name: nameOf(name, `${path}.name`), node };
    });
    namesOf(
      read.map(({ name }) => name),
      'constraints',
    );
    return read;
  }

  private readBoundary(): OwnBoundary[] {
    const { boundaries, boundaryRows, fixedRow } = DEFINITION_BOUNDS;
    const cells = new Set<string>();
    const rows = new Set<number | 'last'>();
    return this.list('boundary', 0, boundaries).map((each, i) => {
      const path = `boundary.${i}`;
      const { column: name, row, value } = objectOf(each, path, ['column', 'row', 'value']);
      const column = placeOf(name, this.columns, `${path}.column`);
      if (row !== 'last' && !(typeof row === 'number' && row <= fixedRow)) {
        throw malformed(`${path}.row`, `must be "last", or from 0 to ${fixedRow}`);
      }
      const cell = `${column} ${row}`;
      if (cells.has(cell)) throw new DefinitionError('boundary-repeated', path, 'fixes a cell again');
      cells.add(cell);
      rows.add(row);
      if (rows.size > boundaryRows) {
        throw passed('boundary-rows-too-many', path, 'different rows are fixed', boundaryRows, rows.size);
      }
      return { column, row, value: this.boundaryValue(value, `${path}.value`) };
    });
  }

  private boundaryValue(json: StrictJson, path: string): OwnBoundary['value'] {
    const [kind, value] = listOf(json, path, 2, 2);
    if (kind === 'public') return { publicInput: placeOf(value, this.publicInputs, path) };
    if (kind === 'const') return { constant: this.element(value, path) };
    throw malformed(path, 'must begin with public or const');
  }
}

type Read = Omit<OwnDefinition, 'id' | 'canonical' | 'field'>;

/** Whatever stands in a definition is needed: it has no place to hide bytes, and no name that binds nothing. */
function assertAllUsed({ columns, publicInputs, nodes, constraints, boundary }: Read): void {
  const used = new Set(constraints.map(({ node }) => node));
  const seen = { column: new Set<number>(), publicInput: new Set<number>() };
  for (const node of nodes) {
    if ('left' in node) used.add(node.left).add(node.right);
    else if (node.op === 'cur' || node.op === 'next') seen.column.add(node.at);
    else if (node.op === 'public') seen.publicInput.add(node.at);
  }
  for (const { column, value } of boundary) {
    seen.column.add(column);
    if ('publicInput' in value) seen.publicInput.add(value.publicInput);
  }
  const unused = nodes.findIndex((_, i) => !used.has(i));
  if (unused >= 0) throw new DefinitionError('node-unused', `nodes.${unused}`, 'is needed by nothing');
  const column = columns.findIndex((_, i) => !seen.column.has(i));
  if (column >= 0) throw new DefinitionError('column-unused', `columns.${column}`, 'occurs nowhere');
  const bound = publicInputs.findIndex((_, i) => !seen.publicInput.has(i));
  if (bound >= 0) throw new DefinitionError('public-input-unbound', `public.${bound}`, 'is bound to nothing');
}

/** Points at which each constraint is looked at: one of degree 3 that is not zero is so at all of them with 2^−117 at most. */
const POINTS: Readonly<Record<BaseFieldName, number>> = { goldilocks: 2, m31: 4 };

/** A constraint that is zero whatever the rows hold demands nothing. A courtesy to its author: soundness does not hang on it. */
function assertSaysSomething(definition: OwnDefinition): void {
  const { id, field: name, columns, cycles, publicInputs, constraints } = definition;
  const field = fieldOf({ field: name });
  let drawn = 0;
  const draw = (count: number) =>
    Array.from({ length: count }, () => {
      const digest = sha256(new TextEncoder().encode(`${id} ${drawn++}`));
      return new DataView(digest.buffer, digest.byteOffset).getBigUint64(0, true) % field.modulus;
    });
  const isZero = constraints.map(() => true);
  for (let point = 0; point < POINTS[name]; point++) {
    const [current, next] = [draw(columns.length), draw(columns.length)];
    const frame = { current, next, periodic: draw(cycles.length), publicInputs: draw(publicInputs.length) };
    const values = nodeValues(field, definition, frame);
    constraints.forEach(({ node }, i) => (isZero[i] &&= values[node] === 0n));
  }
  const always = isZero.indexOf(true);
  if (always >= 0) {
    throw new DefinitionError('constraint-always-zero', `constraints.${always}`, 'holds of any rows');
  }
}

function objectOf(json: StrictJson, path: string, names: readonly string[]): StrictObject {
  if (!isObject(json)) throw malformed(path, 'must be an object');
  const missing = names.find(name => !Object.hasOwn(json, name));
  if (missing !== undefined) throw malformed(within(path, missing), 'is missing');
  const unknown = Object.keys(json).find(name => !names.includes(name));
  if (unknown !== undefined) throw malformed(path, `has a member that is not known: ${shown(unknown)}`);
  return json;
}

function listOf(json: StrictJson, path: string, min: number, max: number): readonly StrictJson[] {
  if (!isList(json)) throw malformed(path, 'must be a list');
  if (json.length > max) throw passed('malformed-definition', path, 'members', max, json.length);
  if (json.length < min) throw malformed(path, `must have at least ${min}, got ${json.length}`);
  return json;
}

function nameOf(json: StrictJson, path: string): string {
  if (typeof json === 'string' && NAME.test(json)) return json;
  throw malformed(path, 'must be a name: a small letter, then up to 31 small letters, digits and _');
}

/** Names and their places. @throws DefinitionError where one is none, or stands twice */
function namesOf(list: readonly StrictJson[], path: string): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  list.forEach((json, i) => {
    const name = nameOf(json, `${path}.${i}`);
    if (places.has(name)) throw malformed(`${path}.${i}`, `is ${name} again`);
    places.set(name, i);
  });
  return places;
}

function placeOf(json: StrictJson, places: ReadonlyMap<string, number>, path: string): number {
  const place = typeof json === 'string' ? places.get(json) : undefined;
  if (place === undefined) {
    throw new DefinitionError('unknown-name', path, `names what is not there: ${shown(canonicalText(json))}`);
  }
  return place;
}

const within = (path: string, member: string): string => (path === '' ? member : `${path}.${member}`);
/** Of what somebody else has written, no more than a name has. */
const shown = (text: string): string => text.slice(0, 32);
const malformed = (path: string, reason: string) => new DefinitionError('malformed-definition', path, reason);
const passed = (code: DefinitionErrorCode, path: string, what: string, max: number, got: number) =>
  new DefinitionError(code, path, `has ${got} ${what}, at most ${max}`, { max, got });
const tooLong = (max: number, got: number) => passed('too-long', '', 'characters', max, got);
