import { matchModes } from '../verdict/match-modes.js';
import type { RingPeak } from '../ring-peak.js';
import type { Product } from './product.js';
import {
  knownModes,
  middleOf,
  type ModeName,
  pieceOfProduct,
  type ReferenceMode,
  referenceOfProduct,
} from './reference.js';

/** The lines of one mode of one piece. */
export interface SpecimenMode {
  readonly mode: ModeName;
  /** One, or the two of a doublet, ascending, hertz. */
  readonly linesHz: readonly number[];
}

/** A genuine piece with what was heard of it. */
export interface Specimen {
  /** Which piece it is: recordings of one piece count as one. */
  readonly specimen: string;
  readonly modes: readonly SpecimenMode[];
}

/** A recording that no reference can be made of. */
export class EnrolmentError extends Error {
  override readonly name = 'EnrolmentError';

  constructor(
    readonly code: 'too-few-modes' | 'rings-differently',
    readonly min: number,
    readonly got: number,
    message: string,
  ) {
    super(message);
  }
}

const MODES_MIN = 2;
/** Pieces of one product differ by no less than this, parts of one, however few of them were recorded. */
const UNCERTAINTY_FLOOR = 0.01;
/** Of a single piece, and of two, whose spread says nothing: parts of one. */
const UNCERTAINTY_OF_FEW = [0.02, 0.015];
/** Student's t at 95 % over the normal distribution's 1.96, by degrees of freedom from 2. */
const STUDENT_FACTOR = [2.195, 1.624, 1.416, 1.311, 1.248, 1.206, 1.177, 1.154, 1.137];

/**
 * Which peaks are which modes of a genuine piece: by the table where it has the product, else by theory, within what relief and
 * rim may lower a mode.
 * @throws EnrolmentError
 */
export function specimenModes(product: Product, peaks: readonly RingPeak[]): SpecimenMode[] {
  const known = knownModes(pieceOfProduct(product));
  const measured = referenceOfProduct(product).modes.filter(({ basis }) => basis !== 'physics');
  const expected: ReferenceMode[] = known
    .filter(({ mode }) => mode !== '(1,1)')
    .map(
      ({ mode, hz, reach }) =>
        measured.find(one => one.mode === mode) ?? {
          ...{ mode, basis: 'physics' as const, linesHz: [hz], uncertainty: reach / 4 },
        },
    );
  const reference = { kind: 'physics' as const, source: '', modes: expected };
  const { modes, scale } = matchModes(reference, peaks, known);
  if (scale !== 1) {
    const text = `the ring is ${scale.toFixed(2)} times as high as a ${product.name} rings`;
    throw new EnrolmentError('rings-differently', 1, scale, text);
  }
  const heard = modes.flatMap(({ reference: { mode }, measuredHz, splitHz }) =>
    measuredHz === null
      ? []
      : [
          {
            mode,
            linesHz: splitHz === null ? [measuredHz] : [measuredHz - splitHz / 2, measuredHz + splitHz / 2],
          },
        ],
  );
  if (heard.length < MODES_MIN) {
    const text = `${heard.length} modes of a ${product.name} are heard, ${MODES_MIN} are needed`;
    throw new EnrolmentError('too-few-modes', MODES_MIN, heard.length, text);
  }
  return heard;
}

/**
 * The reference that genuine pieces make together: of each mode the mean, and the spread that a further piece is expected
 * within. A few pieces say little of how far pieces differ, so that their spread has a floor and Student's factor.
 */
export function enrolledModes(specimens: readonly Specimen[]): ReferenceMode[] {
  const byMode = new Map<ModeName, Map<string, number[][]>>();
  for (const { specimen, modes } of specimens) {
    for (const { mode, linesHz } of modes) {
      const pieces = byMode.get(mode) ?? new Map<string, number[][]>();
      pieces.set(specimen, [...(pieces.get(specimen) ?? []), [...linesHz]]);
      byMode.set(mode, pieces);
    }
  }
  return [...byMode].map(([mode, pieces]) => {
    const recordings = [...pieces.values()];
    const middles = recordings.map(lines => mean(lines.map(middleOf)));
    const middleHz = mean(middles);
    const splits = recordings.flat().filter(({ length }) => length === 2);
    const isDoublet = 2 * splits.length > recordings.flat().length;
    const splitHz = isDoublet ? mean(splits.map(([low, high]) => high - low)) : 0;
    return {
      ...{ mode, basis: 'enrolled' as const, uncertainty: spreadOf(middles) },
      linesHz: isDoublet ? [middleHz - splitHz / 2, middleHz + splitHz / 2] : [middleHz],
    };
  });
}

function spreadOf(values: readonly number[]): number {
  const n = values.length;
  if (n <= UNCERTAINTY_OF_FEW.length) return UNCERTAINTY_OF_FEW[n - 1];
  const middle = mean(values);
  const variance = values.reduce((sum, value) => sum + (value / middle - 1) ** 2, 0) / (n - 1);
  const factor = STUDENT_FACTOR[Math.min(n - 3, STUDENT_FACTOR.length - 1)];
  return Math.max(UNCERTAINTY_FLOOR, factor * Math.sqrt(variance * (1 + 1 / n)));
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
