import { Controller, Headers, Req, Res } from '@nestjs/common';
import { type GatewayIndex, gatewayRoutes, type X402Resources } from '@svc/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Endpoint, preferredType, realmOf, schemeOf } from '@svc/edge';
import { gatewayIndex } from './gateway-index.js';
import { indexPage } from './index-page.js';
import { llmsText } from './llms-text.js';
import { X402ResourceList } from './x402-resources.js';

@Controller()
export class GatewayIndexHttpController {
  private readonly index = gatewayIndex();
  private readonly page = indexPage(this.index);
  private readonly text = llmsText(this.index);

  constructor(private readonly resources: X402ResourceList) {}

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

  @Endpoint(gatewayRoutes.wellKnownX402)
  wellKnownX402(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<X402Resources> {
    reply.header('cache-control', 'public, max-age=60');
    const realm = realmOf(request);
    return this.resources.list(`${schemeOf(request)}://${realm}`, realm);
  }

  @Endpoint(gatewayRoutes.llms)
  llms(@Res({ passthrough: true }) reply: FastifyReply): string {
    reply.header('content-type', 'text/plain; charset=utf-8');
    return this.text;
  }
}
