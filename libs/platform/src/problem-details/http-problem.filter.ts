import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import { type ProblemCode, type ProblemDetails, problemPath, PROBLEMS } from '@svc/contracts';
import { types } from 'node:util';
import type { Logger } from 'pino';
import { createLogger } from '../observability/logger.js';
import { currentTrace } from '../observability/trace-context.js';
import { problem, ProblemError } from './problem-error.js';

/** The part of a Fastify reply that a problem needs. */
interface Reply {
  readonly sent: boolean;
  status(status: number): this;
  header(name: string, value: string): this;
  send(body: string): unknown;
}

const CODE_BY_STATUS: Record<number, ProblemCode> = {
  400: 'VALIDATION_FAILED',
  401: 'UNKNOWN_CREDENTIAL',
  402: 'PAYMENT_REQUIRED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  409: 'CONFLICT',
  410: 'EXPIRED',
  413: 'BODY_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  422: 'UNPROCESSABLE',
  429: 'RATE_LIMITED',
  503: 'SERVICE_UNAVAILABLE',
  504: 'TIMEOUT',
};

/**
 * The problem that any thrown value stands for. Of an unknown error nothing leaks: it is INTERNAL,
 * with the error as its `cause` for the log.
 */
export function asProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error instanceof HttpException) return fromStatus(error.getStatus(), error.message, error);
  if (types.isNativeError(error) && 'statusCode' in error && typeof error.statusCode === 'number') {
    return fromFastify(error as Error & { statusCode: number });
  }
  if (types.isNativeError(error) && 'code' in error && NOT_STORABLE.has(error.code)) {
    const detail = 'The request holds the character U+0000, which can be neither stored nor looked for';
    const errors = [{ path: '', message: 'holds the character U+0000' }];
    return problem('VALIDATION_FAILED', detail, { errors, cause: error });
  }
  return problem('INTERNAL', 'Something failed on our side; the trace id finds it in our logs', {
    cause: error,
  });
}

/** How Postgres calls U+0000 in text, and in JSON (its appendix A). */
const NOT_STORABLE: ReadonlySet<unknown> = new Set(['22021', '22P05']);

/** Of what a problem is an answer to. */
export interface ProblemContext {
  readonly instance?: string;
  /** Origin that was called, below which the problem is explained; without, `type` is relative to whatever was called. */
  readonly origin?: string;
}

/** RFC 9457 body of a problem; extension members may replace `type` and `title` and nothing else. */
export function problemDetails(
  error: Pick<ProblemError, 'payload'>,
  context: ProblemContext & { readonly traceId: string },
): ProblemDetails {
  const { code, detail, errors, extensions, charged, retryAfterSeconds } = error.payload;
  const { status, title, charged: chargedOfCode, retry } = PROBLEMS[code];
  return {
    type: `${context.origin ?? ''}${problemPath(code)}`,
    title,
    ...extensions,
    status,
    code,
    detail,
    charged: charged ?? chargedOfCode,
    retry: retryAfterSeconds === undefined ? retry : 'same',
    ...(context.instance === undefined ? {} : { instance: context.instance }),
    traceId: context.traceId,
    ...(errors === undefined ? {} : { errors }),
  };
}

/**
 * Answers every error of the gateway as `application/problem+json`. Headers that were set on the
 * reply before (Allow, WWW-Authenticate) stay.
 */
@Catch()
export class HttpProblemFilter implements ExceptionFilter {
  private readonly logger: Logger;

  constructor(options: { logger?: Logger } = {}) {
    this.logger = options.logger ?? createLogger('gateway');
  }

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const { url } = http.getRequest<{ url?: string }>();
    this.send(error, http.getResponse<Reply>(), { instance: url });
  }

  /** Also for errors that never reach Nest: Fastify's `setErrorHandler` and not-found handler. */
  send(error: unknown, reply: Reply, context: ProblemContext): void {
    const answer = asProblem(error);
    const { traceId } = currentTrace();
    if (answer.status >= 500 && answer.cause !== undefined) {
      this.logger.error({ err: answer.cause, traceId, code: answer.code }, answer.message);
    }
    if (reply.sent) return;
    const { retryAfterSeconds } = answer.payload;
    if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds));
    const instance = context.instance?.split('?', 1)[0];
    reply
      .status(answer.status)
      .header('content-type', 'application/problem+json; charset=utf-8')
      .send(JSON.stringify(problemDetails(answer, { ...context, instance, traceId })));
  }
}

function fromFastify(error: Error & { statusCode: number }): ProblemError {
  const { statusCode } = error;
  if (statusCode === 400 && error.name === 'SyntaxError') {
    return problem('MALFORMED_JSON', 'The body is not valid JSON');
  }
  if (statusCode === 413) return problem('BODY_TOO_LARGE', 'The body exceeds the limit of this route');
  if (statusCode === 415) return problem('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json');
  return fromStatus(statusCode, error.message, error);
}

/** Fastify's and V8's words for a body that is no JSON: all that Nest keeps of such an error. */
const NOT_JSON = /^Body (is not valid JSON|cannot be empty)|\bJSON\b/;

function fromStatus(status: number, message: string, cause: Error): ProblemError {
  if (status === 400 && NOT_JSON.test(message))
    return problem('MALFORMED_JSON', 'The body is not valid JSON');
  const code = CODE_BY_STATUS[status];
  if (code) return problem(code, message, status >= 500 ? { cause } : {});
  if (status >= 400 && status < 500) return problem('VALIDATION_FAILED', message);
  return problem('INTERNAL', 'Something failed on our side; the trace id finds it in our logs', { cause });
}
