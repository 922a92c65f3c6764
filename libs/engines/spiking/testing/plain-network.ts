import type { SpikingNetwork } from '../src/simulation.js';

// Held here, since a look-up of a global is slow inside of the sandbox of a test.
const { ceil, exp, floor, min, round } = Math;
const wide = BigInt;
const NEVER = -Infinity;
const MASK = 0xffff_ffffn;

function wideMix(x: bigint, add = 0n): bigint {
  x ^= x >> 16n;
  x = (x * 0x21f0aaadn) & MASK;
  x ^= x >> 15n;
  x = (x + add) & MASK;
  x = (x * 0x735a2d97n) & MASK;
  return x ^ (x >> 15n);
}

/** Key of a stream, in arithmetic that shares nothing with the engine's. */
export function plainKey(seed: number, domain: number, index: number): bigint {
  const first = wideMix((wide(seed) + wide(domain) * 0x9e3779b9n) & MASK);
  return wideMix((first + wide(index) * 0x85ebca6bn) & MASK);
}

/** Random number of a stream. */
export function plainHash(x: number, key0: bigint, key1: bigint): bigint {
  return wideMix((wide(x) + key0) & MASK, key1);
}

/** All targets of each neuron, in the order of its row, from the description of the wiring alone. */
export function plainTargets({ neuronCount: n, outDegree, seed }: SpikingNetwork): number[][] {
  const sectorCount = n <= 8192 ? 1 : n <= 65536 ? 2 : 4 * ceil(n / 262144);
  const size = ceil(n / sectorCount);
  const q = floor(outDegree / sectorCount);
  const extras = outDegree - q * sectorCount;
  const keys = Array.from({ length: 2 * sectorCount }, (_, b) => plainKey(seed, 1, b));
  const startKeys = [plainKey(seed, 2, 0), plainKey(seed, 2, 1)];
  return Array.from({ length: n }, (_, source) => {
    const start = Number((plainHash(source, startKeys[0], startKeys[1]) * wide(sectorCount)) >> 32n);
    const withExtra = new Set(Array.from({ length: extras }, (_, e) => (start + e) % sectorCount));
    const row: number[] = [];
    for (let sector = 0; sector < sectorCount; sector++) {
      const own = wide(min(n, (sector + 1) * size) - sector * size);
      for (let m = 0; m < q + (withExtra.has(sector) ? 1 : 0); m++) {
        const random = plainHash(source * (q + 1) + m, keys[2 * sector], keys[2 * sector + 1]);
        row.push(sector * size + Number((random * own) >> 32n));
      }
    }
    return row;
  });
}

interface Synapse {
  readonly source: number;
  readonly target: number;
  /** mV, as it is now and as the last arrival left it. */
  weight: number;
  read: number;
  lastArrival: number;
  /** Sum over all arrivals, decayed to the last of them. */
  trace: number;
}

/**
 * The network as a textbook has it: f64, currents that decay at each step, no blocks, no sectors, no lazy
 * weights: a weight changes at each arrival and at each spike of the neuron behind it, unrounded.
 */
export class PlainNetwork {
  readonly potentials: Float64Array;
  readonly currentsE: Float64Array;
  readonly currentsI: Float64Array;
  readonly rows: Synapse[][];
  stepCount = 0;
  private readonly columns: Synapse[][];
  private readonly spikesByStep: (readonly number[])[] = [];
  private readonly lastSpike: Float64Array;
  private readonly tracePost: Float64Array;
  private readonly excitatoryCount: number;

