import { estimateMemory, MEMORY_BYTES_MAX } from './memory-estimate.js';
import { SpikingParameterError } from './simulation-bounds.js';

const STDP = {
  rule: 'stdp-nn' as const,
  aPlus: 0.01,
  aMinus: 0.0105,
  tauPlusMs: 20,
  tauMinusMs: 20,
  wMaxMv: 3.24,
};
const MILLION = { neuronCount: 1_000_000, outDegree: 80, dtMs: 0.1, delayMs: 1.5, seed: 1 };
const RUN = {
  iterations: 2_000,
  warmupSteps: 2_000,
  recording: { rasterNeurons: 200, rateHistogramBins: 50, binMs: 5 },
};
const MB = 1_000_000;

describe('memory of a run', () => {
  it('is below 40 MB for a million neurons whose targets are computed, and below 450 MB with plasticity', () => {
    expect(estimateMemory(MILLION, RUN, 'procedural').totalBytes).toBeLessThan(40 * MB);
    for (const connectivity of ['procedural', 'stored'] as const) {
      const { totalBytes } = estimateMemory({ ...MILLION, plasticity: STDP }, RUN, connectivity);
      expect(totalBytes).toBeLessThan(450 * MB);
      expect(totalBytes).toBeGreaterThan(2 * 80 * 800_000);
    }
  });

  it('is refused where no memory of WebAssembly is large enough', () => {
    const large = { ...MILLION, neuronCount: 4_000_000, outDegree: 1_000 };
    expect(() => estimateMemory(large, RUN, 'stored')).toThrow(SpikingParameterError);
    expect(() => estimateMemory(large, RUN, 'stored')).toThrow(/^bytes must be/);
    expect(estimateMemory(large, RUN, 'procedural').totalBytes).toBeLessThan(MEMORY_BYTES_MAX);
  });
});
