import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { ExitCode } from '../../src/cli/exit-code.js';
import { run } from '../../src/cli/run.js';

let server: Server;
let asked: { line: string; key: unknown; once: unknown; body: unknown }[];
let answer: { status: number; body: object };
beforeAll(async () => {
  server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', part => (text += part));
    request.on('end', () => {
      const { 'x-svc-key': key, 'idempotency-key': once } = request.headers;
      const body: unknown = text === '' ? undefined : JSON.parse(text);
      asked.push({ line: `${request.method} ${request.url}`, key, once, body });
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer.body));
    });
  }).listen(0, '127.0.0.1');
  await new Promise(resolve => server.once('listening', resolve));
});
beforeEach(() => {
  asked = [];
  answer = { status: 200, body: { catalog: [1], auditProof: { proofId: 'prf_x', doesNotProve: 'much' } } };
});
afterAll(() => server.close());

async function svc([verb, ...rest]: string[], stdin = '') {
  const { port } = server.address() as AddressInfo;
  let [stdout, stderr] = ['', ''];
  const code = await run({
    arguments: [verb, '--url', `http://127.0.0.1:${port}`, ...rest],
    environment: { SVC_KEY: 'svc_test_holder' },
    streams: {
      stdin: new PassThrough().end(stdin),
      stdout: { write: text => (stdout += text) },
      stderr: { write: text => (stderr += text) },
    },
    signal: new AbortController().signal,
  });
  return { code, stdout, stderr };
}

const TOOL_CALL = ['tool', 'zk_prove_spatial', '--no-check', '--json'];
const INPUT = { coordinates: [52.5, 13.4] };

describe('svc tool', () => {
  test.each([
    ['--input', JSON.stringify(INPUT), ''],
    ['--input', '-', JSON.stringify(INPUT)],
  ])(
    'sends the inputs of %s %s, paid by the key, under a key of its own purchase',
    async (name, value, stdin) => {
      const { code, stdout } = await svc([...TOOL_CALL, name, value], stdin);
      expect(code).toBe(ExitCode.ok);
      expect(asked[0]).toMatchObject({
        ...{ line: 'POST /v1/tools/zk_prove_spatial', key: 'svc_test_holder', body: INPUT },
        once: expect.stringMatching(/.+/),
      });
      expect(JSON.parse(stdout)).toMatchObject({ catalog: [1] });
    },
  );

  test('of a name that is none of the catalogue asks nobody', async () => {
    const { code, stderr } = await svc(['tool', 'no_such_tool']);
    expect([code, asked]).toEqual([ExitCode.usage, []]);
    expect(stderr).toContain('get_product_catalog');
  });

  test('with inputs that are no JSON object asks nobody', async () => {
    for (const input of ['{', '[]', '7', '@/no/such/file']) {
      const { code } = await svc([...TOOL_CALL, '--input', input]);
      expect([code, asked]).toEqual([ExitCode.usage, []]);
    }
  });

  test('an answer without evidence is refused as none of a tool', async () => {
    answer.body = { catalog: [] };
    expect((await svc(['tool', 'get_product_catalog'])).code).not.toBe(ExitCode.ok);
  });
});

test('svc tools lists every tool with its price and inputs, and buys nothing', async () => {
  const tool = { name: 'zk_prove_spatial', description: 'Proves a box', costUsd: '0.001' };
  answer.body = { tools: [tool] };
  const { code, stdout } = await svc(['tools']);
  expect([code, asked.map(({ line }) => line)]).toEqual([ExitCode.ok, ['GET /mcp.json']]);
  expect(stdout).toContain('0.001 USD');
  expect(stdout).toContain('coordinates!');
});
