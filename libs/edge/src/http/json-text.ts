import type { FieldFault } from '@svc/contracts';
import { isUtf8 } from 'node:buffer';
import { parse } from 'secure-json-parse';
import { answerTasks } from '@svc/kernels/node';
import {
  JSON_ALL_MEMBERS_MAX,
  JSON_CONTAINERS_MAX,
  JSON_DEPTH_MAX,
  JSON_MEMBERS_MAX,
  JSON_VALUES_MAX,
} from './limits.js';

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [ZERO, NINE, POINT] = [0x30, 0x39, 0x2e];
/** The largest double has 309 digits. */
const LONG_NUMBER_DIGITS = 300;

/** What JSON text looks like before it is parsed, strings left out. */
export interface JsonShape {
  /** How deep it nests, up to the limit and one more. All counts end there, or one beyond their own limit. */
  readonly depth: number;
  /** Members of all its objects, as often as they are named. */
  readonly members: number;
  /** Its arrays and objects. */
  readonly containers: number;
  /** Its arrays, objects, strings, numbers and words; of JSON text one too many for each empty container. */
  readonly values: number;
  /** Some number has an exponent or very many digits: it may be larger than a double holds. */
  readonly mayOverflow: boolean;
}

/**
 * Looks through JSON text once, and allocates nothing: it runs before the parse, because everything behind the parser recurses. It
 * stops where the text is beyond a bound.
 */
export function jsonShape(bytes: Uint8Array): JsonShape {
  let [members, containers, commas, depth, deepest, digits] = [0, 0, 0, 0, 0, 0];
  let mayOverflow = false;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index];
    if (byte >= ZERO && byte <= NINE) {
      if (++digits > LONG_NUMBER_DIGITS) mayOverflow = true;
      continue;
    }
    // `e` or `E`, behind a digit and not in `true` or `false`.
    if ((byte | 0x20) === 0x65 && digits > 0) mayOverflow = true;
    if (byte !== POINT) digits = 0;
    if (byte === QUOTE) index = endOfString(bytes, index);
    else if (byte === COMMA) {
      if (++commas + containers > JSON_VALUES_MAX) break;
    } else if (byte === 0x5b || byte === 0x7b) {
      if (++depth > deepest) deepest = depth;
      if (deepest > JSON_DEPTH_MAX || ++containers > JSON_CONTAINERS_MAX) break;
    } else if (byte === 0x5d || byte === 0x7d) depth--;
    else if (byte === COLON && ++members > JSON_ALL_MEMBERS_MAX) break;
  }
  return { depth: deepest, members, containers, values: 1 + containers + commas, mayOverflow };
}

/** Where the string ends that begins here: its quote, or the end of the text. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let from = start + 1; ;) {
    const quote = bytes.indexOf(QUOTE, from);
    if (quote === -1) return bytes.length;
    let before = quote;
    while (before > from && bytes[before - 1] === BACKSLASH) before--;
    // An even number of backslashes escapes itself.
    if ((quote - before) % 2 === 0) return quote;
    from = quote + 1;
  }
}

/** Members of all objects in a parsed value, fewer than its text has where that names one twice; and of the largest. */
export function membersOf(value: unknown): { all: number; most: number } {
  if (typeof value !== 'object' || value === null) return { all: 0, most: 0 };
  const isArray = Array.isArray(value);
  const within: unknown[] = isArray ? value : Object.values(value);
  let all = isArray ? 0 : within.length;
  let most = all;
  for (const each of within) {
    if (typeof each !== 'object') continue;
    const inner = membersOf(each);
    all += inner.all;
    if (inner.most > most) most = inner.most;
  }
  return { all, most };
}

/**
 * Where a number lies that the parser read as infinite (`1e400`), or undefined. It has no form in JSON any more: nothing behind
 * the parser could hash it or send it on.
 */
