import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import { proofVectors } from '../src/testing/node/proof-vectors.js';

/** 150 KB for verifier and kernels together, as they travel. */
const TRANSFER_BYTES_MAX = 153_600;
const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
);
const KERNELS = new URL('../../../kernels/wasm/kernels.wasm', import.meta.url);

async function bundle(): Promise<Uint8Array> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../src/index.ts', import.meta.url))],
    bundle: true,
    // A module of Node's in the graph is an error here.
    platform: 'browser',
    format: 'esm',
    minify: true,
    conditions: ['@svc/source'],
    write: false,
    logLevel: 'silent',
  });
  return outputFiles[0].contents;
}

it('makes a browser bundle without any module of Node, of at most 150 KB with its kernels', async () => {
  const [script, kernels] = await Promise.all([bundle(), readFile(KERNELS)]);
  const transferBytes = gzipSync(script, { level: 9 }).length + gzipSync(kernels, { level: 9 }).length;
  expect(transferBytes).toBeLessThan(TRANSFER_BYTES_MAX);
  expect(new TextDecoder().decode(script)).not.toMatch(/["']node:/);
});

/** Checks every pinned proof, and each with one bit altered, on both backends; runs in the page. */
const PAGE_SCRIPT = `
  const { verify, referenceVerifierBackend, wasmVerifierBackend } = await import('/verifier.js');
  const vectors = await (await fetch('/vectors.json')).json();
  const module = await WebAssembly.compileStreaming(fetch('/kernels.wasm'));
  const backends = [referenceVerifierBackend, wasmVerifierBackend(module)];
  return vectors.flatMap(({ airId, contextDomain, publicInputs, parameters, proof }) => {
    const { profile, grindingBits, blowupFactor, queryCount } = parameters;
    const set = { id: 'page', profile, grindingBits, queryCounts: { [blowupFactor]: queryCount } };
    const policy = { parameterSets: [set], securityBitsMin: 0 };
    const bytes = Uint8Array.from(atob(proof), character => character.charCodeAt(0));
    const altered = bytes.slice();
    altered[altered.length - 1] ^= 1;
    const claim = { airId, contextDomain, publicInputs };
    return backends.map(backend => [
      verify({ ...claim, proof: bytes }, policy, backend).valid,
      verify({ ...claim, proof: altered }, policy, backend).valid,
    ]);
  });
`;

async function serve(
  files: ReadonlyMap<string, { type: string; body: string | Uint8Array }>,
): Promise<Server> {
  const server = createServer((request, response) => {
    const file = files.get(request.url ?? '');
    response.writeHead(file ? 200 : 404, {
      'content-type': file?.type ?? 'text/plain',
      // The kernels' memory is shared, which a page may have only in isolation.
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
    });
    response.end(file?.body ?? 'not found');
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return server;
}

it('verifies pinned proofs in a browser, with and without kernels, and rejects altered ones', async () => {
  if (!CHROMIUM) return console.log('SKIPPED: chromium is not installed');
  const [script, kernels] = await Promise.all([bundle(), readFile(KERNELS)]);
  const server = await serve(
    new Map([
      ['/', { type: 'text/html', body: '<!doctype html><title>verifier</title>' }],
      ['/verifier.js', { type: 'text/javascript', body: script }],
      ['/kernels.wasm', { type: 'application/wasm', body: kernels }],
      ['/vectors.json', { type: 'application/json', body: JSON.stringify(proofVectors) }],
    ]),
  );
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const verdicts = await page.evaluate<boolean[][]>(`(async () => {${PAGE_SCRIPT}})()`);
    expect(verdicts).toEqual(
      proofVectors.flatMap(() => [
        [true, false],
        [true, false],
      ]),
    );
  } finally {
    await browser.close();
    server.close();
  }
});
