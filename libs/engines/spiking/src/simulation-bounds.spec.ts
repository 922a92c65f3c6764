import fc from 'fast-check';
import { checkSimulation, SIMULATION_BOUNDS, SpikingParameterError } from './simulation-bounds.js';

const NETWORK = {
  neuronCount: 1_000,
  outDegree: 80,
  dtMs: 0.1,
  delayMs: 1.5,
  seed: 1,
  plasticity: {
    rule: 'stdp-nn' as const,
    aPlus: 0.01,
    aMinus: 0.01,
    tauPlusMs: 20,
    tauMinusMs: 20,
    wMaxMv: 3,
  },
};
const RUN = {
  iterations: 100,
  warmupSteps: 0,
  recording: { rasterNeurons: 100, rateHistogramBins: 10, binMs: 5 },
};

function refusal(parameter: string, value: number): unknown {
  const put = <T extends object>(part: T): T => (parameter in part ? { ...part, [parameter]: value } : part);
  const network = { ...put(NETWORK), plasticity: put(NETWORK.plasticity) };
  try {
    checkSimulation(network, { ...put(RUN), recording: put(RUN.recording) });
    return undefined;
  } catch (error) {
    return error;
  }
}

describe('bounds of a simulation', () => {
  const names = Object.keys(SIMULATION_BOUNDS) as (keyof typeof SIMULATION_BOUNDS)[];

  it.each(names)('refuse %s outside of them, NaN and infinity, naming bound and value', name => {
    const { min, max, ...rest } = SIMULATION_BOUNDS[name];
    const wrong = [
      min - 0.001,
      max * 1.001 + 1,
      NaN,
      Infinity,
      -Infinity,
      ...('integer' in rest ? [min + 0.5] : []),
    ];
    for (const got of wrong) {
      const error = refusal(name, got);
      expect(error).toBeInstanceOf(SpikingParameterError);
      expect(error).toMatchObject({ code: 'SPIKING_PARAMETER', parameter: name, max, got });
    }
  });

  it('accept what lies on them', () => {
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.boolean(), (name, low) => {
        const bound = SIMULATION_BOUNDS[name];
        const value = low ? bound.min : Math.min(bound.max, name === 'rasterNeurons' ? 1_000 : bound.max);
        // A network of one neuron has none of the hundred to record.
        if (name === 'neuronCount' && low) return;
        expect(refusal(name, value)).toBeUndefined();
      }),
      { numRuns: 100, seed: 1 },
    );
  });

  it('record no more neurons than there are', () => {
    expect(refusal('rasterNeurons', 1_001)).toMatchObject({
      parameter: 'rasterNeurons',
      max: 1_000,
      got: 1_001,
    });
  });
});
