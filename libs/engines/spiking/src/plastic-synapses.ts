import { counterHash } from './counter-hash.js';
import { type ModelConstants, WEIGHT_UNITS } from './model-constants.js';
import type { Plasticity } from './simulation.js';
import { stdpTables, stdpValue } from './stdp-tables.js';

// Held here, since a look-up of a global is slow inside of the sandbox of a test.
const { fround, imul, max, min, trunc } = Math;

/** Spikes that a neuron remembers for its synapses. */
export const HISTORY_SPIKES = 16;

/** One side of a weight's change is cut here, so that their difference fits in 32 bits. */
const CHANGE_MAX = 2 ** 29;

/** A spike on its way, with what its arrival needs of the source. */
export interface TravellingSpike {
  readonly source: number;
  /** Step of the source's spike before; −1 for its first. */
  readonly previousStep: number;
  /** Presynaptic trace just after that spike. */
  readonly previousTrace: number;
}

/**
 * Weights of the excitatory synapses, and the spike-timing-dependent rule that changes them. A weight is
 * looked at only when a spike arrives over it: what the neuron behind it did since the arrival before is
 * taken from that neuron's newest spikes.
 *
 * Times are in steps: a spike of step `n` is at `n + 1`, the end of the step; a spike that arrives before
 * the update of step `t` is at `t`.
 */
export class PlasticSynapses {
  /** In units of `wMaxMv / 65535`; row `i` holds the synapses of neuron `i`, in the order of its sectors. */
  readonly weights: Uint16Array;
  /** Arrivals that may have missed spikes older than the newest {@link HISTORY_SPIKES}. */
  truncatedHistories = 0;

  private readonly all: boolean;
  private readonly tables: ReturnType<typeof stdpTables>;
  private readonly spikeTimes: Int32Array;
  private readonly spikeCounts: Uint32Array;
  private readonly tracePlus: Float32Array;
  private readonly traceMinus: Float32Array;

  /**
   * @param rounding keys of the random numbers by which a change is rounded
   */
  constructor(
    plasticity: Plasticity,
    dtMs: number,
    neuronCount: number,
    private readonly outDegree: number,
    private readonly constants: ModelConstants,
    private readonly rounding: readonly [number, number],
  ) {
    this.all = plasticity.rule === 'stdp-all';
    this.tables = stdpTables(plasticity, dtMs);
    this.weights = new Uint16Array(constants.excitatoryCount * outDegree).fill(constants.initialWeight);
    this.spikeTimes = new Int32Array(HISTORY_SPIKES * neuronCount);
    this.spikeCounts = new Uint32Array(neuronCount);
    this.tracePlus = new Float32Array(neuronCount);
    this.traceMinus = new Float32Array(neuronCount);
  }

  /** Bytes of weights, histories and traces. */
  get bytes(): number {
    return [this.weights, this.spikeTimes, this.spikeCounts, this.tracePlus, this.traceMinus].reduce(
      (sum, array) => sum + array.byteLength,
      0,
    );
  }

  /** Remembers that a neuron spiked, and says what its spike carries. */
  spiked(neuron: number, step: number): TravellingSpike {
    const count = this.spikeCounts[neuron];
    const previousTime = count > 0 ? this.timeOf(neuron, count - 1) : 0;
    const previousTrace = this.tracePlus[neuron];
    if (this.all) {
      const { decayPlus, decayMinus } = this.tables;
      const interval = step + 1 - previousTime;
      this.tracePlus[neuron] = fround(previousTrace * (decayPlus[interval] ?? 0)) + 1;
      this.traceMinus[neuron] = fround(this.traceMinus[neuron] * (decayMinus[interval] ?? 0)) + 1;
    }
    this.spikeTimes[HISTORY_SPIKES * neuron + (count % HISTORY_SPIKES)] = step + 1;
    this.spikeCounts[neuron] = count + 1;
    return { source: neuron, previousStep: previousTime - 1, previousTrace };
  }

  /**
   * A spike arrives at `target` over synapse `m` of its source's row: the weight changes, then it is read.
   *
   * @returns the new weight, units
   */
  arrive(spike: TravellingSpike, m: number, target: number, step: number): number {
    const place = spike.source * this.outDegree + m;
    const change = this.potentiation(spike, target) - this.depression(target, step);
    const key0 = (this.rounding[0] + imul(step, 0x9e3779b1)) >>> 0;
    const random = counterHash(place, key0, this.rounding[1]) >>> 24;
    // A change has 8 bits below a unit: a random number added below them rounds it without bias.
    const weight = ((this.weights[place] << 8) + change + random) >> 8;
    return (this.weights[place] = min(max(weight, 0), WEIGHT_UNITS));
  }

  /** Each spike of the target since the arrival before pairs with that arrival, or with all up to it. */
  private potentiation(spike: TravellingSpike, target: number): number {
    if (spike.previousStep < 0) return 0;
    const since = spike.previousStep + this.constants.delaySteps;
    const count = this.spikeCounts[target];
    const oldest = max(0, count - HISTORY_SPIKES);
    let sum = 0;
    let k = count - 1;
    for (; k >= oldest; k--) {
      const time = this.timeOf(target, k);
      if (time <= since) break;
      sum += stdpValue(this.tables.plus, time - since);
    }
    if (k < oldest && count >= HISTORY_SPIKES) this.truncatedHistories++;
    return this.all ? scaled(sum, spike.previousTrace) : sum;
  }

  /** The arrival pairs with the newest spike of the target, or with all up to it. */
  private depression(target: number, step: number): number {
    const count = this.spikeCounts[target];
    if (count === 0) return 0;
    const value = stdpValue(this.tables.minus, step - this.timeOf(target, count - 1));
    return this.all ? scaled(value, this.traceMinus[target]) : value;
  }

  private timeOf(neuron: number, spikeIndex: number): number {
    return this.spikeTimes[HISTORY_SPIKES * neuron + (spikeIndex % HISTORY_SPIKES)];
  }
}

function scaled(value: number, trace: number): number {
  return trunc(min(fround(fround(value) * trace), CHANGE_MAX));
}
