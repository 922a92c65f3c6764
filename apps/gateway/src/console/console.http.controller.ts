import { Controller, Get, Param, Res } from '@nestjs/common';
import { ApiExcludeEndpoint } from '@nestjs/swagger';
import type { StoredAnswer } from '@svc/edge';
import { problem } from '@svc/platform';
import type { FastifyReply } from 'fastify';
import { fileURLToPath } from 'node:url';
import { readConsoleFiles } from './console-files.js';

/** Where the console is built to; the same from this file's source as from its compiled place. */
const FOLDER = fileURLToPath(new URL('../../../console/dist/', import.meta.url));

/** The pages of the console, from the files that they were built into. */
@Controller('/console')
export class ConsoleHttpController {
  private files: Promise<ReadonlyMap<string, StoredAnswer>> | undefined;

  @Get('/')
  @ApiExcludeEndpoint()
  index(@Res() reply: FastifyReply): Promise<void> {
    return this.send('index.html', reply);
  }

  @Get('/:page')
  @ApiExcludeEndpoint()
  page(@Param('page') page: string, @Res() reply: FastifyReply): Promise<void> {
    return this.send(`${page}.html`, reply);
  }

  @Get('/assets/:asset')
  @ApiExcludeEndpoint()
  asset(@Param('asset') asset: string, @Res() reply: FastifyReply): Promise<void> {
    return this.send(`assets/${asset}`, reply);
  }

  private async send(path: string, reply: FastifyReply): Promise<void> {
    this.files ??= readConsoleFiles(FOLDER);
    const file = (await this.files).get(path);
    if (file === undefined) throw problem('NOT_FOUND', 'The console has no such page');
    await file.send(reply);
  }
}
