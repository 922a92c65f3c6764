import fc from 'fast-check';
import {
  type CutEdge,
  drawMaxCut,
  maxCut,
  type MaxCutProblem,
  totalWeight,
  weighCut,
  WindowError,
} from './max-cut.js';
import { RandomSource } from './random-source.js';

/** Every cut, one vertex changing sides at a time (F. Gray's code). */
function heaviestByTrying({ vertices, edges }: MaxCutProblem): number {
  const side = new Uint8Array(vertices);
  let [weight, best] = [0, 0];
  for (let i = 1; i < 2 ** vertices; i++) {
    const moved = 31 - Math.clz32(i & -i);
    for (const [one, other, more] of edges) {
      if (one !== moved && other !== moved) continue;
      weight += side[one] === side[other] ? more : -more;
    }
    side[moved] ^= 1;
    best = Math.max(best, weight);
  }
  return best;
}

const inOrder = (vertices: number) => Array.from({ length: vertices }, (_, i) => i);
const optimumOf = (problem: MaxCutProblem) => maxCut(problem, inOrder(problem.vertices)).weight;
const graph = (vertices: number, pairs: readonly (readonly [number, number])[]): MaxCutProblem => ({
  vertices,
  edges: pairs.map(([one, other]) => [one, other, 1] as const),
});
const cycle = (length: number) => inOrder(length).map(i => [i, (i + 1) % length] as const);

describe('maximum cuts', () => {
  it('are those that trying every cut finds, whatever the order', () => {
    const graphs = fc.integer({ min: 2, max: 9 }).chain(vertices =>
      fc.record({
        edges: fc
          .uniqueArray(
            fc.tuple(fc.nat(vertices - 1), fc.nat(vertices - 1), fc.integer({ min: -9, max: 9 })),
            { maxLength: 25, selector: ([a, b]) => `${Math.min(a, b)} ${Math.max(a, b)}` },
          )
          .map(all => all.filter(([a, b]) => a !== b) as CutEdge[]),
        order: fc.shuffledSubarray(inOrder(vertices), { minLength: vertices }),
        vertices: fc.constant(vertices),
      }),
    );
    fc.assert(
      fc.property(graphs, ({ vertices, edges, order }) => {
        const found = maxCut({ vertices, edges }, order);
        expect(found.weight).toBe(heaviestByTrying({ vertices, edges }));
        expect(weighCut({ vertices, edges }, found.side)).toBe(found.weight);
      }),
      { numRuns: 200 },
    );
  });

  it('have the weights that are known of graphs with names', () => {
    const complete = graph(
      9,
      inOrder(9).flatMap(i => inOrder(i).map(j => [i, j] as const)),
    );
    expect(optimumOf(complete)).toBe(20);
    expect(optimumOf(graph(7, cycle(7)))).toBe(6);
    const petersen = [
      ...cycle(5),
      ...inOrder(5).map(i => [i, i + 5] as const),
      ...inOrder(5).map(i => [5 + i, 5 + ((i + 2) % 5)] as const),
    ];
    expect(optimumOf(graph(10, petersen))).toBe(12);
    // A hypercube is bipartite: every edge is cut.
    const hypercube = inOrder(16).flatMap(i =>
      [1, 2, 4, 8].filter(bit => !(i & bit)).map(bit => [i, i | bit] as const),
    );
    expect(optimumOf(graph(16, hypercube))).toBe(32);
    // The icosahedron: 30 edges, of which at least one in each two of its 20 triangles stays whole.
    const ring = (first: number) => inOrder(5).map(i => [first + i, first + ((i + 1) % 5)] as const);
    const icosahedron = [
      ...inOrder(5).map(i => [0, 1 + i] as const),
      ...ring(1),
      ...inOrder(5).flatMap(i => [[1 + i, 6 + i] as const, [1 + i, 6 + ((i + 1) % 5)] as const]),
      ...ring(6),
      ...inOrder(5).map(i => [6 + i, 11] as const),
    ];
    expect(icosahedron).toHaveLength(30);
    expect(optimumOf(graph(12, icosahedron))).toBe(20);
  });

  it('of drawn problems up to 16 vertices are the best there are', () => {
    for (let level = 1; level <= 5; level++) {
      const { problem, order } = drawMaxCut(level, new RandomSource(new Uint8Array(32).fill(level)));
      expect(maxCut(problem, order).weight).toBe(heaviestByTrying(problem));
    }
  });

  it('of drawn problems are not bettered by changing the side of any vertex or two', () => {
    for (let level = 6; level <= 10; level++) {
      const { problem, order } = drawMaxCut(level, new RandomSource(new Uint8Array(32).fill(level)));
      const { weight, side } = maxCut(problem, order);
      expect(weighCut(problem, side)).toBe(weight);
      expect(2 * weight).toBeGreaterThan(totalWeight(problem));
      const swapped = (at: number[]) =>
        [...side].map((s, i) => (at.includes(i) ? String(1 - Number(s)) : s)).join('');
      for (let i = 0; i < problem.vertices; i++) {
        for (let j = 0; j <= i; j++) expect(weighCut(problem, swapped([i, j]))).toBeLessThanOrEqual(weight);
      }
    }
  });

  it('refuses an order by which an edge is too long to be held', () => {
    expect(() => maxCut(graph(18, [[0, 17]]), inOrder(18))).toThrow(WindowError);
  });
});
