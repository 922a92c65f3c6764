import type { SpikingResult } from '@svc/spiking';
import type { SimulationPlan } from './simulation-plan.js';

/** Rate that a network is expected to have, where nothing is known of it: the default network has 6 Hz. */
const RATE_HZ = 6;
/** Weight of the newest run in the running mean. */
const NEWEST_WEIGHT = 0.3;
/** Of each run: threads are woken, memory is laid out, results are read. */
const OVERHEAD_MS = 10;
/** What a shorter run took says more of its overhead than of the speed. */
const LEARNT_MS_MIN = 100;
/** A run that was held up, or found the machine idle, says so much at once at most. */
const FACTOR = { min: 0.1, max: 20 };

/** Nanoseconds of one thread, as they are on slow cores: what is expected before anything was measured. */
const UPDATE_NS = 1.2;
const EVENT_NS = {
  static: { procedural: 4, stored: 10 },
  plastic: { procedural: 40, stored: 30 },
} as const;
const BUILD_NS = {
  static: { procedural: 0, stored: 12 },
  plastic: { procedural: 3, stored: 15 },
} as const;

/**
 * How long runs take here. Each run teaches: what it took is held against what neurons, spikes and synapses cost on slow cores,
 * a factor for each kind of synapses.
 */
export class SimulationSpeed {
  private readonly factors = new Map<string, number>();

  /** Milliseconds that a run is expected to take on the backend `wasm`, once it has begun. */
  estimateMs(plan: SimulationPlan): number {
    return OVERHEAD_MS + this.factorOf(plan) * costMs(plan, RATE_HZ);
  }

  /** A run has ended. @param wallMs of all of it */
  learn(plan: SimulationPlan, { meanRateHz }: Pick<SpikingResult, 'meanRateHz'>, wallMs: number): void {
    if (wallMs < LEARNT_MS_MIN) return;
    // By the spikes that there were: a network that was silent does not make the next one look fast.
    const measured = (wallMs - OVERHEAD_MS) / costMs(plan, meanRateHz);
    const before = this.factorOf(plan);
    const after = before + NEWEST_WEIGHT * (measured - before);
    this.factors.set(kindOf(plan), Math.min(Math.max(after, FACTOR.min), FACTOR.max));
  }

  private factorOf(plan: SimulationPlan): number {
    return this.factors.get(kindOf(plan)) ?? 1;
  }
}

const synapsesOf = ({ network }: SimulationPlan) => (network.plasticity ? 'plastic' : 'static');
const kindOf = (plan: SimulationPlan) => `${synapsesOf(plan)} ${plan.connectivity}`;

function costMs(plan: SimulationPlan, rateHz: number): number {
  const { network, run, connectivity, threads, synapses } = plan;
  const steps = run.iterations + run.warmupSteps;
  const events = synapses * steps * rateHz * (network.dtMs / 1_000);
  const kind = synapsesOf(plan);
  const loopNs = steps * network.neuronCount * UPDATE_NS + events * EVENT_NS[kind][connectivity];
  return (loopNs + synapses * BUILD_NS[kind][connectivity]) / threads / 1e6;
}
