import fc from 'fast-check';
import { ReferenceNetwork } from '../../reference-network.js';
import { simulateReference } from '../../reference.js';
import type { Connectivity, Plasticity, SpikingNetwork, SpikingRun } from '../../simulation.js';
import { WebGpuLimitError } from './buffers.js';
import { WebGpuLostError } from './gpu-run.js';
import { openWebGpu } from './open-webgpu.js';
import type { WebGpuSpiking } from './webgpu-spiking.js';

const plasticity = (rule: Plasticity['rule']): Plasticity => ({
  rule,
  aPlus: 0.01,
  aMinus: 0.0105,
  tauPlusMs: 20,
  tauMinusMs: 20,
  wMaxMv: 3.24,
});

const small: SpikingNetwork = { neuronCount: 2_000, outDegree: 80, dtMs: 0.1, delayMs: 1.5, seed: 11 };

/** Neurons that mostly follow their own drive. */
const sparse = { neuronCount: 200, outDegree: 3, dtMs: 1, delayMs: 1, seed: 3 };

const runOf = (iterations: number, warmupSteps = 0, rasterNeurons = 0): SpikingRun => ({
  iterations,
  warmupSteps,
  recording: { rasterNeurons, rateHistogramBins: 8, binMs: 5 },
});

const procedural = { connectivity: 'procedural', threads: 1 } as const;

const open = () => openWebGpu({ allowFallback: true });
const opening = await open();

/** Share of values that lie further apart than `tolerance`; a resting neuron must rest in both. */
function shareApart(a: ArrayLike<number>, b: ArrayLike<number>, tolerance: number): number {
  let apart = 0;
  for (let i = 0; i < a.length; i++) {
    if (a[i] !== b[i] && !(Math.abs(a[i] - b[i]) <= tolerance)) apart++;
  }
  return apart / Math.max(1, a.length);
}

/**
 * As long as no neuron is so near its threshold that a rounding decides, both spike alike. Each case
 * takes another path: sectors, odd rows, delays of no step and beyond the rest, a block cut short.
 */
const paths: readonly [string, Partial<SpikingNetwork>, Connectivity, number][] = [
  ['one sector', {}, 'procedural', 203],
  ['two sectors, rows of unequal shares', { neuronCount: 9_001, outDegree: 33 }, 'procedural', 160],
  ['fewer synapses than sectors', { neuronCount: 70_001, outDegree: 3 }, 'procedural', 120],
  ['eight sectors', { neuronCount: 262_200, outDegree: 21, delayMs: 0.2 }, 'procedural', 22],
  ['no delay', { delayMs: 0, neuronCount: 500 }, 'procedural', 150],
  ['a delay beyond the refractory time', { delayMs: 13, neuronCount: 500 }, 'procedural', 450],
  ['steps of a millisecond', { dtMs: 1, neuronCount: 500, outDegree: 20 }, 'procedural', 45],
  ['many synapses', { neuronCount: 1_500, outDegree: 1_001 }, 'procedural', 90],
  ['no synapses', { outDegree: 0 }, 'procedural', 700],
  ['stored targets', { neuronCount: 9_001, outDegree: 33 }, 'stored', 160],
  ['nearest-neighbour plasticity', { plasticity: plasticity('stdp-nn') }, 'procedural', 250],
  ['plasticity of all pairs', { plasticity: plasticity('stdp-all') }, 'procedural', 250],
  [
    'plasticity over a delay beyond the refractory time',
    { neuronCount: 500, delayMs: 13, plasticity: plasticity('stdp-all') },
    'procedural',
    450,
  ],
  [
    'plasticity in steps so fine that its tables are sampled',
    { neuronCount: 500, dtMs: 0.02, plasticity: plasticity('stdp-nn') },
    'procedural',
    1_200,
  ],
  // So few synapses that nothing grows: each neuron spikes tens of times, and every pair counts.
  ['many pairs, nearest neighbours', { ...sparse, plasticity: plasticity('stdp-nn') }, 'procedural', 1_500],
  [
    'many pairs, all of them',
    { ...sparse, plasticity: { ...plasticity('stdp-all'), tauPlusMs: 12, tauMinusMs: 35 } },
    'stored',
    1_500,
  ],
  [
    'plasticity over odd rows and sectors',
    { neuronCount: 9_001, outDegree: 33, plasticity: plasticity('stdp-nn') },
    'stored',
    160,
  ],
  [
    'strong plasticity at a short delay',
    { delayMs: 0, plasticity: { ...plasticity('stdp-all'), aPlus: 0.3, aMinus: 0.2, wMaxMv: 1 } },
    'stored',
    250,
  ],
];

