import {
  type KnownMode,
  middleOf,
  type ModeName,
  type ReferenceMode,
  type RingReference,
} from '../product/reference.js';
import type { RingPeak } from '../ring-peak.js';
import type { LikelyFake } from './likely-fakes.js';
import { distance, errorOf, explain, isFarAltogether, type PatternMode, Z_REFUSED } from './mode-pattern.js';
import { readAsOther } from './read-as-other.js';
import { diesAway } from './ring-decay.js';
import { roundToRule } from './verdict-figure.js';

/** A mode with what was heard of it. */
export interface MatchedMode {
  readonly reference: ReferenceMode;
  /** Middle of what was heard; null where nothing was. */
  readonly measuredHz: number | null;
  /** |f − f_ref| / √(u_ref² + u_meas²). */
  readonly z: number | null;
  readonly q: number | null;
  /** Of its stronger line over the noise around it, dB. */
  readonly snrDb: number | null;
  readonly splitHz: number | null;
}

/** What a ring is, held against a reference. */
export interface RingMatch {
  /** Every mode of the reference, in its order. */
  readonly modes: readonly MatchedMode[];
  /** By how much the whole ring is higher or lower than the reference, where that explains it and nothing else does; else 1. */
  readonly scale: number;
  /** Strong peaks that no mode explains, hertz. */
  readonly unexplainedHz: readonly number[];
  /** The metal that explains the ring, where it does so better than the reference. */
  readonly otherMetal: string | null;
  /** A strong peak stands where the piece has its lowest mode, as its reference has it or else theory. */
  readonly lowestIsHeard: boolean;
}

/** So far below the strongest peak, dB, and so little over the noise, a peak is no evidence. */
const PROMINENT_LEVEL_DB = -30;
const PROMINENT_SNR_DB = 12;
const PROMINENT_MAX = 24;
const SCALE_MIN = 0.25;
const SCALE_MAX = 4;
/** So many modes more must a scaled ring explain than the reference as it is. */
const SCALED_MODES_AHEAD = 1.5;
/** A mode that is heard so far from its place, in parts of its reach, speaks for the reference only half as loud. */
const NEAR_PART = 0.6;
/** So many strong peaks where no mode lies, and fewer modes than this where they should be, are a ring of something else. */
const STRAY_PEAKS_MIN = 2;
const MODES_OF_A_RING = 2;
/** So is a single one that is the strongest of all, so far over the noise, and rings on. */
const STRONG_SNR_DB = 20;
const STRONG_Q = 40;
/** A strong peak up to this far, |ln|, from a mode that is not heard, and nearer to no other, is that mode misplaced. */
const MISPLACED_REACH = 0.3;
/** Beyond so much of the highest mode and below so much of the lowest, nothing is asked. */
const BAND_ABOVE = 1.3;
const BAND_BELOW = 0.3;

/**
 * Finds which peak is which mode. A piece of another metal or size rings higher or lower as a whole, with its modes in the
 * proportions of the reference or of theory, or in those that a stiffer metal gives them: where such a scale explains more of the
 * strong peaks than the reference as it stands, they are taken for what they are then, and lie far from where they should.
 * Otherwise each mode takes the strongest peak within 4 standard uncertainties, else the nearest strong peak that no mode
 * explains, and each peak serves once. Where the reference lacks its lowest mode and a piece of another metal of the same mass
 * and diameter explains the strong peaks better, they are its modes. Where hardly a mode is heard and strong peaks lie elsewhere, these stand against the
 * silent modes that they are nearest to.
 * @param known where theory has the modes of such a piece, also those that the reference has not
 * @param others what else a piece of this mass and diameter may be of
 */
