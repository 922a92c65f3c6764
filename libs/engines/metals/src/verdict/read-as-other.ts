import type { DiscModeName } from '../plate/free-disc.js';
import type { ModeName, ReferenceMode } from '../product/reference.js';
import type { RingPeak } from '../ring-peak.js';
import type { LikelyFake } from './likely-fakes.js';
import { distance, explain, type PatternMode, Z_REFUSED } from './mode-pattern.js';

/** A ring that is read as that of a piece of another metal. */
export interface OtherReading {
  readonly fake: LikelyFake;
  readonly explained: Map<ModeName, RingPeak[]>;
}

/** What one reading makes of the strong peaks. */
interface Reading {
  readonly explained: Map<ModeName, RingPeak[]>;
  /** Strong peaks that are lines of its modes, or stand beside one. */
  readonly peaks: number;
  /** |ln| between the mode that lies highest and the one that lies lowest over their places. */
  readonly spread: number;
}

/** The lowest mode of every disc: whatever it is made of, it rings with it. */
const LOWEST: DiscModeName = '(2,0)';
const MODES_OF_A_RING = 2;
/** How far from its place a mode of such a piece may be heard, |ln|: half of what one core lies from the next. */
const OTHER_REACH = 0.05;
/** How well its modes keep their proportions, |ln|: two of the table's, at 2 % each, differ by three standard uncertainties of less. */
const SPREAD_MAX = 0.045;
/** By so much, |ln|, must they keep them better than the coin's do, where both explain as many peaks. */
const SPREAD_AHEAD = 0.05;
/** What stands so near to a line, |ln|, is that line as a room shows it, or as another piece is out of round. */
const BESIDE = 0.03;
/** Where the noise lies so far, dB, under the strongest note, a mode that is not heard is weaker by more than a dozen dB. */
const TELLING_DB = 30;

/**
 * Reads the strong peaks as those of a piece of another metal with the same mass and diameter. It is believed only where the
 * coin's own lowest mode is not heard at all and the other's is, where the other explains the strongest peak, and two counted
 * modes or more, each far from where the coin has it and all in their proportions. Then it must explain a mode and a peak more
 * than the coin does; or, where a recording is so loud that the coin's silent modes would be heard, as many modes and a peak
 * more, or as many of both and keep their proportions far better.
 * @param own what is heard of the coin's modes, weak peaks included
 */
export function readAsOther(
  pattern: readonly PatternMode[],
  others: readonly LikelyFake[],
  prominent: readonly RingPeak[],
  own: ReadonlyMap<ModeName, readonly RingPeak[]>,
): OtherReading | undefined {
  if (own.has(LOWEST) || prominent.length < MODES_OF_A_RING) return undefined;
  const coin = read(pattern, prominent);
  const silent = pattern.filter(({ mode, counted }) => counted && !own.has(mode)).length;
  const isTelling = silent >= MODES_OF_A_RING && isLoud(prominent);
  let best: { fake: LikelyFake; reading: Reading } | undefined;
  for (const fake of others) {
    const reading = read(patternOf(pattern, fake), prominent);
    const { explained, peaks, spread } = reading;
    const lowest = explained.get(LOWEST);
    const explainsStrongest = [...explained.values()].flat().includes(prominent[0]);
    if (!lowest || !explainsStrongest || spread > SPREAD_MAX || !isFar(pattern, explained)) continue;
    const modesAhead = explained.size - coin.explained.size;
    const peaksAhead = peaks - coin.peaks;
    const keepsBetter = peaksAhead === 0 && spread < coin.spread - SPREAD_AHEAD;
    const isBetter =
      (modesAhead > 0 && peaksAhead > 0) || (isTelling && modesAhead >= 0 && (peaksAhead > 0 || keepsBetter));
    if (isBetter && (!best || isClearer(reading, best.reading))) best = { fake, reading };
  }
  return best && { fake: best.fake, explained: best.reading.explained };
}

/** Of a recording, in which decays are heard; of typed frequencies nobody knows what was silent. */
const isLoud = (prominent: readonly RingPeak[]) =>
  prominent.some(({ q }) => q !== null) &&
  prominent.some(({ levelDb, snrDb }) => snrDb - levelDb >= TELLING_DB);

const isClearer = (one: Reading, other: Reading) =>
  one.explained.size > other.explained.size ||
  (one.explained.size === other.explained.size && one.spread < other.spread);

const patternOf = (pattern: readonly PatternMode[], { ratios }: LikelyFake): PatternMode[] =>
  pattern.map(one => {
    const ratio = ratios.get(one.mode) ?? 1;
    return { ...one, reach: OTHER_REACH, linesHz: one.linesHz.map(hz => hz * ratio) };
  });

function read(pattern: readonly PatternMode[], prominent: readonly RingPeak[]): Reading {
  const explained = explain(pattern, prominent, 1);
  const linesHz = pattern.flatMap(({ mode, linesHz: places }) => {
    const [first, ...more] = explained.get(mode) ?? [];
    if (!first) return [];
    // Where one line of a pair is heard, the other lies as far from its own place.
    const off = Math.exp(offOf(first, places));
    return [first, ...more].map(({ frequencyHz }) => frequencyHz).concat(places.map(place => place * off));
  });
  const peaks = prominent.filter(({ frequencyHz }) => distance(frequencyHz, linesHz) <= BESIDE).length;
  return { explained, peaks, spread: spreadOf(pattern, explained) };
}

/** ln of how far a peak lies over the nearest of a mode's lines. */
function offOf({ frequencyHz }: RingPeak, linesHz: readonly number[]): number {
  const logs = linesHz.map(line => Math.log(frequencyHz / line));
  return logs.reduce((least, log) => (Math.abs(log) < Math.abs(least) ? log : least));
}

function spreadOf(
  pattern: readonly PatternMode[],
  explained: ReadonlyMap<ModeName, readonly RingPeak[]>,
): number {
  const off = pattern.flatMap(({ mode, linesHz }) => {
    const [peak] = explained.get(mode) ?? [];
    return peak ? [offOf(peak, linesHz)] : [];
  });
  return off.length === 0 ? 0 : Math.max(...off) - Math.min(...off);
}

function isFar(
  pattern: readonly PatternMode[],
  explained: ReadonlyMap<ModeName, readonly RingPeak[]>,
): boolean {
  const heard = pattern.filter(({ mode, counted }) => counted && explained.has(mode));
  return (
    heard.length >= MODES_OF_A_RING &&
    heard.every(({ mode, counted }) => {
      const [{ frequencyHz }] = explained.get(mode) as readonly RingPeak[];
      const { linesHz, uncertainty } = counted as ReferenceMode;
      return distance(frequencyHz, linesHz) > Z_REFUSED * uncertainty;
    })
  );
}
