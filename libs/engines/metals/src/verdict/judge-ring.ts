import { isAsDenseAsTungsten } from '../material/material.js';
import { knownModes, type MeasuredPiece, type RingReference } from '../product/reference.js';
import type { RingPeak } from '../ring-peak.js';
import { type MatchedMode, matchModes, type RingMatch } from './match-modes.js';
import { Z_REFUSED } from './mode-pattern.js';
import { otherMetals } from './other-metals.js';
import {
  type Check,
  checkDensity,
  checkDiameter,
  type DimensionCheck,
  type ExpectedThickness,
  checkMass,
  checkThickness,
  isGross,
} from './piece-checks.js';
import { DECAY_SECONDS_MAX, diesAway } from './ring-decay.js';
import { roundToRule } from './verdict-figure.js';

export type Verdict = 'PASS' | 'FAIL' | 'INCONCLUSIVE';

/** How well a recording can be trusted; nothing of it is known of peaks that somebody has typed in. */
export interface RingQuality {
  /** Level of the strongest peak over the noise around it, dB. */
  readonly snrDb: number;
  /** Samples at full scale, parts of one. */
  readonly clippedFraction: number;
  /** Strikes that were heard. */
  readonly strikes: number;
}

/** A piece with all that was measured of it, and what it is said to be. */
export interface RingTest {
  readonly piece: MeasuredPiece;
  readonly reference: RingReference;
  readonly peaks: readonly RingPeak[];
  readonly quality?: RingQuality;
  readonly massG: number;
  /** What it should weigh, where that is known. */
  readonly expectedMassG?: number;
  readonly massTolerancePercent?: number;
  /** What other strikes of the same name weigh, grams. */
  readonly otherEditionsG?: readonly number[];
  readonly expectedDiameterMm?: number;
  readonly diameterMm?: number;
  /** At the rim. */
  readonly expectedThickness?: ExpectedThickness;
  readonly thicknessMm?: number;
  readonly submergedMassG?: number;
}

export type ReasonCode =
  | 'RING_MATCHES'
  | 'RING_DIFFERS'
  | 'RING_PARTLY_DIFFERS'
  | 'TOO_FEW_MODES'
  | 'UNEXPLAINED_PEAKS'
  | 'PHYSICS_ALONE'
  | 'DULL_RING'
  | 'NO_DECAY'
  | 'MASS_OFF'
  | 'MASS_OF_OTHER_EDITION'
  | 'DIMENSION_OFF'
  | 'DENSITY_OFF'
  | 'RECORDING_CLIPPED'
  | 'RECORDING_NOISY'
  | 'SEVERAL_STRIKES';

export interface Reason {
  readonly code: ReasonCode;
  readonly text: string;
}

/** The verdict with everything that it was made of. */
export interface Judgement {
  readonly verdict: Verdict;
  /** Most important first. */
  readonly reasons: readonly Reason[];
  readonly match: RingMatch;
  readonly massCheck: Check | null;
  readonly dimensionChecks: readonly DimensionCheck[];
  readonly densityCheck: Check | null;
}

/** A mode agrees up to so many standard uncertainties. */
export const Z_AGREES = 2;
/** So many modes must agree for a PASS, and lie beyond 4 for a FAIL. */
export const MODES_MIN = 2;
/** Of the samples: beyond it harmonics of the clipping are heard as modes. */
export const CLIPPED_FRACTION_MAX = 0.01;
/** Below it what is heard may be the room's. */
export const SNR_DB_MIN = 10;
export const STRIKES_MAX = 3;
/** A piece that is let ring freely has hundreds; lead and what is glued together have less than this. */
export const Q_MIN = 40;
/**
 * Of the mode that is heard best. A room rings on where a dull piece does not, and lends it a Q of a hundred and more; lead of
 * the mass and diameter of a gold coin has its very modes.
 */
export const Q_CLEAREST_MIN = 200;

/**
 * PASS: two modes agree (z ≤ 2) and none lies beyond 4, one of them measured on genuine pieces, or the density agreeing as well and the
 * lowest mode heard, of a metal that is not as dense as tungsten;
 * mass, measures and density, where they were given, within their tolerances. FAIL: two modes beyond 4, or mass, a measure or the
 * density grossly off. Else INCONCLUSIVE. A recording that is clipped, noisy or of several strikes decides nothing by its ring.
 * See docs/adr/0033-ring-verdict.md.
 * @throws SubmergedMassError
 */
export function judgeRing(test: RingTest): Judgement {
  const { piece, reference, peaks } = test;
  const match = matchModes(reference, peaks, knownModes(piece, reference), otherMetals(piece));
  const massCheck =
    test.expectedMassG === undefined
      ? null
      : checkMass(test.expectedMassG, test.massG, test.massTolerancePercent);
  const dimensionChecks = checkedDimensions(test);
  const densityCheck =
    test.submergedMassG === undefined ? null : checkDensity(piece.material, test.massG, test.submergedMassG);
  const made = { match, massCheck, dimensionChecks, densityCheck };
  return { ...decide(test, made), ...made };
}

