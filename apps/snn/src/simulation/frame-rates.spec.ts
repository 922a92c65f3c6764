import { MeasurementRegistry } from '@svc/platform';
import type { SpikingNetwork } from '@svc/spiking';
import { FrameRates, SNN_MEASUREMENTS } from './frame-rates.js';

const NETWORK: SpikingNetwork = {
  ...{ neuronCount: 1_000_000, outDegree: 80, dtMs: 0.1, delayMs: 1.5, seed: 1 },
  plasticity: { rule: 'stdp-nn', aPlus: 0.01, aMinus: 0.0105, tauPlusMs: 20, tauMinusMs: 20, wMaxMv: 3.24 },
};

function noted(runs: readonly [SpikingNetwork, number, number][]) {
  const measurements = new MeasurementRegistry();
  for (const [name, reason] of Object.entries(SNN_MEASUREMENTS)) measurements.declare(name, reason);
  const rates = new FrameRates(measurements);
  for (const run of runs) rates.note(...run);
  return measurements.snapshot();
}

it('is the median of runs of a million plastic neurons', () => {
  const { snnFramerateFps } = noted([500, 100, 125].map(loopMs => [NETWORK, 200, loopMs]));
  expect(snnFramerateFps).toMatchObject({ value: 1_600, samples: 3 });
});

it.each<[string, Partial<SpikingNetwork>, number]>([
  ['that is smaller', { neuronCount: 999_999 }, 100],
  ['that does not learn', { plasticity: undefined }, 100],
  ['with fewer synapses', { outDegree: 79 }, 100],
  ['with shorter steps', { dtMs: 0.09 }, 100],
  ['that is over at once', {}, 99],
])('is not driven up by a network %s', (_, change, iterations) => {
  const { snnFramerateFps } = noted([[{ ...NETWORK, ...change }, iterations, 1]]);
  expect(snnFramerateFps).toMatchObject({ value: 0, samples: 0, reason: SNN_MEASUREMENTS.snnFramerateFps });
});

it('is surprising from the third on: as little as usual ones, and far more where it falls to a half', () => {
  const surprisalAfter = (...loopMs: number[]) =>
    noted(loopMs.map(each => [NETWORK, 200, each])).fepSurprisal;
  expect(surprisalAfter(100, 101)).toMatchObject({ value: 0, samples: 0 });
  const usual = surprisalAfter(100, 101, 100, 99, 100);
  expect(usual.samples).toBe(1);
  expect(surprisalAfter(100, 101, 100, 99, 200).value).toBeGreaterThan(usual.value + 3);
});
