import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { simulateReference, type SpikingNetwork, type SpikingRun } from '@svc/spiking';
import { WASM_SIMULATORS, type WasmSimulators } from './simulation/spiking-engines.js';

/** Some milliseconds of work, in which neurons spike and synapses learn. */
const NETWORK: SpikingNetwork = {
  ...{ neuronCount: 200, outDegree: 20, dtMs: 0.5, delayMs: 1.5, seed: 1 },
  plasticity: { rule: 'stdp-nn', aPlus: 0.01, aMinus: 0.0105, tauPlusMs: 20, tauMinusMs: 20, wMaxMv: 3.24 },
};
const RUN: SpikingRun = {
  ...{ iterations: 200, warmupSteps: 0 },
  recording: { rasterNeurons: 0, rateHistogramBins: 10, binMs: 4 },
};

/**
 * Simulates one small network before the service takes calls, and holds it against the readable reference: kernels that do not
 * work on this machine end the start instead of the first call.
 */
@Injectable()
export class SelfCheck implements OnApplicationBootstrap {
  constructor(@Inject(WASM_SIMULATORS) private readonly simulators: WasmSimulators) {}

  /** @throws Error when the kernels do not come to the state of the reference */
  async onApplicationBootstrap(): Promise<void> {
    const { stateHash, spikeCount } = simulateReference(NETWORK, RUN);
    const made = await this.simulators.small.simulate(NETWORK, RUN, {
      connectivity: 'procedural',
      threads: 1,
    });
    if (made.stateHash === stateHash && made.spikeCount === spikeCount && spikeCount > 0) return;
    throw new Error(`the engine's self-check failed: ${made.stateHash} is not ${stateHash}`);
  }
}
