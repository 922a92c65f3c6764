import { type Material, materialOf, MATERIALS } from '../material/material.js';
import {
  DISC_MODES,
  discFrequencyHz,
  type DiscModeName,
  type ElasticSolid,
  massEquivalentThicknessMm,
} from '../plate/free-disc.js';
import { type Product, PRODUCTS } from '../product/product.js';
import type { SeededRandom } from '@svc/kernels/testing';

/** Drawn from the table, or reckoned from physics and so held out from what it is judged by. */
export const GENUINE_KINDS = ['genuine', 'genuine-held-out'] as const;
export const FAKE_KINDS = ['tungsten-core', 'silver-under-gold', 'copper', 'lead', 'wrong-size'] as const;
/** Fakes that a ring cannot tell, as published. */
export const UNDETECTABLE_KINDS = ['thin-tungsten-core', 'sterling'] as const;
export const PIECE_KINDS = [...GENUINE_KINDS, ...FAKE_KINDS, ...UNDETECTABLE_KINDS] as const;
/** What a piece is in truth. */
export type PieceKind = (typeof PIECE_KINDS)[number];

/** A mode of a piece, as two lines where the piece is not quite round. */
export interface PieceMode {
  readonly mode: DiscModeName;
  readonly linesHz: readonly number[];
  readonly q: number;
}

/** A piece that is sold as a product. */
export interface RingPiece {
  readonly productId: string;
  readonly kind: PieceKind;
  readonly isGenuine: boolean;
  readonly massG: number;
  readonly diameterMm: number;
  readonly thicknessMm: number;
  readonly densityGcc: number;
  readonly modes: readonly PieceMode[];
}

/** Products of which all four modes are published. */
export const MEASURED_PRODUCTS: readonly Product[] = [...PRODUCTS.values()].filter(
  ({ measuredModesHz }) => Object.keys(measuredModesHz ?? {}).length >= 4,
);
/** Theory meets their published modes to 8 %: pieces made by it alone may be held against the table. */
const HELD_OUT_PRODUCTS = ['american-silver-eagle', 'krugerrand'];

/** Of genuine pieces: temper, relief, wear. Standard deviations, parts of one. */
const PIECE_SCATTER = 0.012;
const MODE_SCATTER = 0.01;
const MASS_SCATTER = 0.001;
/** Pieces with one published line are as a rule not quite round either. */
const UNPUBLISHED_SPLIT_CHANCE = 0.4;
const UNPUBLISHED_SPLIT_MAX = 0.008;

/** Quality factors that pieces of a metal ring with, when they are struck free: assumed, no table is published. */
const QUALITY: Readonly<Record<string, readonly [low: number, high: number]>> = {
  gold: [250, 900],
  'gold-22k': [350, 1_400],
  silver: [700, 3_000],
  'silver-925': [700, 3_000],
  platinum: [300, 1_000],
  palladium: [300, 1_000],
  tungsten: [150, 900],
  copper: [500, 2_000],
  lead: [15, 60],
};

/** Draws a piece of a kind; the product is one that such pieces are made of. */
export function drawPiece(kind: PieceKind, random: SeededRandom): RingPiece {
  if (kind === 'genuine') return genuinePiece(random.pick(MEASURED_PRODUCTS), random);
  if (kind === 'genuine-held-out') {
    return heldOutPiece(PRODUCTS.get(random.pick(HELD_OUT_PRODUCTS)) as Product, random);
  }
  const wantsGold = kind === 'silver-under-gold' || kind.endsWith('tungsten-core');
  const metal = wantsGold ? 'gold' : kind === 'sterling' ? 'silver' : null;
  const products = MEASURED_PRODUCTS.filter(product => metal === null || product.metal === metal);
  return fakePiece(kind, random.pick(products), random);
}

