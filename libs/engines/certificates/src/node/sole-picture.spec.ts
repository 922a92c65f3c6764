import { createCanvas } from '@napi-rs/canvas';
import { PDFDocument } from '@cantoo/pdf-lib';
import { openPdf } from './open-pdf.js';
import { drawSolePicture } from './sole-picture.js';

const SCALE = 2;

async function pageOf(draw?: (page: ReturnType<PDFDocument['addPage']>) => void, rotation = 0) {
  const canvas = createCanvas(120, 80);
  const context = canvas.getContext('2d');
  context.fillStyle = '#eee';
  context.fillRect(0, 0, 120, 80);
  context.fillStyle = '#123';
  context.fillRect(7, 11, 40, 5);
  context.fillRect(90, 50, 3, 25);
  const file = await PDFDocument.create();
  const page = file.addPage([60, 40]);
  page.drawImage(await file.embedJpg(await canvas.encode('jpeg', 80)), { x: 0, y: 0, width: 60, height: 40 });
  draw?.(page);
  page.node.set((await import('@cantoo/pdf-lib')).PDFName.of('Rotate'), file.context.obj(rotation));
  return (await openPdf(await file.save())).pages[0];
}

it.each([0, 90, 180])('draws a page of one picture, turned by %i, as the library does', async rotation => {
  const page = await pageOf(undefined, rotation);
  const sole = await drawSolePicture(page, SCALE);
  const viewport = page.getViewport({ scale: SCALE });
  const canvas = createCanvas(viewport.width, viewport.height);
  await page.render({ canvas: canvas as unknown as HTMLCanvasElement, viewport }).promise;
  expect(sole!.sourceDpi).toBeCloseTo(144);
  const [got, wanted] = [sole!.canvas, canvas].map(
    drawn => drawn.getContext('2d').getImageData(0, 0, drawn.width, drawn.height).data,
  );
  expect(Buffer.compare(Buffer.from(got), Buffer.from(wanted))).toBe(0);
  expect(new Set(got).size).toBeGreaterThan(2);
});

it('leaves a page with anything over its picture to the library', async () => {
  const page = await pageOf(drawn => drawn.drawRectangle({ x: 5, y: 5, width: 10, height: 10 }));
  expect(await drawSolePicture(page, SCALE)).toBeUndefined();
});
