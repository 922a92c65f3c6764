import { adjacencyOf } from './adjacency.js';
import { AnnealedNetwork, type SpikeCounts } from './annealed-network.js';
import { graphOf } from './testing/random-graph.js';

const NEURONS = 4;
const STATES = 2 ** NEURONS;

describe('neural sampling', () => {
  const graph = adjacencyOf(
    graphOf('maxcut', NEURONS, [
      [0, 1, -1.2],
      [1, 2, 0.8],
      [2, 3, -0.5],
      [3, 0, 0.4],
    ]),
    true,
  );
  const bias = Float64Array.of(0.7, -0.3, 0.2, -0.6);
  const network = { graph, bias, synapse: graph.weight };

  /** exp(E/T)/Z with E = Σ b z + Σ W z z, state by state. */
  function boltzmann(temperature: number): number[] {
    const weights = Array.from({ length: STATES }, (_, state) => {
      const z = (i: number): number => (state >> i) & 1;
      let energy = 0;
      for (let i = 0; i < NEURONS; i++) {
        energy += bias[i] * z(i);
        for (let k = graph.offset[i]; k < graph.offset[i + 1]; k++) {
          energy += 0.5 * graph.weight[k] * z(i) * z(graph.neighbour[k]);
        }
      }
      return Math.exp(energy / temperature);
    });
    const sum = weights.reduce((total, weight) => total + weight, 0);
    return weights.map(weight => weight / sum);
  }

  it.each([0.5, 1, 3])(
    'visits states as often as the Boltzmann distribution says, at temperature %p',
    temperature => {
      const counts: SpikeCounts = { spikes: 0, events: 0, simSteps: 0 };
      const neurons = new AnnealedNetwork(network, 11, counts);
      neurons.restart(0);
      const visits = new Float64Array(STATES);
      const steps = 60_000;
      for (let step = 0; step < steps; step++) {
        neurons.step(step, temperature);
        visits[neurons.active.reduce((state, z, i) => state | (z << i), 0)]++;
      }
      const distance = boltzmann(temperature).reduce(
        (sum, p, s) => sum + Math.abs(p - visits[s] / steps) / 2,
        0,
      );
      expect(distance).toBeLessThan(0.015);
      expect(counts.simSteps).toBe(steps);
      expect(counts.events).toBe(2 * counts.spikes);
    },
  );

  it('knows the states that no single neuron would leave, settles in one, and not without time for it', () => {
    const neurons = new AnnealedNetwork(network, 3, { spikes: 0, events: 0, simSteps: 0 });
    const shares = boltzmann(1);
    const isBest = (state: number): boolean =>
      [0, 1, 2, 3].every(i => shares[state ^ (1 << i)] <= shares[state]);
    const best: boolean[] = [];
    for (let state = 0; state < STATES; state++) {
      for (let i = 0; i < NEURONS; i++) neurons.active[i] = (state >> i) & 1;
      best.push(isBest(state));
      expect(neurons.isSettled()).toBe(best[state]);
      neurons.settle(0, () => undefined);
      expect(neurons.isSettled()).toBe(best[state]);
      neurons.settle(1_000, () => undefined);
      expect(neurons.isSettled()).toBe(true);
    }
    expect(best).toContain(true);
    expect(best).toContain(false);
  });
});
