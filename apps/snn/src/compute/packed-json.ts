import { isUtf8 } from 'node:buffer';
import { inflateRawSync } from 'node:zlib';
import { RefusedInput } from './input-problem.js';

/** Levels that JSON may nest, as everywhere. */
const DEPTH_MAX = 64;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** What of a text is counted before it is parsed. */
export type ShapeKind = 'containers' | 'values' | 'members';

/** What a request's text may be. */
export interface TextBounds {
  /** What it is a text of: the member of the message that carries it. */
  readonly name: string;
  /** Bytes of the text: what its route takes. */
  readonly textBytesMax: number;
  /**
   * What it may have before it is parsed: more than any request does, and far less than the thread's heap holds. A parser that
   * runs out of that ends the whole process, and not its thread alone.
   */
  readonly shapeMax: Readonly<Record<ShapeKind, number>>;
  /** What is said of a text that has more. */
  readonly tooMany: (kind: ShapeKind) => RefusedInput;
}

/**
 * A request of deflated text, parsed.
 * @param packed the text, deflated without a header (RFC 1951)
 * @throws RefusedInput as {@link unpackText} and {@link parseStrictJson}
 */
export const readPackedJson = (packed: Uint8Array, bounds: TextBounds): unknown =>
  parseStrictJson(unpackText(packed, bounds), bounds);

/** @throws RefusedInput BODY_TOO_LARGE for a text of too many bytes; VALIDATION_FAILED for what was not deflated */
function unpackText(packed: Uint8Array, { name, textBytesMax }: TextBounds): Uint8Array {
  try {
    return inflateRawSync(packed, { maxOutputLength: textBytesMax });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      const message = `has more than ${textBytesMax} bytes`;
      throw new RefusedInput({
        code: 'BODY_TOO_LARGE',
        detail: `The ${name} ${message}`,
        errors: [{ path: '', message, bound: textBytesMax }],
      });
    }
    const message = 'is not text that was deflated';
    throw new RefusedInput({
      code: 'VALIDATION_FAILED',
      detail: `${name}: ${message}`,
      errors: [{ path: name, message }],
    });
  }
}

/**
 * JSON as the edge takes it: UTF-8, at most 64 levels deep, no member named twice (RFC 7493), no `__proto__`.
 * @throws RefusedInput MALFORMED_JSON, and what the bounds say of a text that has too much
 */
function parseStrictJson(bytes: Uint8Array, { shapeMax, tooMany }: TextBounds): unknown {
  if (!isUtf8(bytes)) throw malformed('The body is not UTF-8', 'is not UTF-8');
  const shape = shapeOf(bytes);
  const { depth, members } = shape;
  if (depth > DEPTH_MAX) {
    throw malformed(`The body nests deeper than ${DEPTH_MAX} levels`, 'nests too deep', DEPTH_MAX);
  }
  for (const kind of ['containers', 'values', 'members'] as const) {
    if (shape[kind] > shapeMax[kind]) throw tooMany(kind);
  }
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8'));
  } catch (error) {
    throw malformed('The body is not valid JSON', (error as Error).message.slice(0, 160));
  }
  const found = { members: 0, hasPrototype: false };
  countMembers(value, found);
  if (found.hasPrototype) throw malformed('The body has a forbidden key: __proto__', 'has a forbidden key');
  if (found.members !== members) {
    throw malformed('An object of the body names a member twice', 'names a member twice');
  }
  return value;
}

interface JsonShape {
  readonly depth: number;
  /** Arrays and objects. */
  readonly containers: number;
  /** Members of arrays and of objects, but for the first of each. */
  readonly values: number;
  readonly members: number;
}

/** What text that may be JSON comes to, before any of it is made; not to the end of what is too deep. */
function shapeOf(bytes: Uint8Array): JsonShape {
  let members = 0;
  let containers = 0;
  let values = 0;
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let at = 0; at < bytes.length && deepest <= DEPTH_MAX; at++) {
    const byte = bytes[at];
    if (inString) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === 0x5b || byte === 0x7b) {
      containers++;
      if (++depth > deepest) deepest = depth;
    } else if (byte === 0x5d || byte === 0x7d) depth--;
    else if (byte === 0x3a) members++;
    else if (byte === 0x2c) values++;
  }
  return { depth: deepest, containers, values, members };
}

function countMembers(value: unknown, found: { members: number; hasPrototype: boolean }): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const each of value) if (typeof each === 'object') countMembers(each, found);
    return;
  }
  for (const [name, each] of Object.entries(value)) {
    found.members++;
    found.hasPrototype ||= name === '__proto__';
    countMembers(each, found);
  }
}

const malformed = (detail: string, message: string, bound?: number) =>
  new RefusedInput({
    code: 'MALFORMED_JSON',
    detail,
    errors: [{ path: '', message, ...(bound === undefined ? {} : { bound }) }],
  });
