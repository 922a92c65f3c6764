import { Controller, Injectable, Res } from '@nestjs/common';
import { gatewayRoutes } from '@svc/contracts';
import type { FastifyReply } from 'fastify';
import { createHash } from 'node:crypto';
import { Endpoint } from '../endpoint/endpoint.decorator.js';

/** The OpenAPI document as it is sent; made once the routes are known. */
@Injectable()
export class PublishedDocument {
  private body = '';
  private etag = '';

  publish(document: object): void {
    this.body = JSON.stringify(document);
    this.etag = `"${createHash('sha256').update(this.body).digest('base64url').slice(0, 22)}"`;
  }

  send(reply: FastifyReply, ifNoneMatch: string | undefined): void {
    reply.header('etag', this.etag).header('cache-control', 'public, max-age=300');
    if (ifNoneMatch === this.etag) void reply.status(304).send();
    else void reply.header('content-type', 'application/json; charset=utf-8').send(this.body);
  }
}

@Controller()
export class OpenApiHttpController {
  constructor(private readonly document: PublishedDocument) {}

  @Endpoint(gatewayRoutes.openapi)
  openapi(@Res() reply: FastifyReply): void {
    this.document.send(reply, reply.request.headers['if-none-match']);
  }
}