export function matchModes(
  reference: RingReference,
  peaks: readonly RingPeak[],
  known: readonly KnownMode[] = [],
  others: readonly LikelyFake[] = [],
): RingMatch {
  const pattern = patternOf(reference, known);
  const counted = pattern.filter(mode => mode.counted);
  const isCounted = (name: ModeName) => counted.find(({ mode }) => mode === name);
  const theory: PatternMode[] = known.map(({ mode, theoryHz, reach }) => {
    const place = isCounted(mode);
    return { mode, counted: place?.counted, linesHz: [theoryHz], reach: place?.reach ?? reach };
  });
  const prominent = prominentPeaks(peaks, pattern);
  const patterns = [pattern, theory, stiffened(pattern, known), stiffened(theory, known)];
  const scaled = bestScale(patterns, prominent, weightOf(pattern, explain(pattern, prominent, 1)));
  // Weak peaks may still be a mode's where they lie, but are no evidence against it.
  const own = explain(pattern, audible(peaks), 1);
  const other = scaled ? undefined : readAsOther(pattern, others, prominent, own);
  const explained = (scaled ?? other)?.explained ?? own;
  const isRead = scaled !== undefined || other !== undefined;
  const used = new Set([...explained.values()].flat());
  const isNear = (peak: RingPeak) =>
    !isRead && pattern.some(({ linesHz, reach }) => distance(peak.frequencyHz, linesHz) <= reach);
  const stray = prominent.filter(peak => !used.has(peak) && !isNear(peak));
  const near = counted.filter(({ mode, linesHz, reach }) => {
    const lines = explained.get(mode);
    return lines && distance(lines[0].frequencyHz, linesHz) <= NEAR_PART * reach;
  });
  const isElsewhere =
    !isRead &&
    ((near.length < MODES_OF_A_RING && stray.length >= STRAY_PEAKS_MIN) ||
      (explained.size === 0 && stray.some(isStrong)));
  if (isElsewhere) giveStrayPeaks(counted, stray, explained);
  else if (!isRead) giveMisplacedPeaks(pattern, stray, explained);
  return {
    modes: reference.modes.map(mode => matchOf(mode, explained.get(mode.mode) ?? [])),
    scale: scaled?.scale ?? 1,
    unexplainedHz: stray.map(peak => peak.frequencyHz),
    otherMetal: other?.fake.metal.name ?? null,
    lowestIsHeard: !isRead && explain(pattern, prominent, 1).has(lowestOf(pattern)),
  };
}

/** Modes of a reference, each within 4 standard uncertainties, and those that theory alone knows. */
export function patternOf(reference: RingReference, known: readonly KnownMode[] = []): PatternMode[] {
  const counted = reference.modes.map(mode => ({
    ...{ mode: mode.mode, counted: mode, linesHz: mode.linesHz },
    reach: Z_REFUSED * mode.uncertainty,
  }));
  return [
    ...counted,
    ...known
      .filter(({ mode }) => counted.every(one => one.mode !== mode))
      .map(({ mode, hz, reach }) => ({ mode, counted: undefined, linesHz: [hz], reach })),
  ];
}

/** The mode of a pattern that lies lowest. */
const lowestOf = (pattern: readonly PatternMode[]): ModeName =>
  pattern.reduce((low, one) => (middleOf(one.linesHz) < middleOf(low.linesHz) ? one : low)).mode;

/** A pattern as a stiffer metal has it, whose modes lie otherwise against one another. */
const stiffened = (pattern: readonly PatternMode[], known: readonly KnownMode[]): PatternMode[] =>
  pattern.map(one => {
    const by = known.find(({ mode }) => mode === one.mode)?.stiffening ?? 1;
    return { ...one, linesHz: one.linesHz.map(hz => hz * by) };
  });

/** How much of a pattern is heard. */
function weightOf(
  pattern: readonly PatternMode[],
  explained: ReadonlyMap<ModeName, readonly RingPeak[]>,
): number {
  return pattern.reduce((sum, { mode, linesHz, reach }) => {
    const lines = explained.get(mode);
    if (!lines) return sum;
    return sum + (distance(lines[0].frequencyHz, linesHz) <= NEAR_PART * reach ? 1 : 0.5);
  }, 0);
}

/** Gives each counted mode that is not heard the strong peak that is nearest to it and to no other of them. */
function giveMisplacedPeaks(
  pattern: readonly PatternMode[],
  stray: readonly RingPeak[],
  explained: Map<ModeName, RingPeak[]>,
): void {
  const silent = pattern.filter(({ mode, counted }) => counted && !explained.has(mode));
  for (const { mode, linesHz } of silent) {
    const near = stray.filter(({ frequencyHz }) => {
      const far = distance(frequencyHz, linesHz);
      const rivals = silent.filter(other => other.mode !== mode);
      return far <= MISPLACED_REACH && rivals.every(other => far <= distance(frequencyHz, other.linesHz));
    });
    near.sort((a, b) => distance(a.frequencyHz, linesHz) - distance(b.frequencyHz, linesHz));
    if (near.length > 0) explained.set(mode, [near[0]]);
  }
}

