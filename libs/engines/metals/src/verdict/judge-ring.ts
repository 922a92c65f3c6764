import type { RingQuality, RingTest, MagnetSlide } from './ring-test.js';
import type { FakeMetal } from '../material/fake-metals.js';
import { knownModes } from '../product/reference.js';
import type { RingPeak } from '../ring-peak.js';
import { BRAKES_MSM, excludedFakes, type FakeVerdict, type Reading, SLIDES_MSM } from './excluded-fakes.js';
import { likelyFakes } from './likely-fakes.js';
import { type MatchedMode, matchModes, type RingMatch } from './match-modes.js';
import { Z_REFUSED } from './mode-pattern.js';
import {
  type Check,
  checkConductivity,
  checkDensity,
  checkDiameter,
  type DimensionCheck,
  checkMass,
  checkThickness,
  isGross,
} from './piece-checks.js';
import { DECAY_SECONDS_MAX, diesAway } from './ring-decay.js';
import { roundToRule } from './verdict-figure.js';

export type Verdict = 'PASS' | 'FAIL' | 'INCONCLUSIVE';

export type ReasonCode =
  | 'RING_MATCHES'
  | 'RING_DIFFERS'
  | 'RING_PARTLY_DIFFERS'
  | 'TOO_FEW_MODES'
  | 'UNEXPLAINED_PEAKS'
  | 'PHYSICS_ALONE'
  | 'FAKE_NOT_EXCLUDED'
  | 'DULL_RING'
  | 'NO_DECAY'
  | 'MASS_OFF'
  | 'MASS_OF_OTHER_EDITION'
  | 'DIMENSION_OFF'
  | 'DENSITY_OFF'
  | 'CONDUCTIVITY_OFF'
  | 'MAGNET_STICKS'
  | 'MAGNET_OFF'
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
  readonly conductivityCheck: Check | null;
  /** Whether the magnet does what it does on the metal; null where that is not known. */
  readonly magnetAgrees: boolean | null;
  /** What likely fakes make of all readings. */
  readonly fakes: readonly FakeVerdict[];
}

/** A mode agrees up to so many standard uncertainties. */
export const Z_AGREES = 2;
/** So many modes must agree for a PASS, and lie beyond 4 for a FAIL. */
export const MODES_MIN = 2;
/** Of the samples: beyond it harmonics of the clipping are heard as modes. */
export const CLIPPED_FRACTION_MAX = 0.01;
/** Below it what is heard may be the room's. */
export const SNR_DB_MIN = 10;
/** A piece that is held in the hand rings so low that notes of the hand and the room may stand for its modes: that refuses nothing. */
export const SNR_DB_REFUSES = 20;
export const STRIKES_MAX = 3;
/** A piece that is let ring freely has hundreds; lead and what is glued together have less than this. */
export const Q_MIN = 40;
/**
 * Of the mode that is heard best. A room rings on where a dull piece does not, and lends it a Q of a hundred and more; lead of
 * the mass and diameter of a gold coin has its very modes.
 */
export const Q_CLEAREST_MIN = 200;

/**
 * PASS: two modes agree (z ≤ 2) and none lies beyond 4; mass, measures, density, conductivity and magnet, where they were given,
 * within their tolerances; and no likely fake explains all of that as well. Where no mode was measured on genuine pieces, the
 * density must agree and the lowest mode be heard. FAIL: two modes beyond 4, mass, a measure, the density or the conductivity
 * grossly off, or a magnet that sticks. Else INCONCLUSIVE. A recording that is clipped, noisy or of several strikes decides nothing by
 * its ring. See docs/adr/0033-ring-verdict.md.
 * @throws SubmergedMassError
 */
export function judgeRing(test: RingTest): Judgement {
  const { piece, reference, peaks, scaleAccuracyG } = test;
  const known = knownModes(piece, reference);
  const match = matchModes(
    reference,
    peaks,
    known,
    piece.shape === 'disc' ? likelyFakes(piece, undefined, isReadFor) : [],
  );
  const { expectedMassG, massTolerancePercent: tolerancePercent } = test;
  const massCheck =
    expectedMassG === undefined
      ? null
      : checkMass(expectedMassG, test.massG, { tolerancePercent, scaleAccuracyG });
  const dimensionChecks = checkedDimensions(test);
  const densityCheck =
    test.submergedMassG === undefined
      ? null
      : checkDensity(piece.material, test.massG, test.submergedMassG, scaleAccuracyG);
  const expectedMSm = piece.material.conductivityMSm;
  const conductivityCheck =
    test.conductivityMSm === undefined || expectedMSm === undefined
      ? null
      : checkConductivity(expectedMSm, test.conductivityMSm);
  const agreeing = match.modes.filter(agrees);
  const fakes = excludedFakes(test, {
    isPhysics: !agreeing.some(isMeasured),
    // Frequencies that somebody has measured are believed to be of a ring that could be measured.
    isClear: test.quality === undefined || (clearestOf(agreeing)?.q ?? 0) >= Q_CLEAREST_MIN,
  });
  const made = { match, massCheck, dimensionChecks, densityCheck, conductivityCheck, fakes };
  const all = { ...made, magnetAgrees: magnetAgrees(test.magnetSlide, expectedMSm) };
  return { ...decide(test, all), ...all };
}

/** Cores whose modes stand where a coin has others: of these alone a ring is refused by name. */
const READ_FOR = ['tungsten', 'copper', 'lead', 'silver'];
const READ_AT = [1, 0.95, 0.9, 0.85, 0.8, 0.75];
const isReadFor = ({ name }: FakeMetal, share: number) => READ_FOR.includes(name) && READ_AT.includes(share);

