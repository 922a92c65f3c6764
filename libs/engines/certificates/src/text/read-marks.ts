import type { CertificateField } from '../certificate-field.js';
import type { Box } from '../extracted-certificate.js';
import type { Anchor } from './anchor.js';
import { isMark, isPaintedIn, onOneLine, type PageText, type TextWord } from './page-text.js';
import type { Fields } from './read-parties.js';
import { isWithin } from './region.js';

/** A square or a mark is at most as far from its words, in points. */
const MARK_REACH = 16;
/** What a mark that is not made out is worth. */
const UNSURE = 0.5;

/** Something to tick, where it stands, and whether it is. */
interface Mark {
  readonly box: Box;
  readonly ticked: boolean;
  readonly confidence: number;
}

export type MarkSide = 'left' | 'right';

/** Squares with what stands in them, and ticks that stand in no square that was seen. */
export function marksOf(page: PageText): Mark[] {
  const ticks = page.words.filter(word => isMark(word.text));
  const inSquare = new Set<TextWord>();
  const squares = page.tickBoxes.map(({ box, ticked, confidence }) => {
    const grown: Box = [box[0] - 2, box[1] - 2, box[2] + 2, box[3] + 2];
    const inside = ticks.filter(word => isWithin(word.box, grown));
    for (const word of inside) inSquare.add(word);
    // A square whose ink was measured knows better than the recogniser, which drops what stands in a frame.
    const isTicked = ticked ?? inside.length > 0;
    // Something is there, and whether it is a tick nobody knows.
    if (!isTicked && isPaintedIn(box, page)) return { box, ticked: true, confidence: UNSURE };
    return { box, ticked: isTicked, confidence };
  });
  const alone = ticks
    .filter(word => !inSquare.has(word))
    .map(word => ({ box: word.box, ticked: true, confidence: word.confidence }));
  return [...squares, ...alone];
}

function distance(mark: Mark, label: Box, side: MarkSide): number {
  if (!onOneLine(mark.box, label)) return Infinity;
  const gap = side === 'left' ? label[0] - mark.box[2] : mark.box[0] - label[2];
  return gap >= -2 && gap <= MARK_REACH ? Math.max(0, gap) : Infinity;
}

/** On which side of their words the squares of this form stand: where most of them are nearer. */
export function markSide(marks: readonly Mark[], labels: readonly Anchor<string>[]): MarkSide {
  let votes = 0;
  for (const mark of marks) {
    const left = Math.min(...labels.map(label => distance(mark, label.box, 'left')));
    const right = Math.min(...labels.map(label => distance(mark, label.box, 'right')));
    if (left < right) votes++;
    if (right < left) votes--;
  }
  return votes >= 0 ? 'left' : 'right';
}

/** Fields of a policy that are ticked; an empty square is left out. */
export function readMarks(
  marks: readonly Mark[],
  labels: readonly Anchor<CertificateField>[],
  side: MarkSide,
  page: number,
): Fields {
  const fields: Fields = {};
  for (const label of labels) {
    const nearest = marks
      .map(mark => ({ mark, gap: distance(mark, label.box, side) }))
      .filter(({ gap }) => gap < Infinity)
      .sort((a, b) => a.gap - b.gap)[0]?.mark;
    if (!nearest?.ticked) continue;
    fields[label.id] ??= { value: 'X', confidence: nearest.confidence, page, box: nearest.box };
  }
  return fields;
}
