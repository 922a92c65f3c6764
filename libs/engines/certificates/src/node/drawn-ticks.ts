import type { Box } from '../extracted-certificate.js';

/** Numbers before each point of a path, and how many points an operator has, as pdf.js writes them. */
const MOVE = 0;
const LINE = 1;
const POINTS = [1, 1, 3, 2, 0] as const;
/** Strokes of a tick, in points: how long, and how steep. */
const STROKE_POINTS = [2, 18] as const;
const SLOPES = [0.3, 3.5] as const;
/** Numbers of a path that is looked at: ticks are a handful of strokes. */
const PATH_NUMBERS_MAX = 64;
/** Strokes of ticks that are looked at. */
const STROKES_MAX = 2_000;
/** Ends of strokes meet as closely, in points. */
const MEET_POINTS = 0.8;
/** The strokes of a cross share as much of the smaller one's box. */
const CROSS_SHARE = 0.5;

/** A slanting line of a page, from left to right, downward. */
export interface Slant {
  readonly from: readonly [x: number, y: number];
  readonly to: readonly [x: number, y: number];
}

type Point = readonly [x: number, y: number];

/**
 * Slanting strokes of a path, where it has some of a tick's size.
 * @param data of pdf.js: for each part its kind, and its points
 * @param place where a point of the path lies on the page
 */
export function slantsOf(data: ArrayLike<number>, place: (x: number, y: number) => Point): Slant[] {
  if (data.length > PATH_NUMBERS_MAX) return [];
  const slants: Slant[] = [];
  let last: Point | undefined;
  for (let at = 0; at < data.length;) {
    const kind = data[at];
    const count = POINTS[kind] ?? 0;
    const end = at + 1 + 2 * count;
    if (count > 0) {
      const point = place(data[end - 2], data[end - 1]);
      if (kind === LINE && last) slants.push(...slantOf(last, point));
      last = kind === MOVE || kind === LINE ? point : undefined;
    }
    at = end;
  }
  return slants;
}

function slantOf(a: Point, b: Point): Slant[] {
  const [from, to] = a[0] <= b[0] ? [a, b] : [b, a];
  const [dx, dy] = [to[0] - from[0], Math.abs(to[1] - from[1])];
  const length = Math.hypot(dx, dy);
  const isTick = length >= STROKE_POINTS[0] && length <= STROKE_POINTS[1];
  return isTick && dy > SLOPES[0] * dx && dy < SLOPES[1] * dx ? [{ from, to }] : [];
}

const isRising = ({ from, to }: Slant): boolean => to[1] < from[1];
const boxOf = ({ from, to }: Slant): Box => [
  from[0],
  Math.min(from[1], to[1]),
  to[0],
  Math.max(from[1], to[1]),
];
const around = (a: Box, b: Box): Box => [
  Math.min(a[0], b[0]),
  Math.min(a[1], b[1]),
  Math.max(a[2], b[2]),
  Math.max(a[3], b[3]),
];

function isCross(falling: Box, rising: Box): boolean {
  const width = Math.min(falling[2], rising[2]) - Math.max(falling[0], rising[0]);
  const height = Math.min(falling[3], rising[3]) - Math.max(falling[1], rising[1]);
  const area = ([left, top, right, bottom]: Box) => (right - left) * (bottom - top);
  return width > 0 && height > 0 && width * height >= CROSS_SHARE * Math.min(area(falling), area(rising));
}

/** Down to a point, and from there up further: a hook. */
function isHook(falling: Slant, rising: Slant): boolean {
  const meets = Math.hypot(falling.to[0] - rising.from[0], falling.to[1] - rising.from[1]) <= MEET_POINTS;
  const length = ({ from, to }: Slant) => Math.hypot(to[0] - from[0], to[1] - from[1]);
  return meets && length(rising) > length(falling);
}

/** Ticks that are drawn as lines: two that cross, or a hook. A page's strokes beyond what a form has are left out. */
export function drawnTicks(slants: readonly Slant[]): Box[] {
  const looked = slants.slice(0, STROKES_MAX);
  const rising = looked.filter(isRising).sort((a, b) => a.from[0] - b.from[0]);
  const ticks: Box[] = [];
  for (const stroke of looked.filter(slant => !isRising(slant))) {
    const box = boxOf(stroke);
    const partner = rising.find(other => isCross(box, boxOf(other)) || isHook(stroke, other));
    if (partner) ticks.push(around(box, boxOf(partner)));
  }
  return ticks;
}
