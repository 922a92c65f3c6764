import type { Box } from '../extracted-certificate.js';
import { readingSheets } from './reading-sheet.js';

const picture = { width: 2400, height: 900, dpi: 300, pixels: new Uint8Array(2400 * 900).fill(240) };
const PHRASES: Box[] = [
  [100, 100, 150, 140],
  [100, 200, 2300, 240],
  [100, 300, 500, 340],
  [700, 300, 760, 340],
];

it('puts each phrase on one sheet, with others as wide, where it is found again', () => {
  for (const [left, top] of PHRASES) picture.pixels[top * picture.width + left] = 0;
  const sheets = readingSheets(picture, PHRASES, 240);
  expect(sheets.map(sheet => sheet.phrases.length)).toEqual([2, 1, 1]);
  const found = sheets.flatMap(({ picture: sheet, onPage }) =>
    [...sheet.pixels.keys()]
      .filter(at => sheet.pixels[at] === 0)
      .map(at => [at % sheet.width, Math.floor(at / sheet.width)])
      .map(([x, y]) => onPage([x, y, x + 40, y + 30])?.box.slice(0, 2)),
  );
  expect(found.sort()).toEqual(PHRASES.map(box => box.slice(0, 2)).sort());
  const pixels = sheets.reduce((sum, sheet) => sum + sheet.picture.pixels.length, 0);
  expect(pixels).toBeLessThan(
    readingSheets(picture, PHRASES.slice(1, 2), 240)[0].picture.pixels.length * 2.5,
  );
});
