import { drawnTicks, slantsOf } from './drawn-ticks.js';

const [MOVE, LINE, CURVE, CLOSE] = [0, 1, 2, 4];
/** A page that lies 100 points to the right, seen from above. */
const place = (x: number, y: number) => [x + 100, 200 - y] as const;
const ticksOf = (...paths: number[][]) => drawnTicks(paths.flatMap(path => slantsOf(path, place)));

describe('ticks that are drawn as lines', () => {
  test.each([
    ['a cross of one path', [[MOVE, 0, 8, LINE, 8, 0, MOVE, 8, 8, LINE, 0, 0]]],
    [
      'a cross of two paths',
      [
        [MOVE, 0, 8, LINE, 8, 0],
        [MOVE, 8, 8, LINE, 0, 0],
      ],
    ],
  ])('%s is one', (_, paths) => {
    expect(ticksOf(...paths)).toEqual([[100, 192, 108, 200]]);
  });

  test('a hook is one, and the same lines the other way round are none', () => {
    expect(ticksOf([MOVE, 0, 3, LINE, 2.5, 0, LINE, 8, 6])).toEqual([[100, 194, 108, 200]]);
    expect(ticksOf([MOVE, 0, 6, LINE, 5.5, 0, LINE, 8, 3])).toEqual([]);
  });

  test.each([
    ['a frame', [MOVE, 0, 0, LINE, 14, 0, LINE, 14, 12, LINE, 0, 12, CLOSE]],
    ['one slanting line', [MOVE, 0, 0, LINE, 8, 8]],
    ['lines across a page', [MOVE, 0, 0, LINE, 600, 700, MOVE, 0, 700, LINE, 600, 0]],
    ['a curve', [MOVE, 0, 8, CURVE, 2, 2, 6, 6, 8, 0, MOVE, 8, 8, LINE, 0, 0]],
    ['a scribble of very many lines', Array.from({ length: 40 }, (_, i) => [LINE, i, i % 2 ? 8 : 0]).flat()],
  ])('%s is none', (_, path) => {
    expect(ticksOf(path)).toEqual([]);
  });
});
