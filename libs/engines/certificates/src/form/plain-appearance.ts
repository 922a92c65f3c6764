import { PDFArray, PDFDict, PDFName, PDFNumber } from '@cantoo/pdf-lib';

/** Operators that fillers of forms write, and that hide nothing by themselves. */
const PLAIN_OPERATORS = new Set(
  'BMC BDC EMC q Q BT ET Tf Tj TJ Td TD Tm T* TL Tc Tw g rg k G RG K w d re m l h f S s W n cm'.split(' '),
);
const STANDARD_FONT = /^(Helvetica|Times|Courier|Arial)/;
/** Text of a form is as large, in points. */
const TEXT_POINTS = [4, 30] as const;
/** Grey of print that is seen: 0 is black. */
const DARK_MAX = 0.45;
/** A clip leaves as much of the field, on each side. */
const CLIP_SHARE_MIN = 0.5;

interface Extent {
  readonly width: number;
  readonly height: number;
}

const numbersOf = (object: unknown): number[] =>
  object instanceof PDFArray
    ? object.asArray().map(part => (part instanceof PDFNumber ? part.asNumber() : NaN))
    : [];

/** The box of an appearance, where it is drawn in its field as it is: neither turned, nor moved, nor much scaled. */
function extentOf(dict: PDFDict, rect: readonly number[]): Extent | undefined {
  const [x1, y1, x2, y2] = numbersOf(dict.lookup(PDFName.of('BBox')));
  const matrix = dict.lookup(PDFName.of('Matrix'));
  if (matrix !== undefined && numbersOf(matrix).join() !== '1,0,0,1,0,0') return undefined;
  const [width, height] = [x2 - x1, y2 - y1];
  const scales = [Math.abs(rect[2] - rect[0]) / width, Math.abs(rect[3] - rect[1]) / height];
  const isAsIs = x1 === 0 && y1 === 0 && scales.every(scale => scale > 0.8 && scale < 1.25);
  return isAsIs ? { width, height } : undefined;
}

/** Fonts that look alike everywhere: by a standard name, in their own encoding. */
function hasStandardFonts(dict: PDFDict): boolean {
  const resources = dict.lookup(PDFName.of('Resources'));
  const fonts = resources instanceof PDFDict ? resources.lookup(PDFName.of('Font')) : undefined;
  if (!(fonts instanceof PDFDict)) return false;
  return fonts.keys().every(key => {
    const font = fonts.lookup(key);
    if (!(font instanceof PDFDict) || font.has(PDFName.of('FontDescriptor'))) return false;
    const name = font.lookup(PDFName.of('BaseFont'));
    const encoding = font.lookup(PDFName.of('Encoding'));
    return name instanceof PDFName && STANDARD_FONT.test(name.decodeText()) && !(encoding instanceof PDFDict);
  });
}

const COLOURS = new Set(['g', 'rg', 'k']);
const PATHS = new Set(['re', 'm', 'l']);

/** Whether a fill colour is seen on paper. */
function isDarkColour(operator: string, [a, b, c, d]: readonly number[]): boolean {
  if (operator === 'g') return a <= DARK_MAX;
  return operator === 'rg' ? 0.3 * a + 0.59 * b + 0.11 * c <= DARK_MAX : d >= 1 - DARK_MAX;
}

/** What a stream has set so far. */
class TextState {
  private isDark = true;
  private isMoved = false;
  private hasText = false;
  private size = 0;
  private position: readonly [number, number] = [0, 0];
  private path: (readonly [number, number])[] = [];
  private saved: (readonly [isDark: boolean, isMoved: boolean])[] = [];

  constructor(private readonly extent: Extent) {}

  /** @returns whether what is drawn is still seen as it is written */
  apply(operator: string, operands: readonly number[]): boolean {
    if (!PLAIN_OPERATORS.has(operator)) return false;
    if (COLOURS.has(operator)) this.isDark = isDarkColour(operator, operands);
    else if (PATHS.has(operator)) this.draw(operator, operands);
    else if (/^(Tj|TJ)$/.test(operator)) return this.show();
    else if (operator === 'W') return this.isWide();
    // An area that is filled behind the text may be what it likes.
    else if (/^[fSs]$/.test(operator)) return this.end(!this.hasText);
    else if (operator === 'n') return this.end(true);
    else if (operator === 'Tm') return this.place(operands);
    else this.set(operator, operands);
    return true;
  }

  private set(operator: string, operands: readonly number[]): void {
    const [a, b] = operands;
    if (operator === 'q') this.saved.push([this.isDark, this.isMoved]);
    else if (operator === 'Q') [this.isDark, this.isMoved] = this.saved.pop() ?? [true, false];
    else if (operator === 'Tf') this.size = operands.at(-1) ?? 0;
    else if (operator === 'BT') this.position = [0, 0];
    else if (operator === 'Td' || operator === 'TD') {
      this.position = [this.position[0] + a, this.position[1] + b];
    } else if (operator === 'cm' && operands.join() !== '1,0,0,1,0,0') this.isMoved = true;
  }

  private place([a, b, c, d, e, f]: readonly number[]): boolean {
    this.position = [e, f];
    return a === 1 && b === 0 && c === 0 && d === 1;
  }

  private draw(operator: string, [x, y, width, height]: readonly number[]): void {
    this.path.push([x, y]);
    if (operator === 're') this.path.push([x + width, y + height]);
  }

  private end(isFine: boolean): boolean {
    this.path = [];
    return isFine;
  }

  /** Whether a clip leaves most of the field. */
  private isWide(): boolean {
    const { width, height } = this.extent;
    const [xs, ys] = [0, 1].map(axis => this.path.map(point => point[axis]));
    const shown = (all: number[], size: number) =>
      Math.min(size, Math.max(...all)) - Math.max(0, Math.min(...all));
    if (this.isMoved || xs.length === 0) return false;
    return shown(xs, width) >= CLIP_SHARE_MIN * width && shown(ys, height) >= CLIP_SHARE_MIN * height;
  }

  private show(): boolean {
    this.hasText = true;
    const [x, y] = this.position;
    const isInside = x >= -2 && x < this.extent.width - 2 && y > -this.size / 2 && y < this.extent.height - 2;
    const isLegible = this.isDark && this.size >= TEXT_POINTS[0] && this.size <= TEXT_POINTS[1];
    return isInside && isLegible && !this.isMoved;
  }
}

/**
 * Whether an appearance is drawn as the usual fillers of forms do, so that its text is seen as it is written: dark, in a
 * standard font, upright and within its field, by operators that hide nothing. Whatever else it may be is to be looked at.
 * @param tokens of its stream, strings and names among them
 */
export function isPlainAppearance(
  tokens: readonly string[],
  dict: PDFDict,
  rect: readonly number[],
): boolean {
  const extent = extentOf(dict, rect);
  if (!extent || !hasStandardFonts(dict) || dict.has(PDFName.of('OC'))) return false;
  const state = new TextState(extent);
  let operands: number[] = [];
  for (const token of tokens) {
    if (/^[-+]?(\d+\.?\d*|\.\d+)$/.test(token)) operands.push(Number(token));
    else if (/^[A-Za-z'"*]+\d?\*?$/.test(token)) {
      if (!state.apply(token, operands)) return false;
      operands = [];
    }
  }
  return true;
}
