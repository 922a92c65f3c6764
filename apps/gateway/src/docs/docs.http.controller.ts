import { Controller, Get, Param, Res } from '@nestjs/common';
import { ApiExcludeEndpoint } from '@nestjs/swagger';
import { gatewayRoutes } from '@svc/contracts';
import { problem } from '@svc/platform';
import type { FastifyReply } from 'fastify';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Endpoint } from '@svc/edge';
import { SERVICE_NAME } from '../gateway-index/gateway-index.js';

/** The files of the reference page that come from the package, with their media types. */
const ASSETS: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};
const START_SCRIPT = 'start.js';

const PAGE = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${SERVICE_NAME}</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
</head>
<body>
<div id="reference"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/${START_SCRIPT}"></script>
</body>
</html>
`;

const START = `window.ui = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  validatorUrl: null,
  docExpansion: 'list',
});
`;

/** The API reference: Swagger UI from the package's own files, nothing from elsewhere. */
@Controller()
export class DocsHttpController {
  private readonly folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

  @Endpoint(gatewayRoutes.docs)
  page(@Res({ passthrough: true }) reply: FastifyReply): string {
    reply.header('content-type', 'text/html; charset=utf-8');
    return PAGE;
  }

  @Get('/docs/:asset')
  @ApiExcludeEndpoint()
  async asset(
    @Param('asset') asset: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | Buffer> {
    if (asset === START_SCRIPT) {
      reply.header('content-type', 'text/javascript; charset=utf-8');
      return START;
    }
    if (!Object.hasOwn(ASSETS, asset)) throw problem('NOT_FOUND', 'The reference page has no such file');
    reply.header('content-type', ASSETS[asset]).header('cache-control', 'public, max-age=86400');
    return readFile(join(this.folder, asset));
  }
}
