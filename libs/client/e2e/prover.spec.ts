import { afterAll, describe, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { statement } from '../src/air/index.js';
import { run } from '../src/cli/run.js';
import { verifyLocally } from '../src/proof/verify-locally.js';
import { type LocalProof, proveOwn } from '../src/prover/index.js';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
);

const PAGE = readFileSync(new URL('../../../docs/own-statements.md', import.meta.url), 'utf8');

/** x becomes 3·x + 1. */
const s = statement('goldilocks');
const x = s.column('x');
s.require('step', x.next.sub(x.mul(3n).add(1n)));
s.first(x, s.public('start'));
s.last(x, s.public('end'));
const text = s.json();
const START = { start: { x: '2' } };
/** x of a row, by the closed form. */
const xAt = (row: number): bigint => {
  const p = 2n ** 64n - 2n ** 32n + 1n;
  let value = 2n;
  for (let i = 0; i < row; i++) value = (3n * value + 1n) % p;
  return value;
};
const hex = (value: bigint) => `0x${value.toString(16).padStart(16, '0')}`;

describe('@svc/client/prover', () => {
  test('proves a statement of yours in threads of Node.js, and the proof verifies', async () => {
    const stages: string[] = [];
    const proof = await proveOwn(text, { rows: 1_000, ...START }, { onStage: stage => stages.push(stage) });
    expect(proof.publicInputs).toEqual({ rows: 1_000, start: hex(2n), end: hex(xAt(999)) });
    expect(verifyLocally({ ...proof, airIds: [s.id] })).toMatchObject({
      ...{ valid: true, definitionExpected: true, zeroKnowledge: true, securityBits: proof.securityBits },
    });
    expect([stages[0], stages.at(-1)]).toEqual(['trace', 'verify']);
  });

  test('is called as the page has it', async () => {
    const [, program] = /```ts\nimport \{ proveOwn \} from '@svc\/client\/prover';\n([^]*?)```/.exec(PAGE)!;
    const lines: unknown[][] = [];
    const known = { text, proveOwn, console: { log: (...line: unknown[]) => lines.push(line) } };
    await (new Function(...Object.keys(known), `return (async () => {${program}})()`)(
      ...Object.values(known),
    ) as Promise<void>);
    expect(lines).toEqual([[hex(xAt(999)), 101]]);
  });

  test('takes the definition as an object, and says where a trace breaks', async () => {
    const refused = proveOwn(JSON.parse(text) as object, { rows: 9, ...START, public: { end: '7' } });
    await expect(refused).rejects.toMatchObject({
      code: 'constraint-violated',
      broken: { row: 8, column: 'x', operands: [xAt(8), 7n] },
    });
  });

  test.each([
    [
      'of a text that has a member twice',
      text.replace('"field"', '"format":"air/1","field"'),
      {},
      'DefinitionError',
    ],
    ['of a statement without rows', text, START, 'WitnessError'],
    ['of a statement without its start', text, { rows: 9 }, 'StatementError'],
    ['of a member that is none', text, { rows: 9, ...START, inputs: {} }, 'WitnessError'],
    ['of another field', text, { rows: 9, ...START }, 'ParameterError'],
  ])('refuses a proof %s', async (_what, air, asked, name) => {
    await expect(proveOwn(air, asked, { parameterSet: 'm31' })).rejects.toMatchObject({ name });
  });

  test('refuses an option that is misspelt, and more rows than any trace has', async () => {
    const misspelt = { paramterSet: 'P128' } as object;
    await expect(proveOwn(text, { rows: 9, ...START }, misspelt)).rejects.toThrow('paramterSet is no option');
    await expect(proveOwn(text, { rows: 2 ** 20, ...START })).rejects.toThrow(
      /rows must be at most 104\d{4}, /,
    );
  });

  test('ends when it is told to', async () => {
    const gone = new Error('gone');
    const controller = new AbortController();
    const options = { signal: controller.signal, onStage: () => controller.abort(gone) };
    await expect(proveOwn(text, { rows: 1_000, ...START }, options)).rejects.toBe(gone);
  });
});

