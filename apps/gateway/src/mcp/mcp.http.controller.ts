import { Body, Controller, Req, Res } from '@nestjs/common';
import { toolsRoutes } from '@svc/contracts';
import { Endpoint } from '@svc/edge';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { McpEndpoint } from './mcp-endpoint.js';
import { ProductionCatalogue } from './production-catalogue.js';

/** The tools, documents and prompts of the catalogue over the Model Context Protocol. */
@Controller()
export class McpHttpController {
  constructor(
    private readonly endpoint: McpEndpoint,
    private readonly catalogue: ProductionCatalogue,
  ) {}

  @Endpoint(toolsRoutes.mcp)
  async post(
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.endpoint.answer(body, request, reply, this.catalogue);
  }

  @Endpoint(toolsRoutes.mcpChanges)
  async changes(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.endpoint.follow(request, reply);
  }

  @Endpoint(toolsRoutes.mcpPaymentChanges)
  async changesForPayment(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.endpoint.follow(request, reply);
  }

  /** For clients that know the errors of the `Payment` scheme and do not say so. */
  @Endpoint(toolsRoutes.mcpPayment)
  async postForPayment(
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.post(body, request, reply);
  }
}
