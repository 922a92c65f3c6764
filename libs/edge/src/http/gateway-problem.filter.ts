import { type ArgumentsHost, Catch, HttpException } from '@nestjs/common';
import { licencesRoutes } from '@svc/contracts';
import { HttpProblemFilter, problem, ProblemError } from '@svc/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { originOf } from '../rate-limit/caller.js';
import { notReadHere } from './body-type.js';
import { PATH_PARAM_CHARS_MAX } from './limits.js';

const LICENCE_PATH = licencesRoutes.verifyKey.path;
const LICENCE_PREFIX = LICENCE_PATH.slice(0, LICENCE_PATH.indexOf(':'));

/** A URL as a problem may repeat it: problems are shown around, and a licence key in a path is a secret all the same. */
export const shownUrl = (url: string): string => (url.startsWith(LICENCE_PREFIX) ? LICENCE_PATH : url);

/**
 * Answers every failure as problem details, and says of a fault of the transport which bound was
 * broken.
 */
@Catch()
export class GatewayProblemFilter extends HttpProblemFilter {
  override catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  /** Also for faults that never reach Nest. */
  answer(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    reply.header('cache-control', 'no-store');
    const context = { instance: shownUrl(request.url), origin: originOf(request) };
    this.send(transportFault(error, request) ?? error, reply, context);
  }
}

/**
 * A fault of the transport, with its bound; undefined where the error is none. Nest hands on what
 * Fastify's body reader found as an HttpException, and the router's faults as they are.
 */
function transportFault(error: unknown, request: FastifyRequest): ProblemError | undefined {
  if (error instanceof HttpException) return bodyFault(error.getStatus(), request);
  switch (error instanceof Error && 'code' in error ? error.code : undefined) {
    case 'FST_ERR_BAD_URL':
      return problem('VALIDATION_FAILED', 'The path has a malformed percent-encoding', {
        errors: [{ path: 'path', message: 'malformed percent-encoding' }],
      });
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return problem('URI_TOO_LONG', `A part of the path exceeds ${PATH_PARAM_CHARS_MAX} characters`, {
        errors: [{ path: 'path', message: 'a part is too long', bound: PATH_PARAM_CHARS_MAX }],
      });
    default:
      return undefined;
  }
}

function bodyFault(status: number, request: FastifyRequest): ProblemError | undefined {
  if (status === 413) {
    const bound = request.routeOptions.bodyLimit;
    const got = Number(request.headers['content-length']);
    return problem('BODY_TOO_LARGE', `The body exceeds the ${bound} bytes that this route reads`, {
      errors: [{ path: '', message: 'body too large', bound, ...(Number.isNaN(got) ? {} : { got }) }],
    });
  }
  if (status === 415) return notReadHere(request);
  return undefined;
}