/** No precious metal is drawn by a magnet; a good conductor brakes it, a bad one does not, and between them is no saying. */
function magnetAgrees(slide: MagnetSlide | undefined, msm: number | undefined): boolean | null {
  if (slide === undefined) return null;
  if (slide === 'sticks') return false;
  if (msm === undefined || (msm >= SLIDES_MSM && msm <= BRAKES_MSM)) return null;
  return (slide === 'slow') === msm > BRAKES_MSM;
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
  const quiet = ring.fails && ringDecides ? quietReasons(test.quality) : [];
  const reasons = [
    ...(body.fails ? body.reasons : []),
    ...quality,
    ...quiet,
    ...ring.reasons,
    ...(body.fails ? [] : body.reasons),
  ];
  if (body.fails || (ring.fails && ringDecides && quiet.length === 0)) return { verdict: 'FAIL', reasons };
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

function ringFinding(test: RingTest, { match, densityCheck, fakes }: Made): Finding {
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
  const doubt = agreeing.some(isMeasured) ? undefined : doubtOfTheory({ match, densityCheck });
  if (doubt !== undefined) reasons.push(reason('PHYSICS_ALONE', doubt));
  if (agreeing.length >= MODES_MIN && fakes.some(({ fits }) => fits))
    reasons.push(reason('FAKE_NOT_EXCLUDED', fakesText(fakes)));
  if (reasons.length > 0) return { fails: false, passes: false, reasons };
  const text = `${namesOf(agreeing)} agree with the ${test.reference.kind === 'physics' ? 'theory' : 'reference'}`;
  return { fails: false, passes: true, reasons: [reason('RING_MATCHES', text)] };
}

/** Why a ring that agrees with theory alone, which is good to ± 10 %, passes nothing; undefined where it may. */
export function doubtOfTheory({
  match,
  densityCheck,
}: Pick<Judgement, 'match' | 'densityCheck'>): string | undefined {
  if (!densityCheck?.withinTolerance)
    return 'theory alone says where the modes should lie; with submergedMassG the density can confirm it';
  return match.lowestIsHeard
    ? undefined
    : 'theory alone says where the modes should lie, and the lowest is not heard there';
}

const FIELDS: Readonly<Record<Reading, string>> = {
  ...{ ring: 'a reference of genuine pieces', decay: 'a recording', thickness: 'thicknessMm' },
  ...{ specificGravity: 'submergedMassG', conductivity: 'conductivityMSm', magnet: 'magnetSlide' },
};

/** Which fakes are not excluded, and what would exclude them. */
function fakesText(fakes: readonly FakeVerdict[]): string {
  const texts = fakes.flatMap(({ metal, fits }) => {
    if (!fits) return [];
    const [min, max] = fits.share.map(share => share.toFixed(2));
    const form =
      min === max ? (max === '1.00' ? 'plated' : `a core of ${max}`) : `a core of ${min} to ${max}`;
    const by = fits.excludableBy.map(reading => FIELDS[reading]);
    const cure =
      by.length > 0 ? `${by.join(' or ')} can exclude it` : 'only genuine pieces, enrolled, can exclude it';
    return [`${metal} (${form} of the thickness) would read alike: ${cure}`];
  });
  return texts.join('; ');
}

/** The Q of a ring that is too dull for a coin; null where it is not, and where nothing is known of it. */
function dullnessOf(agreeing: readonly MatchedMode[]): number | null {
  const known = knownDecays(agreeing);
  const clearest = clearestOf(agreeing);
  if (!clearest) return null;
  const median = known.map(({ q }) => q).sort((a, b) => a - b)[known.length >> 1];
  if (median < Q_MIN) return median;
  return clearest.q < Q_CLEAREST_MIN ? clearest.q : null;
}

/** The mode that is heard best of those whose decay is known. */
function clearestOf(modes: readonly MatchedMode[]): { q: number; snrDb: number } | undefined {
  return knownDecays(modes).reduce<{ q: number; snrDb: number } | undefined>(
    (best, one) => (best && best.snrDb >= one.snrDb ? best : one),
    undefined,
  );
}

const knownDecays = (modes: readonly MatchedMode[]) =>
  modes.flatMap(({ q, snrDb }) => (q === null || snrDb === null ? [] : [{ q, snrDb }]));

function bodyFinding(test: RingTest, made: Made): Finding {
  const {
    massCheck,
    dimensionChecks,
    densityCheck,
    conductivityCheck,
    magnetAgrees: agreesWithMagnet,
  } = made;
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
  if (conductivityCheck && !conductivityCheck.withinTolerance) {
    fails ||= isGross(conductivityCheck);
    reasons.push(reason('CONDUCTIVITY_OFF', `the conductivity is off by ${percent(conductivityCheck)}`));
  }
  if (test.magnetSlide === 'sticks') {
    fails = true;
    reasons.push(reason('MAGNET_STICKS', `a magnet sticks to it, as to no ${test.piece.material.name}`));
  } else if (agreesWithMagnet === false) {
    const text = `a magnet slides ${test.magnetSlide === 'free' ? 'freely' : 'slowly'} on it, as on no ${test.piece.material.name}`;
    reasons.push(reason('MAGNET_OFF', text));
  }
  return { fails, passes: reasons.length === 0, reasons };
}

function quietReasons(quality: RingQuality | undefined): Reason[] {
  if (!quality || roundToRule(quality.snrDb) >= SNR_DB_REFUSES) return [];
  const text = `the ring is ${quality.snrDb.toFixed(1)} dB over the noise; one that differs refuses a piece from ${SNR_DB_REFUSES} dB on`;
  return [reason('RECORDING_NOISY', text)];
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
