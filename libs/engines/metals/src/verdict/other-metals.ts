import { type Material, MATERIALS } from '../material/material.js';
import {
  DISC_MODES,
  discFrequencyHz,
  type DiscModeName,
  type ElasticSolid,
  massEquivalentThicknessMm,
} from '../plate/free-disc.js';
import { type MeasuredPiece, modeFrequencyHz, type ModeName } from '../product/reference.js';

/** What a piece would ring at if it were of something else, of the same mass and diameter: thinner or thicker, therefore. */
export interface OtherMetal {
  /** As a reason names it. */
  readonly name: string;
  /** How much higher each mode lies than the genuine piece has it. */
  readonly ratios: ReadonlyMap<ModeName, number>;
}

/** What fakes of coins are made of under their skin. */
const CORES = ['tungsten', 'copper', 'lead', 'silver'] as const satisfies readonly (keyof typeof MATERIALS)[];
/** Parts of the thickness; a skin of the genuine metal is the rest. */
const CORE_SHARES = [1, 0.95, 0.9, 0.85, 0.8, 0.75] as const;

/**
 * The pieces that would pass for a disc on a scale and under a caliper for diameters: cores of other metals. Relief and rim are
 * taken to move their modes as they move those of the genuine piece.
 */
export function otherMetals(piece: MeasuredPiece): OtherMetal[] {
  if (piece.shape !== 'disc') return [];
  const { material, massG, diameterMm } = piece;
  return CORES.map(id => MATERIALS[id])
    .filter(core => !isAlike(core, material))
    .flatMap(core =>
      CORE_SHARES.map(share => {
        const solid = laminate(material, core, share);
        const thicknessMm = massEquivalentThicknessMm(massG, diameterMm, solid.densityGcc);
        const ratio = (mode: DiscModeName) =>
          discFrequencyHz(DISC_MODES[mode], { diameterMm, thicknessMm }, solid) /
          modeFrequencyHz(piece, mode);
        const modes = Object.keys(DISC_MODES) as DiscModeName[];
        return { name: core.name, ratios: new Map<ModeName, number>(modes.map(mode => [mode, ratio(mode)])) };
      }),
    );
}

/** The metal itself or an alloy of it. */
const isAlike = (one: Material, other: Material) =>
  one.poisson === other.poisson && Math.abs(one.densityGcc / other.densityGcc - 1) < 0.05;

/**
 * The even plate that bends and weighs as one with a core in its middle: of a core of a share c of the thickness the
 * stiffness counts c³, the density c.
 */
function laminate(skin: ElasticSolid, core: ElasticSolid, share: number): ElasticSolid {
  const stiffness = ({ youngGPa, poisson }: ElasticSolid) => youngGPa / (1 - poisson ** 2);
  const [outer, inner] = [stiffness(skin) * (1 - share ** 3), stiffness(core) * share ** 3];
  const poisson = (skin.poisson * outer + core.poisson * inner) / (outer + inner);
  return {
    youngGPa: (outer + inner) * (1 - poisson ** 2),
    poisson,
    densityGcc: skin.densityGcc * (1 - share) + core.densityGcc * share,
  };
}
