import { problem, type ProblemError } from '@svc/platform';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isUtf8 } from 'node:buffer';
import { JSON_DEPTH_MAX } from './limits.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Nesting depth of JSON text, strings left out, up to `limit` + 1. It runs before the parse, because
 * everything behind the parser recurses.
 */
export function jsonDepth(bytes: Uint8Array, limit: number): number {
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
      if (deepest > limit) return deepest;
    } else if (byte === 0x5d || byte === 0x7d) {
      depth--;
    }
  }
  return deepest;
}

/**
 * Reads bodies: JSON that is UTF-8, not too deep and without `__proto__` or `constructor.prototype`;
 * and text of the named media types. Anything else is 415. An empty body is no body.
 * @param isRaw whether the route takes the bytes of its JSON as they came, because what signs it signs those
 */
export function readBodies(
  instance: FastifyInstance,
  textTypes: readonly string[],
  isRaw: (request: FastifyRequest) => boolean = () => false,
): void {
  const parseJson = instance.getDefaultJsonParser('error', 'error');
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (request: FastifyRequest, body: Buffer, done: (error: Error | null, value?: unknown) => void) => {
      if (isRaw(request)) return done(null, body);
      if (body.length === 0) return done(null, undefined);
      const fault = encodingFaultOf(request) ?? faultOf(body);
      if (fault) return done(fault);
      const text = body.toString('utf8');
      return parseJson(request, text, (error, value) =>
        error ? done(syntaxFaultOf(error, text)) : done(null, value),
      );
    },
  );
  for (const type of textTypes) {
    instance.addContentTypeParser(type, { parseAs: 'string' }, (_request, body, done) => done(null, body));
  }
}

function faultOf(body: Buffer): ProblemError | undefined {
  if (!isUtf8(body)) return problem('MALFORMED_JSON', 'The body is not UTF-8');
  if (jsonDepth(body, JSON_DEPTH_MAX) <= JSON_DEPTH_MAX) return undefined;
  return problem('MALFORMED_JSON', `The body nests deeper than ${JSON_DEPTH_MAX} levels`, {
    errors: [{ path: '', message: 'nests too deep', bound: JSON_DEPTH_MAX }],
  });
}

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
