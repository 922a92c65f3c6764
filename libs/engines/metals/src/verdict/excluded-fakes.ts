import type { RingTest } from './ring-test.js';
import { conductivityTolerancePercent, conductivityUnderSkin } from '../material/conductivity.js';
import type { FakeMetal } from '../material/fake-metals.js';
import { measuredDensity, WATER_DENSITY_GCC } from '../material/specific-gravity.js';
import { knownModes, middleOf, type ModeName } from '../product/reference.js';
import type { RingPeak } from '../ring-peak.js';
import { type LikelyFake, likelyFakes } from './likely-fakes.js';
import { patternOf, prominentPeaks } from './match-modes.js';
import { distance, explain, type PatternMode } from './mode-pattern.js';
import { checkThickness } from './piece-checks.js';

/** What of a piece can tell it from a fake. */
export type Reading = 'ring' | 'decay' | 'thickness' | 'specificGravity' | 'conductivity' | 'magnet';

/** A metal that pieces are faked in, with what the readings make of it. */
export interface FakeVerdict {
  readonly metal: string;
  /** Readings that exclude it, each of them at least one form of it. */
  readonly excludedBy: readonly Reading[];
  /** The form that explains all readings as well as the genuine piece does; null where none does. */
  readonly fits: FittingFake | null;
}

/** A fake that the readings do not exclude. */
export interface FittingFake {
  /** The least and the most that such a core takes of the thickness, parts of one; 1 is plated. */
  readonly share: readonly [min: number, max: number];
  /** How much thicker it is than the genuine piece, percent. */
  readonly thickerPercent: number;
  /** Further readings, each of which would exclude it. */
  readonly excludableBy: readonly Reading[];
}

/**
 * By so many standard uncertainties of the reference must a fake's modes lie from the piece's to be told by its ring at all. What
 * theory errs by, it errs by for every piece of a product.
 */
const RESOLVED = { measured: 1.5, physics: 4 };
/** A core that is thinner and cannot be told from pieces that were measured is a limit of the test, which every answer names. */
const UNRESOLVED_SHARE_MIN = 0.4;
/** How much conductivity, MS/m, brakes a magnet that slides over a piece so that everybody sees it, and how little does not. */
export const BRAKES_MSM = 30;
export const SLIDES_MSM = 12;

/**
 * Holds every likely fake against all readings. One is excluded where it cannot give a reading: another thickness, density or
 * conductivity, a magnet that sticks, a dull metal that rings clearly; or where its modes lie farther from what was heard than
 * those of the genuine piece, and far enough from these to be told. Cores thinner than 0.3 of the thickness are not asked about.
 *
 * @param isPhysics no mode that agrees was measured on genuine pieces
 * @param isClear it rings as long as no dull metal does
 */
export function excludedFakes(
  test: RingTest,
  { isPhysics, isClear }: { readonly isPhysics: boolean; readonly isClear: boolean },
): FakeVerdict[] {
  const ring = ringOf(test, isPhysics);
  const density = densityOf(test);
  const ideal = { ...test, ...idealReadings(test) };
  const byMetal = new Map<FakeMetal, { fakes: LikelyFake[]; excludedBy: Set<Reading> }>();
  for (const fake of likelyFakes(test.piece, density?.densityGcc ?? densityByThickness(test))) {
    const of = byMetal.get(fake.metal) ?? { fakes: [], excludedBy: new Set() };
    byMetal.set(fake.metal, of);
    const by =
      READINGS.find(reading => excludes(reading, fake, test, ideal)) ??
      (isClear && fake.metal.isDull ? 'decay' : undefined) ??
      (ring && !ring.fits(fake) ? 'ring' : undefined);
    if (by) of.excludedBy.add(by);
    else of.fakes.push(fake);
  }
  return [...byMetal].map(([{ name }, { fakes, excludedBy }]) => ({
    metal: name,
    excludedBy: [...excludedBy],
    fits: fakes.length === 0 ? null : fittingOf(fakes, test, ideal),
  }));
}

const READINGS = ['thickness', 'specificGravity', 'conductivity', 'magnet'] as const;
type BodyReading = (typeof READINGS)[number];

function fittingOf(fakes: readonly LikelyFake[], test: RingTest, ideal: RingTest): FittingFake {
  const shares = fakes.map(({ share }) => share);
  const widest = fakes.reduce((most, fake) => (fake.share > most.share ? fake : most));
  const missing = READINGS.filter(reading => !hasReading(reading, test));
  return {
    share: [Math.min(...shares), Math.max(...shares)],
    thickerPercent: 100 * (widest.thicknessRatio - 1),
    excludableBy: missing.filter(reading => fakes.every(fake => isOff(reading, fake, ideal))),
  };
}

/** What a genuine piece would be read as, of everything that a test can be given. */
export function idealReadings({
  piece: { material },
  massG,
  expectedThickness,
}: RingTest): Partial<RingTest> {
  const { densityGcc, conductivityMSm } = material;
  return {
    submergedMassG: massG * (1 - WATER_DENSITY_GCC / densityGcc),
    ...(expectedThickness && { thicknessMm: expectedThickness.expectedMm }),
    ...(conductivityMSm === undefined ? {} : { conductivityMSm, ...idealMagnet(conductivityMSm) }),
  };
}

const idealMagnet = (msm: number): Pick<RingTest, 'magnetSlide'> =>
  msm > BRAKES_MSM ? { magnetSlide: 'slow' } : msm < SLIDES_MSM ? { magnetSlide: 'free' } : {};

