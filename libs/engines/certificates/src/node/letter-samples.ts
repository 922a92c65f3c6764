import { createCanvas, GlobalFonts } from '@napi-rs/canvas';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { greyOf } from '../scan/grey-picture.js';
import { type LetterShape, letterShape } from '../scan/letter-shape.js';

const FONTS = join(
  dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json')),
  'standard_fonts',
);
/** What certificates are printed in, and its bold: without serifs, with them, and of one width. */
const FACES = [
  ...['LiberationSans-Regular.ttf', 'LiberationSans-Bold.ttf', 'FoxitSerif.pfb', 'FoxitSerifBold.pfb'],
  ...['FoxitFixed.pfb', 'FoxitFixedBold.pfb'],
];
/** Of a letter that is drawn, in pixels: as at 300 dpi, so that it is as smooth. */
const SIZE = 40;
const [PAPER, INK] = [255, 0];

let families: readonly string[] | undefined;
const known = new Map<string, Map<string, LetterShape[]>>();

/** Fonts of the package under names of ours. */
function fontFamilies(): readonly string[] {
  families ??= FACES.map((file, i) => {
    const family = `letter-sample-${i}`;
    if (!GlobalFonts.registerFromPath(join(FONTS, file), family)) throw new Error(`no font ${file}`);
    return family;
  });
  return families;
}

function draw(letter: string, family: string): LetterShape {
  const canvas = createCanvas(2 * SIZE, 2 * SIZE);
  const context = canvas.getContext('2d');
  context.fillStyle = 'white';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = 'black';
  context.font = `${SIZE}px ${family}`;
  context.fillText(letter, SIZE / 2, 1.4 * SIZE);
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  const picture = greyOf(data, canvas.width, canvas.height, 300);
  let [left, top, right, bottom] = [canvas.width, canvas.height, 0, 0];
  picture.pixels.forEach((level, at) => {
    if (level > (PAPER + INK) / 2) return;
    const [x, y] = [at % canvas.width, Math.floor(at / canvas.width)];
    [left, top] = [Math.min(left, x), Math.min(top, y)];
    [right, bottom] = [Math.max(right, x + 1), Math.max(bottom, y + 1)];
  });
  return letterShape(picture, [left, top, right, bottom], PAPER)!;
}

/** Shapes of letters, in the fonts that certificates are printed in; drawn once. */
export function letterSamples(letters: string): ReadonlyMap<string, readonly LetterShape[]> {
  let samples = known.get(letters);
  if (!samples) {
    samples = new Map(
      [...letters].map(letter => [letter, fontFamilies().map(family => draw(letter, family))]),
    );
    known.set(letters, samples);
  }
  return samples;
}
