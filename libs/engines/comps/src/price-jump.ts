import { DAY_MS, type GradedSale } from './graded-sale.js';
import { median } from './weighted-median.js';

/** Sales on each side that a jump is told by: so many at least, so many at most. */
const SIDE_MIN = 5;
const SIDE_MAX = 12;
const SIDE_DAYS = 120;
/** A jump is by so much at least, log price, and by so many standard errors of the medians' difference. */
const JUMP_MIN = Math.log(1.2);
const ERRORS_MIN = 5;
const SCALE_MIN = 0.05;
const MAD_TO_SIGMA = 1.4826;
/** Standard error of a large normal sample's median over that of its mean. */
const MEDIAN_ERROR = 1.2533;

/** A price that changed at once. */
export interface PriceJump {
  /** The first sale after it, milliseconds since the epoch. */
  readonly sinceMs: number;
  /** Median of the sales after it over that of the sales before it. */
  readonly times: number;
}

/**
 * The last moment at which the price changed at once, by 20 % or more: where the medians of the five to twelve sales on either
 * side differ by five standard errors, and the nearest three on either side by as good as much, which tells a jump from a slow
 * rise.
 *
 * @param sales of one card and grade within a year, without rings
 * @returns null where none can be told
 */
export function lastJump(sales: readonly GradedSale[]): PriceJump | null {
  const ordered = [...sales].sort((a, b) => a.soldAtMs - b.soldAtMs || a.priceUsd - b.priceUsd);
  let found: PriceJump | null = null;
  for (let from = 0; ;) {
    const at = largestJump(ordered, from);
    if (at === undefined) return found;
    found = { sinceMs: ordered[at.index].soldAtMs, times: Math.exp(at.size) };
    from = at.index;
  }
}

function largestJump(ordered: readonly GradedSale[], from: number) {
  const jumps: { index: number; size: number; errors: number }[] = [];
  for (let index = from + SIDE_MIN; index <= ordered.length - SIDE_MIN; index++) {
    const atMs = ordered[index].soldAtMs;
    if (ordered[index - 1].soldAtMs === atMs) continue;
    const near = (side: readonly GradedSale[]) =>
      side
        .filter(({ soldAtMs }) => Math.abs(soldAtMs - atMs) <= SIDE_DAYS * DAY_MS)
        .map(({ priceUsd }) => Math.log(priceUsd));
    const before = near(ordered.slice(Math.max(from, index - SIDE_MAX), index));
    const after = near(ordered.slice(index, index + SIDE_MAX));
    if (before.length < SIDE_MIN || after.length < SIDE_MIN) continue;
    const size = median(after) - median(before);
    if (Math.abs(size) < JUMP_MIN) continue;
    const atOnce = median(after.slice(0, 3)) - median(before.slice(-3));
    if (atOnce * Math.sign(size) < 0.7 * Math.abs(size)) continue;
    // The sales next to it are on their own sides: else it was a sale earlier or later.
    const middle = median(before) + size / 2;
    const sideOf = (log: number) => Math.sign(log - middle) * Math.sign(size);
    if (sideOf(before[before.length - 1]) > 0 || sideOf(after[0]) < 0) continue;
    const errors = Math.abs(size) / errorOf(before, after);
    if (errors >= ERRORS_MIN) jumps.push({ index, size, errors });
  }
  return jumps.sort((a, b) => b.errors - a.errors || a.index - b.index)[0] as
    (typeof jumps)[number] | undefined;
}

function errorOf(...sides: readonly (readonly number[])[]): number {
  const deviations = sides.flatMap(side => side.map(log => Math.abs(log - median(side))));
  const scale = Math.max(SCALE_MIN, MAD_TO_SIGMA * median(deviations));
  return MEDIAN_ERROR * scale * Math.sqrt(sides.reduce((sum, { length }) => sum + 1 / length, 0));
}