export function infinitePathOf(value: unknown, path = ''): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : path;
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const each: unknown = value[index];
      if (isHarmless(each)) continue;
      const found = infinitePathOf(each, `${path}[${index}]`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  for (const name in value) {
    const each = (value as Readonly<Record<string, unknown>>)[name];
    if (isHarmless(each)) continue;
    const found = infinitePathOf(each, path === '' ? name : `${path}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

const isHarmless = (value: unknown): boolean =>
  typeof value === 'number' ? Number.isFinite(value) : typeof value !== 'object';

/** Why a text is not taken; it passes between threads. */
export interface JsonFault {
  readonly code: 'MALFORMED_JSON' | 'VALIDATION_FAILED' | 'BODY_TOO_LARGE';
  readonly detail: string;
  readonly error: FieldFault;
}
export type JsonReading = { readonly value: unknown } | JsonFault;

/**
 * The value of JSON text whose shape has no fault: UTF-8, without `__proto__` or `constructor.prototype`, of numbers
 * that a double holds, and that names no member twice (I-JSON, RFC 7493: which of the two is meant, and paid for, nobody can say).
 */
export function readJson(bytes: Uint8Array, { members, mayOverflow }: JsonShape): JsonReading {
  if (!isUtf8(bytes)) return malformed('The body is not UTF-8', { path: '', message: 'is not UTF-8' });
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
  let value: unknown;
  try {
    value = parse(text, undefined, { protoAction: 'error', constructorAction: 'error' });
  } catch (error) {
    return syntaxFaultOf(error as Error, text);
  }
  const { all, most } = membersOf(value);
  if (most > JSON_MEMBERS_MAX) return tooMany('members of one object', JSON_MEMBERS_MAX);
  if (all !== members) {
    const path = repeatedMember(text);
    return malformed(`An object of the body names a member twice: ${path}`, {
      path,
      message: 'is named twice',
    });
  }
  const infinite = mayOverflow ? infinitePathOf(value) : undefined;
  return infinite === undefined ? { value } : overflow(infinite);
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]/g;

/** Path of the first member that an object of good JSON names again; a name in it that is long is cut. */
function repeatedMember(text: string): string {
  /** Names in each open object so far, or none of an array, and which of its values is read. */
  const open: { readonly names?: Set<string>; at: string | number }[] = [];
  let isName = false;
  for (const [token] of text.matchAll(TOKEN)) {
    const within = open.at(-1);
    if (token === '{') open.push({ names: new Set(), at: '' });
    else if (token === '[') open.push({ at: 0 });
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',' && typeof within?.at === 'number') within.at++;
    else if (isName && within?.names) {
      const name = JSON.parse(token) as string;
      within.at = name;
      if (within.names.has(name)) return pathOf(open.map(({ at }) => at));
      within.names.add(name);
    }
    isName = token === '{' || (token === ',' && within?.names !== undefined);
  }
  return '';
}

const pathOf = (steps: readonly (string | number)[]): string =>
  steps
    .map((step, i) =>
      typeof step === 'number' ? `[${step}]` : `${i === 0 ? '' : '.'}${step.slice(0, NAME_SHOWN)}`,
    )
    .join('');
/** Characters of a name that a message repeats. */
const NAME_SHOWN = 64;

/** The value of JSON text that came as a string within a body, as a body itself is read. */
export function readJsonText(text: string): JsonReading {
  const bytes = Buffer.from(text, 'utf8');
  const shape = jsonShape(bytes);
  return shapeFaultOf(shape) ?? readJson(bytes, shape);
}

/** What a member costs beside its value: its name is made, looked at by a schema, and copied, and its object gets a form of its own. */
const VALUES_OF_MEMBER = 10;

/** What reading a text takes, in values. */
export const readingCostOf = ({ values, members }: JsonShape): number => values + VALUES_OF_MEMBER * members;

/** Why a text is refused before it is parsed: it nests too deep, or holds too much. */
export function shapeFaultOf({ depth, containers, members, values }: JsonShape): JsonFault | undefined {
  if (depth > JSON_DEPTH_MAX)
    return malformed(`The body nests deeper than ${JSON_DEPTH_MAX} levels`, {
      ...{ path: '', message: 'nests too deep', bound: JSON_DEPTH_MAX },
    });
  if (containers > JSON_CONTAINERS_MAX) return tooMany('arrays and objects', JSON_CONTAINERS_MAX);
  if (members > JSON_ALL_MEMBERS_MAX) return tooMany('members', JSON_ALL_MEMBERS_MAX);
  return values > JSON_VALUES_MAX ? tooMany('values', JSON_VALUES_MAX) : undefined;
}

const tooMany = (what: string, bound: number): JsonFault => ({
  code: 'BODY_TOO_LARGE',
  detail: `The body holds more than ${bound} ${what}`,
  error: { path: '', message: `holds too many ${what}`, bound },
});

const malformed = (detail: string, error: FieldFault): JsonFault => ({
  code: 'MALFORMED_JSON',
  detail,
  error,
});

/** It is JSON, and no value that anything here could mean. */
const overflow = (path: string): JsonFault => ({
  code: 'VALIDATION_FAILED',
  detail: `${path || 'The body'}: is a number that no double holds`,
  error: { path: path.slice(0, 256), message: 'is a number that no double holds', bound: Number.MAX_VALUE },
});

/** The parser reads both faults out with one error class; the message tells them apart. */
function syntaxFaultOf({ message }: Error, text: string): JsonFault {
  if (message.includes('prototype property')) {
    const bound = ['__proto__', 'constructor.prototype'];
    return malformed('The body has a forbidden key: __proto__ or constructor.prototype', {
      ...{ path: '', message: 'has a forbidden key', bound },
    });
  }
  return malformed('The body is not valid JSON', { path: '', message: positionOf(text) });
}

/** Where the text stops being JSON, in the words of the engine's own parser. */
function positionOf(text: string): string {
  try {
    JSON.parse(text);
    return 'is not valid JSON';
  } catch (error) {
    return (error as Error).message.slice(0, 160);
  }
}

/** What a thread is asked: what a text looks like, and then, with that, what it says. */
export type JsonThreadTask = { readonly bytes: Uint8Array<ArrayBuffer>; readonly shape?: JsonShape };
export type JsonThreadReply = Required<JsonThreadTask> | { readonly reading: JsonReading };

// This file is what the threads of JsonThreads run. Elsewhere nobody asks.
answerTasks<JsonThreadTask, JsonThreadReply>(
  ({ bytes, shape }) => (shape ? { reading: readJson(bytes, shape) } : { shape: jsonShape(bytes), bytes }),
  reply => ('bytes' in reply ? [reply.bytes.buffer] : []),
);