  constructor(
    private readonly network: SpikingNetwork,
    initialPotentialsMv: ArrayLike<number>,
    targets = plainTargets(network),
  ) {
    const n = network.neuronCount;
    this.excitatoryCount = floor(0.8 * n);
    this.potentials = Float64Array.from(initialPotentialsMv);
    this.currentsE = new Float64Array(n);
    this.currentsI = new Float64Array(n);
    this.lastSpike = new Float64Array(n).fill(NEVER);
    this.tracePost = new Float64Array(n);
    this.columns = Array.from({ length: n }, () => []);
    this.rows = targets.map((row, source) =>
      row.map(target => {
        const weight = source < this.excitatoryCount ? 1.62 : -9;
        const synapse = { source, target, weight, read: weight, lastArrival: NEVER, trace: 0 };
        if (source < this.excitatoryCount) this.columns[target].push(synapse);
        return synapse;
      }),
    );
  }

  /**
   * @param forced neurons that are made to spike in this step, in place of those over the threshold
   * @returns the neurons that spiked, and the potentials of all before their resets (−∞ at rest)
   */
  step(forced?: readonly number[]): { readonly spikes: readonly number[]; readonly reached: Float64Array } {
    const { dtMs, delayMs } = this.network;
    const t = this.stepCount++;
    const sent = this.spikesByStep[t - 1 - round(delayMs / dtMs)] ?? [];
    for (const source of sent) for (const synapse of this.rows[source]) this.arrive(synapse, t);
    const reached = this.integrate(t);
    const spikes = forced ?? [...reached.keys()].filter(j => reached[j] > -50);
    for (const neuron of spikes) this.spike(neuron, t);
    this.spikesByStep.push(spikes);
    return { spikes, reached };
  }

  private integrate(t: number): Float64Array {
    const { dtMs } = this.network;
    const a = exp(-dtMs / 20);
    const [decayE, decayI] = [exp(-dtMs / 5), exp(-dtMs / 10)];
    const gainE = (5 / (5 - 20)) * (decayE - a);
    const gainI = (10 / (10 - 20)) * (decayI - a);
    const rest = round(5 / dtMs);
    const reached = new Float64Array(this.potentials.length).fill(NEVER);
    for (let j = 0; j < reached.length; j++) {
      if (t > this.lastSpike[j] + rest) {
        const input = gainE * this.currentsE[j] + gainI * this.currentsI[j];
        reached[j] = this.potentials[j] = -49 + (this.potentials[j] + 49) * a + input;
      }
      this.currentsE[j] *= decayE;
      this.currentsI[j] *= decayI;
    }
    return reached;
  }

  private arrive(synapse: Synapse, t: number): void {
    const { plasticity, dtMs } = this.network;
    const excitatory = synapse.source < this.excitatoryCount;
    if (excitatory && plasticity) {
      const { aMinus, tauMinusMs, tauPlusMs, wMaxMv } = plasticity;
      const since = exp((-(t - (this.lastSpike[synapse.target] + 1)) * dtMs) / tauMinusMs);
      const trace = plasticity.rule === 'stdp-all' ? this.tracePost[synapse.target] : 1;
      synapse.weight -= aMinus * wMaxMv * since * trace;
      const decayed = synapse.trace * exp((-(t - synapse.lastArrival) * dtMs) / tauPlusMs);
      synapse.trace = 1 + decayed;
      synapse.lastArrival = t;
    }
    synapse.read = synapse.weight;
    const currents = excitatory ? this.currentsE : this.currentsI;
    currents[synapse.target] += synapse.weight;
  }

  private spike(neuron: number, step: number): void {
    const { plasticity, dtMs } = this.network;
    if (plasticity) {
      const { aPlus, tauPlusMs, tauMinusMs, wMaxMv } = plasticity;
      for (const synapse of this.columns[neuron]) {
        const since = exp((-(step + 1 - synapse.lastArrival) * dtMs) / tauPlusMs);
        const trace = plasticity.rule === 'stdp-all' ? synapse.trace : 1;
        synapse.weight += aPlus * wMaxMv * since * trace;
      }
      const interval = step - this.lastSpike[neuron];
      this.tracePost[neuron] = 1 + this.tracePost[neuron] * exp((-interval * dtMs) / tauMinusMs);
    }
    this.lastSpike[neuron] = step;
    this.potentials[neuron] = -60;
  }
}
