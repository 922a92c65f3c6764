import { PSM } from 'tesseract.js';
import type { PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { Box } from '../extracted-certificate.js';
import { type GreyPicture, inkOf, type InkPicture, inkShare, paperLevel } from '../scan/grey-picture.js';
import { pastedPatches } from '../scan/pasted-patch.js';
import { textLines } from '../scan/phrase-boxes.js';
import { readingSheet, type ReadingSheet } from '../scan/reading-sheet.js';
import { findRuling } from '../scan/ruling.js';
import { findTickSquares, type TickSquare } from '../scan/tick-squares.js';
import type { PageText, TextWord } from '../text/page-text.js';
import { fitPublishedForm, isBlank, placesOf } from '../text/read-published-form.js';
import { pictureOf } from './page-picture.js';
import type { Recogniser } from './recogniser.js';
import { placeReading, secondReading } from './second-reading.js';

function paint(picture: GreyPicture, box: Box, level: number): void {
  for (let y = Math.max(0, box[1]); y < Math.min(picture.height, box[3]); y++) {
    picture.pixels.fill(level, y * picture.width + Math.max(0, box[0]), y * picture.width + box[2]);
  }
}

/** Ink that is neither ruled line nor square: the text. */
function withoutForm(
  ink: Uint8Array,
  mask: Uint8Array,
  squares: readonly Box[],
  width: number,
  margin: number,
): Uint8Array {
  const text = ink.slice();
  for (let i = 0; i < mask.length; i++) if (mask[i] === 1) text[i] = 0;
  for (const [left, top, right, bottom] of squares) {
    for (let y = Math.max(0, top - margin); y < bottom + margin; y++) {
      text.fill(0, y * width + Math.max(0, left - margin), y * width + right + margin);
    }
  }
  return text;
}

const TWO_DATES = /^(\d{2}\/\d{2}\/\d{4})[^\d]?(\d{2}\/\d{2}\/\d{4})$/;

/** Two dates with nothing but a ruled line between them are recognised as one word. */
function apart(word: TextWord): TextWord[] {
  const dates = TWO_DATES.exec(word.text);
  if (!dates) return [word];
  const [left, top, right, bottom] = word.box;
  const middle = (left + right) / 2;
  return [
    { ...word, text: dates[1], box: [left, top, middle, bottom] },
    { ...word, text: dates[2], box: [middle, top, right, bottom] },
  ];
}

/** Signs of one kind that are told of one page. */
const PATCHES_MAX = 4;

/** A page as it was recognised. */
export interface ScannedPage {
  readonly text: PageText;
  /** Parts of the picture that are not of the same scan as the rest. */
  readonly tamperSigns: readonly string[];
}

/** A page that is taken apart: what is drawn on it, and what is to be recognised. */
interface PageParts {
  readonly picture: GreyPicture;
  readonly squares: readonly TickSquare[];
  readonly rules: readonly Box[];
  readonly sheet: ReadingSheet;
  readonly patches: readonly Box[];
  /** Without ruled lines, squares and what is in them still there. */
  readonly unruled: GreyPicture;
  readonly ink: InkPicture;
}

async function takeApart(page: PDFPageProxy): Promise<PageParts> {
  const { asScanned, sourceDpi, straight: picture } = await pictureOf(page);
  const ink = inkOf(picture);
  const squares = findTickSquares(ink);
  const { rules, mask } = findRuling(ink);
  const margin = Math.round(picture.dpi / 100);
  const frames = squares.map(square => square.box);
  const lines = textLines({ ...ink, ink: withoutForm(ink.ink, mask, frames, ink.width, margin) });
  const phrases = lines.flatMap(line => line.phrases);
  const patches = pastedPatches(asScanned, sourceDpi);
  const paper = paperLevel(picture.pixels);
  for (let i = 0; i < mask.length; i++) if (mask[i] === 1) picture.pixels[i] = paper;
  const unruled = { ...picture, pixels: picture.pixels.slice() };
  for (const [left, top, right, bottom] of frames) {
    paint(picture, [left - margin, top - margin, right + margin, bottom + margin], paper);
  }
  for (let i = 0; i < mask.length; i++) if (mask[i] === 1) ink.ink[i] = 0;
  const sheet = readingSheet(picture, phrases, paper);
  return { picture, squares, rules, sheet, patches, unruled, ink };
}

/**
 * What a scanned page shows: its squares and rules by their ink, its words by recognition of what is left.
 * @param isWorthTwice whether what was read is a page whose every letter counts
 */
export async function scannedPageText(
  page: PDFPageProxy,
  recogniser: Recogniser,
  isWorthTwice: (text: PageText) => boolean,
): Promise<ScannedPage> {
  recogniser.start();
  const { picture, squares, rules, sheet, patches, unruled, ink } = await takeApart(page);
  const first = new Map<Box, TextWord[]>();
  for (const word of await recogniser.words(sheet.picture, PSM.SINGLE_BLOCK)) {
    const place = sheet.onPage(word.box);
    if (!place) continue;
    const words = apart({ ...word, box: place.box });
    first.set(place.phrase, [...(first.get(place.phrase) ?? []), ...words]);
  }
  const points = 72 / picture.dpi;
  const inPoints = (box: Box) => box.map(at => at * points) as unknown as Box;
  const textOf = (words: readonly TextWord[]): PageText => ({
    page: page.pageNumber,
    width: picture.width * points,
    height: picture.height * points,
    words: words.map(word => ({ ...word, box: inPoints(word.box) })),
    tickBoxes: squares.map(square => ({ ...square, box: inPoints(square.box) })),
    rules: rules.map(inPoints),
    inkShare: ([left, top, right, bottom]) =>
      inkShare(ink, left / points, top / points, right / points, bottom / points),
  });
  let text = textOf([...first.values()].flat());
  if (isWorthTwice(text)) {
    const fit = fitPublishedForm(text);
    if (fit) {
      const places = placesOf(fit).filter(({ box, isTick }) => !isTick && !isBlank(text, box));
      text = { ...text, words: await placeReading(unruled, ink, places, text.words, recogniser) };
    } else text = textOf(await secondReading(picture, sheet.phrases, first, recogniser));
  }
  const tamperSigns = patches.slice(0, PATCHES_MAX).map(box => {
    const place = box.map(Math.round).join(', ');
    return `page ${page.pageNumber}: a piece of another picture lies over the scan at ${place} points`;
  });
  return { text, tamperSigns };
}
