import type { Box } from '../extracted-certificate.js';
import { componentBoxes } from './components.js';
import type { InkPicture } from './grey-picture.js';

/** Smaller than this is dust, in points; a full stop of small print has 0.7. */
const SPECK_POINTS = 0.55;
/** A phrase is at least as high as its smallest letter, and no letter is higher than a headline's. */
const PHRASE_POINTS_MIN = 3;
const LETTER_POINTS_MAX = 30;
/** Gap within a phrase, in heights of the line, and in points where the line is low. */
const GAP_HEIGHTS = 0.62;
const LINE_POINTS_MIN = 5.5;

/** One line of text on the page, its phrases from left to right, in pixels. */
export interface TextLine {
  readonly box: Box;
  readonly phrases: readonly Box[];
}

const around = (a: Box, b: Box): Box => [
  Math.min(a[0], b[0]),
  Math.min(a[1], b[1]),
  Math.max(a[2], b[2]),
  Math.max(a[3], b[3]),
];

/** Letters in lines: each joins the line that its middle lies in. */
function linesOfLetters(letters: readonly Box[], pixels: number): Box[][] {
  const tall = letters.filter(box => box[3] - box[1] >= PHRASE_POINTS_MIN * pixels);
  const low = letters.filter(box => box[3] - box[1] < PHRASE_POINTS_MIN * pixels);
  const lines: { top: number; bottom: number; letters: Box[] }[] = [];
  for (const letter of tall.sort((a, b) => a[1] + a[3] - b[1] - b[3])) {
    const middle = (letter[1] + letter[3]) / 2;
    const line = lines
      .slice(-4)
      .reverse()
      .find(({ top, bottom }) => middle > top && middle < bottom && (top + bottom) / 2 > letter[1]);
    if (!line) lines.push({ top: letter[1], bottom: letter[3], letters: [letter] });
    else {
      line.letters.push(letter);
      // A headline beside small print must not make one line of two.
      if (letter[3] - letter[1] < 1.6 * (line.bottom - line.top)) {
        line.top = Math.min(line.top, letter[1]);
        line.bottom = Math.max(line.bottom, letter[3]);
      }
    }
  }
  for (const dot of low) {
    const middle = (dot[1] + dot[3]) / 2;
    const reach = 1.5 * pixels;
    lines.find(({ top, bottom }) => middle > top - reach && middle < bottom + reach)?.letters.push(dot);
  }
  return lines.map(line => line.letters);
}

/** Lines that one letter of another height had parted. */
function mergedLines(lines: readonly Box[][]): Box[][] {
  const merged: { box: Box; letters: Box[] }[] = [];
  for (const letters of lines) {
    const tall = letters.reduce(around);
    const last = merged.at(-1);
    const shared = last ? Math.min(last.box[3], tall[3]) - Math.max(last.box[1], tall[1]) : 0;
    if (last && shared > 0.6 * Math.min(last.box[3] - last.box[1], tall[3] - tall[1])) {
      last.letters.push(...letters);
      last.box = around(last.box, tall);
    } else merged.push({ box: tall, letters: [...letters] });
  }
  return merged.map(line => line.letters);
}

/** Lines and phrases of a page without its rules and squares. */
export function textLines(picture: InkPicture): TextLine[] {
  const pixels = picture.dpi / 72;
  const letters = componentBoxes(picture).filter(([left, top, right, bottom]) => {
    const [width, height] = [right - left, bottom - top];
    const isSpeck = Math.max(width, height) < SPECK_POINTS * pixels;
    const isDash = width > 20 * pixels && height < 2.5 * pixels;
    // What is left of an upright rule: no letter is as slender.
    const isPole = height > 8.5 * pixels && width < 0.16 * height;
    return !isSpeck && !isDash && !isPole && height <= LETTER_POINTS_MAX * pixels;
  });
  return mergedLines(linesOfLetters(letters, pixels)).flatMap(line => {
    const sorted = line.sort((a, b) => a[0] - b[0]);
    const box = sorted.reduce(around);
    const gap = GAP_HEIGHTS * Math.max(LINE_POINTS_MIN * pixels, medianHeight(sorted, pixels) * 1.25);
    const phrases: Box[] = [];
    for (const letter of sorted) {
      const last = phrases.at(-1);
      if (last && letter[0] - last[2] <= gap) phrases[phrases.length - 1] = around(last, letter);
      else phrases.push(letter);
    }
    const readable = phrases.filter(phrase => phrase[3] - phrase[1] >= PHRASE_POINTS_MIN * pixels);
    return readable.length > 0 ? [{ box, phrases: readable }] : [];
  });
}

function medianHeight(letters: readonly Box[], pixels: number): number {
  const heights = letters.map(box => box[3] - box[1]).filter(height => height >= PHRASE_POINTS_MIN * pixels);
  return heights.sort((a, b) => a - b)[heights.length >> 1] ?? 0;
}
