import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { ExitCode } from '../../src/cli/exit-code.js';
import { run } from '../../src/cli/run.js';

const EVIDENCE = { proofId: 'prf_x', doesNotProve: 'That it was run.' };
const SIMULATION = {
  ...{
    neuronCount: 1_000,
    iterations: 200,
    seed: 7,
    threads: 1,
    backend: 'wasm',
    connectivity: 'procedural',
  },
  ...{ spikeCount: 12, activeNeurons: 9, meanRateHz: 5.85, framerateFps: 1_000, realTimeFactor: 0.1 },
  ...{ synapticEvents: 960, vramConsumedMb: 1, memoryKind: 'host', stateHash: '0x0123456789abcdef' },
  ...{ svg: { rates: '<svg>rates</svg>', raster: '<svg>raster</svg>' }, auditProof: EVIDENCE },
};
const ESTIMATE = {
  ...{ dryRun: true, memoryMb: 345.6, memoryKind: 'host', backend: 'wasm', connectivity: 'stored' },
  ...{ threads: 2, synapses: 80_000_000, seconds: 12.3 },
};
const SOLUTION = {
  ...{ problem: 'sssp', exact: true, objective: 5, solution: [0, 2, 5], path: [0, 1, 2], valid: true },
  ...{ spikes: 3, events: 2, simSteps: 5, solveMs: 0.5, auditProof: EVIDENCE },
};
const INFERENCE = {
  ...{ qs: [0.25, 0.75], F: 1.5, negEFE: { utility: [1, 2], infoGain: [0, 0], total: [1, 2] } },
  ...{ qPi: [0.1, 0.9], policies: [[0], [1]], actionProbabilities: [0.1, 0.9], action: 1 },
  auditProof: EVIDENCE,
};
const PARCEL = {
  ...{ variationalFreeEnergy: 0.018, homeostaticStatus: 'HOMEOSTATIC', optimalTrajectory: [1, 2, 3] },
  ...{ adaptingUpTo: 0.6, auditProof: EVIDENCE },
};
const MODEL = { A: [[1]], B: [[[1]]], C: [0], D: [1], observations: [0] };

