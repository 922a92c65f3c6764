import { Body, Controller, Param, Req, Res } from '@nestjs/common';
import { ToolName, toolsRoutes } from '@svc/contracts';
import { Endpoint } from '@svc/edge';
import { problem } from '@svc/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ToolCalls } from './tool-calls.js';
import { ToolCatalogue } from './tool-catalogue.js';

const { call, catalog } = toolsRoutes;

/** The tools of the catalogue over HTTP. */
@Controller()
export class ToolsHttpController {
  constructor(
    private readonly calls: ToolCalls,
    private readonly catalogue: ToolCatalogue,
  ) {}

  @Endpoint(catalog)
  catalog(@Res({ passthrough: true }) reply: FastifyReply) {
    reply.header('cache-control', 'public, max-age=60');
    return this.catalogue.catalog();
  }

  @Endpoint(call)
  call(
    @Param('name') name: string,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    const tool = ToolName.safeParse(name);
    if (!tool.success)
      throw problem('NOT_FOUND', 'The catalogue has no such tool; GET /mcp.json has them all');
    return this.calls.answer(tool.data, body, request, reply);
  }
}