function giveStrayPeaks(
  counted: readonly PatternMode[],
  stray: readonly RingPeak[],
  explained: Map<ModeName, RingPeak[]>,
): void {
  const pairs = counted
    .flatMap(({ mode, linesHz }) =>
      stray.map(peak => ({ mode, peak, far: distance(peak.frequencyHz, linesHz) })),
    )
    .sort((a, b) => a.far - b.far);
  const given = new Set<RingPeak>();
  for (const { mode, peak } of pairs) {
    if (explained.has(mode) || given.has(peak)) continue;
    explained.set(mode, [peak]);
    given.add(peak);
  }
  // Where fewer peaks than modes are heard, one stands against several.
  for (const { mode, peak } of pairs) if (!explained.has(mode)) explained.set(mode, [peak]);
}

const isStrong = ({ levelDb, snrDb, q, frequencyHz }: RingPeak) =>
  levelDb === 0 &&
  snrDb >= STRONG_SNR_DB &&
  q !== null &&
  q >= STRONG_Q &&
  diesAway({ measuredHz: frequencyHz, q });

const audible = (peaks: readonly RingPeak[]) => peaks.filter(({ snrDb }) => snrDb >= PROMINENT_SNR_DB / 2);

/** Peaks that are evidence: strong ones, no further from the modes of a pattern than a piece is asked about. */
export function prominentPeaks(peaks: readonly RingPeak[], pattern: readonly PatternMode[]): RingPeak[] {
  const counted = pattern.filter(mode => mode.counted).flatMap(({ linesHz }) => linesHz);
  const [lowHz, highHz] = [BAND_BELOW * Math.min(...counted), BAND_ABOVE * Math.max(...counted)];
  return peaks
    .filter(({ levelDb, snrDb }) => levelDb >= PROMINENT_LEVEL_DB && snrDb >= PROMINENT_SNR_DB)
    .filter(({ frequencyHz }) => frequencyHz >= lowHz && frequencyHz <= highHz)
    .sort((a, b) => b.levelDb - a.levelDb)
    .slice(0, PROMINENT_MAX);
}

interface ScaledRing {
  readonly scale: number;
  readonly explained: Map<ModeName, RingPeak[]>;
}

/** The scale that explains most modes, two counted ones among them and all of these far from their place. */
function bestScale(
  patterns: readonly (readonly PatternMode[])[],
  peaks: readonly RingPeak[],
  weightAsItIs: number,
): ScaledRing | undefined {
  let best: (ScaledRing & { error: number }) | undefined;
  for (const pattern of patterns) {
    for (const { frequencyHz } of peaks) {
      for (const { linesHz } of pattern) {
        const scale = frequencyHz / middleOf(linesHz);
        if (scale < SCALE_MIN || scale > SCALE_MAX) continue;
        const explained = explain(pattern, peaks, scale);
        const heard = explained.size;
        if (heard < Math.max(2, weightAsItIs + SCALED_MODES_AHEAD) || heard < (best?.explained.size ?? 0))
          continue;
        if (!isFarAltogether(pattern, explained)) continue;
        const error = errorOf(pattern, explained, scale);
        if (!best || heard > best.explained.size || error < best.error) best = { scale, explained, error };
      }
    }
  }
  return best;
}

function matchOf(reference: ReferenceMode, lines: readonly RingPeak[]): MatchedMode {
  if (lines.length === 0)
    return { reference, measuredHz: null, z: null, q: null, snrDb: null, splitHz: null };
  const measuredHz = middleOf(lines.map(({ frequencyHz }) => frequencyHz));
  const splitHz =
    lines.length === 2 ? Math.abs(lines[0].frequencyHz - lines[1].frequencyHz) : lines[0].splitHz;
  const middleHz = middleOf(reference.linesHz);
  // Of a pair of lines often only one is struck: it is held against each of them, and both against the middle.
  const candidates = splitHz === null ? [middleHz, ...reference.linesHz] : [middleHz];
  const offHz = Math.min(...candidates.map(hz => Math.abs(measuredHz - hz)));
  const uncertaintyHz = Math.hypot(reference.uncertainty * middleHz, lines[0].uncertaintyHz);
  const [{ q, snrDb }] = lines;
  return { reference, measuredHz, z: roundToRule(offHz / uncertaintyHz), q, snrDb, splitHz };
}
