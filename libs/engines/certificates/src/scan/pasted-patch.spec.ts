import { seededRandom } from '../testing/index.js';
import type { GreyPicture } from './grey-picture.js';
import { pastedPatches } from './pasted-patch.js';

// Taken once: in the context of a test runner every look at a global is slow.
const { round } = Math;

const [WIDTH, HEIGHT] = [800, 600];
const random = seededRandom(4);
/** Of each pixel, drawn once: logarithms and cosines take longer than all that is tested. */
const NOISE = Float64Array.from({ length: WIDTH * HEIGHT }, () => random.normal());

/** Paper of 150 dpi with the noise of a scanner, print on it, and perhaps a clean piece over it, in pixels. */
function scan(
  noiseLevels: number,
  piece?: readonly [left: number, top: number, right: number, bottom: number],
): GreyPicture {
  const pixels = new Uint8Array(WIDTH * HEIGHT);
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) {
      const isClean = piece && x >= piece[0] && x < piece[2] && y >= piece[1] && y < piece[3];
      const isInk = y % 40 < 3 && x % 20 < 12;
      const at = y * WIDTH + x;
      pixels[at] = round((isInk ? 40 : 240) + (isClean ? 0 : noiseLevels * NOISE[at]));
    }
  }
  return { width: WIDTH, height: HEIGHT, pixels, dpi: 150 };
}

describe('pieces pasted over a scan', () => {
  test('a clean piece on noisy paper is found where it lies', () => {
    for (const noise of [2, 8]) {
      const [box] = pastedPatches(scan(noise, [300, 205, 460, 238]));
      expect(box[0]).toBeLessThan((72 * 310) / 150);
      expect(box[2]).toBeGreaterThan((72 * 450) / 150);
      expect(box[1]).toBeLessThan((72 * 215) / 150);
      expect(box[3]).toBeGreaterThan((72 * 230) / 150);
      expect(box[2] - box[0]).toBeLessThan((72 * 340) / 150);
    }
  });

  test('paper that is noisy everywhere, and paper that is noisy nowhere, tell of none', () => {
    for (const noise of [0, 0.3, 2, 8]) expect(pastedPatches(scan(noise))).toEqual([]);
    expect(pastedPatches(scan(0, [300, 205, 460, 238]))).toEqual([]);
  });

  test('a clean spot smaller than a word is chance', () => {
    expect(pastedPatches(scan(5, [300, 205, 312, 217]))).toEqual([]);
  });

  test('squares of 8 dots that compression has made clean are chance, however many tiles each has', () => {
    const side = 2 * 8;
    const columns = 1_600 / side;
    const isClean = Array.from({ length: columns * columns }, () => random.next() < 0.07);
    const pixels = new Uint8Array(1_600 * 1_600);
    for (let y = 0; y < 1_600; y++)
      for (let x = 0; x < 1_600; x++) {
        // Drawn at twice its dots.
        const noise = NOISE[((y >> 1) % HEIGHT) * WIDTH + (x >> 1)];
        const clean = isClean[Math.floor(y / side) * columns + Math.floor(x / side)];
        pixels[y * 1_600 + x] = round(240 + (clean ? 0 : 3 * noise));
      }
    const picture = { width: 1_600, height: 1_600, pixels, dpi: 300 };
    expect(pastedPatches(picture, 150)).toEqual([]);
    expect(pastedPatches(picture, 300).length).toBeGreaterThan(0);
  });
});
