import { PSM } from 'tesseract.js';
import type { PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { CertificateField } from '../certificate-field.js';
import type { Box, ExtractedField } from '../extracted-certificate.js';
import { type GreyPicture, inkOf, paperLevel } from '../scan/grey-picture.js';
import { readingSheet } from '../scan/reading-sheet.js';
import { findRuling } from '../scan/ruling.js';
import { drawnPicture } from './page-picture.js';
import type { Recogniser } from './recogniser.js';

/** How a value is compared with what is seen: by its digits, by most of its letters, or by its ink alone. */
type Comparison = 'digits' | 'letters' | 'ink';

const DIGITS = /(Amount|Date)$|NAICCode/;
const LETTERS = /PolicyNumberIdentifier$|^(NamedInsured|CertificateHolder|Insurer)_FullName/;
const INK = /(InsurerLetterCode|InsuredCode|WaivedCode|Indicator)$/;
/** Letters that digits are taken for. */
const DIGIT_LIKE: Readonly<Record<string, string>> = {
  ...{ O: '0', o: '0', Q: '0', D: '0', I: '1', l: '1', i: '1', '|': '1', '!': '1', ']': '1', '[': '1' },
  ...{ S: '5', s: '5', B: '8', Z: '2', z: '2' },
};
/** Share of a name's letters that are recognised; recognition is no judge of single letters. */
const LETTERS_ALIKE_MIN = 0.6;
/** Ink of a letter or a cross, in square points: less is nothing. */
const INK_POINTS_MIN = 1;
/** A box with a larger share of ink is covered. */
const INK_SHARE_MAX = 0.8;
/** Letters that stand alone in a certificate's columns. */
const LONE_LETTER = /^[A-FNXY]$/;
/** A lone letter that is recognised as another one with less is no contradiction. */
const LONE_LETTER_SURE = 0.9;
/** A frame around a tick is no tick. */
const TICK_FRAME_SHARE = 0.24;
/** Levels below the paper from which on a pixel is ink that is seen. */
const INK_CONTRAST = 60;
/** A line through a value is as long, in widths of the value; an underline lies below its letters. */
const STRIKE_WIDTH_MIN = 0.85;
const STRIKE_BAND = [0.3, 0.7] as const;
/** Values that are looked at a second time; a page with more was not drawn as it says. */
const SECOND_LOOKS_MAX = 16;
const SIGNS_MAX = 8;

interface Shown {
  readonly field: string;
  readonly value: string;
  readonly comparison: Comparison;
  /** In pixels of the drawing. */
  readonly box: Box;
}

function comparisonOf(field: string, value: string): Comparison | undefined {
  if (INK.test(field)) return 'ink';
  if (DIGITS.test(field) && /\d/.test(value)) return 'digits';
  return LETTERS.test(field) || DIGITS.test(field) ? 'letters' : undefined;
}

const digitsOf = (text: string): string =>
  [...text]
    .map(letter => DIGIT_LIKE[letter] ?? letter)
    .join('')
    .replace(/\D/g, '');

/** Letters and digits in upper case, those that look alike as one. */
const lettersOf = (text: string): string =>
  [...text.normalize('NFKD').toUpperCase()]
    .map(letter => DIGIT_LIKE[letter] ?? letter)
    .join('')
    .replace(/[^A-Z0-9]/g, '');

/** Length of the longest run of letters that two texts have in the same order. */
function commonLetters(a: string, b: string): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const letter of a) {
    const next = [0];
    for (let j = 1; j <= b.length; j++) {
      next[j] = letter === b[j - 1] ? row[j - 1] + 1 : Math.max(row[j], next[j - 1]);
    }
    row = next;
  }
  return row[b.length];
}

function isSeenAs({ value, comparison }: Shown, seen: string): boolean {
  if (comparison === 'digits') {
    const wanted = value.normalize('NFKC').replace(/\D/g, '');
    // A currency sign before it is often taken for a digit.
    return digitsOf(seen) === wanted || digitsOf(seen.replace(/^[^\d]+/, '')) === wanted;
  }
  const [wanted, got] = [lettersOf(value).slice(0, 120), lettersOf(seen).slice(0, 240)];
  const alike = commonLetters(wanted, got);
  return alike >= LETTERS_ALIKE_MIN * Math.max(wanted.length, Math.min(got.length, 2 * wanted.length));
}

/** A drawing and the level of its paper, which is counted once: a page has eight million pixels. */
interface Drawing {
  readonly picture: GreyPicture;
  readonly paper: number;
}

/** What a drawing says about ink in a box. */
class Ink {
  private readonly picture: GreyPicture;
  private readonly level: number;

  constructor({ picture, paper }: Drawing) {
    this.picture = picture;
    this.level = paper - INK_CONTRAST;
  }

  private isInk(x: number, y: number): boolean {
    const { width, height, pixels } = this.picture;
    return x >= 0 && y >= 0 && x < width && y < height && pixels[y * width + x] < this.level;
  }

  /** Square points of ink. */
  points([left, top, right, bottom]: Box): number {
    let count = 0;
    for (let y = top; y < bottom; y++) for (let x = left; x < right; x++) if (this.isInk(x, y)) count++;
    return count * (72 / this.picture.dpi) ** 2;
  }

  share(box: Box): number {
    const area = Math.max(1, (box[2] - box[0]) * (box[3] - box[1])) * (72 / this.picture.dpi) ** 2;
    return this.points(box) / area;
  }

