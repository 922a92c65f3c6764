import type { JsonSchema } from './json-schemas.js';

/** Whether a schema is of what others send, which has to go on being taken, or of what they get, which has to stay. */
type Direction = 'sent' | 'received';

interface Pair {
  readonly before: Document;
  readonly after: Document;
  readonly found: string[];
  /** Pairs of schemas that were compared, or are being: schemas may refer to themselves. */
  readonly seen: Set<string>;
}

type Document = Readonly<Record<string, unknown>>;

/**
 * What of a later AsyncAPI document breaks who was written for an earlier one; nothing where it only grew. Of requests:
 * everything that could be asked still can. Of replies and events: every field that could be read still can, and is of no
 * other type; a list of values may have more of them, and bounds may move, which readers do not rely on. Subjects, queue
 * groups and messages stay.
 */
export function breakingChanges(before: Document, after: Document): string[] {
  const pair: Pair = { before, after, found: [], seen: new Set() };
  const channels = membersOf(before.channels);
  for (const [key, channel] of Object.entries(channels)) {
    const now = membersOf(after.channels)[key];
    const name = typeof channel.address === 'string' ? channel.address : key;
    if (now === undefined) pair.found.push(`${name}: it is gone`);
    else compareChannel(pair, name, channel, now, directionOf(before, key));
  }
  for (const [key, operation] of Object.entries(membersOf(before.operations))) {
    const now = membersOf(after.operations)[key];
    if (now === undefined) pair.found.push(`${key}: its operation is gone`);
    else if (now.action !== operation.action || queueOf(now) !== queueOf(operation))
      pair.found.push(`${key}: its action or its queue group is another`);
  }
  return pair.found;
}

/** Members of a section of a document. */
const membersOf = (section: unknown): Record<string, JsonSchema> =>
  (section ?? {}) as Record<string, JsonSchema>;
const queueOf = (operation: JsonSchema) => JSON.stringify(membersOf(operation.bindings).nats?.queue);

/** A channel that an operation receives on carries what others send; every other one what they get. */
function directionOf(document: Document, channel: string): Direction {
  const operation = membersOf(document.operations)[channel];
  return operation?.action === 'receive' ? 'sent' : 'received';
}

function compareChannel(
  pair: Pair,
  name: string,
  before: JsonSchema,
  after: JsonSchema,
  way: Direction,
): void {
  if (before.address !== after.address)
    pair.found.push(`${name}: its subject is ${String(after.address)} now`);
  for (const [key, message] of Object.entries(membersOf(before.messages))) {
    const now = membersOf(after.messages)[key];
    const path = `${name} ${key}`;
    if (now === undefined) {
      pair.found.push(`${path}: it is gone`);
      continue;
    }
    const [was, is] = [resolved(pair.before, message), resolved(pair.after, now)];
    if (was.contentType !== is.contentType) pair.found.push(`${path}: its form is another`);
    compareSchemas(pair, path, membersOf(was).payload ?? {}, membersOf(is).payload ?? {}, way);
  }
}

function compareSchemas(pair: Pair, path: string, from: JsonSchema, to: JsonSchema, way: Direction): void {
  const names = `${way} ${String(from.$ref)} ${String(to.$ref)}`;
  if (from.$ref !== undefined && to.$ref !== undefined) {
    if (pair.seen.has(names)) return;
    pair.seen.add(names);
  }
  const [before, after] = [resolved(pair.before, from), resolved(pair.after, to)];
  compareTypes(pair, path, before, after, way);
  compareValues(pair, path, before, after, way);
  if (way === 'sent') compareBounds(pair, path, before, after);
  compareMembers(pair, path, before, after, way);
  compareAlternatives(pair, path, before, after, way);
  compareItems(pair, path, before, after, way);
}

const KINDS = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];
/** Types that a schema lets through; a whole number is a number too. */
function typesOf({ type }: JsonSchema): Set<string> {
  const named = type === undefined ? KINDS : [type].flat().map(String);
  return new Set(named.includes('number') ? [...named, 'integer'] : named);
}
const isWithin = <T>(some: ReadonlySet<T>, all: ReadonlySet<T>) => [...some].every(each => all.has(each));

function compareTypes({ found }: Pair, path: string, before: JsonSchema, after: JsonSchema, way: Direction) {
  const [was, is] = [typesOf(before), typesOf(after)];
  const fits = way === 'sent' ? isWithin(was, is) : isWithin(is, was);
  if (!fits) found.push(`${path}: its type is ${[...is].join(' or ')} now, and was ${[...was].join(' or ')}`);
}

const valuesOf = ({ enum: values, const: only }: JsonSchema): Set<string> | undefined => {
  if (only !== undefined) return new Set([JSON.stringify(only)]);
  return Array.isArray(values) ? new Set(values.map(value => JSON.stringify(value))) : undefined;
};

function compareValues({ found }: Pair, path: string, before: JsonSchema, after: JsonSchema, way: Direction) {
  const [was, is] = [valuesOf(before), valuesOf(after)];
  if (was === undefined && is === undefined) return;
  if (before.const !== undefined && JSON.stringify(before.const) !== JSON.stringify(after.const)) {
    // A request may take more than the one value; a reader tells messages apart by it.
    if (way === 'received' || (is !== undefined && !is.has(JSON.stringify(before.const))))
      found.push(`${path}: it was always ${JSON.stringify(before.const)}`);
    return;
  }
  if (way === 'sent' && is !== undefined && (was === undefined || !isWithin(was, is)))
    found.push(`${path}: fewer values are taken`);
  if (way === 'received' && was !== undefined && is === undefined)
    found.push(`${path}: it was one of a list of values`);
}

