import fc from 'fast-check';
import { type GraphProblem } from './graph-problem.js';
import { solveGraph } from './solve-graph.js';
import { certify } from './spike-wavefront.js';
import { dijkstra } from './testing/dijkstra.js';
import { type Edge, edgesByChance, graphOf, randomOf } from './testing/random-graph.js';
import { TimingWheel } from './timing-wheel.js';

const whole = (max: number) => (chance: number) => 1 + Math.floor(chance * max);

function expectDijkstras(graph: GraphProblem): void {
  const { solution, valid, exact, objective, simSteps, spikes } = solveGraph(graph);
  const distance = dijkstra(graph, graph.source ?? 0);
  expect({ valid, exact }).toEqual({ valid: true, exact: true });
  expect(Buffer.compare(bytesOf(solution as Float64Array), bytesOf(distance))).toBe(0);
  const farthest = distance.reduce((most, value) => Math.max(most, value), 0);
  expect([objective, simSteps]).toEqual([farthest, farthest]);
  expect(spikes).toBe(distance.filter(value => value >= 0).length);
}

const bytesOf = (values: Float64Array): Uint8Array =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength);

/** A path is made of edges, and is as long as it says. */
function pathLength({ u, v, w }: GraphProblem, path: Int32Array): number {
  let sum = 0;
  for (let i = 1; i < path.length; i++) {
    let least = Infinity;
    for (let e = 0; e < u.length; e++) {
      if (u[e] === path[i - 1] && v[e] === path[i]) least = Math.min(least, w[e]);
    }
    sum += least;
  }
  return sum;
}

describe('shortest paths by a wave of spikes', () => {
  it.each([1, 9, 1_000, 5_000, 4_194_303, 1e9])(
    'are Dijkstra’s on random graphs, weights to %p',
    weightMax => {
      const random = randomOf(weightMax);
      for (let g = 0; g < 30; g++) {
        const nodes = 2 + Math.floor(random() * 200);
        expectDijkstras(edgesByChance(nodes, Math.floor(random() * 4 * nodes), random, whole(weightMax)));
      }
    },
  );

  it('are Dijkstra’s on 100,000 nodes and 1,000,000 edges', () => {
    expectDijkstras(edgesByChance(100_000, 1_000_000, randomOf(1), whole(1_000)));
    expectDijkstras(edgesByChance(100_000, 1_000_000, randomOf(2), whole(1e9)));
  });

  it('are Dijkstra’s on a grid of streets and on a chain of the longest delays', () => {
    const random = randomOf(4);
    const side = 150;
    const streets: Edge[] = [];
    for (let i = 0; i < side * side; i++) {
      if ((i + 1) % side !== 0)
        streets.push([i, i + 1, whole(1_000)(random())], [i + 1, i, whole(1_000)(random())]);
      if (i + side < side * side) streets.push([i, i + side, whole(1_000)(random())]);
    }
    expectDijkstras(graphOf('sssp', side * side, streets));
    const chain = Array.from({ length: 99_999 }, (_, i): Edge => [i, i + 1, 1e9 - (i % 7)]);
    expectDijkstras(graphOf('sssp', 100_000, chain));
  });

  it('take the lightest of edges that repeat, run along edges and never against them', () => {
    const edges: Edge[] = [
      [0, 1, 9],
      [0, 1, 4],
      [0, 1, 7],
      [2, 1, 1],
      [1, 3, 2],
    ];
    const { solution, path, objective } = solveGraph(graphOf('sssp', 4, edges, { target: 3 }));
    expect(Array.from(solution)).toEqual([0, 4, -1, 6]);
    expect(Array.from(path ?? [])).toEqual([0, 1, 3]);
    expect(objective).toBe(6);
  });

  it('say −1 and give no path to what is not reached, 0 and the source alone to the source', () => {
    const graph = graphOf('sssp', 4, [[0, 1, 5]]);
    const away = solveGraph({ ...graph, target: 3 });
    expect([away.objective, Array.from(away.path ?? [9]), away.valid]).toEqual([-1, [], true]);
    const home = solveGraph({ ...graph, target: 0 });
    expect([home.objective, Array.from(home.path ?? [])]).toEqual([0, [0]]);
    expect(solveGraph(graph).path).toBeUndefined();
  });

  it('give paths of edges that are as long as the distance', () => {
    const edge = fc.tuple(fc.nat(15), fc.nat(15), fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constant(1e9)));
    const property = fc.property(
      fc.array(edge, { maxLength: 80 }),
      fc.nat(15),
      fc.nat(15),
      (edges, source, target) => {
        const graph = graphOf(
          'sssp',
          16,
          edges.filter(([u, v]) => u !== v),
          { source, target },
        );
        const { objective, path = new Int32Array() } = solveGraph(graph);
        expect(objective).toBe(dijkstra(graph, source)[target]);
        if (objective < 0) expect(path).toHaveLength(0);
        else {
          expect([path[0], path.at(-1)]).toEqual([source, target]);
          expect(pathLength(graph, path)).toBe(objective);
        }
      },
    );
    fc.assert(property, { numRuns: 300 });
  });

  it('count an event for each spike that arrived: of two that come at different times the later is absorbed', () => {
    const diamond: Edge[] = [
      [0, 1, 5],
      [0, 2, 1],
      [2, 1, 1],
      [0, 3, 9],
    ];
    const { spikes, events } = solveGraph(graphOf('sssp', 4, diamond));
    expect({ spikes, events }).toEqual({ spikes: 4, events: 4 });
  });
});

