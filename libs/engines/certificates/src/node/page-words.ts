import { OPS, Util, type PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { CertificateError } from '../certificate-error.js';
import type { Box } from '../extracted-certificate.js';
import type { PageText, TextWord } from '../text/page-text.js';
import { isWithin } from '../text/region.js';
import { drawnTicks, type Slant, slantsOf } from './drawn-ticks.js';

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
  /** Slanting lines as short as those of a tick. */
  readonly slants: readonly Slant[];
  /** Boxes of what is painted and is more than a line: letters as outlines are among it. */
  readonly painted: readonly Box[];
}

type Matrix = readonly number[];

/** What is thinner is a line, in points. */
const LINE_POINTS_MAX = 1.5;
const isMoreThanLine = (box: Box): boolean =>
  box[2] - box[0] > LINE_POINTS_MAX && box[3] - box[1] > LINE_POINTS_MAX;

/** Operators that draw the lines of a path. */
const STROKING: ReadonlySet<number> = new Set([
  OPS.stroke,
  OPS.closeStroke,
  OPS.fillStroke,
  OPS.eoFillStroke,
  OPS.closeFillStroke,
  OPS.closeEOFillStroke,
]);

const pointThrough =
  (matrix: Matrix) =>
  (x: number, y: number): readonly [number, number] => [
    matrix[0] * x + matrix[2] * y + matrix[4],
    matrix[1] * x + matrix[3] * y + matrix[5],
  ];

function boxThrough(matrix: Matrix, [x1, y1, x2, y2]: readonly number[]): Box {
  const corners = [
    [x1, y1],
    [x2, y1],
    [x1, y2],
    [x2, y2],
  ].map(([x, y]) => pointThrough(matrix)(x, y));
  const xs = corners.map(corner => corner[0]);
  const ys = corners.map(corner => corner[1]);
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

/** What a page may draw and hold: certificates have some thousands of operators, and a tenth of these numbers and characters. */
const [OPERATORS_MAX, NUMBERS_MAX, CHARACTERS_MAX, ANNOTATIONS_MAX] = [200_000, 1_000_000, 200_000, 5_000];

/** @throws CertificateError STREAM_TOO_LARGE for a page that draws more than any certificate: a few bytes may stand for a billion marks */
export async function requireFewMarks(page: PDFPageProxy): Promise<void> {
  const { fnArray, argsArray } = await page.getOperatorList();
  const { length: annotations } = await page.getAnnotations();
  let [numbers, characters] = [0, 0];
  fnArray.forEach((operator, i) => {
    const args = argsArray[i] as [unknown, ...unknown[]];
    if (operator === OPS.constructPath) {
      for (const part of args[1] as readonly (ArrayLike<number> | null)[]) numbers += part?.length ?? 0;
    } else if (operator === OPS.showText) characters += (args[0] as ArrayLike<unknown>).length;
  });
  for (const [what, max, got] of [
    ['operators', OPERATORS_MAX, fnArray.length],
    ['numbers in its paths', NUMBERS_MAX, numbers],
    ['characters', CHARACTERS_MAX, characters],
    ['annotations', ANNOTATIONS_MAX, annotations],
  ] as const) {
    if (got <= max) continue;
    const message = `page ${page.pageNumber} has ${got} ${what}; a page has at most ${max}`;
    throw new CertificateError('STREAM_TOO_LARGE', message, { max, got });
  }
}

/** Walks what a page draws, without drawing it. */
export async function drawingOf(page: PDFPageProxy): Promise<PageDrawing> {
  const { fnArray, argsArray } = await page.getOperatorList();
  const paths: Box[] = [];
  const pictures: Box[] = [];
  const slants: Slant[] = [];
  const painted: Box[] = [];
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
        if (!args[2]) break;
        paths.push(boxThrough(matrix, Array.from(args[2] as Float32Array)));
        if (args[0] !== OPS.endPath && isMoreThanLine(paths.at(-1)!)) painted.push(paths.at(-1)!);
        if (!STROKING.has(args[0] as number)) break;
        for (const data of args[1] as readonly (Float32Array | null)[])
          if (data) slants.push(...slantsOf(data, pointThrough(matrix)));
        break;
      case OPS.paintImageXObject:
      case OPS.paintInlineImageXObject:
      case OPS.paintImageMaskXObject:
        pictures.push(boxThrough(matrix, [0, 0, 1, 1]));
        break;
    }
  }
  return { paths, pictures, slants, painted: [...painted, ...pictures] };
}

const isSquare = ([left, top, right, bottom]: Box): boolean => {
  const [width, height] = [right - left, bottom - top];
  return width >= 5 && width <= 16 && height >= 5 && height <= 16 && Math.abs(width - height) <= 3;
};

const isMark = (box: Box): boolean => box[2] - box[0] >= 6 && box[3] - box[1] >= 3 && !isSquare(box);

/** What is drawn is what it is, but for a mistake of the reader. */
const DRAWN_CONFIDENCE = 0.99;
/** Boxes whose corners lie so far apart, points: frames are often drawn twice, filled and stroked. */
const APART = 2;

/** Of boxes that lie upon one another the first. */
function apart(boxes: readonly Box[]): Box[] {
  const cells = new Map<string, Box[]>();
  return boxes.filter(box => {
    const [column, row] = [Math.floor(box[0] / APART), Math.floor(box[1] / APART)];
    for (const dx of [-1, 0, 1])
      for (const dy of [-1, 0, 1])
        for (const [x, y] of cells.get(`${column + dx} ${row + dy}`) ?? [])
          if (Math.abs(x - box[0]) < APART && Math.abs(y - box[1]) < APART) return false;
    const cell = `${column} ${row}`;
    cells.set(cell, [...(cells.get(cell) ?? []), box]);
    return true;
  });
}

/** The text layer of a page with the squares and ruled lines around it. */
export async function pageTextOf(page: PDFPageProxy, drawing: PageDrawing): Promise<PageText> {
  const { width, height } = page.getViewport({ scale: 1 });
  const runs = await runsOf(page);
  const ticks = apart(drawnTicks(drawing.slants));
  const isTick = (box: Box) => ticks.some(tick => tick.every((edge, i) => Math.abs(edge - box[i]) < APART));
  const squares = apart(drawing.paths.filter(box => isSquare(box) && !isTick(box)));
  const tickBoxes = [
    ...squares.map(box => ({
      box,
      confidence: DRAWN_CONFIDENCE,
      ...(ticks.some(tick => isWithin(tick, box)) && { ticked: true }),
    })),
    ...ticks
      .filter(tick => !squares.some(box => isWithin(tick, box)))
      .map(box => ({ box, confidence: DRAWN_CONFIDENCE, ticked: true })),
  ];
  const rules = drawing.paths.filter(box => box[2] - box[0] > 40 && box[3] - box[1] < 2);
  const marks = [...drawing.pictures, ...drawing.paths.filter(isMark)];
  const words = runs.flatMap(wordsOfRun);
  const { painted } = drawing;
  return { page: page.pageNumber, width, height, words, tickBoxes, rules, marks, painted };
}
