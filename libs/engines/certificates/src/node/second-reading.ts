import { PSM } from 'tesseract.js';
import type { Box } from '../extracted-certificate.js';
import type { CertificateField } from '../certificate-field.js';
import { type GreyPicture, type InkPicture, paperLevel } from '../scan/grey-picture.js';
import { type LikeliestLetter, letterShape, likeliestLetter } from '../scan/letter-shape.js';
import { linesOf, type TextWord } from '../text/page-text.js';
import { type FormPlace, REMAINS } from '../text/read-published-form.js';
import { isWithin } from '../text/region.js';
import { letterSamples } from './letter-samples.js';
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

/** What may stand in a field, where that is known. */
const PLACE_LETTERS: readonly (readonly [field: RegExp, letters: string, isLetter: boolean])[] = [
  [/InsurerLetterCode$/, 'ABCDEF', true],
  [/(InsuredCode|WaivedCode|AnyPersonsExcludedIndicator)$/, 'XYN', true],
  [/(Date|Amount)$|NAICCode/, FIGURE_LETTERS, false],
];
/** Fields of several lines are read as a block, and once. */
const BLOCK_POINTS = 20;
/** Points of a field's edge that its frame may take. */
const EDGE_POINTS = 1;
/** Two readings that agree are as sure as the surer one, and where that is no guess as much as this. */
const [GUESS, AGREED] = [0.55, 0.9];

/** A column of a field with as large a share of ink is what is left of a rule beside it: no letter is as high. */
const RULE_SHARE = 0.72;

/** The box around what is drawn within another one, rules at its sides left out. */
function inkBox({ ink, width, height }: InkPicture, [left, top, right, bottom]: Box): Box | undefined {
  const inkIn = (x: number): number => {
    let count = 0;
    for (let y = Math.max(0, top); y < Math.min(height, bottom); y++) count += ink[y * width + x];
    return count;
  };
  let [x1, y1, x2, y2] = [right, bottom, left, top];
  for (let x = Math.max(0, left); x < Math.min(width, right); x++) {
    const count = inkIn(x);
    if (count === 0 || count > RULE_SHARE * (bottom - top)) continue;
    [x1, x2] = [Math.min(x1, x), Math.max(x2, x + 1)];
    for (let y = Math.max(0, top); y < Math.min(height, bottom); y++)
      if (ink[y * width + x] === 1) [y1, y2] = [Math.min(y1, y), Math.max(y2, y + 1)];
  }
  return x2 > x1 && y2 > y1 ? [x1, y1, x2, y2] : undefined;
}