function agreesWithTheReference(gpu: WebGpuSpiking, names: readonly string[]): void {
  const tried = paths.filter(([name]) => names.includes(name));
  describe.each(tried)('with %s', (_, change, connectivity, steps) => {
    const network = { ...small, ...change };
    const run = runOf(steps - 20, 20, 50);

    it('does what the reference does', async () => {
      const { result, state } = await gpu.simulateWithState(network, run, { ...procedural, connectivity });
      const reference = new ReferenceNetwork(network);
      for (let t = 0; t < steps; t++) reference.step();
      const expected = simulateReference(network, run);
      expect(expected.spikeCount).toBeGreaterThan(10);
      for (const field of ['spikeCount', 'activeNeurons', 'synapticEvents', 'meanRateHz'] as const) {
        expect(result[field]).toBe(expected[field]);
      }
      expect(result.raster).toEqual(expected.raster);
      expect(result.rateHistogram).toEqual(expected.rateHistogram);
      expect(result.populationRate).toEqual(expected.populationRate);
      expect(shareApart(state!.potentials, reference.potentials, 1e-3)).toBe(0);
      expect(shareApart(state!.currentsE, reference.currentsE, 1e-3)).toBe(0);
      expect(shareApart(state!.currentsI, reference.currentsI, 1e-3)).toBe(0);
      if (!reference.synapses) return;
      const { weights } = reference.synapses;
      // Whole numbers on both sides; with traces a weight may differ where one was rounded otherwise.
      const traced = network.plasticity?.rule === 'stdp-all';
      expect(shareApart(state!.weights!, weights, 1)).toBe(0);
      expect(shareApart(state!.weights!, weights, 0)).toBeLessThanOrEqual(traced ? 1e-3 : 0);
      expect(result.weights!.meanMv).toBeCloseTo(expected.weights!.meanMv, 6);
      expect(result.weights!.sdMv).toBeCloseTo(expected.weights!.sdMv, 6);
      expect(result.weights!.sdMv).toBeGreaterThan(1e-4);
    });
  });
}

function agreesInAnyNetwork(gpu: WebGpuSpiking): void {
  it('does what the reference does in any small network', async () => {
    const anyNetwork = fc.record({
      neuronCount: fc.integer({ min: 1, max: 9_500 }),
      outDegree: fc.integer({ min: 0, max: 120 }),
      dtMs: fc.constantFrom(0.05, 0.1, 0.5, 1),
      delayMs: fc.double({ min: 0, max: 8, noNaN: true }),
      seed: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
      plasticity: fc.constantFrom(undefined, plasticity('stdp-nn'), plasticity('stdp-all')),
    });
    const connectivities = fc.constantFrom<Connectivity[]>('procedural', 'stored');
    const steps = fc.integer({ min: 1, max: 90 });
    await fc.assert(
      fc.asyncProperty(anyNetwork, connectivities, steps, async (network, connectivity, iterations) => {
        const run = runOf(iterations);
        const { result, state } = await gpu.simulateWithState(network, run, { connectivity, threads: 1 });
        const expected = simulateReference(network, run);
        expect(result.populationRate).toEqual(expected.populationRate);
        expect(result.activeNeurons).toBe(expected.activeNeurons);
        const reference = new ReferenceNetwork(network);
        for (let t = 0; t < iterations; t++) reference.step();
        expect(shareApart(state!.potentials, reference.potentials, 1e-3)).toBe(0);
        expect(shareApart(state!.currentsE, reference.currentsE, 1e-3)).toBe(0);
      }),
      // The same networks each time: one in thousands has a neuron whose spike a rounding decides.
      { seed: 1, numRuns: 60 },
    );
  });

  const longRuns = ['stdp-nn', 'stdp-all'] as const;
  it.each(longRuns)(
    'keeps the rate and the weights of %s over a run in which trajectories part',
    async rule => {
      const network = { ...small, neuronCount: 4_000, plasticity: plasticity(rule) };
      const run = runOf(3_000, 500);
      const result = await gpu.simulate(network, run, procedural);
      const expected = simulateReference(network, run);
      expect(Math.abs(result.meanRateHz / expected.meanRateHz - 1)).toBeLessThan(0.05);
      expect(result.weights!.meanMv).toBeCloseTo(expected.weights!.meanMv, 3);
      expect(Math.abs(result.weights!.sdMv / expected.weights!.sdMv - 1)).toBeLessThan(0.05);
      expect(result.weights!.sdMv).toBeGreaterThan(0.005);
    },
  );

  it('counts the arrivals that found more spikes than a neuron remembers', async () => {
    const strong = { ...plasticity('stdp-nn'), wMaxMv: 100 };
    const network = { ...sparse, plasticity: strong };
    const { weights } = await gpu.simulate(network, runOf(3_000), procedural);
    const expected = simulateReference(network, runOf(3_000)).weights!;
    expect(expected.truncatedHistories).toBeGreaterThan(0);
    expect(weights!.truncatedHistories).toBe(expected.truncatedHistories);
  });
}