function checkedDimensions(test: RingTest): DimensionCheck[] {
  const { diameterMm, expectedDiameterMm, thicknessMm, expectedThickness } = test;
  return [
    ...(diameterMm !== undefined && expectedDiameterMm !== undefined
      ? [checkDiameter(expectedDiameterMm, diameterMm)]
      : []),
    ...(thicknessMm !== undefined && expectedThickness
      ? [checkThickness(expectedThickness, thicknessMm)]
      : []),
  ];
}

type Made = Omit<Judgement, 'verdict' | 'reasons'>;

function decide(test: RingTest, made: Made): Pick<Judgement, 'verdict' | 'reasons'> {
  const ring = ringFinding(test, made);
  const body = bodyFinding(test, made);
  const quality = qualityReasons(test.quality);
  const ringDecides = quality.length === 0;
  const reasons = [
    ...(body.fails ? body.reasons : []),
    ...quality,
    ...ring.reasons,
    ...(body.fails ? [] : body.reasons),
  ];
  if (body.fails || (ring.fails && ringDecides)) return { verdict: 'FAIL', reasons };
  const passes = ring.passes && ringDecides && body.reasons.length === 0;
  return { verdict: passes ? 'PASS' : 'INCONCLUSIVE', reasons };
}

interface Finding {
  readonly fails: boolean;
  readonly passes: boolean;
  readonly reasons: readonly Reason[];
}

export const agrees = ({ z }: MatchedMode): boolean => z !== null && z <= Z_AGREES;
export const contradicts = ({ z }: MatchedMode): boolean => z !== null && z > Z_REFUSED;
/** Whether more than theory says where the mode should lie. */
export const isMeasured = ({ reference }: MatchedMode): boolean => reference.basis !== 'physics';

function ringFinding(test: RingTest, { match, densityCheck }: Made): Finding {
  const against = match.modes.filter(contradicts);
  const agreeing = match.modes.filter(agrees);
  const reasons: Reason[] = [];
  if (against.length >= MODES_MIN) {
    reasons.push(
      reason('RING_DIFFERS', `${namesOf(against)} lie far from where they should${rather(match)}`),
    );
    return { fails: true, passes: false, reasons };
  }
  if (against.length > 0) {
    reasons.push(reason('RING_PARTLY_DIFFERS', `${namesOf(against)} lies far from where it should`));
  }
  const strays = match.unexplainedHz.length;
  const silent = match.modes.filter(({ z }) => z === null).length;
  if (strays >= Math.max(MODES_MIN, agreeing.length) || (strays > 0 && strays + silent > agreeing.length)) {
    const heard = match.unexplainedHz.slice(0, 4).map(Math.round).join(', ');
    reasons.push(reason('UNEXPLAINED_PEAKS', `no mode of the piece rings at ${heard} Hz`));
  }
  if (agreeing.length >= MODES_MIN && match.modes[0].z === null && silent >= agreeing.length) {
    const text = `${match.modes[0].reference.mode}, the lowest mode, is not heard, and ${silent} of ${match.modes.length} are silent`;
    reasons.push(reason('TOO_FEW_MODES', text));
  }
  if (agreeing.length < MODES_MIN) {
    const heard = match.modes.filter(({ z }) => z !== null).length;
    const text = `${agreeing.length} of ${match.modes.length} modes agree, of ${heard} that were heard; ${MODES_MIN} must`;
    reasons.push(reason('TOO_FEW_MODES', text));
  }
  const dullQ = dullnessOf(agreeing);
  if (dullQ !== null) {
    const text = `the ring dies away with a Q of ${Math.round(dullQ)}; let the piece swing freely, in a room that does not echo`;
    reasons.push(reason('DULL_RING', text));
  }
  if (test.quality && agreeing.length >= MODES_MIN && agreeing.filter(diesAway).length < MODES_MIN) {
    const text = `of a struck piece ${MODES_MIN} modes at least are heard to die away, each within ${DECAY_SECONDS_MAX} s to 1/e`;
    reasons.push(reason('NO_DECAY', text));
  }
  const doubt = agreeing.some(isMeasured) ? undefined : doubtOfTheory(test, { match, densityCheck });
  if (doubt !== undefined) reasons.push(reason('PHYSICS_ALONE', doubt));
  if (reasons.length > 0) return { fails: false, passes: false, reasons };
  const text = `${namesOf(agreeing)} agree with the ${test.reference.kind === 'physics' ? 'theory' : 'reference'}`;
  return { fails: false, passes: true, reasons: [reason('RING_MATCHES', text)] };
}

