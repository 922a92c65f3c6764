import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Body, Controller, Post, Req, Res } from '@nestjs/common';
import { MemoryBus } from '@svc/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { McpEndpoint } from '../src/mcp/mcp-endpoint.js';
import type { RunningGateway } from '../src/start-gateway.js';
import { startGatewayOn } from './gateway-under-test.js';
import { conformanceCatalogue } from './mcp-conformance-catalogue.js';

@Controller('dev/fixture')
class ConformanceController {
  constructor(private readonly endpoint: McpEndpoint) {}

  @Post('mcp')
  async post(@Body() body: unknown, @Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    await this.endpoint.answer(body, request, reply, conformanceCatalogue);
  }
}

/** Scenarios of the suite that are active and that the fixtures must pass, all of them. */
const ACTIVE = 30;
const require = createRequire(import.meta.url);
const SUITE = join(
  dirname(require.resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
);

let gateway: RunningGateway;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-mcp-'));
  gateway = await startGatewayOn(new MemoryBus(), { sandboxControllers: [ConformanceController] });
});
afterAll(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the suite's own command line. */
function conformance(path: string, ...options: string[]): Promise<{ exitCode: number; output: string }> {
  const args = [SUITE, 'server', '--url', gateway.address + path, '--output-dir', folder, ...options];
  return new Promise(resolve => {
    execFile(process.execPath, args, { cwd: folder, maxBuffer: 1 << 26 }, (error, stdout, stderr) =>
      resolve({ exitCode: error ? Number(error.code) : 0, output: stdout + stderr }),
    );
  });
}

describe('the public conformance suite', () => {
  test('passes in every active scenario on its fixtures, behind the transport and the guards of the product', async () => {
    const { exitCode, output } = await conformance('/dev/fixture/mcp');
    const passed = [...output.matchAll(/^✓ ([a-z0-9-]+): \d+ passed, 0 failed/gm)].map(([, name]) => name);
    const failed = [...output.matchAll(/^✗ .*$/gm)].map(([line]) => line);
    expect(failed).toEqual([]);
    expect(exitCode).toBe(0);
    expect(new Set(passed).size).toBe(ACTIVE);
  });

  test('finds of the production catalogue what its baseline says: nothing fails but what calls the fixtures', async () => {
    const baseline = new URL('./mcp-conformance-baseline.yml', import.meta.url).pathname;
    const { exitCode, output } = await conformance('/mcp', '--expected-failures', baseline);
    expect(output).not.toMatch(/unexpected (failure|pass)|stale/i);
    expect(exitCode).toBe(0);
  });
});
