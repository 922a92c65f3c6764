import { Controller, Headers, Res } from '@nestjs/common';
import { type GatewayIndex, gatewayRoutes } from '@svc/contracts';
import type { FastifyReply } from 'fastify';
import { Endpoint } from '../endpoint/endpoint.decorator.js';
import { preferredType } from '../http/accept.js';
import { gatewayIndex } from './gateway-index.js';
import { indexPage } from './index-page.js';
import { llmsText } from './llms-text.js';

@Controller()
export class GatewayIndexHttpController {
  private readonly index = gatewayIndex();
  private readonly page = indexPage(this.index);
  private readonly text = llmsText(this.index);

  @Endpoint(gatewayRoutes.index)
  root(
    @Headers('accept') accept: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): GatewayIndex | string {
    reply.header('vary', 'accept');
    if (preferredType(accept, ['application/json', 'text/html']) === 'application/json') return this.index;
    reply.header('content-type', 'text/html; charset=utf-8');
    return this.page;
  }

  @Endpoint(gatewayRoutes.llms)
  llms(@Res({ passthrough: true }) reply: FastifyReply): string {
    reply.header('content-type', 'text/plain; charset=utf-8');
    return this.text;
  }
}
