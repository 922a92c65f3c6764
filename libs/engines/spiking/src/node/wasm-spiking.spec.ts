import fc from 'fast-check';
import { estimateMemory } from '../memory-estimate.js';
import { simulateReference } from '../reference.js';
import { SpikingParameterError } from '../simulation-bounds.js';
import type { Plasticity, SpikingNetwork, SpikingResult, SpikingRun } from '../simulation.js';
import { WasmSpiking } from './wasm-spiking.js';

const IS_LONG = process.env.SUITE_TIER === 'long';
let spiking: WasmSpiking;
beforeAll(async () => {
  spiking = await WasmSpiking.open();
});
afterAll(() => spiking.close());

const STDP: Plasticity = {
  rule: 'stdp-nn',
  aPlus: 0.01,
  aMinus: 0.0105,
  tauPlusMs: 20,
  tauMinusMs: 20,
  wMaxMv: 3.24,
};
const RECORDING = { rasterNeurons: 40, rateHistogramBins: 7, binMs: 3 };

/** What is a function of network and run alone. */
function counted(result: SpikingResult): Partial<SpikingResult> {
  const { buildMs, loopMs, stepMs, bytesAllocated, threads, ...rest } = result;
  void [buildMs, loopMs, stepMs, bytesAllocated, threads];
  return rest;
}

const plasticities = fc.option(
  fc.record<Plasticity>({
    rule: fc.constantFrom('stdp-nn' as const, 'stdp-all' as const),
    aPlus: fc.constantFrom(0, 0.01, 0.3, 1),
    aMinus: fc.constantFrom(0, 0.0105, 0.5, 1),
    tauPlusMs: fc.constantFrom(1, 20, 700),
    tauMinusMs: fc.constantFrom(1, 33, 700),
    wMaxMv: fc.constantFrom(1, 3.24, 20),
  }),
  { nil: undefined },
);

const networks = fc
  .record({
    // Around the bounds of a vector, of one sector, of two, and of four.
    neuronCount: fc.oneof(
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 100, max: 9_000 }),
      fc.constantFrom(8_192, 8_193, 65_536, 65_537),
    ),
    outDegree: fc.oneof(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 60, max: 130 })),
    dtMs: fc.constantFrom(0.01, 0.1, 0.3, 1),
    delayMs: fc.constantFrom(0, 0.4, 1.5, 8, 21),
    seed: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    plasticity: plasticities,
  })
  .map(({ plasticity, ...network }): SpikingNetwork => (plasticity ? { ...network, plasticity } : network));

/** Synapses times steps that the reference takes in a second or so, however much the neurons spike. */
const SYNAPSE_STEPS = 6e7;

/** Long enough for spikes to arrive, short enough for the reference. */
function runOf(network: SpikingNetwork, steps: number, warmup: number, rasterNeurons: number): SpikingRun {
  const most = Math.max(40, Math.floor(SYNAPSE_STEPS / (network.neuronCount * (network.outDegree + 5))));
  return {
    iterations: Math.min(steps, most),
    warmupSteps: Math.min(warmup, most),
    recording: { ...RECORDING, rasterNeurons: Math.min(network.neuronCount, rasterNeurons) },
  };
}

it.each([
  [
    'steps enough that times of 16 bits come round more than once',
    { neuronCount: 200, outDegree: 20, dtMs: 0.1, delayMs: 1.5, seed: 3, plasticity: STDP },
    { iterations: 70_000, warmupSteps: 11 },
  ],
  [
    'a block in which more sources arrive than there is room to bring their weights together',
    {
      // 1,451 sources arrive in one block; there is room for the weights of 1,075.
      ...{ neuronCount: 4_000, outDegree: 3_900, dtMs: 1, delayMs: 5, seed: 5 },
      plasticity: { ...STDP, aPlus: 1, aMinus: 0.2, tauPlusMs: 200, wMaxMv: 100 },
    },
    { iterations: 20, warmupSteps: 0 },
  ],
])('has them over %s', async (_, network: SpikingNetwork, steps) => {
  const run: SpikingRun = { ...steps, recording: { ...RECORDING, rasterNeurons: 5 } };
  const expected = counted(simulateReference(network, run));
  const got = await spiking.simulate(network, run, { connectivity: 'procedural', threads: 2 });
  expect(counted(got)).toEqual(expected);
});

it('has the spikes, the weights and the state of the reference to the last bit, in any network', async () => {
  await fc.assert(
    fc.asyncProperty(
      networks,
      fc.integer({ min: 1, max: 500 }),
      fc.integer({ min: 0, max: 90 }),
      fc.constantFrom(0, 1, 40),
      fc.constantFrom(1, 2, 3),
      async (network, iterations, warmupSteps, rasterNeurons, threads) => {
        const run = runOf(network, iterations, warmupSteps, rasterNeurons);
        const expected = counted(simulateReference(network, run));
        for (const connectivity of ['procedural', 'stored'] as const) {
          const result = await spiking.simulate(network, run, { connectivity, threads });
          expect(counted(result)).toEqual(expected);
        }
      },
    ),
    { numRuns: IS_LONG ? 300 : 5, seed: 7 },
  );
});

it.each(['stdp-nn', 'stdp-all'] as const)(
  'agrees with the reference where neurons spike more often than is remembered, by %s',
  async rule => {
    const network = { neuronCount: 2_001, outDegree: 33, dtMs: 1, delayMs: 3, seed: 7 };
    const plastic = { ...network, plasticity: { ...STDP, rule } };
    const run = { iterations: 700, warmupSteps: 33, recording: RECORDING };
    const expected = simulateReference(plastic, run);
    expect(expected.weights!.truncatedHistories).toBeGreaterThan(0);
    const result = await spiking.simulate(plastic, run, { connectivity: 'stored', threads: 2 });
    expect(counted(result)).toEqual(counted(expected));
  },
);

