import { Controller, Injectable, Res } from '@nestjs/common';
import { gatewayRoutes } from '@svc/contracts';
import type { FastifyReply } from 'fastify';
import { createHash } from 'node:crypto';
import { Endpoint } from '../endpoint/endpoint.decorator.js';

interface Written {
  readonly body: string;
  readonly etag: string;
}

/** A document as it is sent. It is made when somebody asks for it first: few processes are ever asked, and all start. */
@Injectable()
export class PublishedDocument {
  private make: () => object = () => ({});
  private written: Written | undefined;

  publish(make: () => object): void {
    this.make = make;
    this.written = undefined;
  }

  send(reply: FastifyReply, ifNoneMatch: string | undefined): void {
    this.written ??= writtenOf(this.make());
    const { body, etag } = this.written;
    reply.header('etag', etag).header('cache-control', 'public, max-age=300');
    if (ifNoneMatch === etag) void reply.status(304).send();
    else void reply.header('content-type', 'application/json; charset=utf-8').send(body);
  }
}

function writtenOf(document: object): Written {
  const body = JSON.stringify(document);
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` };
}

@Controller()
export class OpenApiHttpController {
  constructor(private readonly document: PublishedDocument) {}

  @Endpoint(gatewayRoutes.openapi)
  openapi(@Res() reply: FastifyReply): void {
    this.document.send(reply, reply.request.headers['if-none-match']);
  }
}