describe('svc air prove --local', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-prover-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const [air, file] = [join(folder, 'step.air.json'), join(folder, 'step.proof.json')];
  writeFileSync(air, text);

  async function svc(...args: string[]) {
    const written = { stdout: '', stderr: '' };
    const code = await run({
      arguments: ['air', ...args],
      // Nothing listens there: a call would fail.
      environment: { SVC_URL: 'http://127.0.0.1:9' },
      streams: {
        stdin: Readable.from([]),
        stdout: { write: (said: string) => (written.stdout += said) },
        stderr: { write: (said: string) => (written.stderr += said) },
      },
      signal: new AbortController().signal,
    });
    return { code, ...written };
  }

  test('makes the file that svc air verify takes, and sends nothing', async () => {
    const proved = await svc('prove', air, '--rows', '70000', '--start', 'x=2', '--local', '--save', file);
    expect(proved).toMatchObject({ code: 0, stderr: '' });
    expect(proved.stdout).toContain('valid, made and checked here: nothing was sent and nothing paid');
    expect(proved.stdout).toContain(`rows = 70000, start = ${hex(2n)}, end = ${hex(xAt(69_999))}`);
    const saved = JSON.parse(readFileSync(file, 'utf8')) as LocalProof;
    expect(saved).toMatchObject({ airId: s.id, air: text, traceLength: 131_072 });
    const verified = await svc('verify', file, '--air', air);
    expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining('VALID')]);
  });

  test.each([
    [['--public', 'end=7'], 1, /BREAKS {2}trace breaks column x at row 8: \d+ and 7/],
    [['--async'], 2, /--async is for a proof that is bought/],
    [['--set', 'm31'], 2, /parameterSet must be one of/],
    [['--blowup', '3'], 2, /blowupFactor must be one of/],
  ])('refuses %j, and says why', async (options, expected, why) => {
    const refused = await svc('prove', air, '--rows', '9', '--start', 'x=2', '--local', ...options);
    expect([refused.code, refused.stdout + refused.stderr]).toEqual([expected, expect.stringMatching(why)]);
  });
});

/** Without `unsafe-eval`, and to nothing but where the page came from. */
const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";
const CONTENTS = `export * from '@svc/client/prover'; export { verifyLocally } from '@svc/client';`;

/** Serves a page that may share memory, with these files. */
async function serve(files: Readonly<Record<string, readonly [type: string, body: string | Uint8Array]>>) {
  const server = createServer((request, response) => {
    const [type, body] = files[request.url ?? ''] ?? ['text/plain', 'not found'];
    response.writeHead(request.url !== undefined && request.url in files ? 200 : 404, {
      ...{ 'content-type': type, 'content-security-policy': POLICY },
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
    });
    response.end(body);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return { server, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

test('proves in a browser, of the package as it is published, and asks for nothing once it is loaded', async () => {
  if (!CHROMIUM) return console.log('SKIPPED: chromium is not installed');
  const { outputFiles } = await build({
    stdin: { contents: CONTENTS, resolveDir: fileURLToPath(new URL('..', import.meta.url)) },
    ...{ bundle: true, platform: 'browser', format: 'esm', minify: true, write: false, logLevel: 'silent' },
  });
  const kernels = await readFile(fileURLToPath(import.meta.resolve('@svc/kernels/kernels.wasm')));
  const { server, address } = await serve({
    '/': ['text/html', '<!doctype html><title>prover</title>'],
    '/prover.js': ['text/javascript', outputFiles[0].contents],
    '/kernels.wasm': ['application/wasm', kernels],
  });
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    const asked: string[] = [];
    page.on('request', request => asked.push(new URL(request.url()).pathname));
    await page.goto(address);
    const proof = await page.evaluate<LocalProof & { valid: boolean }>(`(async () => {
      const { proveOwn, verifyLocally } = await import('/prover.js');
      const kernels = await WebAssembly.compileStreaming(fetch('/kernels.wasm'));
      const proof = await proveOwn(${JSON.stringify(text)}, { rows: 7000, start: { x: '2' } }, { kernels });
      return { ...proof, valid: verifyLocally({ ...proof, airIds: [proof.airId] }).valid };
    })()`);
    expect(asked.filter(path => path !== '/favicon.ico')).toEqual(['/', '/prover.js', '/kernels.wasm']);
    expect(proof).toMatchObject({ valid: true, traceLength: 8_192, zeroKnowledge: true });
    expect(proof.publicInputs).toEqual({ rows: 7_000, start: hex(2n), end: hex(xAt(6_999)) });
    expect(verifyLocally({ ...proof, airIds: [s.id] })).toMatchObject({ valid: true });
  } finally {
    await browser.close();
    server.close();
  }
});
