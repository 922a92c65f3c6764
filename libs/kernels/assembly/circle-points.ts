// Points of twin-cosets: their twiddles (the heap that circle-fft.ts describes), rows of a trace in circle order,
// lines and poles at rows. A heap's lowest two levels are coordinates, from which the points are read off.
import { evenWords, wordsAt } from './circle-fft';
import {
  add31,
  addX4,
  loadM31,
  m31BatchInverse,
  m31VectorMul,
  mul31,
  mulDoubled,
  mulX4,
  sub31,
  subX4,
} from './m31';
import { reverseBits } from './ntt';
import { scratchArea } from './scratch';

/**
 * Writes the twiddles of the node `root` and its descendants, a twin-coset of 2^logSize points from
 * S = (x, y) on; logSize >= 4. The points are listed by doubling: bit b of j adds a point of order 2^(b+1).
 */
export function circleTwiddles(tree: usize, root: usize, logSize: i32, x: u32, y: u32): void {
  const quarter = <usize>1 << (logSize - 2);
  const xs = wordsAt(tree, root * quarter);
  const ys = wordsAt(tree, 2 * root * quarter);
  store<u32>(xs, x);
  store<u32>(ys, y);
  for (let filled: usize = 1, logOrder = 2; filled < quarter; filled <<= 1, logOrder++) {
    let gx: u32 = 2;
    let gy: u32 = 1268011823;
    for (let i = logOrder; i < 31; i++) {
      gy = mul31(gx, add31(gy, gy));
      const square = mul31(gx, gx);
      gx = sub31(add31(square, square), 1);
    }
    addPoint(xs, ys, filled << 2, gx, gy);
  }
  // The second of two neighbouring points is the first plus the point of order 2: both coordinates negated.
  for (let i = quarter; i; i--) {
    const value = load<u32>(ys + ((i - 1) << 2));
    store<u32>(ys + (i << 3) - 8, value);
    store<u32>(ys + (i << 3) - 4, sub31(0, value));
  }
  const p = loadM31();
  for (let nodes = quarter; nodes > 1; nodes >>= 1) {
    const from = wordsAt(tree, root * nodes);
    const to = wordsAt(tree, root * (nodes >> 1));
    let i: usize = 0;
    for (; i + 4 <= nodes >> 1; i += 4) {
      const values = evenWords(v128.load(from + (i << 3)), v128.load(from + (i << 3), 16));
      const square = mulX4(values, values, p);
      v128.store(to + (i << 2), subX4(addX4(square, square, p), i32x4.splat(1), p));
    }
    for (; i < nodes >> 1; i++) {
      const value = load<u32>(from + (i << 3));
      const square = mul31(value, value);
      store<u32>(to + (i << 2), sub31(add31(square, square), 1));
    }
  }
}

/** Appends to the `bytes` of coordinates at xs and ys those of the same points plus (gx, gy). */
function addPoint(xs: usize, ys: usize, bytes: usize, gx: u32, gy: u32): void {
  if (bytes < 16) {
    for (let i: usize = 0; i < bytes; i += 4) {
      const x = load<u32>(xs + i);
      const y = load<u32>(ys + i);
      store<u32>(xs + bytes + i, sub31(mul31(x, gx), mul31(y, gy)));
      store<u32>(ys + bytes + i, add31(mul31(x, gy), mul31(y, gx)));
    }
    return;
  }
  const p = loadM31();
  const gxX4 = i32x4.splat(gx << 1);
  const gyX4 = i32x4.splat(gy << 1);
  for (let i: usize = 0; i < bytes; i += 16) {
    const x = v128.load(xs + i);
    const y = v128.load(ys + i);
    v128.store(xs + bytes + i, subX4(mulDoubled(x, gxX4, p), mulDoubled(y, gyX4, p), p));
    v128.store(ys + bytes + i, addX4(mulDoubled(x, gyX4, p), mulDoubled(y, gxX4, p), p));
  }
}

/**
 * dst = a column given row by row (row r at (2r + 1)·g_2N), in circle order: an even row r is a point of
 * the first half of the twin-coset, an odd one the negative of one. dst is not src.
 */
export function circleOrderCopy(dst: usize, src: usize, logSize: i32): void {
  const half: u32 = 1 << (logSize - 1);
  const last = src + (<usize>half << 3) - 4;
  for (let j: u32 = 0; j < half; j++) {
    const offset = <usize>reverseBits(j, logSize - 1) << 3;
    store<u32>(dst + (<usize>j << 3), load<u32>(src + offset));
    store<u32>(dst + (<usize>j << 3), load<u32>(last - offset), 4);
  }
}

/**
 * out = a·x + b·y + c at 2^logSize positions of the twin-coset `root`, in circle order: the points are
 * read off the lowest two levels of its twiddles. logSize >= 2.
 */
export function circleLine(out: usize, logSize: i32, tree: usize, root: usize, a: u32, b: u32, c: u32): void {
  const quarter = <usize>1 << (logSize - 2);
  const xs = wordsAt(tree, root * quarter);
  const ys = wordsAt(tree, 2 * root * quarter);
  for (let i: usize = 0; i < quarter; i++, out += 16) {
    const ax = mul31(load<u32>(xs + (i << 2)), a);
    const by = mul31(load<u32>(ys + (i << 3)), b);
    // Four positions share a point up to signs: (x, y), (x, -y), (-x, -y), (-x, y).
    const sum = add31(ax, by);
    const difference = sub31(ax, by);
    store<u32>(out, add31(c, sum));
    store<u32>(out, add31(c, difference), 4);
    store<u32>(out, sub31(c, sum), 8);
    store<u32>(out, sub31(c, difference), 12);
  }
}

/** Positions that circleRowFactor works on at a time, at most. */
const LOG_FACTOR_BLOCK: i32 = 9;

/**
 * out = (1 + x')/y' for the points (x', y') = point - row of 2^logSize positions of the twin-coset `root`:
 * what has a simple pole at the row (x, y). logSize >= 3; the row is not in the twin-coset.
 */
export function circleRowFactor(out: usize, logSize: i32, tree: usize, root: usize, x: u32, y: u32): void {
  const logBlock = min(LOG_FACTOR_BLOCK, logSize);
  const bytes = <usize>4 << logBlock;
  const ys = scratchArea();
  const inverses = ys + bytes;
  const blocks = <usize>1 << (logSize - logBlock);
  for (let block: usize = 0; block < blocks; block++, out += bytes) {
    const node = root * blocks + block;
    circleLine(ys, logBlock, tree, node, sub31(0, y), x, 0);
    m31BatchInverse(inverses, ys, 1 << logBlock);
    circleLine(ys, logBlock, tree, node, x, y, 1);
    m31VectorMul(out, ys, inverses, 1 << logBlock);
  }
}
