import { AnnealedNetwork, type BoltzmannNetwork, type SpikeCounts } from './annealed-network.js';
import type { Schedule } from './check-graph.js';
import { GraphAbortedError, type SolveHooks } from './graph-problem.js';

/** Hottest and coldest temperature of a run, in units of the potential. */
export interface Cooling {
  readonly hot: number;
  readonly cold: number;
}

/** The best state that a network came to, and what it took. */
export interface Annealed extends SpikeCounts {
  readonly active: Int8Array;
  readonly objective: number;
  /** Whether no single neuron would do better the other way. */
  readonly isSettled: boolean;
}

/** Neurons and synapses that are looked at between two looks at the caller's hooks: a few milliseconds. */
const WORK_BETWEEN_HOOKS = 200_000;
/** Steps of a whole network that settling may cost: it takes a handful but on graphs made to make it long. */
const SETTLE_STEPS = 200;

/** Looks at the hooks now and then, as work is done. */
export class HookClock {
  private sinceLook = 0;

  constructor(
    private readonly hooks: SolveHooks,
    private readonly total: number,
  ) {}

  /** @throws GraphAbortedError */
  tick(work: number, done: number): void {
    this.sinceLook += work;
    if (this.sinceLook < WORK_BETWEEN_HOOKS) return;
    this.sinceLook = 0;
    if (this.hooks.isAborted?.()) throw new GraphAbortedError();
    this.hooks.onProgress?.(Math.min(done, this.total), this.total);
  }
}

/**
 * Cools a network from hot to cold, geometrically, lets it settle, and does so again from another start; without a cooling it
 * settles from its start at once. Of the states that settled the best by `objective` (more is better) is kept.
 * @throws GraphAbortedError
 */
export function anneal(
  network: BoltzmannNetwork,
  objective: (active: Int8Array) => number,
  { schedule, cooling, seed, hooks }: AnnealOptions,
): Annealed {
  const counts: SpikeCounts = { spikes: 0, events: 0, simSteps: 0 };
  const neurons = new AnnealedNetwork(network, seed, counts);
  const { steps, restarts } = schedule;
  const clock = new HookClock(hooks, restarts * steps);
  const stepWork = network.graph.nodes + network.graph.neighbour.length;
  let best: { active: Int8Array; objective: number; isSettled: boolean } | undefined;
  for (let restart = 0; restart < restarts; restart++) {
    neurons.restart(restart);
    clock.tick(stepWork, restart * steps);
    for (let step = 0; cooling && step < steps; step++) {
      const share = steps === 1 ? 1 : step / (steps - 1);
      neurons.step(step, cooling.hot * (cooling.cold / cooling.hot) ** share);
      clock.tick(stepWork, restart * steps + step + 1);
    }
    const settleWork = stepWork * (cooling ? SETTLE_STEPS : steps);
    neurons.settle(settleWork, work => clock.tick(work, (restart + 1) * steps));
    const isSettled = neurons.isSettled();
    const found = objective(neurons.active);
    const isBetter = !best || (best.isSettled === isSettled ? found > best.objective : isSettled);
    if (isBetter) best = { active: neurons.active.slice(), objective: found, isSettled };
  }
  if (!best) throw new RangeError('an annealing has at least one restart');
  return { ...best, ...counts };
}

interface AnnealOptions {
  readonly schedule: Schedule;
  readonly cooling?: Cooling;
  readonly seed: number;
  readonly hooks: SolveHooks;
}
