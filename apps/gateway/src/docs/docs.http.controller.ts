import { Controller, Get, Param, Res } from '@nestjs/common';
import { ApiExcludeEndpoint } from '@nestjs/swagger';
import { gatewayRoutes } from '@svc/contracts';
import { problem } from '@svc/platform';
import type { FastifyReply } from 'fastify';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Endpoint, StoredAnswer } from '@svc/edge';
import { SERVICE_NAME } from '../gateway-index/gateway-index.js';

const SCRIPT = 'text/javascript; charset=utf-8';
/** The files of the reference page that come from the package, with their media types. */
const ASSETS: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': SCRIPT,
  'favicon-32x32.png': 'image/png',
};
const START_SCRIPT = 'start.js';
const DAY = 'public, max-age=86400';

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
  private readonly written = new StoredAnswer(PAGE, {
    mediaType: 'text/html; charset=utf-8',
    cacheControl: 'no-cache',
  });
  private readonly assets = new Map<string, Promise<StoredAnswer>>([
    [START_SCRIPT, Promise.resolve(new StoredAnswer(START, { mediaType: SCRIPT, cacheControl: 'no-cache' }))],
  ]);

  @Endpoint(gatewayRoutes.docs)
  page(@Res() reply: FastifyReply): Promise<void> {
    return this.written.send(reply);
  }

  @Get('/docs/:asset')
  @ApiExcludeEndpoint()
  async asset(@Param('asset') asset: string, @Res() reply: FastifyReply): Promise<void> {
    const kept = this.assets.get(asset) ?? this.read(asset);
    await (await kept).send(reply);
  }

  /** Read once: a file of the package is as long as a megabyte. @throws ProblemError NOT_FOUND */
  private read(asset: string): Promise<StoredAnswer> {
    if (!Object.hasOwn(ASSETS, asset)) throw problem('NOT_FOUND', 'The reference page has no such file');
    const fields = { mediaType: ASSETS[asset], cacheControl: DAY };
    const read = readFile(join(this.folder, asset)).then(bytes => new StoredAnswer(bytes, fields));
    this.assets.set(asset, read);
    read.catch(() => this.assets.delete(asset));
    return read;
  }
}
