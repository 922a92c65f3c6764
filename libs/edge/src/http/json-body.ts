import { problem, type ProblemError } from '@svc/platform';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isUtf8 } from 'node:buffer';
import { JSON_DEPTH_MAX } from './limits.js';
import { keepOfLongBody } from './long-bodies.js';
import { PackedBody } from './packed-body.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** What JSON text looks like before it is parsed, strings left out. */
export interface JsonShape {
  /** How deep it nests, up to the limit and one more. */
  readonly depth: number;
  /** Members of all its objects, as often as they are named; not counted to the end where it is too deep. */
  readonly members: number;
}

/** Depth and members of JSON text. It runs before the parse, because everything behind the parser recurses. */
export function jsonShape(bytes: Uint8Array, limit: number): JsonShape {
  let members = 0;
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index];
    if (inString) {
      if (byte === BACKSLASH) index++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) {
      inString = true;
    } else if (byte === 0x5b || byte === 0x7b) {
      if (++depth > deepest) deepest = depth;
      if (deepest > limit) break;
    } else if (byte === 0x5d || byte === 0x7d) {
      depth--;
    } else if (byte === 0x3a) {
      members++;
    }
  }
  return { depth: deepest, members };
}

/** Members of all objects in a parsed value: fewer than its text has where that names one twice. */
export function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const isArray = Array.isArray(value);
  const within: unknown[] = isArray ? value : Object.values(value);
  let members = isArray ? 0 : within.length;
  for (const each of within) if (typeof each === 'object') members += membersOf(each);
  return members;
}

/**
 * Where a number lies that the parser read as infinite (`1e400`), or undefined. It has no form in JSON any more: nothing behind
 * the parser could hash it or send it on.
 */
export function infinitePathOf(value: unknown, path = ''): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : path;
  if (typeof value !== 'object' || value === null) return undefined;
  const isArray = Array.isArray(value);
  for (const [name, each] of Object.entries(value)) {
    if (typeof each !== 'number' && typeof each !== 'object') continue;
    if (typeof each === 'number' && Number.isFinite(each)) continue;
    const member = path === '' ? name : `${path}.${name}`;
    const found = infinitePathOf(each, isArray ? `${path}[${name}]` : member);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** How a route takes its JSON: parsed, unless it says otherwise. */
export type BodyForm = 'parsed' | 'raw' | 'packed';

/**
 * Reads bodies: JSON that is UTF-8, not too deep, without `__proto__` or `constructor.prototype`, of numbers that a double
 * holds, and that names no member twice (I-JSON, RFC 7493: which of the two is meant, and paid for, nobody can say); and text of
 * the named media types. Anything else is 415. An empty body is no body.
 * @param formOf how the route takes its JSON: the bytes as they came, because what signs it signs those, or a
 * {@link PackedBody}
 */
export function readBodies(
  instance: FastifyInstance,
  textTypes: readonly string[],
  formOf: (request: FastifyRequest) => BodyForm = () => 'parsed',
): void {
  const parseJson = instance.getDefaultJsonParser('error', 'error');
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (request: FastifyRequest, body: Buffer, done: (error: Error | null, value?: unknown) => void) => {
      const form = formOf(request);
      if (form === 'raw') return done(null, body);
      if (body.length === 0) return done(null, undefined);
      if (form === 'packed') return pack(request, body, done);
      const shape = jsonShape(body, JSON_DEPTH_MAX);
      const fault = encodingFaultOf(request) ?? faultOf(body, shape);
      if (fault) return done(fault);
      const text = body.toString('utf8');
      return parseJson(request, text, (error, value) => {
        if (error) return done(syntaxFaultOf(error, text));
        if (membersOf(value) !== shape.members) return done(namedTwice());
        const infinite = infinitePathOf(value);
        return infinite === undefined ? done(null, value) : done(tooLarge(infinite));
      });
    },
  );
  for (const type of textTypes) {
    instance.addContentTypeParser(
      type,
      { parseAs: 'buffer' },
      (request: FastifyRequest, body: Buffer, done: (error: Error | null, value?: unknown) => void) => {
        const fault = encodingFaultOf(request);
        if (fault) return done(fault);
        return isUtf8(body) ? done(null, body.toString('utf8')) : done(notUtf8());
      },
    );
  }
}

const notUtf8 = (): ProblemError =>
  problem('UNSUPPORTED_MEDIA_TYPE', 'The body is not UTF-8', {
    errors: [{ path: '', message: 'is not UTF-8' }],
  });

function pack(
  request: FastifyRequest,
  body: Buffer,
  done: (error: Error | null, value?: unknown) => void,
): void {
  const fault = encodingFaultOf(request);
  if (fault) return done(fault);
  PackedBody.of(body).then(
    packedBody => {
      keepOfLongBody(request, packedBody.deflated.length);
      done(null, packedBody);
    },
    (error: Error) => done(error),
  );
}

function faultOf(body: Buffer, { depth }: JsonShape): ProblemError | undefined {
  if (!isUtf8(body)) return problem('MALFORMED_JSON', 'The body is not UTF-8');
  if (depth <= JSON_DEPTH_MAX) return undefined;
  return problem('MALFORMED_JSON', `The body nests deeper than ${JSON_DEPTH_MAX} levels`, {
    errors: [{ path: '', message: 'nests too deep', bound: JSON_DEPTH_MAX }],
  });
}

const namedTwice = (): ProblemError =>
  problem('MALFORMED_JSON', 'An object of the body names a member twice', {
    errors: [{ path: '', message: 'names a member twice' }],
  });

/** It is JSON, and no value that anything here could mean. */
const tooLarge = (path: string): ProblemError =>
  problem('VALIDATION_FAILED', `${path || 'The body'}: is a number that no double holds`, {
    errors: [
      { path: path.slice(0, 256), message: 'is a number that no double holds', bound: Number.MAX_VALUE },
    ],
  });

/** Bodies are UTF-8 as they are: nothing is unpacked or converted here. */
function encodingFaultOf({ headers }: FastifyRequest): ProblemError | undefined {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    return problem('UNSUPPORTED_MEDIA_TYPE', 'The body must not be compressed', {
      errors: [
        { path: 'content-encoding', message: 'not accepted', bound: 'identity', got: encoding.slice(0, 80) },
      ],
    });
  }
  const charset = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(headers['content-type'] ?? '')?.[1];
  if (charset === undefined || /^(utf-?8|us-ascii)$/i.test(charset)) return undefined;
  return problem('UNSUPPORTED_MEDIA_TYPE', 'The body must be UTF-8', {
    errors: [
      { path: 'content-type', message: 'charset not accepted', bound: 'utf-8', got: charset.slice(0, 80) },
    ],
  });
}

/** The parser reads both faults out with one error class; the message tells them apart. */
function syntaxFaultOf(error: Error, text: string): ProblemError {
  if (error.message.includes('prototype property')) {
    return problem('MALFORMED_JSON', 'The body has a forbidden key: __proto__ or constructor.prototype', {
      errors: [{ path: '', message: 'has a forbidden key', bound: ['__proto__', 'constructor.prototype'] }],
    });
  }
  return problem('MALFORMED_JSON', 'The body is not valid JSON', {
    errors: [{ path: '', message: positionOf(text) }],
  });
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
