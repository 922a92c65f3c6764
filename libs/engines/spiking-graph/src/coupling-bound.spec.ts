import { adjacencyOf } from './adjacency.js';
import { couplingBound, frustration } from './coupling-bound.js';
import { greatestEigenvalue } from './greatest-eigenvalue.js';
import { degeneracyOrder } from './node-order.js';
import { graphOf, pairsByChance, randomOf } from './testing/random-graph.js';

const complete = (nodes: number) =>
  adjacencyOf(graphOf('maxcut', nodes, pairsByChance(nodes, 1, randomOf(1))), true);

describe('the greatest eigenvalue', () => {
  it('is n − 1 of a complete graph, 2cos(π/(n + 1)) of a path, and never too small', () => {
    for (const n of [1, 2, 3, 10, 60]) {
      const all = new Float64Array(n * n).fill(1);
      const path = new Float64Array(n * n);
      for (let i = 0; i < n; i++) {
        all[i * n + i] = 0;
        if (i + 1 < n) path[i * n + i + 1] = path[(i + 1) * n + i] = 1;
      }
      expect(greatestEigenvalue(all, n)).toBeCloseTo(n - 1, 10);
      expect(greatestEigenvalue(path, n)).toBeCloseTo(2 * Math.cos(Math.PI / (n + 1)), 10);
      expect(greatestEigenvalue(new Float64Array(n * n).fill(0), n)).toBeCloseTo(0, 12);
    }
  });

  it('is at least every Rayleigh quotient and at most the norm, on random matrices', () => {
    const random = randomOf(8);
    for (let round = 0; round < 40; round++) {
      const n = 2 + Math.floor(random() * 12);
      const matrix = new Float64Array(n * n);
      for (let i = 0; i < n; i++) {
        for (let j = 0; j <= i; j++) matrix[i * n + j] = matrix[j * n + i] = random() * 4 - 2;
      }
      const greatest = greatestEigenvalue(matrix.slice(), n);
      let x = Float64Array.from({ length: n }, () => random() - 0.5);
      let quotient = -Infinity;
      // The matrix is moved up so that its greatest eigenvalue is also the one of greatest size: the power method finds it.
      for (let step = 0; step < 1_500; step++) {
        const image = x.map((_, i) =>
          x.reduce((sum, value, j) => sum + matrix[i * n + j] * value, 2 * n * x[i]),
        );
        const norm = Math.sqrt(image.reduce((sum, value) => sum + value * value, 0));
        quotient =
          image.reduce((sum, value, i) => sum + value * x[i], 0) / x.reduce((sum, v) => sum + v * v, 0) -
          2 * n;
        x = image.map(value => value / norm);
      }
      expect(greatest).toBeGreaterThanOrEqual(quotient - 1e-9);
      expect(greatest).toBeCloseTo(quotient, 3);
    }
  });
});

describe('the bound of couplings', () => {
  it('is what complete graphs have: n/2 without frustration’s help from the spectrum, 3 − 2 in a triangle', () => {
    expect(couplingBound(complete(8), -1)).toBeCloseTo(4, 6);
    expect(couplingBound(complete(3), -1)).toBeCloseTo(1, 6);
    expect(couplingBound(complete(3), 1)).toBe(3);
  });

  it('packs triangles that share no weight', () => {
    expect([3, 4, 5].map(n => frustration(complete(n), -1))).toEqual([1, 1, 2]);
    expect(frustration(complete(5), 1)).toBe(0);
  });
});

describe('the smallest-last order', () => {
  it('has no node with more later neighbours than the degeneracy, and one with as many', () => {
    const random = randomOf(5);
    for (let round = 0; round < 50; round++) {
      const nodes = 1 + Math.floor(random() * 40);
      const graph = adjacencyOf(graphOf('mis', nodes, pairsByChance(nodes, random(), random)), false);
      const { order, place, degeneracy } = degeneracyOrder(graph);
      expect(Array.from(order).sort((one, other) => one - other)).toEqual(
        Array.from({ length: nodes }, (_, i) => i),
      );
      const later = Array.from({ length: nodes }, (_, i) => {
        const row = graph.neighbour.subarray(graph.offset[i], graph.offset[i + 1]);
        return row.filter(other => place[other] > place[i]).length;
      });
      expect(Math.max(...later)).toBe(degeneracy);
      // From some place on every node has as many neighbours among those that are left: no order does with less.
      const fewestLeft = (from: number): number =>
        Array.from(order.subarray(from), i => {
          const row = graph.neighbour.subarray(graph.offset[i], graph.offset[i + 1]);
          return row.filter(other => place[other] >= from).length;
        }).reduce((least, d) => Math.min(least, d), nodes);
      const fewest = Array.from(order, (_, from) => fewestLeft(from));
      expect(Math.max(...fewest)).toBe(degeneracy);
    }
  });
});
