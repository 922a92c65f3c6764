import { Controller, Param, Req, Res } from '@nestjs/common';
import { gatewayRoutes, type ProblemType, problemTypeAt } from '@svc/contracts';
import { problem } from '@svc/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Endpoint } from '../endpoint/endpoint.decorator.js';
import { preferredType } from '../http/accept.js';
import { StoredAnswer } from '../http/stored-answer.js';
import { originOf } from '../rate-limit/caller.js';
import { putLast } from '../rate-limit/known-keys.js';
import { problemTypePage } from './problem-type-page.js';

const TYPES = ['application/json', 'text/html'] as const;
/** Of every type in both forms, for some addresses; where `PUBLIC_URL` is not set, callers name as many addresses as they like. */
const KEPT_MAX = 512;

/** What the `type` of a problem leads to, at every address that answers problems. */
@Controller()
export class ProblemTypesHttpController {
  /** Compressed once, and not for each caller. */
  private readonly answers = new Map<string, StoredAnswer>();

  /** @throws ProblemError NOT_FOUND */
  @Endpoint(gatewayRoutes.problem)
  async show(
    @Param('type') asked: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const path = gatewayRoutes.problem.path.replace(':type', asked);
    const found = problemTypeAt(path);
    if (!found) throw problem('NOT_FOUND', 'No problem has this type; /openapi.json lists the codes of all');
    const type: ProblemType = { type: `${originOf(request) ?? ''}${path}`, ...found };
    const mediaType = preferredType(request.headers.accept, TYPES);
    const name = `${mediaType} ${type.type}`;
    const answer = this.answers.get(name) ?? answerOf(type, mediaType);
    putLast(this.answers, name, answer, KEPT_MAX);
    await answer.send(reply);
  }
}

function answerOf(type: ProblemType, mediaType: (typeof TYPES)[number]): StoredAnswer {
  const content = mediaType === 'text/html' ? problemTypePage(type) : JSON.stringify(type);
  const fields = { cacheControl: 'public, max-age=300', vary: 'accept' };
  return new StoredAnswer(content, { mediaType: `${mediaType}; charset=utf-8`, ...fields });
}
