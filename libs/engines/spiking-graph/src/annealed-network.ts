import type { Adjacency } from './adjacency.js';
import { CounterRandom, LOGISTIC, QUANTILE_SHIFT } from './counter-random.js';

/** How long a spike lasts at its synapses, and how long its neuron is refractory: the same, as neural sampling has it. */
export const SPIKE_STEPS = 2;
const LN_SPIKE_STEPS = Math.log(SPIKE_STEPS);

/** A network of stochastic spiking neurons with symmetric synapses. */
export interface BoltzmannNetwork {
  readonly graph: Adjacency;
  /** What a neuron's potential is while no neighbour is active. */
  readonly bias: Float64Array;
  /** What an active neighbour adds to the potential of this one, by the place of the synapse in `graph`. */
  readonly synapse: Float64Array;
}

/** Counts of a run, over all restarts. */
export interface SpikeCounts {
  spikes: number;
  events: number;
  simSteps: number;
}

/**
 * Neural sampling (Buesing, Bill, Nessler & Maass 2011): neuron i is active, z_i = 1, for {@link SPIKE_STEPS} steps after each of
 * its spikes; while active it is refractory but for the last of them; otherwise it spikes when its potential u_i = b_i + Σ W_ij z_j,
 * divided by the temperature, is above ln τ plus logistic noise. States then come with the probability of the Boltzmann
 * distribution exp((Σ b_i z_i + Σ W_ij z_i z_j)/T), which cooling drives to its best states (Jonke, Habenschuss & Maass 2016).
 * Neurons decide one after another within a step, so that this holds exactly.
 */
export class AnnealedNetwork {
  readonly active: Int8Array;
  /** Potentials: kept as spikes begin and end. */
  readonly potential: Float64Array;
  private readonly stepsLeft: Int8Array;
  /** What rounding can make of a potential that is 0. */
  private readonly slack: Float64Array;
  private random: CounterRandom;

  constructor(
    private readonly network: BoltzmannNetwork,
    private readonly seed: number,
    private readonly counts: SpikeCounts,
  ) {
    const { nodes } = network.graph;
    this.active = new Int8Array(nodes);
    this.potential = new Float64Array(nodes);
    this.stepsLeft = new Int8Array(nodes);
    this.slack = slackOf(network);
    this.random = new CounterRandom(seed, 0);
  }

  /** Starts again with every neuron active or not by chance. */
  restart(restart: number): void {
    const { graph, bias } = this.network;
    this.random = new CounterRandom(this.seed, restart + 1);
    this.active.fill(0);
    this.stepsLeft.fill(0);
    this.potential.set(bias);
    for (let i = 0; i < graph.nodes; i++) {
      const word = this.random.word(i);
      if (word & 1) this.spike(i, 1 + ((word >>> 1) % SPIKE_STEPS));
    }
  }

  /** One step of every neuron at a temperature above 0. @param step counts from 0 in each restart */
  step(step: number, temperature: number): void {
    const { active, potential, stepsLeft } = this;
    const { nodes } = this.network.graph;
    const first = nodes * (step + 1);
    this.counts.simSteps++;
    for (let i = 0; i < nodes; i++) {
      if (stepsLeft[i] > 1) {
        stepsLeft[i]--;
        continue;
      }
      const noise = LN_SPIKE_STEPS + LOGISTIC[this.random.word(first + i) >>> QUANTILE_SHIFT];
      if (potential[i] > temperature * noise) this.spike(i, SPIKE_STEPS);
      else if (active[i] === 1) this.fallSilent(i);
    }
  }

  /**
   * Steps without noise, neurons deciding by the sign of their potential, until none changes its mind: a state that no single
   * change makes better. Only those are asked again whose potential has changed.
   * @param workMax synapses and neurons that may be looked at
   * @param onWork told how many were, step by step
   */
  settle(workMax: number, onWork: (work: number) => void): void {
    const { active, potential } = this;
    const { offset, neighbour } = this.network.graph;
    this.refreshPotentials();
    let asked = Int32Array.from({ length: active.length }, (_, i) => i);
    const isNext = new Uint8Array(active.length);
    for (let left = workMax; asked.length > 0 && left > 0;) {
      const next: number[] = [];
      let work = asked.length;
      this.counts.simSteps++;
      for (const i of asked) {
        isNext[i] = 0;
        // What rounding may have left of a tie decides nothing.
        const isWrong = active[i] === 0 ? potential[i] > this.slack[i] : potential[i] < -this.slack[i];
        if (!isWrong) continue;
        if (active[i] === 0) this.spike(i, SPIKE_STEPS);
        else this.fallSilent(i);
        work += offset[i + 1] - offset[i];
        for (let k = offset[i]; k < offset[i + 1]; k++) {
          if (isNext[neighbour[k]] === 1) continue;
          isNext[neighbour[k]] = 1;
          next.push(neighbour[k]);
        }
      }
      asked = Int32Array.from(next);
      left -= work;
      onWork(work);
    }
  }

  /** Whether no single neuron would do better the other way; from the states alone. */
  isSettled(): boolean {
    this.refreshPotentials();
    return this.active.every((z, i) =>
      z === 0 ? this.potential[i] <= this.slack[i] : this.potential[i] >= -this.slack[i],
    );
  }

  /** Potentials from the states anew: sums that were kept up through many spikes have rounding errors. */
  private refreshPotentials(): void {
    const { graph, bias, synapse } = this.network;
    for (let i = 0; i < graph.nodes; i++) {
      let sum = bias[i];
      for (let k = graph.offset[i]; k < graph.offset[i + 1]; k++) {
        if (this.active[graph.neighbour[k]] === 1) sum += synapse[k];
      }
      this.potential[i] = sum;
    }
  }

  private spike(i: number, steps: number): void {
    const { offset } = this.network.graph;
    this.stepsLeft[i] = steps;
    this.counts.spikes++;
    this.counts.events += offset[i + 1] - offset[i];
    // One that follows on the last begins as that one ends: its neighbours feel no change.
    if (this.active[i] === 1) return;
    this.active[i] = 1;
    const { neighbour } = this.network.graph;
    const { synapse } = this.network;
    for (let k = offset[i]; k < offset[i + 1]; k++) this.potential[neighbour[k]] += synapse[k];
  }

  private fallSilent(i: number): void {
    const { offset, neighbour } = this.network.graph;
    const { synapse } = this.network;
    this.active[i] = 0;
    this.stepsLeft[i] = 0;
    for (let k = offset[i]; k < offset[i + 1]; k++) this.potential[neighbour[k]] -= synapse[k];
  }
}

const ROUNDING = 1e-12;

function slackOf({ graph, bias, synapse }: BoltzmannNetwork): Float64Array {
  return bias.map((own, i) => {
    let sum = Math.abs(own);
    for (let k = graph.offset[i]; k < graph.offset[i + 1]; k++) sum += Math.abs(synapse[k]);
    return ROUNDING * sum;
  });
}
