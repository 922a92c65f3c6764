import { PSM } from 'tesseract.js';
import type { PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { Box } from '../extracted-certificate.js';
import { inkOf, type GreyPicture } from '../scan/grey-picture.js';
import { textLines } from '../scan/phrase-boxes.js';
import { readingSheet } from '../scan/reading-sheet.js';
import { findRuling } from '../scan/ruling.js';
import { findTickSquares } from '../scan/tick-squares.js';
import type { PageText } from '../text/page-text.js';
import { pictureOf } from './page-picture.js';
import type { Recogniser } from './recogniser.js';

function paint(picture: GreyPicture, box: Box, level: number): void {
  for (let y = Math.max(0, box[1]); y < Math.min(picture.height, box[3]); y++) {
    picture.pixels.fill(level, y * picture.width + Math.max(0, box[0]), y * picture.width + box[2]);
  }
}

/** The level of the paper: where most pixels are. */
function paperLevel(pixels: Uint8Array): number {
  const counts = new Uint32Array(256);
  for (const level of pixels) counts[level]++;
  return counts.indexOf(Math.max(...counts));
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

/** A page as it was recognised. */
export interface ScannedPage {
  readonly text: PageText;
  /** Parts of the picture that are not of the same scan as the rest. */
  readonly tamperSigns: readonly string[];
}

/** What a scanned page shows: its squares and rules by their ink, its words by recognition of what is left. */
export async function scannedPageText(page: PDFPageProxy, recogniser: Recogniser): Promise<ScannedPage> {
  const picture = await pictureOf(page);
  const ink = inkOf(picture);
  const squares = findTickSquares(ink);
  const { rules, mask } = findRuling(ink);
  const paper = paperLevel(picture.pixels);
  for (let i = 0; i < mask.length; i++) if (mask[i] === 1) picture.pixels[i] = paper;
  const margin = Math.round(picture.dpi / 100);
  for (const { box } of squares) {
    paint(picture, [box[0] - margin, box[1] - margin, box[2] + margin, box[3] + margin], paper);
  }
  const lines = textLines({
    ...ink,
    ink: withoutForm(
      ink.ink,
      mask,
      squares.map(square => square.box),
      ink.width,
      margin,
    ),
  });
  const sheet = readingSheet(picture, lines, paper);
  const words = await recogniser.words(sheet.picture, PSM.SINGLE_BLOCK);
  const points = 72 / picture.dpi;
  const inPoints = (box: Box) => box.map(at => at * points) as unknown as Box;
  const text: PageText = {
    page: page.pageNumber,
    width: picture.width * points,
    height: picture.height * points,
    words: words.flatMap(word => {
      const place = sheet.onPage(word.box);
      return place ? [{ ...word, box: inPoints(place.box) }] : [];
    }),
    tickBoxes: squares.map(square => ({ ...square, box: inPoints(square.box) })),
    rules: rules.map(inPoints),
  };
  return { text, tamperSigns: [] };
}
