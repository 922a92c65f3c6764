import { Body, Controller, Header, Headers, Param, Res } from '@nestjs/common';
import {
  MeshAnswerRequest,
  meshContract,
  type MeshDocumentReset,
  meshRoutes,
  type MeshSession,
  type ReplyOf,
  ResetMeshDocumentRequest,
} from '@svc/contracts';
import { AccountKey, Endpoint, Keyed } from '@svc/edge';
import { BusClient, parseOrProblem } from '@svc/platform';
import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import { etagOf, requireMatch } from './session-tag.js';

const { session, answer, trickle, closeSession, resetDocument, meshKeys } = meshRoutes;

interface SessionRef {
  readonly sessionId: string;
}

/** Sessions answer whoever holds their unguessable id; how they are changed and ended is that of WHIP (RFC 9725 §4). */
@Controller()
export class MeshSessionsHttpController {
  constructor(private readonly bus: BusClient) {}

  @Endpoint(session)
  async session(
    @Param({ schema: session.params }) { sessionId }: SessionRef,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<MeshSession> {
    reply.header('cache-control', 'no-store');
    return shown(reply, await this.bus.call(meshContract.session, { sessionId }));
  }

  @Endpoint(answer)
  async answer(
    @Param({ schema: answer.params }) { sessionId }: SessionRef,
    @Body({ schema: MeshAnswerRequest }) request: MeshAnswerRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<MeshSession> {
    reply.header('cache-control', 'no-store');
    return shown(reply, await this.bus.call(meshContract.answer, { sessionId, request }));
  }

  @Endpoint(trickle)
  async trickle(
    @Param({ schema: trickle.params }) { sessionId }: SessionRef,
    @Body({ schema: trickle.body.schema }) fragment: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const headers = parseOrProblem(trickle.headers, { 'If-Match': ifMatch });
    requireMatch(headers['If-Match'], sessionId);
    await this.bus.call(meshContract.trickle, { sessionId, fragment });
    reply.header('etag', etagOf(sessionId));
  }

  @Endpoint(closeSession)
  async close(@Param({ schema: closeSession.params }) { sessionId }: SessionRef): Promise<void> {
    await this.bus.call(meshContract.closeSession, { sessionId });
  }

  @Endpoint(resetDocument)
  @Keyed({ scope: 'admin:mesh' })
  resetDocument(
    @AccountKey() accountKey: string,
    @Body({ schema: ResetMeshDocumentRequest }) request: z.output<typeof ResetMeshDocumentRequest>,
  ): Promise<MeshDocumentReset> {
    return this.bus.call(meshContract.resetDocument, { accountKey, request });
  }

  @Endpoint(meshKeys)
  @Header('cache-control', 'public, max-age=300')
  keys(): Promise<ReplyOf<typeof meshContract.meshKeys>> {
    return this.bus.call(meshContract.meshKeys, {});
  }
}

function shown(reply: FastifyReply, { session: reached }: ReplyOf<typeof meshContract.session>): MeshSession {
  reply.header('etag', etagOf(reached.sessionId));
  return reached;
}
