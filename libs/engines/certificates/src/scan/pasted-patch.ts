import type { Box } from '../extracted-certificate.js';
import { type GreyPicture, levelCounts } from './grey-picture.js';

/** Side of a tile whose noise is measured, in points: three to a line of print. */
const TILE_POINTS = 2;
/** Levels that a tile of paper may be off the paper's own level on average, and a pixel of it. */
const PAPER_OFF_MAX = 3;
const PIXEL_OFF_MAX = 40;
/** A tile with less than this share of the page's usual noise is a clean one. */
const CLEAN_SHARE = 0.4;
/** Paper with less noise than this, in levels, has none to miss. */
const NOISE_MIN = 0.6;
/** Where as many tiles are clean anyway, for the picture was compressed hard, they lie together, and clean ones tell nothing. */
const CLEAN_ANYWAY_MAX = 0.1;
/** The least piece that is looked for: a word of a few digits, in tiles. */
const WINDOW = { columns: 20, rows: 4 };
/** A picture is compressed in squares of as many of its dots: paper is clean in a square, or not. */
const CODED_SIDE = 8;
/** A window is a find where chance would make one so clean in fewer than one of e²⁵ cases; a page has 10⁵ windows. */
const SURPRISE_MIN = 25;

interface Tiles {
  readonly columns: number;
  readonly rows: number;
  readonly side: number;
  /** Standard deviation of each tile's pixels; NaN where the tile is not of paper alone. */
  readonly deviation: Float32Array;
}

/**
 * Places where a piece of another picture, or a drawn box, lies over a scan: paper as it is elsewhere, without the noise that
 * a scanner leaves everywhere. A scan that has no noise to miss is told nothing about; nor is a piece that has as much of its
 * own. Boxes are in points of the picture.
 * @param sourceDpi of the picture as it was scanned, where it was drawn with more dots since
 */
export function pastedPatches(picture: GreyPicture, sourceDpi = picture.dpi): Box[] {
  const tiles = paperTiles(picture);
  const noise = median(tiles.deviation);
  if (!(noise >= NOISE_MIN)) return [];
  const clean = (deviation: number) => deviation < CLEAN_SHARE * noise;
  const paper = tiles.deviation.filter(deviation => !Number.isNaN(deviation));
  const cleanAnyway = paper.filter(clean).length / paper.length;
  if (cleanAnyway > CLEAN_ANYWAY_MAX) return [];
  const points = (72 * tiles.side) / picture.dpi;
  const tileDots = (sourceDpi * TILE_POINTS) / 72;
  const chances = Math.min(1, (tileDots / CODED_SIDE) ** 2);
  return cleanWindows(tiles, clean, { cleanAnyway, chances }).map(([left, top, right, bottom]): Box => [
    left * points,
    top * points,
    right * points,
    bottom * points,
  ]);
}

function paperTiles({ width, height, pixels, dpi }: GreyPicture): Tiles {
  const side = Math.max(4, Math.round((dpi * TILE_POINTS) / 72));
  const columns = Math.floor(width / side);
  const rows = Math.floor(height / side);
  const level = paperLevel(pixels);
  const deviation = new Float32Array(columns * rows).fill(NaN);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      let [sum, squares, off] = [0, 0, 0];
      for (let y = row * side; y < (row + 1) * side; y++) {
        for (let x = column * side, at = y * width + x; x < (column + 1) * side; x++, at++) {
          const difference = pixels[at] - level;
          sum += difference;
          squares += difference * difference;
          off = Math.max(off, Math.abs(difference));
        }
      }
      const mean = sum / (side * side);
      if (off > PIXEL_OFF_MAX || Math.abs(mean) > PAPER_OFF_MAX) continue;
      deviation[row * columns + column] = Math.sqrt(Math.max(0, squares / (side * side) - mean * mean));
    }
  }
  return { columns, rows, side, deviation };
}

/**
 * Windows of which nearly all paper is clean, those that touch as one.
 * @param usual.chances that a tile has of its own, where several of them were compressed as one
 */
function cleanWindows(
  { columns, rows, deviation }: Tiles,
  clean: (deviation: number) => boolean,
  { cleanAnyway, chances }: { readonly cleanAnyway: number; readonly chances: number },
): Box[] {
  const papers = windowSums(columns, rows, at => !Number.isNaN(deviation[at]));
  const cleans = windowSums(columns, rows, at => clean(deviation[at]));
  const found: [number, number, number, number][] = [];
  for (let row = 0; row + WINDOW.rows <= rows; row++) {
    for (let column = 0; column + WINDOW.columns <= columns; column++) {
      const paper = papers(column, row);
      const cleanOnes = paper === 0 ? 0 : cleans(column, row);
      if (chances * surprise(cleanOnes, paper, cleanAnyway) < SURPRISE_MIN) continue;
      const [right, bottom] = [column + WINDOW.columns, row + WINDOW.rows];
      const last = found.find(
        box => box[0] <= right && column <= box[2] && box[1] <= bottom && row <= box[3],
      );
      if (!last) found.push([column, row, right, bottom]);
      else {
        last[0] = Math.min(last[0], column);
        last[2] = Math.max(last[2], right);
        last[3] = Math.max(last[3], bottom);
      }
    }
  }
  return found;
}

/** How many tiles of a window have a property, by sums over all that is left of and above each tile. */
function windowSums(columns: number, rows: number, has: (at: number) => boolean) {
  const stride = columns + 1;
  const sums = new Uint32Array(stride * (rows + 1));
  for (let row = 0; row < rows; row++) {
    let inRow = 0;
    for (let column = 0; column < columns; column++) {
      if (has(row * columns + column)) inRow++;
      sums[(row + 1) * stride + column + 1] = sums[row * stride + column + 1] + inRow;
    }
  }
  return (column: number, row: number): number => {
    const [top, bottom] = [row * stride + column, (row + WINDOW.rows) * stride + column];
    return sums[bottom + WINDOW.columns] - sums[bottom] - sums[top + WINDOW.columns] + sums[top];
  };
}

/** Chernoff's bound: −ln of the chance that so many of `count` tiles are clean when each is with `probability`. */
function surprise(clean: number, count: number, probability: number): number {
  const share = clean / count;
  const expected = Math.max(probability, 1e-3);
  if (!(share > expected)) return 0;
  const rest = share < 1 ? (1 - share) * Math.log((1 - share) / (1 - expected)) : 0;
  return count * (share * Math.log(share / expected) + rest);
}

function paperLevel(pixels: Uint8Array): number {
  const counts = levelCounts(pixels);
  // White alone is what a page is drawn on where the scan does not reach.
  return counts.indexOf(Math.max(...counts.subarray(0, 255)));
}

function median(values: Float32Array): number {
  const numbers = values.filter(value => !Number.isNaN(value)).sort();
  return numbers[numbers.length >> 1];
}
