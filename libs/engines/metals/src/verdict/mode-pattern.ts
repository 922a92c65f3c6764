import type { ModeName, ReferenceMode } from '../product/reference.js';
import type { RingPeak } from '../ring-peak.js';

/** A mode that a peak may belong to: also those that no verdict counts. */
export interface PatternMode {
  readonly mode: ModeName;
  readonly counted: ReferenceMode | undefined;
  readonly linesHz: readonly number[];
  /** How far from its place a genuine piece may have it, parts of one. */
  readonly reach: number;
}

/** Beyond so many standard uncertainties it is another frequency. */
export const Z_REFUSED = 4;
/** Of a ring that is scaled as a whole: how well its modes keep their ratios, parts of one. */
const SCALED_REACH = 0.05;
/** Two lines this near to one another are one mode split, where the reference does not know better; parts of one. */
const SPLIT_MAX = 0.03;

/** |ln| of the ratio to the nearest of the lines. */
export const distance = (hz: number, linesHz: readonly number[], scale = 1) =>
  Math.min(...linesHz.map(line => Math.abs(Math.log(hz / (scale * line)))));

/** The strongest free peak within each mode's reach, counted modes first, and the other line where it is split. */
export function explain(
  pattern: readonly PatternMode[],
  peaks: readonly RingPeak[],
  scale: number,
): Map<ModeName, RingPeak[]> {
  const free = new Set(peaks);
  const found = new Map<ModeName, RingPeak[]>();
  for (const { mode, linesHz, reach, counted } of pattern) {
    const within = scale === 1 ? reach : SCALED_REACH;
    const near = [...free].filter(({ frequencyHz }) => distance(frequencyHz, linesHz, scale) <= within);
    if (near.length === 0) continue;
    near.sort(
      (a, b) =>
        b.levelDb - a.levelDb ||
        distance(a.frequencyHz, linesHz, scale) - distance(b.frequencyHz, linesHz, scale),
    );
    const [first] = near;
    const second = counted && near.slice(1).find(peak => isOtherLine(first, peak, linesHz));
    const lines = second ? [first, second] : [first];
    found.set(mode, lines);
    for (const peak of lines) free.delete(peak);
  }
  return found;
}

function isOtherLine(first: RingPeak, second: RingPeak, linesHz: readonly number[]): boolean {
  const splitHz = Math.abs(first.frequencyHz - second.frequencyHz);
  if (first.splitHz !== null || second.splitHz !== null) return false;
  const known = linesHz.length === 2 ? 1.5 * (linesHz[1] - linesHz[0]) : 0;
  return splitHz <= Math.max(known, SPLIT_MAX * first.frequencyHz);
}

/** Whether two counted modes are heard, and each of them far from its place. */
export function isFarAltogether(
  pattern: readonly PatternMode[],
  explained: ReadonlyMap<ModeName, readonly RingPeak[]>,
): boolean {
  const counted = pattern.filter(mode => mode.counted && explained.has(mode.mode));
  return (
    counted.length >= 2 &&
    counted.every(({ mode, counted: place, reach }) => {
      const [peak] = explained.get(mode) as readonly RingPeak[];
      return distance(peak.frequencyHz, (place as ReferenceMode).linesHz) > reach;
    })
  );
}

/** Sum of how far the modes lie from their places, |ln|. */
export function errorOf(
  pattern: readonly PatternMode[],
  explained: ReadonlyMap<ModeName, readonly RingPeak[]>,
  scale: number,
): number {
  return pattern.reduce((sum, { mode, linesHz }) => {
    const lines = explained.get(mode);
    return lines ? sum + distance(lines[0].frequencyHz, linesHz, scale) : sum;
  }, 0);
}
