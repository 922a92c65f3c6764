import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { OPS, type PDFPageProxy, Util } from 'pdfjs-dist/legacy/build/pdf.mjs';

/** A picture as pdf.js unpacks it. */
interface Unpacked {
  readonly width: number;
  readonly height: number;
  readonly kind: number;
  readonly data: Uint8Array | Uint8ClampedArray;
  readonly interpolate?: boolean;
}

/** Of its picture kinds (ImageKind): three bytes a pixel, and four. */
const [RGB, RGBA] = [2, 3];
/**
 * Pictures enlarged by more are drawn in squares, as viewers do: the dots of a screen in one of a page. A scan at 200 dpi is drawn smoothly at 300, for
 * letters of steps are recognised badly; at twice its size a letter that is smooth has no edges left.
 */
const SMOOTH_SCALE_MAX = 1.7;

/** A page that consists of one picture, and where it lies: the matrix takes the unit square to the page at scale 1. */
interface SolePicture {
  readonly picture: Unpacked;
  readonly matrix: readonly number[];
}

function unpacked(page: PDFPageProxy, id: unknown): Unpacked | undefined {
  if (typeof id !== 'string') return undefined;
  const objects = id.startsWith('g_') ? page.commonObjs : page.objs;
  if (!objects.has(id)) return undefined;
  const picture = objects.get(id) as Unpacked | null;
  if (!picture?.data || (picture.kind !== RGB && picture.kind !== RGBA)) return undefined;
  return picture.data.length === picture.width * picture.height * (picture.kind === RGB ? 3 : 4)
    ? picture
    : undefined;
}

/** Follows what a page draws; anything but one picture, put somewhere, makes it a page to be drawn. */
async function solePicture(page: PDFPageProxy): Promise<SolePicture | undefined> {
  const { fnArray, argsArray } = await page.getOperatorList();
  let matrix = page.getViewport({ scale: 1 }).transform;
  const saved: number[][] = [];
  let sole: SolePicture | undefined;
  for (const [i, operator] of fnArray.entries()) {
    const args = (argsArray[i] ?? []) as unknown[];
    if (operator === OPS.save) saved.push(matrix);
    else if (operator === OPS.restore) matrix = saved.pop() ?? matrix;
    else if (operator === OPS.transform) matrix = Util.transform(matrix, args as number[]) as number[];
    else if (operator === OPS.paintImageXObject && !sole) {
      const picture = unpacked(page, args[0]);
      if (!picture) return undefined;
      sole = { picture, matrix };
    } else if (operator !== OPS.dependency) return undefined;
  }
  return sole;
}

function canvasOf({ width, height, kind, data }: Unpacked): Canvas {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  const image = context.createImageData(width, height);
  if (kind === RGBA) image.data.set(data);
  else {
    for (let from = 0, to = 0; from < data.length; from += 3, to += 4) {
      image.data[to] = data[from];
      image.data[to + 1] = data[from + 1];
      image.data[to + 2] = data[from + 2];
      image.data[to + 3] = 255;
    }
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

function drawOn(context: SKRSContext2D, { picture, matrix }: SolePicture, scale: number): void {
  const [a, b, c, d, e, f] = matrix.map(part => part * scale);
  const { width, height } = picture;
  const isSmall = Math.max(Math.hypot(a, b) / width, Math.hypot(c, d) / height) <= SMOOTH_SCALE_MAX;
  context.imageSmoothingEnabled = picture.interpolate === true || isSmall;
  // The unit square stands on its foot, a picture hangs from its top.
  context.setTransform(a / width, b / width, -c / height, -d / height, e + c, f + d);
  context.drawImage(canvasOf(picture), 0, 0);
  context.resetTransform();
}

/**
 * The page of a scanner as it would be drawn, from the picture as it was unpacked to see what the page draws: to draw it
 * by the library would unpack it once more. `undefined` where anything else is drawn on the page.
 */
export async function drawSolePicture(
  page: PDFPageProxy,
  scale: number,
): Promise<{ canvas: Canvas; sourceDpi: number } | undefined> {
  const sole = await solePicture(page);
  if (!sole) return undefined;
  const viewport = page.getViewport({ scale });
  const canvas = createCanvas(Math.round(viewport.width), Math.round(viewport.height));
  const context = canvas.getContext('2d');
  context.fillStyle = 'white';
  context.fillRect(0, 0, canvas.width, canvas.height);
  drawOn(context, sole, scale);
  const [a, b] = sole.matrix;
  return { canvas, sourceDpi: (72 * sole.picture.width) / Math.hypot(a, b) };
}