  /** Whether a line goes through the middle of a box, from one side to the other, a little askew at most. */
  isStruck([left, top, right, bottom]: Box): boolean {
    const height = bottom - top;
    for (let y = Math.round(top + STRIKE_BAND[0] * height); y < top + STRIKE_BAND[1] * height; y++) {
      let run = 0;
      for (let x = left; x < right; x++) {
        run = this.isInk(x, y) || this.isInk(x, y - 1) ? run + 1 : 0;
        if (run >= STRIKE_WIDTH_MIN * (right - left)) return true;
      }
    }
    return false;
  }
}

/** A square to be ticked; whether persons are excluded is answered with a letter. */
const isTick = (field: string): boolean =>
  field.endsWith('Indicator') && !field.includes('AnyPersonsExcluded');

/** The middle of a square, without its frame. */
function withinFrame([left, top, right, bottom]: Box): Box {
  const [dx, dy] = [(right - left) * TICK_FRAME_SHARE, (bottom - top) * TICK_FRAME_SHARE];
  return [left + dx, top + dy, right - dx, bottom - dy].map(Math.round) as unknown as Box;
}

function inkSign({ field, value, box }: Shown, ink: Ink): string | undefined {
  const inside = isTick(field) ? withinFrame(box) : box;
  if (ink.points(inside) < INK_POINTS_MIN)
    return `${field}: nothing is seen where "${value}" is said to stand`;
  return ink.share(inside) > INK_SHARE_MAX
    ? `${field}: "${value}" lies under something that covers it`
    : undefined;
}

/** A letter by itself that is surely recognised as another one. */
async function letterSign(
  { field, value, box }: Shown,
  { picture, paper }: Drawing,
  recogniser: Recogniser,
): Promise<string | undefined> {
  if (!LONE_LETTER.test(value) || isTick(field)) return undefined;
  const sheet = readingSheet(picture, [box], paper);
  const [seen] = await recogniser.words(sheet.picture, PSM.SINGLE_CHAR, 'ABCDEFNXY');
  if (!seen || seen.text === value || seen.confidence < LONE_LETTER_SURE) return undefined;
  return `${field}: "${seen.text}" is seen where the text says "${value}"`;
}

/** A picture without its ruled lines: one beside a value is taken for a digit. */
function withoutRules({ picture, paper }: Drawing): Drawing {
  const { mask } = findRuling(inkOf(picture));
  const pixels = picture.pixels.slice();
  for (let at = 0; at < pixels.length; at++) if (mask[at] === 1) pixels[at] = paper;
  return { picture: { ...picture, pixels }, paper };
}

async function wordsSeen(
  { picture, paper }: Drawing,
  boxes: readonly Box[],
  recogniser: Recogniser,
  letters: string,
): Promise<string[]> {
  const sheet = readingSheet(picture, boxes, paper);
  const mode = boxes.length === 1 ? PSM.SINGLE_LINE : PSM.SINGLE_BLOCK;
  const seen = boxes.map(() => [] as string[]);
  for (const word of await recogniser.words(sheet.picture, mode, letters)) {
    const phrase = sheet.onPage(word.box)?.phrase;
    if (phrase) seen[sheet.phrases.indexOf(phrase)]?.push(word.text);
  }
  return seen.map(words => words.join(' '));
}

function shownOn(
  page: PDFPageProxy,
  fields: Readonly<Partial<Record<CertificateField, ExtractedField>>>,
  dpi: number,
): Shown[] {
  return Object.entries(fields).flatMap(([field, { value, page: number, box }]) => {
    const comparison = comparisonOf(field, value);
    if (!comparison || !box || number !== page.pageNumber) return [];
    const pixels = box.map(at => Math.round((at * dpi) / 72)) as unknown as Box;
    return [{ field, value, comparison, box: pixels }];
  });
}

/**
 * Draws a page as its reader sees it, recognises what stands where each decisive value was read, and tells where that is
 * something else or nothing: text that is invisible, covered, struck through, or drawn with letters other than it says.
 */
export async function unseenValues(
  page: PDFPageProxy,
  fields: Readonly<Partial<Record<CertificateField, ExtractedField>>>,
  recogniser: Recogniser,
): Promise<string[]> {
  const picture = await drawnPicture(page);
  const drawing: Drawing = { picture, paper: paperLevel(picture.pixels) };
  const shown = shownOn(page, fields, picture.dpi);
  const ink = new Ink(drawing);
  const signs: string[] = [];
  for (const one of shown.filter(({ comparison }) => comparison === 'ink')) {
    const sign = inkSign(one, ink) ?? (await letterSign(one, drawing, recogniser));
    if (sign) signs.push(sign);
  }
  const read = shown.filter(({ comparison }) => comparison !== 'ink');
  for (const { field, value } of read.filter(({ box }) => ink.isStruck(box))) {
    signs.push(`${field}: a line goes through "${value}"`);
  }
  const unruled = withoutRules(drawing);
  const seen = await wordsSeen(
    unruled,
    read.map(({ box }) => box),
    recogniser,
    '',
  );
  const doubtful = read
    .map((one, i) => ({ one, seen: seen[i] }))
    .filter(({ one, seen: text }) => !isSeenAs(one, text));
  for (const [i, { one, seen: text }] of doubtful.entries()) {
    if (i < SECOND_LOOKS_MAX) {
      const letters = one.comparison === 'digits' ? '0123456789$,./-' : '';
      const [again] = await wordsSeen(unruled, [one.box], recogniser, letters);
      if (isSeenAs(one, again)) continue;
    }
    signs.push(`${one.field}: "${text}" is seen where the text says "${one.value}"`);
  }
  return signs.slice(0, SIGNS_MAX).map(sign => `page ${page.pageNumber}: ${sign}`);
}
