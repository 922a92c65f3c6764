import {
  BAR_MODES,
  BAR_THICKNESS_RATIO_MAX,
  barFrequencyHz,
  type BarModeName,
  massEquivalentBarThicknessMm,
} from '../beam/free-bar.js';
import { FAKE_METALS, type FakeMetal } from '../material/fake-metals.js';
import {
  DISC_MODES,
  discFrequencyHz,
  type DiscModeName,
  type ElasticSolid,
  massEquivalentThicknessMm,
} from '../plate/free-disc.js';
import { type MeasuredPiece, modeFrequencyHz, type ModeName } from '../product/reference.js';

/** A piece of another metal, with the mass and the outline of the one that it is sold as. */
export interface LikelyFake {
  readonly metal: FakeMetal;
  /** What the core takes of the thickness, parts of one; the rest is a skin of the genuine metal. */
  readonly share: number;
  readonly densityGcc: number;
  /** How much thicker it is than the genuine piece. */
  readonly thicknessRatio: number;
  /** Of the skin on either side, mm. */
  readonly skinMm: number;
  /** How much higher each mode lies than the genuine piece has it. */
  readonly ratios: ReadonlyMap<ModeName, number>;
}

/** Under a skin of an eighth of the thickness at the most. */
const PLATED_SHARE_MIN = 0.75;
/** A thin skin of gold over lead stiffens it by a twentieth for each hundredth of the thickness. */
const PLATED_SHARES = [1, 0.99, 0.98, 0.97, 0.96, 0.95, 0.94, 0.92, 0.9, 0.875, 0.85, 0.8, PLATED_SHARE_MIN];
/** Thinner ones move no mode by more than pieces differ: every answer says so. */
export const CORE_SHARE_MIN = 0.3;
const CORE_SHARES = [...PLATED_SHARES, 0.7, 0.65, 0.6, 0.55, 0.5, 0.45, 0.4, 0.35, CORE_SHARE_MIN];
/** Steps of Poisson's ratio, whose roots are kept: they move a frequency by less than 0.05 %. */
const POISSON_STEP = 0.005;

/**
 * The pieces that would pass on a scale and under a caliper for lengths: other metals, plated or as a core. An alloy that is
 * made in several densities is taken at that which comes nearest to a density, and else at the ends and the middle of its range.
 *
 * @param nearGcc density that was measured, or that a measured thickness tells
 * @param isWanted which metals and which shares of the thickness; default: all
 */
export function likelyFakes(
  piece: MeasuredPiece,
  nearGcc?: number,
  isWanted: (metal: FakeMetal, share: number) => boolean = () => true,
): LikelyFake[] {
  const genuine = piece.material;
  const genuineHz = modesOf(piece);
  return FAKE_METALS.filter(metal => !isAlike(metal, genuine) && isLikely(metal, genuine)).flatMap(metal =>
    (metal.isCore ? CORE_SHARES : PLATED_SHARES)
      .filter(share => isWanted(metal, share))
      .flatMap(share =>
        densitiesOf(metal, genuine, share, nearGcc)
          .map(densityGcc => laminate(genuine, solidOf(metal, densityGcc), share))
          .filter(solid => isThin(piece, solid))
          .map(solid => fakeOf(piece, genuineHz, { metal, share, solid })),
      ),
  );
}

/** How far the piece's density may lie from the range of an alloy that is made to weigh as much, parts of one. */
const WEIGHS_ALIKE = 0.05;
const isLikely = ({ isMadeToWeigh, densityGcc: [min, max] }: FakeMetal, { densityGcc }: ElasticSolid) =>
  !isMadeToWeigh || (densityGcc > min && densityGcc < (1 + WEIGHS_ALIKE) * max);

/** The metal itself, or an alloy of it. */
const isAlike = ({ poisson, densityGcc: [min, max] }: FakeMetal, genuine: ElasticSolid) =>
  poisson === genuine.poisson && genuine.densityGcc > 0.95 * min && genuine.densityGcc < 1.05 * max;

