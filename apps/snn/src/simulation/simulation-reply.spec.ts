import { SimulationReply, SnnRequest } from '@svc/contracts';
import type { SpikingResult } from '@svc/spiking';
import { snnLimitsOf } from '../snn-config.js';
import { planSimulation } from './simulation-plan.js';
import { simulationReply } from './simulation-reply.js';

const RASTER = [
  { neuron: 3, stepIndex: 1 },
  { neuron: 5, stepIndex: 40 },
];
const RESULT: SpikingResult = {
  ...{ activeNeurons: 900, spikeCount: 1_200, synapticEvents: 96_000, meanRateHz: 6 },
  rateHistogram: { binHz: 1, counts: [100, 900] },
  populationRate: { binMs: 4, ratesHz: [5, 7] },
  ...{ raster: RASTER, rasterTruncated: false },
  ...{ buildMs: 250, loopMs: 500, stepMs: Float64Array.from([9, 1, 2, 3, 4, 5, 6, 7, 8, 10]) },
  ...{ bytesAllocated: 12_345_678, stateHash: '0x0123456789abcdef', threads: 2 },
};
const PLACE = { backend: 'wasm', memoryKind: 'host' } as const;

function replyOf(result: SpikingResult, record: object) {
  const request = SnnRequest.parse({ neuronCount: 1_000, iterations: 2_000, dtMs: 0.5, seed: 7, record });
  return simulationReply(planSimulation(request, snnLimitsOf({})), result, PLACE);
}

it('counts frames, times and bytes by what they are: the loop without the build, megabytes of 10^6', () => {
  const reply = replyOf(RESULT, {});
  expect(reply).toMatchObject({ framerateFps: 4_000, vramConsumedMb: 12.345678, buildMs: 250 });
  // A second of the network in half a second.
  expect(reply.realTimeFactor).toBe(2);
  expect(reply.stepMs).toEqual({ p50: 6, p95: 10 });
  expect(reply).not.toHaveProperty('raster');
  expect(SimulationReply.parse(reply)).toEqual(reply);
});

it('tells the raster that was asked for, and cuts one that the bus does not carry, saying so', () => {
  const { raster, rasterTruncated } = replyOf(RESULT, { rasterNeurons: 10 });
  expect({ raster, rasterTruncated }).toEqual({ raster: RASTER, rasterTruncated: false });
  const long = Array.from({ length: 100_000 }, (_, k) => ({
    neuron: 3_999_999,
    stepIndex: 99_900 + (k % 99),
  }));
  const wide = { ...RESULT, raster: long, populationRate: { binMs: 4, ratesHz: Array(10_000).fill(1 / 3) } };
  const cut = replyOf(wide, { rasterNeurons: 10 });
  expect(cut.rasterTruncated).toBe(cut.raster!.length < long.length);
  expect(JSON.stringify(cut).length).toBeLessThan(4_000_000);
  expect(cut.raster!.length).toBeGreaterThan(80_000);
});
