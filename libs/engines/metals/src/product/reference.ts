import {
  barFrequencyHz,
  BAR_MODES,
  type BarModeName,
  massEquivalentBarThicknessMm,
} from '../beam/free-bar.js';
import { type Material, materialOf } from '../material/material.js';
import {
  DISC_MODES,
  discFrequencyHz,
  type DiscModeName,
  freeDiscLambdaSquared,
  massEquivalentThicknessMm,
} from '../plate/free-disc.js';
import type { Product } from './product.js';

export type ModeName = DiscModeName | BarModeName;
/** Where an expected frequency comes from: genuine pieces of our own, a table of somebody's, or theory. */
export type ModeBasis = 'enrolled' | 'table' | 'physics';

/** What a genuine piece is expected to ring at. */
export interface ReferenceMode {
  readonly mode: ModeName;
  readonly basis: ModeBasis;
  /** One line, or the two of a doublet, ascending, hertz. */
  readonly linesHz: readonly number[];
  /** Standard uncertainty of their middle, parts of one. */
  readonly uncertainty: number;
}

/** What a piece is held against. */
export interface RingReference {
  /** The best that one of its modes rests on. */
  readonly kind: ModeBasis;
  readonly source: string;
  /** By frequency. */
  readonly modes: readonly ReferenceMode[];
}

/** ± 4 % at k = 2: pieces of one product differ by relief, wear and temper. */
export const TABLE_UNCERTAINTY = 0.02;
/** ± 10 % at k = 2: elastic constants, relief, rim. */
export const PHYSICS_UNCERTAINTY = 0.05;
/** The modes of a coin that theory meets; relief and rim lower the others by up to a fifth. */
const PHYSICS_DISC_MODES = ['(3,0)', '(4,0)'] as const satisfies readonly DiscModeName[];
const PHYSICS_BAR_MODES = ['B1', 'B2'] as const satisfies readonly BarModeName[];

/** A piece that is described by its measures. */
export type MeasuredPiece = { readonly massG: number; readonly material: Material } & (
  | { readonly shape: 'disc'; readonly diameterMm: number }
  | { readonly shape: 'bar'; readonly lengthMm: number; readonly widthMm: number }
);

/**
 * The modes that theory gives a piece, from its mass-equivalent thickness, ascending.
 * @param names default: those that count in a verdict
 * @throws BarShapeError
 */
export function physicsModes(piece: MeasuredPiece, names?: readonly ModeName[]): ReferenceMode[] {
  return modeNamesOf(piece, names)
    .map(mode => ({
      ...{ mode, basis: 'physics' as const, uncertainty: PHYSICS_UNCERTAINTY },
      linesHz: [modeFrequencyHz(piece, mode)],
    }))
    .sort((a, b) => a.linesHz[0] - b.linesHz[0]);
}

function modeNamesOf(piece: MeasuredPiece, names?: readonly ModeName[]): readonly ModeName[] {
  return names ?? (piece.shape === 'disc' ? PHYSICS_DISC_MODES : PHYSICS_BAR_MODES);
}

/** Frequency of one mode of a piece by theory, hertz. @throws BarShapeError; RangeError for a mode of another shape */
export function modeFrequencyHz(piece: MeasuredPiece, mode: ModeName): number {
  const { material, massG } = piece;
  if (piece.shape === 'disc') {
    if (!(mode in DISC_MODES)) throw new RangeError(`${mode} is no mode of a disc`);
    const thicknessMm = massEquivalentThicknessMm(massG, piece.diameterMm, material.densityGcc);
    return discFrequencyHz(DISC_MODES[mode as DiscModeName], { ...piece, thicknessMm }, material);
  }
  if (!(BAR_MODES as readonly string[]).includes(mode)) throw new RangeError(`${mode} is no mode of a bar`);
  const thicknessMm = massEquivalentBarThicknessMm(massG, piece, material.densityGcc);
  return barFrequencyHz(mode as BarModeName, { ...piece, thicknessMm }, material);
}

/** The piece that a product is, as theory sees it. */
export function pieceOfProduct(product: Product): MeasuredPiece {
  const { metal, fineness, alloy, massG, diameterMm } = product;
  return { shape: 'disc', massG, diameterMm, material: materialOf(metal, fineness, alloy) };
}

