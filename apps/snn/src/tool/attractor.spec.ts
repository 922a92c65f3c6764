import type { SpikingResult } from '@svc/spiking';
import { branchingRatio } from '@svc/inference';
import type { ComputeThreads } from '../compute/compute-threads.js';
import { snnLimitsOf } from '../snn-config.js';
import { planSimulation, type SimulationPlan } from '../simulation/simulation-plan.js';
import type { RunPlace } from '../simulation/simulation-reply.js';
import type { SimulationService } from '../simulation/simulation.service.js';
import { Attractor } from './attractor.js';

const BINS = 2_500;
const NEURONS = 1_000;
const signal = new AbortController().signal;

/** The tool over a network that fires as many spikes in its bins as it is told; the estimate is the real one. */
function attractorOf(
  spikesInBin: (bin: number) => number,
  place: RunPlace = { backend: 'wasm', memoryKind: 'host' },
  adapter?: string,
) {
  const plans: SimulationPlan[] = [];
  const simulations = {
    plan: request => planSimulation(request, snnLimitsOf({})),
    simulate: async plan => {
      plans.push(plan);
      const counts = Array.from({ length: BINS }, (_, bin) => spikesInBin(bin));
      const spikeCount = counts.reduce((sum, count) => sum + count, 0);
      const ratesHz = counts.map(count => (count * 1_000) / (NEURONS * 4));
      const populationRate = { binMs: 4, ratesHz };
      const result = { populationRate, spikeCount, meanRateHz: 5, stateHash: '0x0', adapter };
      return { result: result as unknown as SpikingResult, place };
    },
  } as Pick<SimulationService, 'plan' | 'simulate'>;
  const threads = {
    run: async (
      _kind: string,
      { spikes, binMs, seed }: { spikes: Float64Array; binMs: number; seed: number },
    ) => branchingRatio(spikes, { dtMs: binMs, binMs, seed }),
  };
  const attractor = new Attractor(simulations as SimulationService, threads as unknown as ComputeThreads);
  return { plans, measure: (n: number) => attractor.measure(n, 7, { signal, note: () => undefined }) };
}

/** A whole number below 2^32 for each place, so that bins know nothing of one another. */
const scrambled = (bin: number) => Math.imul((bin + 1) ^ (bin >>> 7), 0x9e3779b1) >>> 0;

it.each<[string, string, (bin: number) => number]>([
  ['that is silent', 'TOO_FEW_SPIKES', () => 0],
  ['that beats like a clock', 'CONSTANT', () => 20],
  ['that only drifts', 'NOT_STATIONARY', bin => 20 + Math.floor(bin / 25)],
])('refuses a network %s, saying why, in place of a ratio', async (_, reason, spikesInBin) => {
  const refused = attractorOf(spikesInBin).measure(NEURONS);
  await expect(refused).rejects.toMatchObject({
    code: 'UNPROCESSABLE',
    payload: { extensions: { reason, bins: BINS, neuronCount: NEURONS, durationMs: 10_000, meanRateHz: 5 } },
  });
});

/** A driven branching network of 0.9. */
function branchingActivity() {
  let activity = 20;
  return (bin: number) => {
    activity = Math.round(0.9 * activity + 4 * (scrambled(bin) / 2 ** 32));
    return activity;
  };
}

it('simulates ten seconds after one, of a hundred thousand neurons at most, and says so', async () => {
  const branching = attractorOf(branchingActivity());
  const answer = await branching.measure(NEURONS);
  const { network, run } = branching.plans[0];
  expect((run.iterations * network.dtMs) / 1_000).toBeCloseTo(10, 9);
  expect((run.warmupSteps * network.dtMs) / 1_000).toBeCloseTo(1, 9);
  expect(network).toMatchObject({ seed: 7, outDegree: 80 });
  expect(network.plasticity).toBeUndefined();
  expect(answer).toMatchObject({ neuronCount: NEURONS, durationMs: 10_000, warmupMs: 1_000, seed: 7 });
  await branching.measure(1_000_000);
  expect(branching.plans[1].network.neuronCount).toBe(100_000);
});

it('takes the GPU where one is, and says where it ran', async () => {
  const onGpu = attractorOf(branchingActivity(), { backend: 'webgpu', memoryKind: 'gpu' }, 'nvidia, h200');
  expect(await onGpu.measure(NEURONS)).toMatchObject({ backend: 'webgpu', adapter: 'nvidia, h200' });
  expect(onGpu.plans[0].backend).toBe('auto');
  const onHost = await attractorOf(branchingActivity()).measure(NEURONS);
  expect(onHost.backend).toBe('wasm');
  expect(onHost).not.toHaveProperty('adapter');
});
