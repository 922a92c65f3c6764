import type { Box, ExtractedField } from '../extracted-certificate.js';
import type { Anchor } from './anchor.js';
import {
  boxAround,
  heightOf,
  linesOf,
  middleOf,
  onOneLine,
  type PageText,
  type TextWord,
} from './page-text.js';

export const isWithin = (box: Box, region: Box): boolean => {
  const x = (box[0] + box[2]) / 2;
  const y = middleOf(box);
  return x >= region[0] && x <= region[2] && y >= region[1] && y <= region[3];
};

/** Words of a page whose middle lies in a region, those of labels left out. */
export function wordsWithin(
  words: readonly TextWord[],
  region: Box,
  labels: ReadonlySet<TextWord> = new Set(),
): TextWord[] {
  return words.filter(word => isWithin(word.box, region) && !labels.has(word));
}

/** What words say together; as sure as the least sure of them. */
export function fieldOf(words: readonly TextWord[], page: number): ExtractedField | undefined {
  const value = words
    .map(word => word.text)
    .join(' ')
    .trim();
  if (value === '') return undefined;
  return {
    value,
    confidence: Math.min(...words.map(word => word.confidence)),
    page,
    box: boxAround(words.map(word => word.box)),
  };
}

/** Words that only stand beside a value: a currency sign, a colon, a note in brackets. */
function isPunctuation(word: TextWord): boolean {
  return /^[$§:.,;_|—–-]+$/.test(word.text) || /^USD$/i.test(word.text);
}

/** Drops notes in brackets such as `(Ea occurrence)`, which belong to a label, and what is no word. */
export function valueWords(words: readonly TextWord[]): TextWord[] {
  const kept: TextWord[] = [];
  let depth = 0;
  for (const word of words) {
    const opens = kept.length === 0 && /^[(]/.test(word.text) && !/^\(\d{3}\)$/.test(word.text);
    if (opens || depth > 0) {
      depth = /\)[:$]*$/.test(word.text) ? 0 : 1;
      continue;
    }
    const trimmed = word.text.replace(/^[$§:]+(?=.)/, '').replace(/(?<=.)[:$]$/, '');
    if (isPunctuation(word) || trimmed === '') continue;
    kept.push(trimmed === word.text ? word : { ...word, text: trimmed });
  }
  return kept;
}

/** A value stands no farther from its label, in heights of the label, or in points where the label is small print. */
const VALUE_GAP_HEIGHTS = 14;
const VALUE_GAP_POINTS = 90;
/** Small print, in points: a value under its label stands as far off as if the label were as high. */
const LABEL_HEIGHT_MIN = 5;

/**
 * Words on the line of a label, from its right edge to the next label or to a gap that no value has.
 * @param gapHeights that gap, in heights of the label
 */
export function wordsRightOf(
  label: Box,
  words: readonly TextWord[],
  labels: ReadonlySet<TextWord>,
  gapHeights = VALUE_GAP_HEIGHTS,
): TextWord[] {
  const line = words
    .filter(word => onOneLine(word.box, label) && word.box[0] >= label[2] - 2)
    .sort((a, b) => a.box[0] - b.box[0]);
  const found: TextWord[] = [];
  let edge = label[2];
  for (const word of line) {
    if (labels.has(word) || word.box[0] - edge > Math.max(gapHeights * heightOf(label), VALUE_GAP_POINTS))
      break;
    found.push(word);
    edge = word.box[2];
  }
  return valueWords(found);
}

/** Words on the line below a label, where a value stands that has its label above it. */
export function wordsBelow(
  label: Box,
  words: readonly TextWord[],
  labels: ReadonlySet<TextWord>,
  region?: Box,
): TextWord[] {
  const height = Math.max(heightOf(label), LABEL_HEIGHT_MIN);
  const from = label[0] - 2 * height;
  const under = words.filter(
    word =>
      word.box[0] >= from &&
      middleOf(word.box) > label[3] &&
      middleOf(word.box) <= label[3] + 2.6 * height &&
      (!region || isWithin(word.box, region)),
  );
  const line = linesOf(under)[0] ?? [];
  if (line.length === 0 || line[0].box[0] > label[2] + 4 * height) return [];
  const found: TextWord[] = [];
  for (const word of line) {
    if (labels.has(word)) break;
    const last = found.at(-1);
    if (last && word.box[0] - last.box[2] > 1.5 * heightOf(word.box)) break;
    found.push(word);
  }
  return valueWords(found);
}

/**
 * The part of a page that a label heads: to the next label on its right, down to the next one below.
 * @param bounds labels that end it
 */
export function regionBelow(label: Anchor<string>, bounds: readonly Anchor<string>[], page: PageText): Box {
  const [left, top, right, bottom] = label.box;
  const reachDown = 7 * heightOf(label.box);
  const others = bounds.filter(other => other !== label);
  const beside = others.filter(
    ({ box }) => box[0] > right + 12 && box[1] < bottom + reachDown && box[3] > top - 4,
  );
  const edgeRight = Math.min(page.width, ...beside.map(({ box }) => box[0] - 3));
  const below = others.filter(
    ({ box }) => middleOf(box) > bottom && box[0] < edgeRight - 3 && box[2] > left - 3,
  );
  const edgeBottom = Math.min(page.height, ...below.map(({ box }) => box[1] - 1));
  return [left - 8, bottom - 1, edgeRight, edgeBottom];
}