/**
 * Why a ring that agrees with theory alone passes nothing; undefined where it may. Theory is good to ± 10 %: by it a core of tungsten
 * up to 0.4 of the thickness rings like gold, and weighs as much; and the (2,0) of whole tungsten stands where gold has its (3,0).
 */
export function doubtOfTheory(
  { piece }: Pick<RingTest, 'piece'>,
  { match, densityCheck }: Pick<Made, 'match' | 'densityCheck'>,
): string | undefined {
  if (isAsDenseAsTungsten(piece.material))
    return 'theory alone says where the modes should lie, and tungsten is as dense: a genuine piece must be enrolled to pass others';
  if (!densityCheck?.withinTolerance)
    return 'theory alone says where the modes should lie; with submergedMassG the density can confirm it';
  return match.lowestIsHeard
    ? undefined
    : 'theory alone says where the modes should lie, and the lowest is not heard there';
}

/** The Q of a ring that is too dull for a coin; null where it is not, and where nothing is known of it. */
function dullnessOf(agreeing: readonly MatchedMode[]): number | null {
  const known = agreeing.flatMap(({ q, snrDb }) => (q === null || snrDb === null ? [] : [{ q, snrDb }]));
  if (known.length === 0) return null;
  const median = known.map(({ q }) => q).sort((a, b) => a - b)[known.length >> 1];
  const clearest = known.reduce((best, one) => (one.snrDb > best.snrDb ? one : best));
  if (median < Q_MIN) return median;
  return clearest.q < Q_CLEAREST_MIN ? clearest.q : null;
}

function bodyFinding(test: RingTest, { massCheck, dimensionChecks, densityCheck }: Made): Finding {
  const reasons: Reason[] = [];
  let fails = false;
  if (massCheck && !massCheck.withinTolerance) {
    const edition = test.otherEditionsG?.find(grams => checkMass(grams, test.massG).withinTolerance);
    fails ||= edition === undefined && isGross(massCheck);
    reasons.push(
      edition === undefined
        ? reason('MASS_OFF', `the mass is off by ${percent(massCheck)}`)
        : reason('MASS_OF_OTHER_EDITION', `it weighs as the edition of ${edition} g does: test it as that`),
    );
  }
  for (const check of dimensionChecks) {
    if (check.withinTolerance) continue;
    fails ||= isGross(check);
    const name = check.dimension === 'diameterMm' ? 'diameter' : 'thickness';
    reasons.push(reason('DIMENSION_OFF', `the ${name} is off by ${percent(check)}`));
  }
  if (densityCheck && !densityCheck.withinTolerance) {
    fails ||= isGross(densityCheck);
    reasons.push(reason('DENSITY_OFF', `the specific gravity is off by ${percent(densityCheck)}`));
  }
  return { fails, passes: reasons.length === 0, reasons };
}

function qualityReasons(quality: RingQuality | undefined): Reason[] {
  if (!quality) return [];
  const { strikes } = quality;
  const [clippedFraction, snrDb] = [
    roundToRule(100 * quality.clippedFraction) / 100,
    roundToRule(quality.snrDb),
  ];
  return [
    ...(clippedFraction > CLIPPED_FRACTION_MAX
      ? [reason('RECORDING_CLIPPED', `${(100 * clippedFraction).toFixed(1)} % of the samples are clipped`)]
      : []),
    ...(snrDb < SNR_DB_MIN
      ? [
          reason(
            'RECORDING_NOISY',
            `the ring is ${snrDb.toFixed(1)} dB over the noise; ${SNR_DB_MIN} are needed`,
          ),
        ]
      : []),
    ...(strikes > STRIKES_MAX
      ? [reason('SEVERAL_STRIKES', `${strikes} strikes were heard; record at most ${STRIKES_MAX}`)]
      : []),
  ];
}

const reason = (code: ReasonCode, text: string): Reason => ({ code, text });
/** What the ring is rather than that of the piece. */
function rather({ scale, otherMetal }: RingMatch): string {
  if (otherMetal) return `: so rings ${otherMetal} under a skin or alone, of this mass and diameter`;
  return scale === 1 ? '' : `: the whole ring is ${scale.toFixed(2)} times as high`;
}
const namesOf = (modes: readonly MatchedMode[]) => modes.map(({ reference }) => reference.mode).join(', ');
const percent = ({ deviationPercent: off }: Check) => `${off > 0 ? '+' : '−'}${Math.abs(off).toFixed(2)} %`;

/** Peaks as somebody has typed them in: nothing is known of them but their frequency, which is taken to be good to 0.2 %. */
export function typedPeaks(frequenciesHz: readonly number[]): RingPeak[] {
  return frequenciesHz.map(frequencyHz => ({
    ...{ frequencyHz, uncertaintyHz: 0.002 * frequencyHz, levelDb: 0 },
    ...{ snrDb: 40, q: null, splitHz: null },
  }));
}