/** A bar too thick for the theory of beams is seen to be none of the genuine ones. */
const isThin = (piece: MeasuredPiece, solid: ElasticSolid) =>
  piece.shape === 'disc' || equivalentThicknessMm(piece, solid) <= BAR_THICKNESS_RATIO_MAX * piece.lengthMm;

function densitiesOf(
  { densityGcc: [min, max] }: FakeMetal,
  { densityGcc: skinGcc }: ElasticSolid,
  share: number,
  nearGcc: number | undefined,
): number[] {
  if (nearGcc === undefined) return [...new Set([min, (min + max) / 2, max])];
  const coreGcc = (nearGcc - (1 - share) * skinGcc) / share;
  return [Math.min(max, Math.max(min, coreGcc))];
}

function solidOf({ densityGcc: [min, max], youngGPa, poisson }: FakeMetal, densityGcc: number): ElasticSolid {
  const part = max > min ? (densityGcc - min) / (max - min) : 0;
  return { densityGcc, poisson, youngGPa: youngGPa[0] + part * (youngGPa[1] - youngGPa[0]) };
}

function fakeOf(
  piece: MeasuredPiece,
  genuineHz: ReadonlyMap<ModeName, number>,
  { metal, share, solid }: { metal: FakeMetal; share: number; solid: ElasticSolid },
): LikelyFake {
  const thicknessMm = equivalentThicknessMm(piece, solid);
  return {
    ...{ metal, share, densityGcc: solid.densityGcc },
    thicknessRatio: piece.material.densityGcc / solid.densityGcc,
    skinMm: ((1 - share) / 2) * thicknessMm,
    ratios: ringRatios(piece, genuineHz, solid, thicknessMm),
  };
}

/** How much higher each mode of a piece lies, made of another solid with the same mass and outline. */
function ringRatios(
  piece: MeasuredPiece,
  genuineHz: ReadonlyMap<ModeName, number>,
  solid: ElasticSolid,
  thicknessMm: number,
): Map<ModeName, number> {
  const material = { ...solid, poisson: POISSON_STEP * Math.round(solid.poisson / POISSON_STEP) };
  const body = { ...piece, thicknessMm };
  const frequencyHz = (mode: ModeName) =>
    body.shape === 'disc'
      ? discFrequencyHz(DISC_MODES[mode as DiscModeName], body, material)
      : barFrequencyHz(mode as BarModeName, body, material);
  const ratios = new Map<ModeName, number>();
  for (const [mode, hz] of genuineHz) ratios.set(mode, frequencyHz(mode) / hz);
  return ratios;
}

function modesOf(piece: MeasuredPiece): Map<ModeName, number> {
  const modes: readonly ModeName[] =
    piece.shape === 'disc' ? (Object.keys(DISC_MODES) as DiscModeName[]) : BAR_MODES;
  return new Map(modes.map(mode => [mode, modeFrequencyHz(piece, mode)]));
}

function equivalentThicknessMm(piece: MeasuredPiece, { densityGcc }: ElasticSolid): number {
  return piece.shape === 'disc'
    ? massEquivalentThicknessMm(piece.massG, piece.diameterMm, densityGcc)
    : massEquivalentBarThicknessMm(piece.massG, piece, densityGcc);
}

/**
 * The even plate that bends and weighs as one with a core in its middle: of a core of a share c of the thickness the
 * stiffness counts c³, the density c.
 */
export function laminate(skin: ElasticSolid, core: ElasticSolid, share: number): ElasticSolid {
  const stiffness = ({ youngGPa, poisson }: ElasticSolid) => youngGPa / (1 - poisson ** 2);
  const [outer, inner] = [stiffness(skin) * (1 - share ** 3), stiffness(core) * share ** 3];
  const poisson = (skin.poisson * outer + core.poisson * inner) / (outer + inner);
  return {
    youngGPa: (outer + inner) * (1 - poisson ** 2),
    poisson,
    densityGcc: skin.densityGcc * (1 - share) + core.densityGcc * share,
  };
}
