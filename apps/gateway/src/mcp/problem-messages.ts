import type { ProblemDetails } from '@svc/contracts';
import type { FastifyInstance } from 'fastify';
import { jsonRpcErrorOf } from './json-rpc.js';

const PROBLEM_TYPE = 'application/problem+json';

/**
 * Answers refusals of a request to a path of MCP as errors of JSON-RPC, which its clients read, with the problem as their
 * data. Also of those that are refused before any route sees them: a body that is no JSON, or too long, or one too many.
 */
export function answerInJsonRpc(instance: FastifyInstance): void {
  instance.addHook('onSend', (request, reply, payload, done) => {
    const type = String(reply.getHeader('content-type') ?? '');
    const isMcp = request.method === 'POST' && /\/mcp(\/mpp)?$/.test(request.routeOptions.url ?? '');
    if (!isMcp || !type.startsWith(PROBLEM_TYPE) || typeof payload !== 'string') return done(null, payload);
    const details = JSON.parse(payload) as ProblemDetails;
    reply.header('content-type', 'application/json; charset=utf-8');
    const text = JSON.stringify({ jsonrpc: '2.0', id: null, error: jsonRpcErrorOf(details) });
    reply.header('content-length', Buffer.byteLength(text));
    return done(null, text);
  });
}
