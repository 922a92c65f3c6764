import { PSM } from 'tesseract.js';
import type { Box } from '../extracted-certificate.js';
import { type GreyPicture, paperLevel } from '../scan/grey-picture.js';
import type { TextWord } from '../text/page-text.js';
import type { Recogniser } from './recogniser.js';

/** Phrases that are recognised a second time, by themselves. */
const ALONE_MAX = 48;
/** A letter by itself is at most as wide, in heights. */
const LETTER_WIDTH_MAX = 1.3;
/** Letters that stand alone on a certificate: insurers, flags, revisions, and a currency. */
const LONE_LETTER = /^[A-FNXY$0-9]$/;
const LONE_LETTERS = 'ABCDEFNXY$0123456789';
/** Amounts and dates, and letters that their digits are taken for. */
const FIGURES = /^(?=.*\d)[\dOISl|$,./-]{2,}$/;
const FIGURE_LETTERS = '0123456789$,./-';
/** A first reading as sure as this is not asked again. */
const SURE = 0.88;
/** What two readings that differ are worth. */
const DOUBT = 0.5;

const isLetter = ([left, top, right, bottom]: Box): boolean =>
  right - left <= LETTER_WIDTH_MAX * (bottom - top);

/** A page that phrases are cut out of. */
interface Page {
  readonly picture: GreyPicture;
  readonly paper: number;
}

function cutOut({ picture, paper }: Page, [left, top, right, bottom]: Box, margin: number): GreyPicture {
  const width = right - left + 2 * margin;
  const height = bottom - top + 2 * margin;
  const pixels = new Uint8Array(width * height).fill(paper);
  for (let y = top; y < bottom; y++) {
    const row = picture.pixels.subarray(y * picture.width + left, y * picture.width + right);
    pixels.set(row, (y - top + margin) * width + margin);
  }
  return { width, height, pixels, dpi: picture.dpi };
}

/** One phrase by itself, its words where they stand on the page. */
async function recogniseAlone(
  page: Page,
  phrase: Box,
  recogniser: Recogniser,
  letters: string,
): Promise<TextWord[]> {
  const margin = Math.round(page.picture.dpi / 20);
  const mode = isLetter(phrase) ? PSM.SINGLE_CHAR : PSM.SINGLE_LINE;
  const words = await recogniser.words(cutOut(page, phrase, margin), mode, letters);
  const [dx, dy] = [phrase[0] - margin, phrase[1] - margin];
  return words.map(word => {
    const [x1, y1, x2, y2] = word.box;
    return { ...word, box: isLetter(phrase) ? phrase : [x1 + dx, y1 + dy, x2 + dx, y2 + dy] };
  });
}

/**
 * Reads again, each by itself, what the first pass saw nothing in, took a single letter for something longer, or was unsure
 * about a figure. Two readings that differ leave a doubt, whichever is right.
 */
export async function secondReading(
  picture: GreyPicture,
  phrases: readonly Box[],
  first: ReadonlyMap<Box, readonly TextWord[]>,
  recogniser: Recogniser,
): Promise<TextWord[]> {
  const page = { picture, paper: paperLevel(picture.pixels) };
  let alone = 0;
  const words = phrases.map(phrase => {
    const read = first.get(phrase) ?? [];
    const question = questionOf(phrase, read);
    // All are asked at once: as many are recognised side by side as there are threads.
    return question && ++alone <= ALONE_MAX ? again(page, phrase, read, question, recogniser) : read;
  });
  return (await Promise.all(words)).flat();
}

interface Question {
  readonly letters: string;
  readonly isFigure: boolean;
}

/** What is asked about a phrase again, if anything. */
function questionOf(phrase: Box, read: readonly TextWord[]): Question | undefined {
  const text = read.map(word => word.text).join('');
  const confidence = Math.min(1, ...read.map(word => word.confidence));
  const isLone = isLetter(phrase);
  const isFigure = FIGURES.test(text);
  const isGood = isLone ? LONE_LETTER.test(text) : read.length > 0 && !isFigure;
  if (isGood || (isFigure && !isLone && confidence >= SURE)) return undefined;
  return { letters: isLone ? LONE_LETTERS : isFigure ? FIGURE_LETTERS : '', isFigure };
}

async function again(
  page: Page,
  phrase: Box,
  read: readonly TextWord[],
  { letters, isFigure }: Question,
  recogniser: Recogniser,
): Promise<readonly TextWord[]> {
  const second = await recogniseAlone(page, phrase, recogniser, letters);
  const textOf = (words: readonly TextWord[]) => words.map(word => word.text).join('');
  const differs = isFigure && textOf(second) !== textOf(read);
  const found = second.length > 0 ? second : read;
  return found.map(word => (differs ? { ...word, confidence: Math.min(word.confidence, DOUBT) } : word));
}