/** A piece as the table has them, each a little off, some modes in two lines. */
function genuinePiece(product: Product, random: SeededRandom): RingPiece {
  const scale = 1 + random.gaussian(0, PIECE_SCATTER);
  const [lowQ, highQ] = QUALITY[qualityOf(product)];
  const q = random.logUniform(lowQ, highQ);
  const modes = allModes(product).map(({ mode, linesHz }) => {
    const shift = scale * (1 + random.gaussian(0, MODE_SCATTER));
    return { mode, linesHz: linesHz.map(hz => hz * shift), q: q * random.logUniform(0.7, 1.4) };
  });
  return {
    ...bodyOf(product, genuineSolid(product)),
    ...{ kind: 'genuine', isGenuine: true },
    massG: product.massG * (1 + random.gaussian(0, MASS_SCATTER)),
    modes: modes.map(mode => splitPublished(mode, random)),
  };
}

/** Young's modulus drawn from all that handbooks have of the alloy, a rim that lowers (2,0) most; nothing of the published modes. */
function heldOutPiece(product: Product, random: SeededRandom): RingPiece {
  const solid = genuineSolid(product);
  const youngGPa = product.metal === 'silver' ? random.uniform(71, 83) : random.uniform(83, 95);
  const drawn = { ...solid, youngGPa };
  const rim = random.uniform(-0.03, 0.03);
  const body = bodyOf(product, drawn);
  const [lowQ, highQ] = QUALITY[qualityOf(product)];
  const q = random.logUniform(lowQ, highQ);
  const modes = modeNames.map(mode => {
    const lowered = 1 - rim * (mode === '(2,0)' ? 1 : 0.4) + random.gaussian(0, MODE_SCATTER / 2);
    const hz = discFrequencyHz(DISC_MODES[mode], body, drawn) * lowered;
    return splitPublished({ mode, linesHz: [hz], q: q * random.logUniform(0.7, 1.4) }, random);
  });
  const massG = product.massG * (1 + random.gaussian(0, MASS_SCATTER));
  return { ...body, kind: 'genuine-held-out', isGenuine: true, massG, modes };
}

/**
 * A fake: the modes of the genuine piece, moved as theory says that its inside and its measures move them. Most fakes weigh
 * what they should, with another thickness; the rest have the right measures.
 */
function fakePiece(kind: PieceKind, product: Product, random: SeededRandom): RingPiece {
  const genuine = genuineSolid(product);
  const { solid, quality } = insideOf(kind, genuine, random);
  const keepsMass = kind !== 'wrong-size' && random.chance(0.7);
  const genuineBody = bodyOf(product, genuine);
  const diameterMm =
    kind === 'wrong-size'
      ? product.diameterMm * (random.chance(0.5) ? random.uniform(0.88, 0.94) : random.uniform(1.06, 1.12))
      : product.diameterMm;
  const thicknessMm =
    keepsMass || kind === 'wrong-size'
      ? massEquivalentThicknessMm(product.massG, diameterMm, solid.densityGcc)
      : genuineBody.thicknessMm;
  const massG = (solid.densityGcc * Math.PI * diameterMm ** 2 * thicknessMm) / 4_000;
  const [lowQ, highQ] = QUALITY[quality] ?? QUALITY[qualityOf(product)];
  const q = random.logUniform(lowQ, highQ);
  const unmoved = allModes(product).map(({ mode, linesHz }) => {
    const shift = 1 + random.gaussian(0, MODE_SCATTER);
    const piece = { mode, linesHz: linesHz.map(hz => hz * shift), q: q * random.logUniform(0.7, 1.4) };
    return splitPublished(piece, random);
  });
  const moved = (mode: DiscModeName) =>
    discFrequencyHz(DISC_MODES[mode], { diameterMm, thicknessMm }, solid) / genuineHz(product, mode);
  let modes: readonly PieceMode[] | undefined;
  return {
    productId: product.productId,
    ...{ kind, isGenuine: false, diameterMm, thicknessMm, densityGcc: solid.densityGcc },
    massG: massG * (1 + random.gaussian(0, MASS_SCATTER)),
    // When they are asked for: their roots take longer than all the rest of a piece.
    get modes() {
      modes ??= unmoved.map(one => ({ ...one, linesHz: one.linesHz.map(hz => hz * moved(one.mode)) }));
      return modes;
    },
  };
}

