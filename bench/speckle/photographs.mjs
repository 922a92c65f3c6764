import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';

const SIDE_PX = 256;
const cache = fileURLToPath(new URL('../../node_modules/.cache/bench-photographs', import.meta.url));

/**
 * Photographs of textures, things and the sky that scikit-image 0.17.2 carries, all in the public domain or CC0. The package is named
 * with its digest, since it is only read and never installed: it is of a Python that there may be none of.
 */
const PACKAGE = 'scikit-image==0.17.2';
const SHA256 = '178210582cc62a5b25c633966658f1f2598615f9c3f27f36cf45055d2a74b401';
const NAMES = [
  ...[
    'astronaut.png',
    'brick.png',
    'camera.png',
    'cell.png',
    'chelsea.png',
    'coffee.png',
    'coins.png',
    'color.png',
  ],
  ...['grass.png', 'gravel.png', 'hubble_deep_field.jpg', 'ihc.png', 'moon.png', 'motorcycle_left.png'],
  ...['retina.jpg', 'rocket.jpg'],
];

/** @returns {string | undefined} the folder of the photographs, fetched the first time; undefined where they are not to be had */
export function photographFolder() {
  const folder = join(cache, 'skimage', 'data');
  if (existsSync(join(folder, 'rocket.jpg'))) return folder;
  try {
    mkdirSync(cache, { recursive: true });
    const platform = ['--only-binary=:all:', '--python-version', '3.8', '--platform', 'manylinux1_x86_64'];
    execFileSync('python3', [
      '-m',
      'pip',
      'download',
      '--quiet',
      '--no-deps',
      ...platform,
      '-d',
      cache,
      PACKAGE,
    ]);
    const unpack = `
import glob, hashlib, sys, zipfile
wheel = glob.glob(sys.argv[1] + '/*.whl')[0]
assert hashlib.sha256(open(wheel, 'rb').read()).hexdigest() == sys.argv[2]
archive = zipfile.ZipFile(wheel)
archive.extractall(sys.argv[1], [name for name in archive.namelist() if name.startswith('skimage/data/')])`;
    execFileSync('python3', ['-c', unpack, cache, SHA256], { stdio: 'ignore' });
    return folder;
  } catch {
    return undefined;
  }
}

/**
 * Tiles of 256 × 256 that have no pixel in common, as many as each photograph holds: 75.
 *
 * @param {string} folder
 */
export async function tilesOf(folder) {
  const tiles = [];
  for (const file of NAMES) {
    const grey = sharp(join(folder, file)).flatten().removeAlpha().toColourspace('b-w');
    const { data: pixels, info } = await grey.raw().toBuffer({ resolveWithObject: true });
    const { width, height } = info;
    const [columns, rows] = [Math.floor(width / SIDE_PX), Math.floor(height / SIDE_PX)];
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        tiles.push({
          name: `${file.split('.')[0]} ${column}.${row}`,
          photograph: { width, height, pixels },
          x: Math.floor((width - columns * SIDE_PX) / 2) + SIDE_PX * column + (SIDE_PX - 1) / 2,
          y: Math.floor((height - rows * SIDE_PX) / 2) + SIDE_PX * row + (SIDE_PX - 1) / 2,
        });
      }
    }
  }
  return tiles;
}

const mirrored = (at, length) => {
  const folded = ((at % (2 * length)) + 2 * length) % (2 * length);
  return folded < length ? folded : 2 * length - 1 - folded;
};

/**
 * A picture of a tile and what lies about it, as a sensor takes it: each pixel the mean of 3 × 3 points between the photograph’s pixels.
 * The engine interpolates by cubics at points, and knows nothing of this.
 *
 * @param {Awaited<ReturnType<typeof tilesOf>>[number]} tile
 * @param {{ sidePx: number, rotationDeg?: number, scale?: number, shiftXPx?: number, shiftYPx?: number, noise: number }} options
 *   `noise` is a deviation in grey values of 255
 * @param {{ gaussian(): number }} random
 */
export function photograph({ photograph: { width, height, pixels }, x, y }, options, random) {
  const { sidePx, rotationDeg = 0, scale = 1, shiftXPx = 0, shiftYPx = 0, noise } = options;
  const angle = (rotationDeg * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle) / scale, Math.sin(angle) / scale];
  const middle = (sidePx - 1) / 2;
  const points =
    rotationDeg === 0 && scale === 1 && shiftXPx === 0 && shiftYPx === 0 ? [0] : [-1 / 3, 0, 1 / 3];
  const taken = new Uint8Array(sidePx * sidePx);
  for (let row = 0; row < sidePx; row++) {
    for (let column = 0; column < sidePx; column++) {
      let sum = 0;
      for (const down of points) {
        for (const right of points) {
          const dx = column + right - middle - shiftXPx;
          const dy = row + down - middle - shiftYPx;
          sum += between(pixels, width, height, x + cos * dx + sin * dy, y - sin * dx + cos * dy);
        }
      }
      const value = sum / points.length ** 2 + noise * random.gaussian();
      taken[row * sidePx + column] = Math.max(0, Math.min(255, Math.round(value)));
    }
  }
  return { width: sidePx, height: sidePx, pixels: taken };
}

function between(pixels, width, height, x, y) {
  const [left, top] = [Math.floor(x), Math.floor(y)];
  const [u, v] = [x - left, y - top];
  const [first, second] = [mirrored(left, width), mirrored(left + 1, width)];
  const [above, below] = [width * mirrored(top, height), width * mirrored(top + 1, height)];
  const upper = (1 - u) * pixels[above + first] + u * pixels[above + second];
  const lower = (1 - u) * pixels[below + first] + u * pixels[below + second];
  return (1 - v) * upper + v * lower;
}
