import { Controller, Res } from '@nestjs/common';
import { asyncApiDocument, gatewayRoutes } from '@svc/contracts';
import { Endpoint, PublishedDocument } from '@svc/edge';
import type { FastifyReply } from 'fastify';

/** The document of the bus, made once, when it is asked for: it says nothing of this deployment. */
@Controller()
export class AsyncApiHttpController {
  private readonly document = new PublishedDocument();

  constructor() {
    this.document.publish(asyncApiDocument);
  }

  @Endpoint(gatewayRoutes.asyncapi)
  asyncapi(@Res() reply: FastifyReply): Promise<void> {
    return this.document.send(reply);
  }
}