it('cuts a change of 32 bits and more as the reference does, where a conversion would trap', async () => {
  // Amplitudes, time constants and weights at their bounds: traces of dozens, and sixteen spikes between two arrivals.
  const plasticity: Plasticity = {
    ...{ rule: 'stdp-all', aPlus: 1, aMinus: 1, tauPlusMs: 1_000, tauMinusMs: 1_000, wMaxMv: 100 },
  };
  const network = { neuronCount: 60, outDegree: 59, dtMs: 1, delayMs: 0, seed: 3, plasticity };
  const run = { iterations: 1_500, warmupSteps: 0, recording: RECORDING };
  const result = await spiking.simulate(network, run, { connectivity: 'procedural', threads: 1 });
  expect(counted(result)).toEqual(counted(simulateReference(network, run)));
});

it.each([undefined, STDP])(
  'comes to the same for any number of threads and either connectivity: %j',
  async plasticity => {
    const network = { neuronCount: 200_000, outDegree: 43, dtMs: 0.1, delayMs: 1.5, seed: 3, plasticity };
    const run = { iterations: IS_LONG ? 150 : 60, warmupSteps: 50, recording: RECORDING };
    const results = [];
    for (const threads of [1, 2, 64]) {
      for (const connectivity of ['procedural', 'stored'] as const) {
        results.push(await spiking.simulate(network, run, { connectivity, threads }));
      }
    }
    const [first] = results;
    expect(first.spikeCount).toBeGreaterThan(10_000);
    for (const result of results) expect(counted(result)).toEqual(counted(first));
    // Four sectors: more threads would only wait.
    expect(results.map(({ threads }) => threads)).toEqual([1, 1, 2, 2, 4, 4]);
  },
);

it('keeps the first spikes of a raster that is too long, whatever the threads', async () => {
  const network = { neuronCount: 9_000, outDegree: 0, dtMs: 1, delayMs: 0, seed: 5 };
  const run = { iterations: 700, warmupSteps: 0, recording: { ...RECORDING, rasterNeurons: 9_000 } };
  const expected = simulateReference(network, run);
  expect(expected.rasterTruncated).toBe(true);
  for (const threads of [1, 2]) {
    const result = await spiking.simulate(network, run, { connectivity: 'procedural', threads });
    expect(result.rasterTruncated).toBe(true);
    // As text: a hundred thousand objects are compared in no time.
    expect(JSON.stringify(result.raster) === JSON.stringify(expected.raster)).toBe(true);
  }
});

it('records nothing of a raster of no neurons, though memory lies where its bits would be', async () => {
  const network = { neuronCount: 20_000, outDegree: 80, dtMs: 0.1, delayMs: 1.5, seed: 5, plasticity: STDP };
  const run = { iterations: 900, warmupSteps: 0, recording: { ...RECORDING, rasterNeurons: 0 } };
  const result = await spiking.simulate(network, run, { connectivity: 'procedural', threads: 2 });
  expect(result.spikeCount).toBeGreaterThan(1_000);
  expect(result).toMatchObject({ raster: [], rasterTruncated: false });
});

it('takes the bytes that were estimated, and times each block of the iterations', async () => {
  const network = { neuronCount: 30_001, outDegree: 21, dtMs: 0.1, delayMs: 1.5, seed: 1, plasticity: STDP };
  const run = { iterations: 100, warmupSteps: 21, recording: RECORDING };
  for (const connectivity of ['procedural', 'stored'] as const) {
    const begin = performance.now();
    const result = await spiking.simulate(network, run, { connectivity, threads: 2 });
    const elapsedMs = performance.now() - begin;
    expect(result.bytesAllocated).toBe(estimateMemory(network, run, connectivity, 2).totalBytes);
    // Steps 21–31, six whole blocks to 120, and one step.
    expect(result.stepMs).toHaveLength(7);
    expect(Math.min(...result.stepMs)).toBeGreaterThan(0);
    const blocks = [11, 16, 16, 16, 16, 16, 9];
    const sum = blocks.reduce((total, steps, k) => total + steps * result.stepMs[k], 0);
    expect(sum).toBeCloseTo(result.loopMs, 6);
    expect(result.buildMs).toBeGreaterThan(0);
    // The warm-up lies between them.
    expect(result.buildMs + result.loopMs).toBeLessThan(elapsedMs);
  }
});

it('refuses what is out of bounds before anything is allocated', async () => {
  const network = { neuronCount: 100, outDegree: 10, dtMs: 0.1, delayMs: 1.5, seed: 1 };
  const run = { iterations: 10, warmupSteps: 0, recording: RECORDING };
  const simulate = (
    change: Partial<SpikingNetwork>,
    threads = 1,
    connectivity: 'procedural' | 'stored' = 'procedural',
  ): Promise<SpikingResult> => spiking.simulate({ ...network, ...change }, run, { connectivity, threads });
  for (const neuronCount of [0, -1, 1.5, 1e9, NaN]) {
    await expect(simulate({ neuronCount })).rejects.toThrow(SpikingParameterError);
  }
  for (const threads of [0, 65, 1.5, NaN]) {
    await expect(simulate({}, threads)).rejects.toThrow(`threads must be an integer in 1…64, got ${threads}`);
  }
  await expect(simulate({ neuronCount: 4_000_000, outDegree: 1_000 }, 1, 'stored')).rejects.toThrow(
    /^bytes must be a number from 0 to 4294967296/,
  );
});