/** What is recognised in the remains of rules at the ends of a value. */
const REMAINS_AT_ENDS = /^[|!\[\]{}—–_~=]+|[|!\[\]{}—–_~=.,:;'‘’"`-]+$/g;

const textIn = (words: readonly TextWord[]): string => words.map(word => word.text).join('');

/** Words without the remains of rules. */
const withoutRemains = (words: readonly TextWord[]): TextWord[] =>
  words
    .filter(({ text }) => !REMAINS.test(text))
    .map(word => ({ ...word, text: word.text.replace(REMAINS_AT_ENDS, '') }));

/** Whole dollars in groups of three digits: a point between groups is a comma of which the tail is lost. */
const GROUPS = /^\$?\d{1,3}(?:[.,]\d{3})+$/;
const withCommas = (words: readonly TextWord[]): TextWord[] =>
  words.map(word => (GROUPS.test(word.text) ? { ...word, text: word.text.replaceAll('.', ',') } : word));

/**
 * Reads each field of a form that was found on a scan again, by itself, where the first reading was not sure: letters always,
 * for a letter between two rules is lost among them.
 * @param places with something in them, in points
 * @returns the page's words, those of the fields read again in place of the first
 */
export async function placeReading(
  picture: GreyPicture,
  ink: InkPicture,
  places: readonly FormPlace[],
  words: readonly TextWord[],
  recogniser: Recogniser,
): Promise<TextWord[]> {
  const page = { picture, paper: paperLevel(picture.pixels) };
  const read = await Promise.all(
    places.map(async ({ field, box }) => {
      const own = words.filter(word => isWithin(word.box, box));
      if (field === undefined || box[3] - box[1] > BLOCK_POINTS) return { own, again: own };
      const cleaned = PLACE_LETTERS.some(([fields]) => fields.test(field))
        ? withoutRemains(own)
        : own.filter(({ text }) => !REMAINS.test(text));
      const first = withCommas(linesOf(cleaned).flat());
      return { own, again: await placeAgain(page, ink, field, box, first, recogniser) };
    }),
  );
  const replaced = new Set(read.flatMap(({ own }) => own));
  return [...words.filter(word => !replaced.has(word)), ...read.flatMap(({ again }) => again)];
}

/** A letter by itself is recognised as a line of so many of it: recognisers are made for lines. */
const COPIES = 5;

/**
 * One letter, as sure as the share of its copies that were recognised as that one.
 * @param letters that it may be
 */
async function repeatedLetter(
  page: Page,
  drawn: Box,
  recogniser: Recogniser,
  letters: string,
): Promise<TextWord | undefined> {
  const one = cutOut(page, drawn, Math.round(0.15 * (drawn[3] - drawn[1])));
  const edge = Math.round(page.picture.dpi / 20);
  const [width, height] = [COPIES * one.width + 2 * edge, one.height + 2 * edge];
  const line = { width, height, dpi: one.dpi, pixels: new Uint8Array(width * height).fill(page.paper) };
  for (let y = 0; y < one.height; y++) {
    const row = one.pixels.subarray(y * one.width, (y + 1) * one.width);
    for (let copy = 0; copy < COPIES; copy++)
      line.pixels.set(row, (y + edge) * width + edge + copy * one.width);
  }
  const seen = textIn(await recogniser.words(line, PSM.SINGLE_LINE, letters));
  const counts = new Map<string, number>();
  for (const letter of seen) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  const [best] = [...counts].sort((a, b) => b[1] - a[1]);
  return (
    best && { text: best[0], box: drawn, confidence: Math.min(SURE, best[1] / Math.max(COPIES, seen.length)) }
  );
}

/** Amounts with commas, dates, and codes of digits. */
const WRITTEN = /^(?:\$?\d{1,3}(?:,\d{3})+|\d{2}\/\d{2}\/\d{4}|\d{5})$/;

/** What two readings have to have in common to agree: the digits of a figure, letters and digits of a text. */
const contentOf = (words: readonly TextWord[], isFigure: boolean): string =>
  textIn(words).replace(isFigure ? /\D/g : /[^\p{L}\p{N}]/gu, '');

/**
 * What a lone letter must be like for its shape to tell which one it is, and how much less like any other. The margin was chosen by a trial
 * on 15 installed families of fonts, one of them among the samples; ADR 0101 has its figures and what they do not show.
 */
const [LIKENESS_MIN, MARGIN_MIN] = [0.6, 0.1];
/** Where the recogniser says the same letter. */
const MARGIN_AGREED_MIN = 0.04;
/** How sure a letter is by its shape. */
const SHAPED = 0.95;

function shapedLetter({ picture, paper }: Page, drawn: Box, letters: string): LikeliestLetter | undefined {
  const shape = letterShape(picture, drawn, paper);
  return shape && likeliestLetter(shape, letterSamples(letters));
}

/** A letter that was recognised and one by its shape: the shape tells where it is plain, or where both agree. */
function surest(
  recognised: TextWord | undefined,
  shaped: LikeliestLetter | undefined,
  box: Box,
): TextWord | undefined {
  if (!shaped || shaped.likeness < LIKENESS_MIN) return recognised;
  const { letter, margin } = shaped;
  const agrees = recognised?.text === letter;
  if (agrees && margin >= MARGIN_AGREED_MIN)
    return { text: letter, box, confidence: Math.max(AGREED, recognised.confidence) };
  if (margin < MARGIN_MIN) return recognised;
  const isContradicted = recognised !== undefined && !agrees && recognised.confidence >= SURE;
  return { text: letter, box, confidence: isContradicted ? DOUBT : SHAPED };
}

async function placeAgain(
  page: Page,
  ink: InkPicture,
  field: CertificateField,
  box: Box,
  first: readonly TextWord[],
  recogniser: Recogniser,
): Promise<readonly TextWord[]> {
  const kind = PLACE_LETTERS.find(([fields]) => fields.test(field));
  const confidence = first.length > 0 ? Math.min(...first.map(word => word.confidence)) : 0;
  const isFigure = kind?.[2] === false && (first.length === 0 || FIGURES.test(textIn(first)));
  if (kind?.[2] !== true && confidence >= SURE) return first;
  const pixels = page.picture.dpi / 72;
  const inPoints = (at: Box) => at.map(each => each / pixels) as unknown as Box;
  const edge = [EDGE_POINTS, EDGE_POINTS, -EDGE_POINTS, -EDGE_POINTS];
  const drawn = inkBox(ink, box.map((at, i) => Math.round((at + edge[i]) * pixels)) as unknown as Box);
  if (!drawn) return first;
  const margin = Math.round(page.picture.dpi / 20);
  const letters = kind && (kind[2] || isFigure) ? kind[1] : '';
  if (kind?.[2] === true && isLetter(drawn)) {
    const letter = surest(
      await repeatedLetter(page, drawn, recogniser, letters),
      shapedLetter(page, drawn, letters),
      drawn,
    );
    return letter ? [{ ...letter, box: inPoints(letter.box) }] : first;
  }
  const seen = await recogniser.words(cutOut(page, drawn, margin), PSM.SINGLE_LINE, letters);
  const [dx, dy] = [drawn[0] - margin, drawn[1] - margin];
  const second = withCommas(kind ? withoutRemains(seen) : seen).map(word => {
    const [x1, y1, x2, y2] = word.box;
    return { ...word, box: inPoints([x1 + dx, y1 + dy, x2 + dx, y2 + dy]) };
  });
  if (second.length === 0) return first;
  const sure = Math.min(...second.map(word => word.confidence));
  if (contentOf(second, isFigure) !== contentOf(first, isFigure)) {
    // A letter that was no letter at first, or nothing, contradicts nothing.
    const contradicts = first.length > 0 && (kind?.[2] !== true || kind[1].includes(textIn(first)));
    return second.map(word => ({ ...word, confidence: contradicts ? Math.min(sure, DOUBT) : sure }));
  }
  const most = Math.max(sure, confidence);
  // Of two that differ in signs alone the one that is written as a figure is, else the surer one.
  const isFirst = isFigure ? !WRITTEN.test(textIn(second)) : confidence > sure;
  const agreed = most > GUESS ? Math.max(most, AGREED) : most;
  return (isFirst && first.length > 0 ? first : second).map(word => ({ ...word, confidence: agreed }));
}
