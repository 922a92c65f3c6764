import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { ExitCode } from '../../src/cli/exit-code.js';
import { run } from '../../src/cli/run.js';

let server: Server;
let folder: string;
let asked: { line: string; key: unknown; once: unknown; body: unknown }[];
let answer: { status: number; body: object };
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-tool-'));
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
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

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

  test('of a name that is none of the catalogue buys nothing, and says which there are', async () => {
    answer.body = { tools: [{ name: 'get_product_catalog' }, { name: 'evil\u001b[2J' }] };
    const { code, stderr } = await svc(['tool', 'no_such_tool']);
    expect([code, asked.map(({ line }) => line)]).toEqual([ExitCode.usage, ['GET /mcp.json']]);
    expect(stderr).toContain('there are get_product_catalog, evil\ufffd[2J');
    answer.body = { tools: 'none' };
    expect((await svc(['tool', 'no_such_tool'])).code).toBe(ExitCode.usage);
  });

  test('of a tool that is newer than the command calls it', async () => {
    answer.body = { ...answer.body, tools: [{ name: 'brand_new' }] };
    const { code, stdout } = await svc(['tool', 'brand_new', '--no-check', '--input', '{"a":1}']);
    expect([code, asked.map(({ line }) => line).slice(0, 2)]).toEqual([
      ExitCode.ok,
      ['GET /mcp.json', 'POST /v1/tools/brand_new'],
    ]);
    expect(stdout).toMatch(/catalog +1$/m);
    expect(JSON.parse((await svc(['tool', 'brand_new', '--price', '--json'])).stdout)).toEqual({
      name: 'brand_new',
    });
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
  const inputSchema = { properties: { coordinates: {}, parcelId: {} }, required: ['coordinates'] };
  const tool = { name: 'zk_prove_spatial', description: 'Proves a box', costUsd: '0.001', inputSchema };
  answer.body = { tools: [tool] };
  const { code, stdout } = await svc(['tools']);
  expect([code, asked.map(({ line }) => line)]).toEqual([ExitCode.ok, ['GET /mcp.json']]);
  expect(stdout).toContain('0.001 USD');
  expect(stdout).toContain('takes coordinates!, parcelId');
});

test('svc tools shows what it does not know: tools, members, and what is not there', async () => {
  const tools = [
    {
      ...{ name: 'brand_new', description: 'New \u001b[2J', costUsd: '0.002', latencyClass: { any: 1 } },
      inputSchema: { type: 'object', properties: { first: {}, second: {} }, required: ['second'], oneOf: [] },
    },
    { name: 'free_form', inputSchema: null },
    ...[{}, { name: 7, inputSchema: { properties: 'x', required: 3 } }, null, 'a text'],
  ];
  answer.body = { tools, another: 'member' };
  const { code, stdout, stderr } = await svc(['tools']);
  expect([code, stderr]).toEqual([ExitCode.ok, '']);
  expect(stdout).toMatch(/^brand_new +0.002 USD {2}New \ufffd\[2J$/m);
  expect(stdout).toMatch(/^ +takes first, second!$/m);
  expect(stdout).toMatch(/^free_form +no price yet/m);
  expect(JSON.parse((await svc(['tools', '--json'])).stdout)).toEqual(answer.body);
});

describe('svc task', () => {
  const proof = 'A'.repeat(100_348);
  const TASK = { taskId: 'tsk_x', deptId: 'proofs', status: 'COMPLETED', aNewMember: { of: ['it'] } };
  const result = { proofRootHash: `0x${'0'.repeat(64)}`, proof, evidence: { leaf: proof, list: [proof] } };

  test('cuts what is long, with its length and where the whole is', async () => {
    answer.body = { ...TASK, result };
    const { code, stdout } = await svc(['task', 'show', 'proofs', 'tsk_x']);
    expect(code).toBe(ExitCode.ok);
    expect(stdout).toMatch(/^proof +A{48}… 100,348 characters in all \(--json or --output FILE\)$/m);
    expect(stdout).toContain(result.proofRootHash);
    expect(stdout).toMatch(/^aNewMember +of \["it"\]$/m);
    expect(Math.max(...stdout.split('\n').map(line => line.length))).toBeLessThan(400);
  });

  test('gives the whole with --json, and to the file of --output', async () => {
    answer.body = { ...TASK, result };
    expect(JSON.parse((await svc(['task', 'show', 'proofs', 'tsk_x', '--json'])).stdout)).toEqual(
      answer.body,
    );
    const file = join(folder, 'task.json');
    const given = await svc(['task', 'proofs', '--output', file]);
    expect(given.stdout).toContain(`100,348 characters in all (${file})`);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(answer.body);
    asked = [];
    for (const args of [['proofs'], ['show', 'proofs', 'tsk_x'], ['cancel', 'proofs', 'tsk_x']])
      expect(await svc(['task', ...args, '-o', join(folder, 'no', 'task.json')])).toMatchObject({
        code: ExitCode.usage,
        stderr: expect.stringContaining('task.json cannot be written: there is no such folder'),
      });
    expect(asked).toEqual([]);
  });

  test('of a kind that is newer than the command is shown, and a desk without a list too', async () => {
    answer.body = { ...TASK, status: 'PAUSED', problem: undefined };
    expect(await svc(['task', 'show', 'proofs', 'tsk_x'])).toMatchObject({
      code: ExitCode.ok,
      stdout: expect.stringMatching(/^status +PAUSED$/m),
    });
    answer.body = {
      departments: [{ deptId: 'newest' }, { deptId: 'proofs', status: 'UP', capabilities: ['zk.prove'] }],
    };
    const { code, stdout } = await svc(['desks']);
    expect([code, stdout]).toEqual([
      ExitCode.ok,
      expect.stringMatching(/^proofs UP +zk.prove {2}no price yet$/m),
    ]);
  });
});

test('svc saga shows records of a kind that is newer than the command, and says that their log is not checked', async () => {
  const record = { at: '2026-11-28T20:37:27.239Z', step: 'run', attempt: 1 };
  const walEvents = [
    { ...record, seq: 0, kind: 'STEP_PAUSED' },
    { ...record, seq: 1, kind: 'SAGA_COMMIT' },
  ];
  answer.body = { sagaId: 'a', status: 'PAUSED', tool: 'brand_new', walEvents, keys: [] };
  const { code, stdout } = await svc(['saga', 'a']);
  expect(code).toBe(ExitCode.proofInvalid);
  expect(stdout).toMatch(/^log +NOT CHECKED {2}record 0 is of a kind that this command does not know$/m);
  expect(stdout).toMatch(/^ +0 {2}\S+ {2}STEP_PAUSED {2}run$/m);
  expect(stdout).toMatch(/^status +PAUSED$/m);
});