const FIELD_OF = {
  thickness: 'thicknessMm',
  specificGravity: 'submergedMassG',
  conductivity: 'conductivityMSm',
  magnet: 'magnetSlide',
} as const satisfies Record<BodyReading, keyof RingTest>;
const hasReading = (reading: BodyReading, test: RingTest) => test[FIELD_OF[reading]] !== undefined;

/** Whether a reading tells a fake: it could tell it from a genuine piece, and it is none of the fake's. */
const excludes = (reading: BodyReading, fake: LikelyFake, test: RingTest, ideal: RingTest): boolean =>
  isOff(reading, fake, test) && isOff(reading, fake, ideal);

function isOff(reading: BodyReading, fake: LikelyFake, test: RingTest): boolean {
  if (!hasReading(reading, test)) return false;
  switch (reading) {
    case 'thickness': {
      const { expectedThickness: expected, thicknessMm = 0 } = test;
      if (!expected) return false;
      const expectedMm = expected.expectedMm * fake.thicknessRatio;
      return !checkThickness({ ...expected, expectedMm }, thicknessMm).withinTolerance;
    }
    case 'specificGravity': {
      const { densityGcc, uncertaintyPercent } = densityOf(test) as NonNullable<ReturnType<typeof densityOf>>;
      const offPercent = 100 * Math.abs(densityGcc / fake.densityGcc - 1);
      return offPercent > 2 * Math.hypot(uncertaintyPercent, test.piece.material.densityUncertaintyPercent);
    }
    case 'conductivity': {
      const { conductivityMSm = 0 } = test;
      const [min, max] = conductivityUnderSkin(
        fake.metal.conductivityMSm,
        test.piece.material.conductivityMSm ?? conductivityMSm,
        fake.skinMm,
      );
      const off = (msm: number) => (msm * conductivityTolerancePercent(msm)) / 100;
      return conductivityMSm < min - off(min) || conductivityMSm > max + off(max);
    }
    case 'magnet':
      return magnetExcludes(fake, test);
  }
}

function magnetExcludes({ metal, share }: LikelyFake, { magnetSlide, piece }: RingTest): boolean {
  if (metal.isMagnetic) return magnetSlide !== 'sticks';
  if (magnetSlide === 'sticks') return true;
  const skin = (1 - share) * (piece.material.conductivityMSm ?? 0);
  const [min, max] = metal.conductivityMSm.map(msm => skin + share * msm);
  return magnetSlide === 'slow' ? max < SLIDES_MSM : min > BRAKES_MSM;
}

const densityOf = ({ massG, submergedMassG, scaleAccuracyG }: RingTest) =>
  submergedMassG === undefined ? undefined : measuredDensity(massG, submergedMassG, scaleAccuracyG);

/** The density that a measured thickness tells, where mass and outline are right. */
const densityByThickness = ({ piece, thicknessMm, expectedThickness }: RingTest): number | undefined =>
  thicknessMm === undefined || !expectedThickness
    ? undefined
    : (piece.material.densityGcc * expectedThickness.expectedMm) / thicknessMm;

/** What was heard, for fakes to be held against; undefined where no mode that counts was. */
function ringOf(test: RingTest, isPhysics: boolean): { fits(fake: LikelyFake): boolean } | undefined {
  const { piece, reference } = test;
  const pattern = patternOf(reference, knownModes(piece, reference));
  const peaks = prominentPeaks(test.peaks, pattern);
  const own = readingOf(pattern, peaks);
  if (own.modes.length === 0) return undefined;
  const resolved = isPhysics ? RESOLVED.physics : RESOLVED.measured;
  const uncertainties = new Map(reference.modes.map(({ mode, uncertainty }) => [mode, uncertainty]));
  return {
    fits({ ratios, share }) {
      const moved = pattern.map(one => ({
        ...one,
        linesHz: one.linesHz.map(hz => hz * (ratios.get(one.mode) ?? 1)),
      }));
      const apart = meanSquare(
        own.modes.map(mode => Math.log(ratios.get(mode) ?? 1) / (uncertainties.get(mode) as number)),
      );
      if (apart < resolved ** 2) return isPhysics || share >= UNRESOLVED_SHARE_MIN;
      const fake = readingOf(moved, peaks);
      if (fake.modes.length < own.modes.length || fake.peaks < own.peaks) return false;
      return fake.error <= own.error + (isPhysics ? resolved : 0);
    },
  };
}

interface ModesHeard {
  /** Counted modes that are heard within their reach. */
  readonly modes: readonly ModeName[];
  /** Strong peaks that are a mode's. */
  readonly peaks: number;
  /** Mean square of how far they lie from their places, in standard uncertainties. */
  readonly error: number;
}

function readingOf(pattern: readonly PatternMode[], peaks: readonly RingPeak[]): ModesHeard {
  const explained = explain(pattern, peaks, 1);
  const counted = pattern.flatMap(({ mode, counted: place, linesHz }) => {
    const lines = explained.get(mode);
    if (!lines || !place) return [];
    const heardHz = middleOf(lines.map(({ frequencyHz }) => frequencyHz));
    return [{ mode, z: distance(heardHz, [...linesHz, middleOf(linesHz)]) / place.uncertainty }];
  });
  return {
    modes: counted.map(({ mode }) => mode),
    peaks: [...explained.values()].flat().length,
    error: meanSquare(counted.map(({ z }) => z)),
  };
}

const meanSquare = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value ** 2, 0) / Math.max(1, values.length);
