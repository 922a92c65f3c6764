import { firstExtraSector, initialPotentialMv, targetOf, type Wiring, wiringOf } from './connectivity.js';
import { CURRENT_FLOOR, deriveConstants, type ModelConstants } from './model-constants.js';
import { PlasticSynapses, type TravellingSpike } from './plastic-synapses.js';
import { sectorBegin, sectorLength } from './sectors.js';
import type { SpikingNetwork } from './simulation.js';
import { type Hash64, stateDigest, stateHash, weightDigest } from './state-hash.js';

// Held here, since a look-up of a global is slow inside of the sandbox of a test.
const { abs, fround } = Math;

/**
 * The network, step by step and readable: what the fast backends are compared with, bit by bit. Each
 * operation is rounded to f32 by itself, in the order in which it is written.
 *
 * @example
 * const net = new ReferenceNetwork(network);
 * for (let t = 0; t < 1_000; t++) net.step();
 */
export class ReferenceNetwork {
  readonly constants: ModelConstants;
  readonly wiring: Wiring;
  /** Membrane potentials relative to rest, mV; −∞ while a neuron rests after its spike. */
  readonly potentials: Float32Array;
  /** Currents, scaled to the begin of the block, mV. */
  readonly currentsE: Float32Array;
  readonly currentsI: Float32Array;
  readonly synapses?: PlasticSynapses;
  /** Steps done. */
  stepCount = 0;

  /** Spikes of the last steps, by step modulo its length: those on their way, and those that still rest. */
  private readonly ring: TravellingSpike[][];

  /** @param driveMv constant input to every neuron, mV at rest: for measurements of single neurons */
  constructor(
    private readonly network: SpikingNetwork,
    driveMv = 0,
  ) {
    const { neuronCount, outDegree, dtMs, plasticity } = network;
    this.constants = deriveConstants(network, driveMv);
    this.wiring = wiringOf(network);
    this.potentials = Float32Array.from({ length: neuronCount }, (_, i) =>
      initialPotentialMv(this.wiring, i),
    );
    this.currentsE = new Float32Array(neuronCount);
    this.currentsI = new Float32Array(neuronCount);
    if (plasticity) {
      const { rounding } = this.wiring.keys;
      this.synapses = new PlasticSynapses(plasticity, dtMs, neuronCount, outDegree, this.constants, rounding);
    }
    const { delaySteps, refractorySteps } = this.constants;
    this.ring = Array.from({ length: Math.max(delaySteps, refractorySteps) + 1 }, () => []);
  }

  /** @returns the neurons that spiked in this step, ascending */
  step(): readonly TravellingSpike[] {
    const { delaySteps, refractorySteps, resetMv, blockSteps } = this.constants;
    const step = this.stepCount;
    for (const spike of this.spikesOf(step - delaySteps)) this.deliver(spike, step);
    const spikes = this.update(step);
    for (const { source } of this.spikesOf(step - refractorySteps)) this.potentials[source] = resetMv;
    if (step % blockSteps === blockSteps - 1) this.rescaleCurrents();
    this.stepCount = step + 1;
    return spikes;
  }

  /** Currents of a neuron as they are now, mV: without the scale of the block. */
  currentsOf(neuron: number): { readonly excitatoryMv: number; readonly inhibitoryMv: number } {
    const { be, bi, blockSteps } = this.constants;
    const s = this.stepCount % blockSteps;
    return {
      excitatoryMv: (this.currentsE[neuron] * be[s]) / be[0],
      inhibitoryMv: (this.currentsI[neuron] * bi[s]) / bi[0],
    };
  }

  /** Bytes of state and weights. */
  get bytes(): number {
    return 3 * this.potentials.byteLength + (this.synapses?.bytes ?? 0);
  }

  /** Hash of potentials, currents and plastic weights. */
  hash(): string {
    const { sectors } = this.wiring;
    const states: Hash64[] = [];
    const weights: Hash64[] = [];
    for (let sector = 0; sector < sectors.count; sector++) {
      const begin = sectorBegin(sectors, sector);
      const end = begin + sectorLength(sectors, sector);
      const own = (values: Float32Array): Float32Array => values.subarray(begin, end);
      states.push(stateDigest(own(this.potentials), own(this.currentsE), own(this.currentsI)));
      if (this.synapses) {
        const row = (neuron: number): number =>
          Math.min(neuron, this.constants.excitatoryCount) * this.network.outDegree;
        weights.push(weightDigest(this.synapses.weights.subarray(row(begin), row(end))));
      }
    }
    return stateHash([...states, ...weights]);
  }

  private spikesOf(step: number): readonly TravellingSpike[] {
    return step < 0 ? [] : this.ring[step % this.ring.length];
  }

  /** Adds a spike to the currents of all that it reaches. */
  private deliver(spike: TravellingSpike, step: number): void {
    const { wiring, constants, currentsE, currentsI, synapses } = this;
    const { source } = spike;
    const s = step % constants.blockSteps;
    const excitatory = source < constants.excitatoryCount;
    const [we, wi, unit] = [constants.we[s], constants.wi[s], constants.unit[s]];
    const { count } = wiring.sectors;
    const firstExtra = firstExtraSector(wiring, source);
    let placeInRow = 0;
    for (let sector = 0; sector < count; sector++) {
      const extra = (sector - firstExtra + count) % count < wiring.extraSectors ? 1 : 0;
      const synapseCount = wiring.perSector + extra;
      for (let m = 0; m < synapseCount; m++, placeInRow++) {
        const target = targetOf(wiring, source, sector, m);
        if (!excitatory) currentsI[target] = fround(currentsI[target] + wi);
        else if (!synapses) currentsE[target] = fround(currentsE[target] + we);
        else {
          const weight = synapses.arrive(spike, placeInRow, target, step);
          currentsE[target] = fround(currentsE[target] + fround(weight * unit));
        }
      }
    }
  }

  /** Exact integration of all membranes over one step. */
  private update(step: number): readonly TravellingSpike[] {
    const { potentials, currentsE, currentsI, constants, synapses } = this;
    const { a, thresholdMv, blockSteps } = constants;
    const s = step % blockSteps;
    const [be, bi] = [constants.be[s], constants.bi[s]];
    const spikes: TravellingSpike[] = [];
    for (let j = 0; j < potentials.length; j++) {
      const kept = fround(potentials[j] * a);
      const input = fround(fround(currentsE[j] * be) + fround(currentsI[j] * bi));
      const potential = fround(kept + input);
      if (potential > thresholdMv) {
        // −∞ stays −∞ through every update: a resting neuron needs no other mark.
        potentials[j] = -Infinity;
        spikes.push(synapses?.spiked(j, step) ?? { source: j, previousStep: -1, previousTrace: 0 });
      } else potentials[j] = potential;
    }
    this.ring[step % this.ring.length] = spikes;
    return spikes;
  }

  /** Brings the scaled currents from the end of a block to the begin of the next. */
  private rescaleCurrents(): void {
    const { currentsE, currentsI } = this;
    const { rescaleE, rescaleI } = this.constants;
    for (let j = 0; j < currentsE.length; j++) {
      const e = fround(currentsE[j] * rescaleE);
      const i = fround(currentsI[j] * rescaleI);
      currentsE[j] = abs(e) < CURRENT_FLOOR ? 0 : e;
      currentsI[j] = abs(i) < CURRENT_FLOOR ? 0 : i;
    }
  }
}
