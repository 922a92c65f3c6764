import fc from 'fast-check';
import { neuronsBySpikes, rasterNeuronIds, summarizeRun, weightStatistics } from './run-summary.js';

const NETWORK = { neuronCount: 4, outDegree: 10, dtMs: 0.5, delayMs: 1, seed: 0 };
const RUN = {
  iterations: 6,
  warmupSteps: 4,
  recording: { rasterNeurons: 2, rateHistogramBins: 3, binMs: 1 },
};

describe('what a run comes to', () => {
  const spikesPerStep = Uint32Array.of(1, 0, 2, 3, 1, 0, 2, 0, 0, 4);
  const summary = summarizeRun(NETWORK, RUN, {
    neuronsBySpikes: neuronsBySpikes(Uint32Array.of(0, 1, 1, 5)),
    spikesPerStep,
  });

  it('counts the iterations alone, in rates of neurons and seconds', () => {
    expect(summary).toMatchObject({ activeNeurons: 3, spikeCount: 7 });
    expect(summary.meanRateHz).toBeCloseTo(7 / 4 / 0.003, 9);
    expect(summary.populationRate.binMs).toBe(1);
    expect(summary.populationRate.ratesHz.map(rate => Math.round(rate * 0.004))).toEqual([1, 2, 4]);
  });

  it('counts as events what arrived in the iterations: sent a delay of three steps before', () => {
    // Steps 1 … 6 arrive in steps 4 … 9.
    expect(summary.synapticEvents).toBe(10 * (0 + 2 + 3 + 1 + 0 + 2));
  });

  it('bins rates by whole numbers of spikes', () => {
    expect(summary.rateHistogram.counts).toEqual([3, 0, 1]);
    expect(summary.rateHistogram.binHz).toBeCloseTo(2 / 0.003, 9);
  });

  it('puts each neuron into one bin, whatever the counts', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 5_000 }), { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 1, max: 50 }),
        (counts, rateHistogramBins) => {
          const network = { ...NETWORK, neuronCount: counts.length };
          const run = { ...RUN, recording: { ...RUN.recording, rateHistogramBins } };
          const { rateHistogram } = summarizeRun(network, run, {
            neuronsBySpikes: neuronsBySpikes(Uint32Array.from(counts)),
            spikesPerStep,
          });
          expect(rateHistogram.counts).toHaveLength(rateHistogramBins);
          expect(rateHistogram.counts.reduce((a, b) => a + b)).toBe(counts.length);
          const greatestHz = Math.max(...counts) / 0.003;
          expect(rateHistogram.binHz * rateHistogramBins).toBeGreaterThan(greatestHz);
        },
      ),
      { numRuns: 200, seed: 1 },
    );
  });

  it('records neurons that are evenly spread, each once', () => {
    expect([...rasterNeuronIds(10, 4)]).toEqual([0, 2, 5, 7]);
    expect(new Set(rasterNeuronIds(4_000_000, 1_000)).size).toBe(1_000);
    expect(rasterNeuronIds(10, 0)).toHaveLength(0);
  });

  it('takes mean and deviation of weights exactly, narrow as they may be', () => {
    const weights = new Uint16Array(3_000_000).fill(60_000);
    weights[7] = 60_001;
    const { meanMv, sdMv } = weightStatistics(weights, 1);
    expect(meanMv).toBeCloseTo(60_000 + 1 / 3e6, 9);
    expect(sdMv).toBeCloseTo(Math.sqrt(1 / 3e6 - (1 / 3e6) ** 2), 12);
    expect(weightStatistics(new Uint16Array(0), 1)).toEqual({ meanMv: 0, sdMv: 0 });
  });
});