let folder: string;
let server: Server;
let asked: { line: string; body: Record<string, unknown> }[];
let answer: object;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-neural-'));
  server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', part => (text += part));
    request.on('end', () => {
      if (request.method === 'POST')
        asked.push({ line: `${request.method} ${request.url}`, body: JSON.parse(text) as never });
      // The proof of the evidence is not had here.
      response.setHeader('ratelimit', '"month";r=764;t=60');
      response.writeHead(request.method === 'POST' ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(request.method === 'POST' ? answer : {}));
    });
  }).listen(0, '127.0.0.1');
  await new Promise(resolve => server.once('listening', resolve));
});
beforeEach(() => {
  asked = [];
  answer = SIMULATION;
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const file = (name: string): string => join(folder, name);
function saved(name: string, content: unknown): string {
  writeFileSync(file(name), JSON.stringify(content));
  return file(name);
}

async function svc([verb, ...rest]: string[]) {
  const { port } = server.address() as AddressInfo;
  let [stdout, stderr] = ['', ''];
  const code = await run({
    arguments: [verb, ...rest, '--url', `http://127.0.0.1:${port}`],
    environment: {},
    streams: {
      stdin: new PassThrough().end(''),
      stdout: { write: text => (stdout += text) },
      stderr: { write: text => (stderr += text) },
    },
    signal: new AbortController().signal,
  });
  return { code, stdout, stderr };
}

describe('svc snn solve', () => {
  test('asks for the network that its options describe, and tells its state', async () => {
    const options = [
      '--neurons',
      '1000',
      '--iterations',
      '200',
      '--seed',
      '7',
      '--rule',
      'none',
      '--dt',
      '0.1',
    ];
    const { code, stdout } = await svc(['snn', 'solve', ...options, '--threads', '2', '--warmup', '50']);
    expect(code).toBe(ExitCode.ok);
    expect(asked).toEqual([
      {
        line: 'POST /v1/snn/solve',
        body: {
          ...{ neuronCount: 1_000, iterations: 200, seed: 7, dtMs: 0.1, threads: 2, warmupSteps: 50 },
          ...{ plasticity: { rule: 'none' }, dryRun: false },
        },
      },
    ]);
    expect(stdout).toContain('0x0123456789abcdef');
    expect(stdout).toContain('5.85 Hz');
  });

  test('says of a call without a key that one of the month’s requests paid for it', async () => {
    const { stdout } = await svc(['snn', 'solve', '--neurons', '1000']);
    expect(stdout).toMatch(/^paid +by a request of the month, of which 764 are left$/m);
  });

  test('saves the pictures that it is asked for, and asks for what they show', async () => {
    const pictures = ['--svg', file('rates.svg'), '--raster-svg', file('raster.svg')];
    expect((await svc(['snn', 'solve', ...pictures])).code).toBe(ExitCode.ok);
    expect(asked[0].body).toMatchObject({ record: { svg: true, rasterNeurons: 200 } });
    const read = ['rates.svg', 'raster.svg'].map(name => readFileSync(file(name), 'utf8'));
    expect(read).toEqual(['<svg>rates</svg>', '<svg>raster</svg>']);
  });

  test('with --dry-run asks for the estimate alone', async () => {
    answer = ESTIMATE;
    const { code, stdout } = await svc(['snn', 'solve', '--neurons', '1000000', '--dry-run']);
    expect([code, asked.map(({ body }) => body)]).toEqual([
      ExitCode.ok,
      [{ neuronCount: 1_000_000, dryRun: true }],
    ]);
    expect(stdout).toContain('345.6 MB');
  });

  test('adds its options to a request of a file', async () => {
    const path = saved('request.json', { neuronCount: 500, outDegree: 40, record: { binMs: 2 } });
    await svc(['snn', 'solve', '--request', path, '--neurons', '600', '--raster', '10']);
    expect(asked[0].body).toMatchObject({
      ...{ neuronCount: 600, outDegree: 40, record: { binMs: 2, rasterNeurons: 10 } },
    });
  });

  test.each([
    [['snn']],
    [['snn', 'run']],
    [['snn', 'solve', 'more']],
    [['snn', 'solve', '--neurons', 'many']],
    [['snn', 'solve', '--seed', '-1']],
    [['snn', 'graph']],
    [['snn', 'graph', '/no/such/file']],
    [['fep', 'infer']],
    [['fep', 'guess', 'x']],
  ])('%j asks nobody', async args => {
    expect([(await svc(args)).code, asked]).toEqual([ExitCode.usage, []]);
  });
});

test('svc snn graph sends the request of a file, and shows path and solution', async () => {
  answer = SOLUTION;
  const request = { problem: 'sssp', nodes: 3, edges: [[0, 1, 2]], source: 0, target: 2 };
  const { code, stdout } = await svc(['snn', 'graph', saved('graph.json', request)]);
  expect([code, asked]).toEqual([ExitCode.ok, [{ line: 'POST /v1/snn/solve-graph', body: request }]]);
  expect(stdout).toMatch(/path +0, 1, 2\n/);
});

test('svc fep infer sends the model of a file, and shows the most probable policy', async () => {
  answer = INFERENCE;
  const { code, stdout } = await svc(['fep', 'infer', saved('model.json', MODEL)]);
  expect([code, asked]).toEqual([ExitCode.ok, [{ line: 'POST /v1/fep/active-inference', body: MODEL }]]);
  expect(stdout).toMatch(/policy +1 \(of 2, 0\.9000\)/);
});

test('svc fep parcel calls the tool with the contour of a file', async () => {
  answer = PARCEL;
  const path = saved('contour.json', { elevationContour: [1, 2, 3] });
  const { code, stdout } = await svc(['fep', 'parcel', path, '--parcel', 'plot 7', '--conductivity', '12.5']);
  const body = { elevationContour: [1, 2, 3], parcelId: 'plot 7', soilConductivity: 12.5 };
  expect([code, asked]).toEqual([
    ExitCode.ok,
    [{ line: 'POST /v1/tools/evaluate_spatial_parcel_fep', body }],
  ]);
  expect(stdout).toContain('HOMEOSTATIC');
});

test('an answer that lacks what it is to have is none', async () => {
  answer = { ...SIMULATION, stateHash: undefined };
  expect((await svc(['snn', 'solve'])).code).not.toBe(ExitCode.ok);
});
