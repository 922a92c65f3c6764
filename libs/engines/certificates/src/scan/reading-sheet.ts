import type { Box } from '../extracted-certificate.js';
import type { GreyPicture } from './grey-picture.js';

/** Paper around a phrase and between two rows, in points. */
const MARGIN_POINTS = 1;
const ROW_GAP_POINTS = 5;

interface Placed {
  readonly phrase: Box;
  /** Where the phrase stands on the sheet. */
  readonly onSheet: Box;
}

/** The phrases of a page without the white between them: what is recognised costs by its length. */
export interface ReadingSheet {
  readonly picture: GreyPicture;
  /** Where a box of the sheet lies on the page, and in which phrase. */
  readonly onPage: (box: Box) => { box: Box; phrase: Box } | undefined;
  readonly phrases: readonly Box[];
}

function copy(
  from: GreyPicture,
  source: Box,
  to: { pixels: Uint8Array; width: number },
  x: number,
  y: number,
): void {
  for (let row = source[1]; row < source[3]; row++) {
    const at = row * from.width;
    to.pixels.set(from.pixels.subarray(at + source[0], at + source[2]), (y + row - source[1]) * to.width + x);
  }
}

/** Puts each phrase of a page into a row of its own, so that none is taken for a part of another. */
export function readingSheet(picture: GreyPicture, phrases: readonly Box[], paper: number): ReadingSheet {
  const pixels = picture.dpi / 72;
  const [margin, gap] = [MARGIN_POINTS, ROW_GAP_POINTS].map(points => Math.round(points * pixels));
  const placed: Placed[] = [];
  let [y, width] = [gap, 1];
  for (const phrase of phrases) {
    const [left, top] = [Math.max(0, phrase[0] - margin), Math.max(0, phrase[1] - margin)];
    const right = Math.min(picture.width, phrase[2] + margin);
    const bottom = Math.min(picture.height, phrase[3] + margin);
    placed.push({
      phrase: [left, top, right, bottom],
      onSheet: [gap, y, gap + right - left, y + bottom - top],
    });
    width = Math.max(width, right - left + 2 * gap);
    y += bottom - top + gap;
  }
  const sheet = { width, height: y, pixels: new Uint8Array(width * y).fill(paper), dpi: picture.dpi };
  for (const { phrase, onSheet } of placed) copy(picture, phrase, sheet, onSheet[0], onSheet[1]);
  return {
    picture: sheet,
    phrases: placed.map(({ phrase }) => phrase),
    onPage: box => {
      const middle = (box[1] + box[3]) / 2;
      const found = placed.find(
        ({ onSheet }) => middle >= onSheet[1] - gap / 2 && middle < onSheet[3] + gap / 2,
      );
      if (!found) return undefined;
      const [dx, dy] = [found.phrase[0] - found.onSheet[0], found.phrase[1] - found.onSheet[1]];
      return { box: [box[0] + dx, box[1] + dy, box[2] + dx, box[3] + dy], phrase: found.phrase };
    },
  };
}
