import { jest } from '@jest/globals';
import { adjacencyOf } from './adjacency.js';
import { anneal } from './anneal.js';
import { AnnealedNetwork } from './annealed-network.js';
import { graphOf } from './testing/random-graph.js';

const graph = adjacencyOf(graphOf('maxcut', 2, [[0, 1, 1]]), true);
const network = { graph, bias: Float64Array.of(0.5, -0.5), synapse: graph.weight };

/** The temperatures that each restart goes through. */
function temperaturesOf(steps: number, restarts: number): number[] {
  const seen: number[] = [];
  const step = jest.spyOn(AnnealedNetwork.prototype, 'step').mockImplementation((_, temperature) => {
    seen.push(temperature);
  });
  try {
    anneal(network, () => 0, {
      schedule: { steps, restarts },
      ...{ cooling: { hot: 8, cold: 0.5 }, seed: 1, hooks: {} },
    });
  } finally {
    step.mockRestore();
  }
  return seen;
}

it('cools from hot to cold, each step by the same factor, at every restart', () => {
  const once = [8, 4, 2, 1, 0.5];
  temperaturesOf(5, 2).forEach((temperature, i) => expect(temperature).toBeCloseTo(once[i % 5], 12));
  expect(temperaturesOf(5, 2)).toHaveLength(10);
});

it('is cold at once where there is one step, and has none without a cooling', () => {
  expect(temperaturesOf(1, 1)).toEqual([0.5]);
  const step = jest.spyOn(AnnealedNetwork.prototype, 'step');
  anneal(network, () => 0, { schedule: { steps: 3, restarts: 1 }, seed: 1, hooks: {} });
  expect(step).not.toHaveBeenCalled();
  step.mockRestore();
});
