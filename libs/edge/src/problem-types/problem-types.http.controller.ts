import { Controller, Param, Req, Res } from '@nestjs/common';
import { gatewayRoutes, type ProblemType, problemTypeAt } from '@svc/contracts';
import { problem } from '@svc/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Endpoint } from '../endpoint/endpoint.decorator.js';
import { preferredType } from '../http/accept.js';
import { StoredAnswer } from '../http/stored-answer.js';
import { originOf } from '../rate-limit/caller.js';
import { problemTypePage } from './problem-type-page.js';

const TYPES = ['application/json', 'text/html'] as const;

/** What the `type` of a problem leads to, at every address that answers problems. */
@Controller()
export class ProblemTypesHttpController {
  /** @throws ProblemError NOT_FOUND */
  @Endpoint(gatewayRoutes.problem)
  async show(
    @Param('type') name: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const path = gatewayRoutes.problem.path.replace(':type', name);
    const found = problemTypeAt(path);
    if (!found) throw problem('NOT_FOUND', 'No problem has this type; /openapi.json lists the codes of all');
    const type: ProblemType = { type: `${originOf(request) ?? ''}${path}`, ...found };
    const mediaType = preferredType(request.headers.accept, TYPES);
    const content = mediaType === 'text/html' ? problemTypePage(type) : JSON.stringify(type);
    const fields = { cacheControl: 'public, max-age=300', vary: 'accept' };
    await new StoredAnswer(content, { mediaType: `${mediaType}; charset=utf-8`, ...fields }).send(reply);
  }
}
