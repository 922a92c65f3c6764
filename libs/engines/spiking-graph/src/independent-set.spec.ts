import { adjacencyOf } from './adjacency.js';
import { isMaximalIndependentSet } from './independent-set.js';
import { graphOf, pairsByChance, randomOf } from './testing/random-graph.js';

const NODES = 8;

it('takes for valid the sets without an edge inside that no node could join, and no other of all sets', () => {
  let valid = 0;
  for (let seed = 1; seed <= 12; seed++) {
    const random = randomOf(seed);
    const edges = pairsByChance(NODES, seed / 14, random);
    const adjacency = adjacencyOf(graphOf('mis', NODES, edges), false);
    const isIndependent = (set: number): boolean =>
      edges.every(([u, v]) => (set & (1 << u)) === 0 || (set & (1 << v)) === 0);
    for (let set = 0; set < 1 << NODES; set++) {
      const active = Int8Array.from({ length: NODES }, (_, i) => (set >> i) & 1);
      const couldGrow = active.some((member, i) => member === 0 && isIndependent(set | (1 << i)));
      const expected = isIndependent(set) && !couldGrow;
      expect(isMaximalIndependentSet(adjacency, active)).toBe(expected);
      if (expected) valid++;
    }
  }
  expect(valid).toBeGreaterThan(12);
});
