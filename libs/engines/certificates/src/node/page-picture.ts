import { type Canvas, createCanvas } from '@napi-rs/canvas';
import type { PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { type GreyPicture, greyOf, inkOf } from '../scan/grey-picture.js';
import { skewDegrees } from '../scan/skew.js';
import { drawSolePicture } from './sole-picture.js';

/** Dots per inch that pages are drawn and recognised at. */
export const RECOGNITION_DPI = 300;
/** Pixels of one drawn page: a long sheet at 300 dpi has half of it. */
const PAGE_PIXELS_MAX = 24_000_000;
/** Less than this is not worth another blur. */
const SKEW_DEGREES_MIN = 0.08;

function pixelsOf(canvas: Canvas, dpi: number): GreyPicture {
  const { width, height } = canvas;
  return greyOf(canvas.getContext('2d').getImageData(0, 0, width, height).data, width, height, dpi);
}

/** In fewer dots where a page is larger than a sheet of paper. */
function scaleOf(page: PDFPageProxy): number {
  const { width, height } = page.getViewport({ scale: 1 });
  return Math.min(RECOGNITION_DPI / 72, Math.sqrt(PAGE_PIXELS_MAX / (width * height)));
}

async function drawPage(page: PDFPageProxy): Promise<{ canvas: Canvas; dpi: number }> {
  const scale = scaleOf(page);
  const viewport = page.getViewport({ scale });
  const canvas = createCanvas(Math.round(viewport.width), Math.round(viewport.height));
  await page.render({ canvas: canvas as unknown as HTMLCanvasElement, viewport }).promise;
  return { canvas, dpi: scale * 72 };
}

/** A page as it is seen, notes and form fields on it. */
export async function drawnPicture(page: PDFPageProxy): Promise<GreyPicture> {
  const { canvas, dpi } = await drawPage(page);
  return pixelsOf(canvas, dpi);
}

/** A page as it lies in the file, and straightened where it was scanned askew. */
export interface PagePicture {
  readonly asScanned: GreyPicture;
  /** Of the picture in the file, whatever it was drawn at. */
  readonly sourceDpi: number;
  readonly straight: GreyPicture;
}

export async function pictureOf(page: PDFPageProxy): Promise<PagePicture> {
  const sole = await drawSolePicture(page, scaleOf(page));
  const { canvas, dpi } = sole ? { canvas: sole.canvas, dpi: scaleOf(page) * 72 } : await drawPage(page);
  const sourceDpi = sole?.sourceDpi ?? dpi;
  const asScanned = pixelsOf(canvas, dpi);
  const skew = skewDegrees(inkOf(asScanned));
  if (Math.abs(skew) < SKEW_DEGREES_MIN)
    return { asScanned, sourceDpi, straight: { ...asScanned, pixels: asScanned.pixels.slice() } };
  const straight = createCanvas(canvas.width, canvas.height);
  const context = straight.getContext('2d');
  context.fillStyle = 'white';
  context.fillRect(0, 0, straight.width, straight.height);
  context.translate(straight.width / 2, straight.height / 2);
  context.rotate((-skew * Math.PI) / 180);
  context.drawImage(canvas, -canvas.width / 2, -canvas.height / 2);
  return { asScanned, sourceDpi, straight: pixelsOf(straight, dpi) };
}
