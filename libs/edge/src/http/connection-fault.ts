import { PROBLEMS, type ProblemCode } from '@svc/contracts';
import { problem, problemDetails } from '@svc/platform';
import { randomBytes, randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';

const CODES: Record<string, readonly [ProblemCode, string]> = {
  HPE_HEADER_OVERFLOW: ['HEADERS_TOO_LARGE', 'The header fields exceed the limit'],
  ERR_HTTP_REQUEST_TIMEOUT: ['REQUEST_TIMEOUT', 'The request did not arrive in time'],
};

/**
 * Answers a connection whose bytes are no HTTP request that could be routed: too large headers, a
 * request that never ends, or no HTTP at all. There is no request to answer, only the socket.
 */
export function answerConnectionFault(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy(error);
    return;
  }
  const [code, detail] = CODES[error.code ?? ''] ?? ['VALIDATION_FAILED', 'The request is not valid HTTP'];
  const { status } = PROBLEMS[code];
  const traceId = randomBytes(16).toString('hex');
  const body = JSON.stringify(problemDetails(problem(code, detail), { traceId }));
  const head = [
    `HTTP/1.1 ${status} ${PROBLEMS[code].title}`,
    'content-type: application/problem+json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `date: ${new Date().toUTCString()}`,
    `x-request-id: ${randomUUID()}`,
    `traceparent: 00-${traceId}-${randomBytes(8).toString('hex')}-00`,
    'cache-control: no-store',
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
