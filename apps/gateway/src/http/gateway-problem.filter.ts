import { type ArgumentsHost, Catch } from '@nestjs/common';
import { HttpProblemFilter, problem, ProblemError } from '@svc/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { inScope } from './request-scope.js';

/**
 * Answers every failure as problem details, inside the trace of its request, and says of a fault of
 * the transport which bound was broken.
 */
@Catch()
export class GatewayProblemFilter extends HttpProblemFilter {
  override catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  /** Also for faults that never reach Nest. */
  answer(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    inScope(request, () => {
      reply.header('cache-control', 'no-store');
      this.send(transportFault(error, request) ?? error, reply, request.url);
    });
  }
}

/** A fault that Fastify found, with its bound; undefined where the error is none of those. */
function transportFault(error: unknown, request: FastifyRequest): ProblemError | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE': {
      const bound = request.routeOptions.bodyLimit;
      return problem('BODY_TOO_LARGE', `The body exceeds the ${bound} bytes that this route reads`, {
        errors: [{ path: '', message: 'body too large', bound, got: request.headers['content-length'] }],
      });
    }
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return problem('VALIDATION_FAILED', 'Content-Length does not match the body');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_INVALID_TYPE':
      return problem('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json', {
        errors: [
          {
            path: 'Content-Type',
            message: 'not read here',
            got: request.headers['content-type']?.slice(0, 80),
          },
        ],
      });
    case 'FST_ERR_BAD_URL':
      return problem('VALIDATION_FAILED', 'The path has a malformed percent-encoding', {
        errors: [{ path: 'path', message: 'malformed percent-encoding' }],
      });
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return problem('URI_TOO_LONG', 'A part of the path exceeds the limit');
    default:
      return undefined;
  }
}
