import fc from 'fast-check';
import { RandomSource } from './random-source.js';
import {
  drawShortestPath,
  type Road,
  shortestPath,
  type ShortestPathProblem,
  weighPath,
} from './shortest-path.js';

/** Every simple path, by trying them all. */
function lightestByTrying(problem: ShortestPathProblem): number | undefined {
  let best: number | undefined;
  const walk = (path: number[]) => {
    const at = path.at(-1)!;
    if (at === problem.target) {
      const weighed = weighPath(problem, path);
      if ('weight' in weighed && (best === undefined || weighed.weight < best)) best = weighed.weight;
      return;
    }
    for (const [from, to] of problem.edges) if (from === at && !path.includes(to)) walk([...path, to]);
  };
  walk([problem.source]);
  return best;
}

const graphs = fc.integer({ min: 2, max: 6 }).chain(vertices =>
  fc
    .uniqueArray(
      fc.tuple(
        fc.nat(vertices - 1),
        fc.nat(vertices - 1),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 5 }),
      ),
      { maxLength: 18, selector: ([from, to]) => `${from} ${to}` },
    )
    .map(all => all.filter(([from, to]) => from !== to))
    .map((edges): ShortestPathProblem => ({ vertices, edges, source: 0, target: vertices - 1 })),
);

describe('shortest paths', () => {
  it('are those that trying every path finds', () => {
    fc.assert(
      fc.property(graphs, graph => {
        const found = shortestPath(graph);
        expect(found?.weight).toBe(lightestByTrying(graph));
        if (found) expect(weighPath(graph, found.path)).toEqual({ weight: found.weight });
      }),
      { numRuns: 300 },
    );
  });

  it('within a budget of tolls are those that trying every path finds', () => {
    fc.assert(
      fc.property(graphs, fc.integer({ min: 1, max: 18 }), (graph, tollMax) => {
        const problem = { ...graph, tollMax };
        const found = shortestPath(problem);
        expect(found?.weight).toBe(lightestByTrying(problem));
        if (found) expect(weighPath(problem, found.path)).toEqual({ weight: found.weight });
      }),
      { numRuns: 300 },
    );
  });

  it('of a drawn problem exist, and from level 6 on the lightest way is over the budget', () => {
    for (let level = 1; level <= 10; level++) {
      const problem = drawShortestPath(level, new RandomSource(new Uint8Array(32).fill(level)));
      expect(shortestPath(problem)).toBeDefined();
      expect(new Set(problem.edges.map(([from, to]) => `${from} ${to}`)).size).toBe(problem.edges.length);
      if (level < 6) {
        expect(problem.tollMax).toBeUndefined();
        continue;
      }
      const free: ShortestPathProblem = {
        ...problem,
        tollMax: undefined,
        edges: problem.edges as readonly Road[],
      };
      const { path } = shortestPath(free)!;
      expect(weighPath(problem, path)).toMatchObject({ fault: expect.stringContaining('tolls') });
    }
  });

  it('names what keeps a path from being one', () => {
    const problem: ShortestPathProblem = {
      vertices: 3,
      edges: [
        [0, 1, 4, 2],
        [1, 2, 5, 2],
      ],
      source: 0,
      target: 2,
    };
    expect(weighPath(problem, [0, 1, 2])).toEqual({ weight: 9 });
    expect(weighPath(problem, [0, 2])).toEqual({ fault: 'there is no edge from 0 to 2' });
    expect(weighPath(problem, [1, 2])).toEqual({ fault: 'the path must lead from 0 to 2' });
    expect(weighPath(problem, [])).toEqual({ fault: 'the path must lead from 0 to 2' });
    expect(weighPath({ ...problem, tollMax: 3 }, [0, 1, 2])).toEqual({
      fault: 'its tolls sum to 4, more than 3',
    });
  });
});
