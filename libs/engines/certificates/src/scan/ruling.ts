import type { Box } from '../extracted-certificate.js';
import type { InkPicture } from './grey-picture.js';

/** A run of ink as long is no letter, in points. */
const RUN_POINTS_MIN = 26;
/** A ruled line is at most as thick, in points. */
const THICKNESS_POINTS_MAX = 2.2;

/** Ruled lines of a page, and the page's ink without them. */
export interface Ruling {
  /** Horizontal ones, in pixels. */
  readonly rules: readonly Box[];
  /** 1 for each pixel that belongs to a ruled line. */
  readonly mask: Uint8Array;
}

/** How far ink reaches across a line at one of its pixels, up to what no line has. */
function thicknessAt(ink: Uint8Array, at: number, across: number, max: number): number {
  let thickness = 1;
  for (let i = 1; i <= max && ink[at - i * across] === 1; i++) thickness++;
  for (let i = 1; i <= max && ink[at + i * across] === 1; i++) thickness++;
  return thickness;
}

const hasInk = (ink: Uint8Array, at: number, across: number): boolean =>
  ink[at] === 1 || ink[at - across] === 1 || ink[at + across] === 1;

interface Sweep {
  readonly lines: number;
  readonly length: number;
  /** Steps between pixels along a line, and between lines. */
  readonly along: number;
  readonly across: number;
}

/**
 * Marks long thin runs of ink in one direction; `found` is told each. It looks only where a run that is long enough would have to
 * have ink, as Boyer and Moore look for a word: most of a page is skipped.
 */
function sweepRuns(
  { ink, dpi }: InkPicture,
  { lines, length, along, across }: Sweep,
  mask: Uint8Array,
  found: (line: number, from: number, to: number) => void,
): void {
  const runMin = Math.round((RUN_POINTS_MIN * dpi) / 72);
  const thickMax = Math.ceil((THICKNESS_POINTS_MAX * dpi) / 72);
  const gapMax = Math.round(dpi / 150);
  for (let line = 0; line < lines; line++) {
    // A line that leans a little goes on in the row beside.
    const inkAt = (i: number) => hasInk(ink, line * across + i * along, across);
    /** The next pixel with ink from `at` on in one direction, unless a gap that ends a run comes before. */
    const nextInk = (at: number, step: 1 | -1, end: number): number | undefined => {
      for (let i = at, gap = 0; i !== end && gap <= gapMax; i += step, gap++) if (inkAt(i)) return i;
      return undefined;
    };
    for (let start = 0; start + runMin < length;) {
      const middle = nextInk(start + runMin - 1, -1, start - 1);
      if (middle === undefined) {
        start += runMin;
        continue;
      }
      let [from, last] = [middle, middle];
      for (let i: number | undefined = middle; i !== undefined; i = nextInk(i - 1, -1, start - 1)) from = i;
      for (let i: number | undefined = middle; i !== undefined; i = nextInk(i + 1, 1, length)) last = i;
      start = last + 1;
      if (last - from < runMin) continue;
      let thin = 0;
      for (let j = from; j <= last; j++) {
        const at = line * across + j * along;
        if (thicknessAt(ink, at, across, thickMax + 1) > thickMax) continue;
        // Its edges are grey.
        mask[at] = mask[at - across] = mask[at + across] = 1;
        thin++;
      }
      // Large letters and dark bars have long runs too, and are thick all along.
      if (thin > 0.7 * (last - from)) found(line, from, last);
    }
  }
}

/** Finds the ruled lines of a page, which cut through what is recognised and part its rows. */
export function findRuling(picture: InkPicture): Ruling {
  const { width, height } = picture;
  const mask = new Uint8Array(picture.ink.length);
  const rules: [number, number, number, number][] = [];
  const horizontal = { lines: height, length: width, along: 1, across: width };
  sweepRuns(picture, horizontal, mask, (y, from, to) => {
    const reach = picture.dpi / 50;
    const same = rules.find(rule => y - rule[3] <= reach && from <= rule[2] + reach && to >= rule[0] - reach);
    if (!same) rules.push([from, y, to, y + 1]);
    else {
      same[0] = Math.min(same[0], from);
      same[2] = Math.max(same[2], to);
      same[3] = y + 1;
    }
  });
  sweepRuns(picture, { lines: width, length: height, along: width, across: 1 }, mask, () => {});
  return { rules, mask };
}