function repeatsItself(gpu: WebGpuSpiking): void {
  it('comes to one hash however a run is cut into batches, wired, or repeated', async () => {
    const network = { ...small, plasticity: plasticity('stdp-all') };
    const hashes = new Set<string>();
    for (const [warmup, connectivity] of [
      [0, 'procedural'],
      [333, 'stored'],
      [700, 'procedural'],
    ] as const) {
      const run = runOf(1_500 - warmup, warmup);
      const result = await gpu.simulate(network, run, { connectivity, threads: 1 });
      expect(result.stateHash).toMatch(/^webgpu:0x[0-9a-f]{16}$/);
      hashes.add(result.stateHash);
    }
    expect(hashes.size).toBe(1);
    const other = await gpu.simulate({ ...network, seed: 12 }, runOf(1_500), procedural);
    expect(hashes).not.toContain(other.stateHash);
  });

  it('tells two runs at once apart', async () => {
    const networks = [small, { ...small, seed: 12, plasticity: plasticity('stdp-nn') }];
    const alone = [];
    for (const network of networks) alone.push(await gpu.simulate(network, runOf(400), procedural));
    const together = await Promise.all(
      networks.map(network => gpu.simulate(network, runOf(400), procedural)),
    );
    expect(together.map(({ stateHash }) => stateHash)).toEqual(alone.map(({ stateHash }) => stateHash));
  });

  it('counts the bytes of its buffers and times each batch', async () => {
    const run = runOf(300);
    const result = await gpu.simulate(small, run, procedural);
    expect(result.bytesAllocated).toBe(gpu.estimateBytes(small, run, 'procedural'));
    expect(result.bytesAllocated).toBeGreaterThan(16 * small.neuronCount);
    expect(gpu.estimateBytes(small, run, 'stored') - result.bytesAllocated).toBeGreaterThanOrEqual(
      4 * small.neuronCount * small.outDegree,
    );
    expect(result.stepMs.length).toBeGreaterThan(1);
    expect(Math.min(...result.stepMs)).toBeGreaterThan(0);
    expect(result.adapter).toBe(gpu.adapter);
  });
}

function endsWell(gpu: WebGpuSpiking): void {
  it('ends a run when it is told to, with the reason, and runs the next one', async () => {
    const controller = new AbortController();
    const told: number[] = [];
    const endless = gpu.simulate(small, runOf(100_000), {
      ...procedural,
      signal: controller.signal,
      onProgress: (done, count) => {
        told.push(done, count);
        controller.abort(new Error('enough'));
      },
    });
    await expect(endless).rejects.toThrow('enough');
    expect(told[0]).toBeGreaterThan(0);
    expect(told[1]).toBe(100_000);
    // No more than the batches that were with the device.
    expect(Math.max(...told.filter((_, k) => k % 2 === 0))).toBeLessThan(50_000);
    expect((await gpu.simulate(small, runOf(50), procedural)).populationRate.ratesHz.length).toBe(1);
  });

  it('refuses a run that its adapter does not bind, before anything is allocated', async () => {
    const network = { ...small, neuronCount: 4_000_000, outDegree: 5_000 };
    const stored = gpu.simulate(network, runOf(10), { connectivity: 'stored', threads: 1 });
    await expect(stored).rejects.toThrow(WebGpuLimitError);
    await expect(stored).rejects.toMatchObject({ code: 'WEBGPU_LIMIT', buffer: 'targets', got: 8e10 });
  });

  it('says that the GPU is lost, to a run under way and to the next one', async () => {
    const second = await open();
    if (!second.available) throw new Error(second.reason);
    const under = second.spiking.simulate(small, runOf(100_000), {
      ...procedural,
      onProgress: () => second.spiking.close(),
    });
    await expect(under).rejects.toThrow(WebGpuLostError);
    await expect(second.spiking.simulate(small, runOf(10), procedural)).rejects.toMatchObject({
      code: 'WEBGPU_LOST',
    });
    expect((await gpu.simulate(small, runOf(50), procedural)).threads).toBe(0);
  });
}

/** Every path through the kernels, by its name. */
export const PATHS = paths.map(([name]) => name);

/** @param names paths that are compared with the reference; `whole` as well what needs long runs */
export function describeWebGpu(names: readonly string[], whole = false): void {
  describe('the network on a GPU', () => {
    if (!opening.available) {
      const { reason } = opening;
      it('needs an adapter', () => console.log(`SKIPPED: WebGPU: ${reason}`));
      return;
    }
    const { spiking } = opening;
    afterAll(() => spiking.close());
    agreesWithTheReference(spiking, names);
    if (!whole) return;
    agreesInAnyNetwork(spiking);
    repeatsItself(spiking);
    endsWell(spiking);
  });
}