function insideOf(
  kind: PieceKind,
  genuine: Material,
  random: SeededRandom,
): { solid: ElasticSolid; quality: string } {
  switch (kind) {
    case 'tungsten-core':
      return {
        solid: laminate(genuine, MATERIALS.tungsten, random.uniform(0.75, 0.97)),
        quality: 'tungsten',
      };
    case 'thin-tungsten-core':
      return { solid: laminate(genuine, MATERIALS.tungsten, random.uniform(0.1, 0.3)), quality: 'tungsten' };
    case 'silver-under-gold':
      return { solid: laminate(genuine, MATERIALS.silver, random.uniform(0.9, 0.99)), quality: 'silver' };
    case 'copper':
      return { solid: laminate(genuine, MATERIALS.copper, random.uniform(0.9, 0.99)), quality: 'copper' };
    case 'lead':
      return { solid: laminate(genuine, MATERIALS.lead, random.uniform(0.9, 0.99)), quality: 'lead' };
    case 'sterling':
      return { solid: MATERIALS['silver-925'], quality: 'silver' };
    default:
      return { solid: genuine, quality: '' };
  }
}

/**
 * The even plate that bends and weighs as one with a core in its middle: of a core of a share c of the thickness the
 * stiffness counts c³, the density c.
 */
function laminate(skin: ElasticSolid, core: ElasticSolid, share: number): ElasticSolid {
  const stiffness = (solid: ElasticSolid) => solid.youngGPa / (1 - solid.poisson ** 2);
  const cube = share ** 3;
  const bending = stiffness(skin) * (1 - cube) + stiffness(core) * cube;
  const coreShare = (stiffness(core) * cube) / bending;
  const poisson = skin.poisson * (1 - coreShare) + core.poisson * coreShare;
  return {
    youngGPa: bending * (1 - poisson ** 2),
    poisson,
    densityGcc: skin.densityGcc * (1 - share) + core.densityGcc * share,
  };
}

const genuineModesHz = new Map<string, number>();

/** What theory has of the genuine piece; a mode's root takes a thousand Bessel functions, so it is sought once. */
function genuineHz(product: Product, mode: DiscModeName): number {
  const key = `${product.productId} ${mode}`;
  const known = genuineModesHz.get(key);
  if (known !== undefined) return known;
  const solid = genuineSolid(product);
  const hz = discFrequencyHz(DISC_MODES[mode], bodyOf(product, solid), solid);
  genuineModesHz.set(key, hz);
  return hz;
}

const modeNames = Object.keys(DISC_MODES) as DiscModeName[];

/** The published modes, and those that the table leaves out by theory, moved as the published ones lie on the average. */
function allModes(product: Product): { mode: DiscModeName; linesHz: readonly number[] }[] {
  const theory = (mode: DiscModeName) => genuineHz(product, mode);
  const published = product.measuredModesHz ?? {};
  const high = published['(4,0)'] ?? [theory('(4,0)')];
  const ratio = high[0] / theory('(4,0)');
  return modeNames.map(mode => ({ mode, linesHz: published[mode] ?? [ratio * theory(mode)] }));
}

/** Lines of a published pair keep their distance within a third; single ones part a little in some pieces. */
function splitPublished(mode: PieceMode, random: SeededRandom): PieceMode {
  const [first, second] = mode.linesHz;
  if (second !== undefined) {
    const middle = (first + second) / 2;
    const half = ((second - first) / 2) * random.uniform(0.67, 1.33);
    return { ...mode, linesHz: [middle - half, middle + half] };
  }
  // Without nodal diameters there is nothing to part.
  if (DISC_MODES[mode.mode].diameters === 0 || !random.chance(UNPUBLISHED_SPLIT_CHANCE)) return mode;
  const half = (first / 2) * random.uniform(0, UNPUBLISHED_SPLIT_MAX);
  return { ...mode, linesHz: [first - half, first + half] };
}

function bodyOf(product: Product, solid: ElasticSolid) {
  const { productId, massG, diameterMm } = product;
  const thicknessMm = massEquivalentThicknessMm(massG, diameterMm, solid.densityGcc);
  return { productId, diameterMm, thicknessMm, densityGcc: solid.densityGcc };
}

function genuineSolid({ metal, fineness }: Product): Material {
  return materialOf(metal, fineness);
}

function qualityOf({ metal, fineness }: Product): string {
  return metal === 'gold' && fineness < 0.985 ? 'gold-22k' : metal;
}
