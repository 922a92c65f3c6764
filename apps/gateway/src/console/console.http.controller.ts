import { Controller, Get, Param, Res } from '@nestjs/common';
import { ApiExcludeEndpoint } from '@nestjs/swagger';
import { problem } from '@svc/platform';
import type { FastifyReply } from 'fastify';
import { fileURLToPath } from 'node:url';
import { type ConsoleFile, readConsoleFiles } from './console-files.js';

/** Where the console is built to; the same from this file's source as from its compiled place. */
const FOLDER = fileURLToPath(new URL('../../../console/dist/', import.meta.url));
/** Names of assets have a digest of their content in them: what a name stands for never changes. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/** The pages of the console, from the files that they were built into. */
@Controller('/console')
export class ConsoleHttpController {
  private files: Promise<ReadonlyMap<string, ConsoleFile>> | undefined;

  @Get('/')
  @ApiExcludeEndpoint()
  index(@Res({ passthrough: true }) reply: FastifyReply): Promise<Buffer> {
    return this.send('index.html', 'no-cache', reply);
  }

  @Get('/:page')
  @ApiExcludeEndpoint()
  page(@Param('page') page: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<Buffer> {
    return this.send(`${page}.html`, 'no-cache', reply);
  }

  @Get('/assets/:asset')
  @ApiExcludeEndpoint()
  asset(@Param('asset') asset: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<Buffer> {
    return this.send(`assets/${asset}`, FOR_EVER, reply);
  }

  private async send(path: string, cacheControl: string, reply: FastifyReply): Promise<Buffer> {
    this.files ??= readConsoleFiles(FOLDER);
    const file = (await this.files).get(path);
    if (file === undefined) throw problem('NOT_FOUND', 'The console has no such page');
    reply.header('content-type', file.mediaType).header('cache-control', cacheControl);
    return file.bytes;
  }
}
