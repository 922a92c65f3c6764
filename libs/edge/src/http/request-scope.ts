import { currentTrace, runWithTrace } from '@svc/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import { randomUUID } from 'node:crypto';

/** An `X-Request-Id` that is echoed: 1 to 128 visible ASCII characters. */
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

const SCOPE = Symbol('SCOPE');
interface Scoped {
  [SCOPE]?: AsyncResource;
}

/** The caller's `X-Request-Id` where it is one line of visible ASCII, else a fresh id. */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/**
 * Opens the trace of a request, the caller's or a fresh one, and puts it and the request id on the
 * answer. `next` runs inside the trace.
 */
export function openScope(request: FastifyRequest, reply: FastifyReply, next: () => void): void {
  const { traceparent } = request.raw.headers;
  runWithTrace(typeof traceparent === 'string' ? traceparent : undefined, () => {
    (request as unknown as Scoped)[SCOPE] = new AsyncResource('GatewayRequest');
    reply.header('x-request-id', request.id).header('traceparent', currentTrace().traceparent);
    next();
  });
}

/**
 * Runs `fn` inside the request's trace: the end of a response is an event of the socket, which a slow
 * reader may put off.
 */
export function inScope<T>(request: FastifyRequest, fn: () => T): T {
  const scope = (request as unknown as Scoped)[SCOPE];
  return scope ? scope.runInAsyncScope(fn) : fn();
}
