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
 */
export function readBodies(instance: FastifyInstance, textTypes: readonly string[]): void {
  const parseJson = instance.getDefaultJsonParser('error', 'error');
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (request: FastifyRequest, body: Buffer, done: (error: Error | null, value?: unknown) => void) => {
      if (body.length === 0) return done(null, undefined);
      const fault = faultOf(body);
      if (fault) return done(fault);
      return parseJson(request, body.toString('utf8'), (error, value) =>
        error ? done(problem('MALFORMED_JSON', reasonOf(error))) : done(null, value),
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

/** The parser reads both faults out with one error class; the message tells them apart. */
function reasonOf(error: Error): string {
  return error.message.includes('prototype property')
    ? 'The body has a forbidden key: __proto__ or constructor.prototype'
    : 'The body is not valid JSON';
}
