import { linesOf, type TextWord } from './page-text.js';

/** Share of the smaller word that lies under another one, from which on one of the two cannot be read. */
const OVERLAP_MIN = 0.3;
/** Printers write a word twice, a hair apart, for bold. */
const BOLD_SHIFT_POINTS = 1.5;
const SIGNS_MAX = 8;

function overlapShare({ box: a }: TextWord, { box: b }: TextWord): number {
  const width = Math.min(a[2], b[2]) - Math.max(a[0], b[0]);
  const height = Math.min(a[3], b[3]) - Math.max(a[1], b[1]);
  if (width <= 0 || height <= 0) return 0;
  const smaller = Math.min((a[2] - a[0]) * (a[3] - a[1]), (b[2] - b[0]) * (b[3] - b[1]));
  return (width * height) / smaller;
}

function isBold(a: TextWord, b: TextWord): boolean {
  return (
    a.text === b.text &&
    Math.abs(a.box[0] - b.box[0]) < BOLD_SHIFT_POINTS &&
    Math.abs(a.box[1] - b.box[1]) < BOLD_SHIFT_POINTS
  );
}

/** Signs that text was written over text: whoever prints a page once does not. */
export function overlappingText(words: readonly TextWord[], page: number): string[] {
  const signs: string[] = [];
  for (const line of linesOf(words)) {
    for (let i = 0; i < line.length; i++) {
      for (let j = i + 1; j < line.length && line[j].box[0] < line[i].box[2]; j++) {
        if (overlapShare(line[i], line[j]) < OVERLAP_MIN || isBold(line[i], line[j])) continue;
        signs.push(`page ${page}: "${line[i].text}" and "${line[j].text}" are printed over each other`);
        if (signs.length === SIGNS_MAX) return signs;
      }
    }
  }
  return signs;
}
