import { OPS, Util, type PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { Box } from '../extracted-certificate.js';
import type { PageText, TextWord, TickBox } from '../text/page-text.js';

/** Widths of Helvetica by kind of letter, in thousandths: where the words of one run of text begin. */
const letterWidth = (letter: string): number => {
  if (letter === ' ' || /[ijl.,:;'|!/()[\]fIt-]/.test(letter)) return 278;
  if (/[mwMW@%]/.test(letter)) return 860;
  return /[A-Z&]/.test(letter) ? 680 : 540;
};

interface Run {
  readonly text: string;
  readonly box: Box;
}

/** A run of text is cut at its blanks, where the widths of its letters say they are. */
function wordsOfRun({ text, box }: Run): TextWord[] {
  const total = [...text].reduce((sum, letter) => sum + letterWidth(letter), 0);
  const scale = (box[2] - box[0]) / total;
  const words: TextWord[] = [];
  let at = box[0];
  for (const piece of text.split(/(\s+)/)) {
    const width = [...piece].reduce((sum, letter) => sum + letterWidth(letter), 0) * scale;
    if (piece.trim() !== '') {
      words.push({ text: piece, box: [at, box[1], at + width, box[3]], confidence: 0.99 });
    }
    at += width;
  }
  return words;
}

interface TextItem {
  readonly str: string;
  readonly transform: number[];
  readonly width: number;
  readonly height: number;
}

/** The text layer of a page; text that does not run from left to right is left out. */
async function runsOf(page: PDFPageProxy): Promise<Run[]> {
  const viewport = page.getViewport({ scale: 1 });
  const { items } = await page.getTextContent();
  return (items as TextItem[]).flatMap(item => {
    if (typeof item.str !== 'string' || item.str.trim() === '') return [];
    const [a, b, , d, x, y] = Util.transform(viewport.transform, item.transform) as number[];
    const size = Math.hypot(b, d) || item.height;
    if (Math.abs(b) > 0.05 * Math.abs(a) || a <= 0) return [];
    // From the baseline: capitals reach up 0.72 of the size, and little goes below it.
    return [{ text: item.str, box: [x, y - 0.74 * size, x + item.width, y + 0.06 * size] }];
  });
}

/** What is drawn on a page beside its text. */
export interface PageDrawing {
  /** Boxes around what each path encloses. */
  readonly paths: readonly Box[];
  /** Boxes of pictures. */
  readonly pictures: readonly Box[];
}

type Matrix = readonly number[];

function boxThrough(matrix: Matrix, [x1, y1, x2, y2]: readonly number[]): Box {
  const corners = [
    [x1, y1],
    [x2, y1],
    [x1, y2],
    [x2, y2],
  ].map(([x, y]) => [matrix[0] * x + matrix[2] * y + matrix[4], matrix[1] * x + matrix[3] * y + matrix[5]]);
  const xs = corners.map(corner => corner[0]);
  const ys = corners.map(corner => corner[1]);
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

/** Walks what a page draws, without drawing it. */
export async function drawingOf(page: PDFPageProxy): Promise<PageDrawing> {
  const { fnArray, argsArray } = await page.getOperatorList();
  const paths: Box[] = [];
  const pictures: Box[] = [];
  let matrix: Matrix = page.getViewport({ scale: 1 }).transform;
  const saved: Matrix[] = [];
  for (let i = 0; i < fnArray.length; i++) {
    const args = argsArray[i] as unknown[];
    switch (fnArray[i]) {
      case OPS.save:
        saved.push(matrix);
        break;
      case OPS.paintFormXObjectBegin:
        saved.push(matrix);
        if (args[0]) matrix = Util.transform(matrix as number[], args[0] as number[]) as number[];
        break;
      case OPS.restore:
      case OPS.paintFormXObjectEnd:
        matrix = saved.pop() ?? matrix;
        break;
      case OPS.transform:
        matrix = Util.transform(matrix as number[], args as number[]) as number[];
        break;
      case OPS.constructPath:
        if (args[2]) paths.push(boxThrough(matrix, Array.from(args[2] as Float32Array)));
        break;
      case OPS.paintImageXObject:
      case OPS.paintInlineImageXObject:
      case OPS.paintImageMaskXObject:
        pictures.push(boxThrough(matrix, [0, 0, 1, 1]));
        break;
    }
  }
  return { paths, pictures };
}

const isSquare = ([left, top, right, bottom]: Box): boolean => {
  const [width, height] = [right - left, bottom - top];
  return width >= 5 && width <= 16 && height >= 5 && height <= 16 && Math.abs(width - height) <= 3;
};

/** The text layer of a page with the squares and ruled lines around it. */
export async function pageTextOf(page: PDFPageProxy, drawing: PageDrawing): Promise<PageText> {
  const { width, height } = page.getViewport({ scale: 1 });
  const runs = await runsOf(page);
  const tickBoxes: TickBox[] = [];
  for (const box of drawing.paths.filter(isSquare)) {
    // Frames are often drawn twice, filled and stroked.
    const known = tickBoxes.some(
      other => Math.abs(other.box[0] - box[0]) < 2 && Math.abs(other.box[1] - box[1]) < 2,
    );
    if (!known) tickBoxes.push({ box, confidence: 0.99 });
  }
  const rules = drawing.paths.filter(box => box[2] - box[0] > 40 && box[3] - box[1] < 2);
  return { page: page.pageNumber, width, height, words: runs.flatMap(wordsOfRun), tickBoxes, rules };
}
