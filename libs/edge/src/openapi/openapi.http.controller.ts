import { Controller, Injectable, Res } from '@nestjs/common';
import { gatewayRoutes } from '@svc/contracts';
import type { FastifyReply } from 'fastify';
import { Endpoint } from '../endpoint/endpoint.decorator.js';
import { StoredAnswer } from '../http/stored-answer.js';

const FIELDS = { mediaType: 'application/json; charset=utf-8', cacheControl: 'public, max-age=300' };

/** A document as it is sent. It is made when somebody asks for it first: few processes are ever asked, and all start. */
@Injectable()
export class PublishedDocument {
  private make: () => object = () => ({});
  private written: StoredAnswer | undefined;

  publish(make: () => object): void {
    this.make = make;
    this.written = undefined;
  }

  send(reply: FastifyReply): Promise<void> {
    this.written ??= new StoredAnswer(JSON.stringify(this.make()), FIELDS);
    return this.written.send(reply);
  }
}

@Controller()
export class OpenApiHttpController {
  constructor(private readonly document: PublishedDocument) {}

  @Endpoint(gatewayRoutes.openapi)
  openapi(@Res() reply: FastifyReply): Promise<void> {
    return this.document.send(reply);
  }
}
