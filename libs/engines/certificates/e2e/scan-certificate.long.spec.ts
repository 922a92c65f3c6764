// commit: ../src/scan/pasted-patch.spec.ts
import { PDFDocument } from '@cantoo/pdf-lib';
import { pastedPatches } from '../src/scan/pasted-patch.js';
import { greyOf } from '../src/scan/grey-picture.js';
import { drawValues, draftCertificate, certificateTruth, fieldBoxes, LAYOUTS } from '../src/testing/index.js';
import { renderPages, scanCertificate, tamperedScan } from '../src/testing/node/index.js';

const DPI = 200;

async function grey(bytes: Uint8Array) {
  const [canvas] = await renderPages(bytes, DPI);
  const { width, height } = canvas;
  return greyOf(canvas.getContext('2d').getImageData(0, 0, width, height).data, width, height, DPI);
}

async function firstPage(bytes: Uint8Array): Promise<Uint8Array> {
  const document = await PDFDocument.load(bytes, { updateMetadata: false });
  while (document.getPageCount() > 1) document.removePage(1);
  return document.save();
}

describe('scans of synthetic certificates', () => {
  test('a scan is the page as a noisy picture: the same for the same seed, no piece of it clean, nothing of it text', async () => {
    const truth = certificateTruth(11);
    const draft = await draftCertificate(LAYOUTS.columns, []);
    drawValues(draft, truth.fields);
    const page = await draft.document.save();
    const scan = await scanCertificate(page, 11, { dpi: DPI });
    expect(Buffer.from(await scanCertificate(page, 11, { dpi: DPI })).equals(scan)).toBe(true);
    expect(Buffer.from(scan).includes('/BaseFont')).toBe(false);
    const [drawn, scanned] = [await grey(page), await grey(scan)];
    expect([scanned.width, scanned.height]).toEqual([drawn.width, drawn.height]);
    const levels = new Set(scanned.pixels.subarray(0, 50_000));
    expect(levels.size).toBeGreaterThan(8);
    expect(pastedPatches(scanned)).toEqual([]);
  });

  test('a pasted piece covers the forged field and is found there', async () => {
    const { bytes, layout, forgery } = await tamperedScan(5, 'pasted-patch', { dpi: DPI, skewDegrees: 0 });
    const [left, top, right, bottom] = fieldBoxes(LAYOUTS[layout]).get(forgery.field) ?? [0, 0, 0, 0];
    const found = pastedPatches(await grey(await firstPage(bytes)));
    expect(found.some(box => box[0] < right && left < box[2] && box[1] < bottom && top < box[3])).toBe(true);
  });
});
