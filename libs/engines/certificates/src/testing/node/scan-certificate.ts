import { PDFDocument } from '@cantoo/pdf-lib';
import { type Canvas, createCanvas } from '@napi-rs/canvas';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { Box } from '../../extracted-certificate.js';
import { seededRandom, type SeededRandom } from '../seeded-random.js';

// Taken once: in the context of a test runner every look at a global is slow.
const { max, min, round } = Math;

const FONTS = join(dirname(fileURLToPath(import.meta.resolve('pdfjs-dist/package.json'))), 'standard_fonts/');
const NOISE_TABLE = 1 << 16;
const ATTACHMENT_QUALITY = 50;

/** How a page was scanned. */
export interface ScanOptions {
  readonly dpi?: 150 | 200 | 300;
  /** Clockwise, at most 2 either way. */
  readonly skewDegrees?: number;
  /** Grey of the paper, 0 … 255. */
  readonly paperLevel?: number;
  /** Standard deviation of the noise, in grey levels. */
  readonly noiseLevels?: number;
  /** Share of each of the four neighbours in a pixel, 0 … 0.2. */
  readonly blur?: number;
  /** 0 … 100. */
  readonly jpegQuality?: number;
}

/** A rectangle of another rendering that is pasted over the scan, in points from the top left corner. */
export interface PastedPatch {
  readonly from: Uint8Array;
  readonly box: Box;
}

/** The settings of a scanner that the seed chooses. */
export function scanSettings(seed: number): Required<ScanOptions> {
  const random = seededRandom(seed ^ 0x5ca77e4);
  const dpi = random.pick([200, 300] as const);
  return {
    dpi,
    skewDegrees: (random.next() * 2 - 1) * 2,
    paperLevel: random.int(232, 250),
    noiseLevels: 2 + random.next() * 6,
    blur: random.next() * 0.12,
    // A file of four pages has to stay below what a request may hold.
    jpegQuality: dpi === 300 ? random.int(50, 68) : random.int(60, 85),
  };
}

/**
 * A scan of a file: each page drawn, turned, blurred, made noisy and grey, compressed, and put into a file of its own without
 * any text. A patch goes onto the first page after the noise and before the compression, as whoever edits the picture does it.
 */
export async function scanCertificate(
  bytes: Uint8Array,
  seed: number,
  options: ScanOptions & { readonly patch?: PastedPatch } = {},
): Promise<Uint8Array> {
  const settings = { ...scanSettings(seed), ...options };
  const random = seededRandom(seed ^ 0x0153);
  const pages = await renderPages(bytes, settings.dpi);
  const forged = settings.patch && (await renderPages(settings.patch.from, settings.dpi))[0];
  const document = await PDFDocument.create({ updateMetadata: false });
  for (const [index, drawn] of pages.entries()) {
    const scanned = turned(drawn, settings);
    degrade(scanned, settings, random);
    if (index === 0 && settings.patch && forged)
      paste(scanned, turned(forged, settings), settings.patch.box, settings);
    const jpeg = await document.embedJpg(
      await scanned.encode('jpeg', index === 0 ? settings.jpegQuality : ATTACHMENT_QUALITY),
    );
    const size: [number, number] = [(drawn.width * 72) / settings.dpi, (drawn.height * 72) / settings.dpi];
    document.addPage(size).drawImage(jpeg, { x: 0, y: 0, width: size[0], height: size[1] });
  }
  return document.save();
}

/** The pages of a file as pictures. */
export async function renderPages(bytes: Uint8Array, dpi: number): Promise<Canvas[]> {
  const task = getDocument({
    data: new Uint8Array(bytes),
    standardFontDataUrl: FONTS,
    useSystemFonts: false,
    isEvalSupported: false,
    verbosity: 0,
  });
  try {
    const document = await task.promise;
    const canvases: Canvas[] = [];
    for (let number = 1; number <= document.numPages; number++) {
      const page = await document.getPage(number);
      const viewport = page.getViewport({ scale: dpi / 72 });
      const canvas = createCanvas(round(viewport.width), round(viewport.height));
      await page.render({ canvas: canvas as unknown as HTMLCanvasElement, viewport }).promise;
      canvases.push(canvas);
    }
    return canvases;
  } finally {
    await task.destroy();
  }
}

function turned(drawn: Canvas, { skewDegrees, paperLevel }: Required<ScanOptions>): Canvas {
  const canvas = createCanvas(drawn.width, drawn.height);
  const context = canvas.getContext('2d');
  context.fillStyle = 'white';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.translate(canvas.width / 2, canvas.height / 2);
  context.rotate((skewDegrees * Math.PI) / 180);
  context.drawImage(drawn, -canvas.width / 2, -canvas.height / 2);
  context.resetTransform();
  // Ink is not quite black and paper not quite white.
  const image = context.getImageData(0, 0, canvas.width, canvas.height);
  for (let i = 0; i < image.data.length; i += 4) {
    const grey = (image.data[i] * 0.299 + image.data[i + 1] * 0.587 + image.data[i + 2] * 0.114) / 255;
    image.data[i] = image.data[i + 1] = image.data[i + 2] = 25 + grey * (paperLevel - 25);
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

function degrade(canvas: Canvas, { blur, noiseLevels }: Required<ScanOptions>, random: SeededRandom): void {
  const { width, height } = canvas;
  const context = canvas.getContext('2d');
  const image = context.getImageData(0, 0, width, height);
  const grey = new Uint8Array(width * height);
  for (let i = 0; i < grey.length; i++) grey[i] = image.data[4 * i];
  const noise = Float32Array.from({ length: NOISE_TABLE }, () => random.normal() * noiseLevels);
  for (let y = 0; y < height; y++) {
    const offset = random.int(0, NOISE_TABLE - 1);
    const above = max(0, y - 1) * width;
    const below = min(height - 1, y + 1) * width;
    for (let x = 0; x < width; x++) {
      const at = y * width + x;
      const around =
        grey[above + x] + grey[below + x] + grey[x > 0 ? at - 1 : at] + grey[x < width - 1 ? at + 1 : at];
      const level = grey[at] * (1 - 4 * blur) + around * blur + noise[(offset + x) & (NOISE_TABLE - 1)];
      image.data[4 * at] = image.data[4 * at + 1] = image.data[4 * at + 2] = max(0, min(255, level));
    }
  }
  context.putImageData(image, 0, 0);
}

/** Both pages lie equally skewed, so the box is turned with them. */
function paste(onto: Canvas, from: Canvas, box: Box, { dpi, skewDegrees }: Required<ScanOptions>): void {
  const scale = dpi / 72;
  const [left, top, right, bottom] = box.map(points => points * scale);
  const context = onto.getContext('2d');
  context.save();
  context.translate(onto.width / 2, onto.height / 2);
  context.rotate((skewDegrees * Math.PI) / 180);
  context.translate(-onto.width / 2, -onto.height / 2);
  context.beginPath();
  context.rect(left, top, right - left, bottom - top);
  context.clip();
  context.resetTransform();
  context.drawImage(from, 0, 0);
  context.restore();
}