describe('the certificate of distances', () => {
  const edges: Edge[] = [
    [0, 1, 4],
    [1, 2, 3],
    [0, 2, 9],
  ];
  const graph = graphOf('sssp', 4, edges);
  const before = Int32Array.of(-1, 0, 1, -1);

  it('holds for the distances and for no others', () => {
    expect(certify(graph, 0, Float64Array.of(0, 4, 7, Infinity), before)).toBe(true);
    for (const wrong of [
      [0, 4, 9, Infinity],
      [0, 4, 6, Infinity],
      [0, 3, 6, Infinity],
      [1, 5, 8, Infinity],
      [0, 4, 7, 12],
      [0, 4, Infinity, Infinity],
    ]) {
      expect(certify(graph, 0, Float64Array.from(wrong), before)).toBe(false);
    }
    expect(certify(graph, 0, Float64Array.of(0, 4, 7, Infinity), Int32Array.of(-1, 0, 0, -1))).toBe(false);
  });
});

describe('the timing wheel', () => {
  it('gives events back at their times, in order, whatever the delays', () => {
    const delays = fc.array(
      fc.oneof(fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 1, max: 2 ** 31 - 1 })),
      { minLength: 1, maxLength: 60 },
    );
    const property = fc.property(delays, fc.nat(20), (delay, resends) => {
      const wheel = new TimingWheel(delay.length + resends);
      const due = new Map<number, number>();
      delay.forEach((steps, event) => {
        wheel.send(event, steps);
        due.set(event, steps);
      });
      let sent = delay.length;
      let now = 0;
      for (let event = wheel.advance(); event >= 0; event = wheel.advance()) {
        expect(wheel.now).toBeGreaterThan(now);
        now = wheel.now;
        for (; event >= 0; event = wheel.after(event)) {
          expect(due.get(event)).toBe(now);
          due.delete(event);
        }
        // Some are sent on from wherever time has come to, past the turn of its 32 bits too.
        if (sent === delay.length + resends) continue;
        const steps = delay[sent % delay.length];
        wheel.send(sent, steps);
        due.set(sent++, now + steps);
      }
      expect(due.size).toBe(0);
    });
    fc.assert(property, { numRuns: 500 });
  });
});
