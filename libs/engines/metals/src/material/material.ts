import type { ElasticSolid } from '../plate/free-disc.js';
import { type AlloyId, conductivityOf, type PreciousMetal } from './conductivity.js';

/** A metal or an alloy with its elastic constants, and where they come from. */
export interface Material extends ElasticSolid {
  readonly name: string;
  /** Standard uncertainty of the density, percent. */
  readonly densityUncertaintyPercent: number;
  /** What a conductivity meter shows, megasiemens per metre at 20 °C, where a table has the alloy. */
  readonly conductivityMSm?: number;
  readonly source: string;
}

const ELEMENTS = 'Wikipedia, Elastic properties of the elements (after WebElements and CRC Handbook)';
const CONTACTS =
  'Electrical Contacts Wiki (Doduco data book), Physical Properties of the Most Important Metals';

/**
 * Constants of polycrystalline metals. Handbooks differ by several percent, most for drawn and for annealed metal: what is
 * reckoned from them is good to ± 10 % (k = 2).
 */
export const MATERIALS = {
  gold: {
    ...{ name: 'gold', youngGPa: 78, poisson: 0.44, densityGcc: 19.3, densityUncertaintyPercent: 0.1 },
    source: `E 78, ν 0.44: ${ELEMENTS}; E 79, ν 0.42, ρ 19.32: ${CONTACTS}`,
  },
  'gold-22k': {
    ...{
      name: '22 carat gold',
      youngGPa: 88,
      poisson: 0.42,
      densityGcc: 17.52,
      densityUncertaintyPercent: 0.25,
    },
    source:
      'E within 83 … 95: 88 gives the (3,0) and (4,0) modes of the Krugerrand to 2 %; ρ with copper 17.48 to 17.55, with silver and copper 17.75 to 17.8: gold-analytix.de and trade tables',
  },
  silver: {
    ...{ name: 'silver', youngGPa: 83, poisson: 0.37, densityGcc: 10.49, densityUncertaintyPercent: 0.1 },
    source: `E 83, ν 0.37: ${ELEMENTS}; E 82, ν 0.37, ρ 10.49: ${CONTACTS}`,
  },
  'silver-925': {
    ...{ name: 'sterling silver', youngGPa: 78, poisson: 0.37, densityGcc: 10.36 },
    densityUncertaintyPercent: 0.2,
    source: 'ρ 10.36 by volumes of silver and copper; E 78 of annealed sterling, 71 to 83 in trade tables',
  },
  platinum: {
    ...{ name: 'platinum', youngGPa: 168, poisson: 0.38, densityGcc: 21.45, densityUncertaintyPercent: 0.2 },
    source: `E 168, ν 0.38: ${ELEMENTS}; E 173, ν 0.39, ρ 21.45: ${CONTACTS}`,
  },
  palladium: {
    ...{ name: 'palladium', youngGPa: 121, poisson: 0.39, densityGcc: 12.02, densityUncertaintyPercent: 0.2 },
    source: `E 121, ν 0.39: ${ELEMENTS}; E 124, ν 0.39, ρ 12.02: ${CONTACTS}`,
  },
  tungsten: {
    ...{ name: 'tungsten', youngGPa: 411, poisson: 0.28, densityGcc: 19.25, densityUncertaintyPercent: 0.5 },
    source: `E 411, ν 0.28, ρ 19.25: ${ELEMENTS}; E 360, ν 0.30, ρ 19.32: ${CONTACTS}`,
  },
  copper: {
    ...{ name: 'copper', youngGPa: 130, poisson: 0.34, densityGcc: 8.96, densityUncertaintyPercent: 0.2 },
    source: `E 130, ν 0.34: ${ELEMENTS}; E 115, ν 0.34, ρ 8.95: ${CONTACTS}`,
  },
  lead: {
    ...{ name: 'lead', youngGPa: 16, poisson: 0.44, densityGcc: 11.34, densityUncertaintyPercent: 0.2 },
    source: `E 16, ν 0.44, ρ 11.34: ${ELEMENTS}; E 14.5, ν 0.44, ρ 11.36: ${CONTACTS}`,
  },
} as const satisfies Record<string, Material>;
export type MaterialId = keyof typeof MATERIALS;

/** Constants are known of alloys at least so fine. */
export const FINENESS_MIN: Readonly<Record<PreciousMetal, number>> = {
  gold: 0.9,
  silver: 0.8,
  platinum: 0.95,
  palladium: 0.95,
};

/** An alloy whose constants nobody has told us. */
export class FinenessError extends Error {
  override readonly name = 'FinenessError';
  readonly code = 'fineness-unknown';
  readonly field = 'fineness';

  constructor(
    readonly metal: PreciousMetal,
    readonly min: number,
    readonly got: number,
  ) {
    super(`elastic constants of ${metal} are known from a fineness of ${min} on, got ${got}`);
  }
}

/** Above it a metal is taken as pure, below for its coinage alloy. */
const PURE_FROM = 0.985;

/** How much lighter gold becomes for what is alloyed to it, g/cm³ for a part of one: by the densities of 22 carat. */
const GOLD_LIGHTER: Readonly<Record<AlloyId, number>> = { copper: 21.4, 'silver-copper': 18.2 };
/** Of gold whose other metals are not known: half of what the two alloys differ by, percent. */
const ANY_ALLOY_PERCENT = 0.45;

/**
 * The constants of a precious metal of some fineness: those of the pure metal or of its coinage alloy, with the density of
 * the fineness itself. Silver is alloyed with copper; what gold is alloyed with moves its density by 1.5 %.
 *
 * @param fineness parts of one
 * @param alloy what the rest is, where it is known
 * @throws FinenessError
 */
export function materialOf(metal: PreciousMetal, fineness: number, alloy?: AlloyId): Material {
  const min = FINENESS_MIN[metal];
  if (!(fineness >= min && fineness <= 1)) throw new FinenessError(metal, min, fineness);
  const conductivityMSm = conductivityOf(metal, fineness, alloy);
  const pure = MATERIALS[metal];
  if (metal === 'gold') {
    const { copper, 'silver-copper': both } = GOLD_LIGHTER;
    const lighter = alloy ? GOLD_LIGHTER[alloy] : (copper + both) / 2;
    const densityGcc = pure.densityGcc - lighter * (1 - fineness);
    if (fineness >= PURE_FROM) return { ...pure, conductivityMSm, densityGcc };
    const alloyed = MATERIALS['gold-22k'];
    return {
      ...{ ...alloyed, conductivityMSm, densityGcc },
      name: fineness > 0.91 && fineness < 0.92 ? alloyed.name : `gold .${Math.round(fineness * 1_000)}`,
      densityUncertaintyPercent: alloy ? alloyed.densityUncertaintyPercent : ANY_ALLOY_PERCENT,
    };
  }
  if (fineness >= PURE_FROM || metal === 'platinum' || metal === 'palladium')
    return { ...pure, conductivityMSm };
  const densityGcc = 1 / (fineness / pure.densityGcc + (1 - fineness) / MATERIALS.copper.densityGcc);
  return {
    ...{ ...MATERIALS['silver-925'], conductivityMSm, densityGcc },
    name: `silver .${Math.round(fineness * 1_000)}`,
  };
}
