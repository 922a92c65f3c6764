import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { instantiateDsp, Resampler } from '@svc/kernels';
import { loadDspModule } from '@svc/kernels/node';
import { build } from 'esbuild';
import { type Browser, chromium } from 'playwright-core';
import {
  modulate,
  PACKET_SAMPLE_RATE_HZ,
  type PacketOptions,
  PacketReceiver,
  type ReceivedEvent,
} from '../src/index.js';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
);
/** As most sound cards have it: the receiver has to resample. */
const SAMPLE_RATE_HZ = 48_000;
/** What an AudioWorklet is given at a time. */
const CHUNK = 128;
const LINES: PacketOptions[] = [
  { baud: 300 },
  { baud: 150, profile: 'robust' },
  { baud: 300, lineCode: 'async8n1', frequencyBand: 'audible_fsk' },
];
const PAYLOAD = new TextEncoder().encode('by ear');

async function bundle(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: dirname(fileURLToPath(import.meta.url)), loader: 'ts' },
    bundle: true,
    // A module of Node's in the graph is an error here.
    platform: 'browser',
    format: 'esm',
    minify: true,
    conditions: ['@svc/source'],
    write: false,
    logLevel: 'silent',
  });
  return outputFiles[0].text;
}

const EXPORTS = `
  export { instantiateDsp } from '@svc/kernels';
  export { modulate, PacketReceiver } from '../src/index.js';
`;

/** Events without typed arrays; numbers to nine digits, since engines round logarithms and roots of their own. */
const PLAIN = `events => JSON.parse(JSON.stringify(events, (_, x) =>
  x instanceof Uint8Array ? [...x] : typeof x === 'number' ? Number(x.toPrecision(9)) : x))`;
const plain = new Function(`return ${PLAIN}`)() as (events: readonly ReceivedEvent[]) => unknown[];

/** The receiver in the thread of the sound, where there is neither page nor network: the compiled module is handed in. */
const WORKLET = `
  import { instantiateDsp } from '@svc/kernels';
  import { PacketReceiver } from '../src/index.js';
  registerProcessor('packets', class extends AudioWorkletProcessor {
    constructor({ processorOptions: { module, options, chunks } }) {
      super();
      this.left = chunks;
      this.events = [];
      this.receiver = new PacketReceiver(instantiateDsp(module), { ...options, sampleRateHz: sampleRate });
    }
    process([[samples]]) {
      if (!samples || this.left === 0) return this.left > 0;
      this.events.push(...this.receiver.push(samples));
      if (--this.left === 0) this.port.postMessage([...this.events, ...this.receiver.end()]);
      return true;
    }
  });
`;

/** Hears the sound in the page, 128 samples at a time, and then in a worklet. */
const PAGE = `
  const { instantiateDsp, PacketReceiver } = await import('/modem.js');
  const module = await WebAssembly.compileStreaming(fetch('/dsp.wasm'));
  const sound = new Float32Array(await (await fetch('/sound.f32')).arrayBuffer());
  const receiver = new PacketReceiver(instantiateDsp(module), { ...options, sampleRateHz });
  const inPage = [];
  for (let at = 0; at < sound.length; at += 128) inPage.push(...receiver.push(sound.subarray(at, at + 128)));
  inPage.push(...receiver.end());

  const context = new OfflineAudioContext(1, sound.length, sampleRateHz);
  await context.audioWorklet.addModule('/worklet.js');
  const source = context.createBufferSource();
  source.buffer = new AudioBuffer({ length: sound.length, sampleRate: sampleRateHz });
  source.buffer.copyToChannel(sound, 0);
  const processorOptions = { module, options, chunks: sound.length / 128 };
  const node = new AudioWorkletNode(context, 'packets', { processorOptions });
  const heard = new Promise((resolve, reject) => {
    node.port.onmessage = ({ data }) => resolve(data);
    node.onprocessorerror = () => reject(new Error('the worklet failed'));
  });
  source.connect(node).connect(context.destination);
  source.start();
  await context.startRendering();
  return { inPage: plain(inPage), inWorklet: plain(await heard) };
`;

/** A packet with silence around it, at the rate of a sound card, in whole chunks. */
async function soundOf(options: PacketOptions): Promise<Float32Array> {
  const packet = modulate(PAYLOAD, options);
  const padded = new Float32Array(packet.length + PACKET_SAMPLE_RATE_HZ / 2);
  padded.set(packet, PACKET_SAMPLE_RATE_HZ / 4);
  const dsp = instantiateDsp(await loadDspModule());
  const resampled = new Resampler(dsp, PACKET_SAMPLE_RATE_HZ, SAMPLE_RATE_HZ).process(padded);
  return resampled.slice(0, CHUNK * Math.floor(resampled.length / CHUNK));
}

async function heardInNode(sound: Float32Array, options: PacketOptions) {
  const dsp = instantiateDsp(await loadDspModule());
  const receiver = new PacketReceiver(dsp, { ...options, sampleRateHz: SAMPLE_RATE_HZ });
  const events: ReceivedEvent[] = [];
  for (let at = 0; at < sound.length; at += CHUNK)
    events.push(...receiver.push(sound.subarray(at, at + CHUNK)));
  return plain([...events, ...receiver.end()]);
}

function serve(files: ReadonlyMap<string, [type: string, body: string | Uint8Array]>): Promise<Server> {
  const server = createServer((request, response) => {
    const [type, body] = files.get(request.url ?? '') ?? ['text/plain', 'not found'];
    response.writeHead(files.has(request.url ?? '') ? 200 : 404, { 'content-type': type });
    response.end(body);
  });
  return new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(server)));
}

it('makes a browser bundle without any module of Node', async () => {
  expect(await bundle(EXPORTS)).not.toMatch(/["']node:/);
});

describe('a browser', () => {
  let browser: Browser | undefined;
  let files: Map<string, [string, string | Uint8Array]>;
  beforeAll(async () => {
    if (!CHROMIUM) return;
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
    files = new Map([
      ['/', ['text/html', '<!doctype html><title>modem</title>']],
      ['/modem.js', ['text/javascript', await bundle(EXPORTS)]],
      ['/worklet.js', ['text/javascript', await bundle(WORKLET)]],
      [
        '/dsp.wasm',
        ['application/wasm', await readFile(new URL('../../../kernels/wasm/dsp.wasm', import.meta.url))],
      ],
    ]);
  });
  afterAll(() => browser?.close());

  it.each(LINES)('hears what Node hears, in the page and in the thread of the sound: %o', async options => {
    if (!browser) return console.log('SKIPPED: chromium is not installed');
    const sound = await soundOf(options);
    files.set('/sound.f32', ['application/octet-stream', new Uint8Array(sound.buffer)]);
    const server = await serve(files);
    try {
      const page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      const given = `const options = ${JSON.stringify(options)}, sampleRateHz = ${SAMPLE_RATE_HZ}, plain = ${PLAIN};`;
      const heard = await page.evaluate<{ inPage: unknown[]; inWorklet: unknown[] }>(
        `(async () => {${given} ${PAGE}})()`,
      );
      const expected = await heardInNode(sound, options);
      expect(expected).toMatchObject([{ kind: 'packet', packet: { payload: [...PAYLOAD] } }]);
      expect(heard.inPage).toEqual(expected);
      expect(heard.inWorklet).toEqual(expected);
      await page.close();
    } finally {
      server.close();
    }
  });
});