/** Bounds of what may be sent: each with whether a larger value of it takes more. */
const BOUNDS = {
  ...{ minimum: -1, exclusiveMinimum: -1, minLength: -1, minItems: -1, minProperties: -1 },
  ...{ maximum: 1, exclusiveMaximum: 1, maxLength: 1, maxItems: 1, maxProperties: 1 },
} as const;

function compareBounds({ found }: Pair, path: string, before: JsonSchema, after: JsonSchema): void {
  for (const [bound, sign] of Object.entries(BOUNDS)) {
    const [was, is] = [before[bound], after[bound]] as (number | undefined)[];
    if (is !== undefined && (was === undefined || (is - was) * sign < 0))
      found.push(`${path}: ${bound} is ${is} now`);
  }
  for (const form of ['pattern', 'format', 'multipleOf', 'uniqueItems', 'not', 'propertyNames'])
    if (after[form] !== undefined && JSON.stringify(after[form]) !== JSON.stringify(before[form]))
      found.push(`${path}: its ${form} is another`);
}

function compareMembers(
  pair: Pair,
  path: string,
  before: JsonSchema,
  after: JsonSchema,
  way: Direction,
): void {
  const [was, is] = [membersOf(before.properties), membersOf(after.properties)];
  const required = (schema: JsonSchema) => new Set((schema.required as string[] | undefined) ?? []);
  const [mustBefore, mustAfter] = [required(before), required(after)];
  for (const [name, schema] of Object.entries(was)) {
    if (is[name] === undefined) pair.found.push(`${path}.${name}: it is gone`);
    else compareSchemas(pair, `${path}.${name}`, schema, is[name], way);
  }
  for (const name of way === 'sent' ? mustAfter : mustBefore) {
    if (way === 'sent' && !mustBefore.has(name)) pair.found.push(`${path}.${name}: it is required now`);
    if (way === 'received' && !mustAfter.has(name)) pair.found.push(`${path}.${name}: it may be missing now`);
  }
  const [others, othersNow] = [before.additionalProperties, after.additionalProperties];
  if (isSchema(others) && isSchema(othersNow)) compareSchemas(pair, `${path}.*`, others, othersNow, way);
  else if (way === 'sent' && others !== false && othersNow !== undefined && othersNow !== true)
    pair.found.push(`${path}: other members are ${othersNow === false ? 'refused' : 'held to a schema'} now`);
  else if (way === 'received' && isSchema(others))
    pair.found.push(`${path}: its members are of no schema now`);
}

const isSchema = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null;

/** Alternatives have no names: each of them must be found again, and a reader must know each that there is. */
function compareAlternatives(
  pair: Pair,
  path: string,
  before: JsonSchema,
  after: JsonSchema,
  way: Direction,
) {
  for (const kind of ['anyOf', 'oneOf', 'allOf']) {
    const [was, is] = [alternativesOf(before, kind), alternativesOf(after, kind)];
    const fits = (from: JsonSchema, to: JsonSchema) => {
      const probe: Pair = { ...pair, found: [], seen: new Set(pair.seen) };
      compareSchemas(probe, path, from, to, way);
      return probe.found.length === 0;
    };
    for (const [i, one] of was.entries())
      if (!is.some(other => fits(one, other))) pair.found.push(`${path}: alternative ${i} is gone`);
    // Where a request takes one of several forms and the only one before is among them, it takes all that it took.
    const isWidened = kind === 'anyOf' && was.length === 0 && is.some(one => fits(before, one));
    const narrowing = way === 'received' || kind === 'allOf' || (was.length === 0 && !isWidened);
    for (const [i, one] of is.entries())
      if (narrowing && !was.some(other => fits(other, one)))
        pair.found.push(`${path}: alternative ${i} is new`);
  }
}

const alternativesOf = (schema: JsonSchema, kind: string) => (schema[kind] ?? []) as JsonSchema[];

function compareItems(pair: Pair, path: string, before: JsonSchema, after: JsonSchema, way: Direction): void {
  const [was, is] = [before.items, after.items];
  if (Array.isArray(was) || Array.isArray(is)) {
    if (!Array.isArray(was) || !Array.isArray(is) || was.length !== is.length)
      pair.found.push(`${path}: it is a tuple of another length, or none`);
    else
      was.forEach((item, i) =>
        compareSchemas(pair, `${path}[${i}]`, item as JsonSchema, is[i] as JsonSchema, way),
      );
  } else if (isSchema(was) && isSchema(is)) compareSchemas(pair, `${path}[]`, was, is, way);
  else if (way === 'sent' && !isSchema(was) && isSchema(is))
    pair.found.push(`${path}[]: it has a schema now`);
  else if (way === 'received' && isSchema(was)) pair.found.push(`${path}[]: it has no schema now`);
}

/** Follows references within the document. @throws RangeError for one that leads nowhere */
function resolved(document: Document, schema: JsonSchema): JsonSchema {
  let at = schema;
  while (typeof at.$ref === 'string') {
    const target = at.$ref
      .slice(2)
      .split('/')
      .reduce<unknown>((value, key) => membersOf(value)[key], document);
    if (!isSchema(target)) throw new RangeError(`${at.$ref} is not in the document`);
    at = target;
  }
  return at;
}