/**
 * What a product is expected to ring at: of each mode the enrolled frequency, else that of the table, else, of the two modes
 * that theory meets, the reckoned one.
 * @param enrolled modes of genuine pieces, as `enrolledModes` makes them
 */
export function referenceOfProduct(
  product: Product,
  enrolled: { readonly specimens: number; readonly modes: readonly ReferenceMode[] } = {
    specimens: 0,
    modes: [],
  },
): RingReference {
  const modes = new Map<ModeName, ReferenceMode>();
  for (const mode of physicsModes(pieceOfProduct(product))) modes.set(mode.mode, mode);
  for (const [mode, linesHz] of Object.entries(product.measuredModesHz ?? {})) {
    const name = mode as DiscModeName;
    modes.set(name, { mode: name, basis: 'table', linesHz, uncertainty: TABLE_UNCERTAINTY });
  }
  for (const mode of enrolled.modes) modes.set(mode.mode, mode);
  const all = [...modes.values()].sort((a, b) => middleOf(a.linesHz) - middleOf(b.linesHz));
  const has = (basis: ModeBasis) => all.some(mode => mode.basis === basis);
  const sources = [
    ...(has('enrolled') ? [`${enrolled.specimens} enrolled recordings of genuine pieces`] : []),
    ...(has('table') ? [product.modesSource as string] : []),
    ...(has('physics') ? [`theory of plates for ${pieceOfProduct(product).material.name}`] : []),
  ];
  const kind = has('enrolled') ? 'enrolled' : has('table') ? 'table' : 'physics';
  return { kind, source: sources.join('; '), modes: all };
}

/** What a piece that is described by its measures is expected to ring at. @throws BarShapeError */
export function referenceOfPiece(piece: MeasuredPiece): RingReference {
  return {
    kind: 'physics',
    source: `theory of ${piece.shape === 'disc' ? 'plates' : 'beams'} for ${piece.material.name}: ${piece.material.source}`,
    modes: physicsModes(piece),
  };
}

/** A mode as theory has it. */
export interface KnownMode {
  readonly mode: ModeName;
  /** Where pieces with relief and rim have it. */
  readonly hz: number;
  /** How far from there, parts of one. */
  readonly reach: number;
  /** Where a flat disc has it. */
  readonly theoryHz: number;
  /** How much higher it lies in a disc of a metal like tungsten, but for what all modes rise by. */
  readonly stiffening: number;
}

/** Modes that a coin rings with: theory says roughly where, and relief and rim lower them by so much, give or take a reach. */
const COIN_MODES: readonly { mode: DiscModeName; lowered: number; reach: number }[] = [
  { mode: '(2,0)', lowered: 0.91, reach: 0.13 },
  { mode: '(0,1)', lowered: 0.94, reach: 0.09 },
  { mode: '(3,0)', lowered: 0.96, reach: 0.07 },
  { mode: '(1,1)', lowered: 0.97, reach: 0.07 },
  { mode: '(4,0)', lowered: 0.99, reach: 0.05 },
];

/** Poisson's ratio of tungsten and its alloys: it moves the modes of a fake against one another. */
const STIFF_POISSON = 0.3;

/** Where theory has the modes of a coin, and where its reference lets them be looked for. */
export function knownModes(piece: MeasuredPiece, reference?: RingReference): KnownMode[] {
  if (piece.shape !== 'disc') return [];
  const highest = reference?.modes.at(-1);
  // A reference that was measured says better than theory how high the piece rings as a whole.
  const scale =
    highest && highest.basis !== 'physics' && highest.mode === '(4,0)'
      ? middleOf(highest.linesHz) / (0.99 * modeFrequencyHz(piece, '(4,0)'))
      : 1;
  return COIN_MODES.map(({ mode, lowered, reach }) => {
    const theoryHz = modeFrequencyHz(piece, mode);
    const [own, stiff] = [piece.material.poisson, STIFF_POISSON].map(poisson =>
      freeDiscLambdaSquared(DISC_MODES[mode], poisson),
    );
    return { mode, reach, theoryHz, stiffening: stiff / own, hz: lowered * scale * theoryHz };
  });
}

/** Middle of one line or of a doublet, hertz. */
export const middleOf = (linesHz: readonly number[]): number =>
  linesHz.reduce((sum, line) => sum + line, 0) / linesHz.length;
