import { Controller, Headers, Req, Res } from '@nestjs/common';
import { gatewayRoutes, type X402Resources } from '@svc/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Endpoint, preferredType, realmOf, schemeOf, StoredAnswer } from '@svc/edge';
import { gatewayIndex } from './gateway-index.js';
import { indexPage } from './index-page.js';
import { llmsText } from './llms-text.js';
import { X402ResourceList } from './x402-resources.js';

const INDEX_TYPES = ['application/json', 'text/html'] as const;
const CACHE = 'public, max-age=300';

@Controller()
export class GatewayIndexHttpController {
  private readonly index: Readonly<Record<(typeof INDEX_TYPES)[number], StoredAnswer>>;
  private readonly text: StoredAnswer;

  constructor(private readonly resources: X402ResourceList) {
    const index = gatewayIndex();
    const written = (type: string, content: string) =>
      new StoredAnswer(content, { mediaType: `${type}; charset=utf-8`, cacheControl: CACHE, vary: 'accept' });
    this.index = {
      'application/json': written('application/json', JSON.stringify(index)),
      'text/html': written('text/html', indexPage(index)),
    };
    const mediaType = 'text/plain; charset=utf-8';
    this.text = new StoredAnswer(llmsText(index), { mediaType, cacheControl: CACHE });
  }

  @Endpoint(gatewayRoutes.index)
  root(@Headers('accept') accept: string | undefined, @Res() reply: FastifyReply): Promise<void> {
    return this.index[preferredType(accept, INDEX_TYPES)].send(reply);
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
  llms(@Res() reply: FastifyReply): Promise<void> {
    return this.text.send(reply);
  }
}
