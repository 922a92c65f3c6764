// Stockham's autosort transform, radix 4 (and one pass of radix 2 where the size asks for it), on interleaved complex
// numbers, two to a vector. A pass on blocks of n numbers at stride s reads x[q + s(p + k·n/4)] and writes
// y[q + s(4p + k)], so it needs no bit reversal, and a start at s > 1 transforms s columns at once.
// Source: Van Loan, Computational Frameworks for the Fast Fourier Transform (1992), 1.7.
//
// Twiddles are 16 bytes each, (re, re, im, im): for each pass in turn and each p the three of e^(−2πi·kp/n), k = 1, 2, 3.

export const COMPLEX_BYTES: usize = 8;
const TWIDDLE_BYTES: usize = 16;

// @ts-ignore: decorator
@inline
function swapParts(x: v128): v128 {
  return v128.shuffle<u32>(x, x, 1, 0, 3, 2);
}

// @ts-ignore: decorator
@inline
export function times(x: v128, re: v128, im: v128): v128 {
  return f32x4.add(f32x4.mul(x, re), f32x4.mul(swapParts(x), im));
}

/** Sign bits of the parts that a twiddle's imaginary part changes: (−im, im) forward, (im, −im) back. */
// @ts-ignore: decorator
@inline
export function turnMask(isInverse: bool): v128 {
  const sign: u64 = 0x80000000;
  return i64x2.splat(isInverse ? sign << 32 : sign);
}

/** The first pass, s = 1: neighbours have different twiddles, and what they write lies together. */
function firstPass(x: usize, y: usize, n: usize, twiddles: usize, turn: v128): void {
  const quarter = (n >> 2) * COMPLEX_BYTES;
  const rotate = v128.xor(turn, i32x4.splat(0x80000000));
  for (let p: usize = 0; p < quarter; p += 16) {
    const a = v128.load(x + p);
    const b = v128.load(x + p + quarter);
    const c = v128.load(x + p + 2 * quarter);
    const d = v128.load(x + p + 3 * quarter);
    const sumAc = f32x4.add(a, c);
    const sumBd = f32x4.add(b, d);
    const differenceAc = f32x4.sub(a, c);
    const turnedBd = v128.xor(swapParts(f32x4.sub(b, d)), rotate);
    const t0 = v128.load(twiddles);
    const t1 = v128.load(twiddles, 16);
    const t2 = v128.load(twiddles, 32);
    const t3 = v128.load(twiddles, 48);
    const t4 = v128.load(twiddles, 64);
    const t5 = v128.load(twiddles, 80);
    twiddles += 6 * TWIDDLE_BYTES;
    const y0 = f32x4.add(sumAc, sumBd);
    const y1 = times(
      f32x4.add(differenceAc, turnedBd),
      v128.shuffle<u64>(t0, t3, 0, 2),
      v128.xor(v128.shuffle<u64>(t0, t3, 1, 3), turn),
    );
    const y2 = times(
      f32x4.sub(sumAc, sumBd),
      v128.shuffle<u64>(t1, t4, 0, 2),
      v128.xor(v128.shuffle<u64>(t1, t4, 1, 3), turn),
    );
    const y3 = times(
      f32x4.sub(differenceAc, turnedBd),
      v128.shuffle<u64>(t2, t5, 0, 2),
      v128.xor(v128.shuffle<u64>(t2, t5, 1, 3), turn),
    );
    v128.store(y, v128.shuffle<u64>(y0, y1, 0, 2));
    v128.store(y, v128.shuffle<u64>(y2, y3, 0, 2), 16);
    v128.store(y, v128.shuffle<u64>(y0, y1, 1, 3), 32);
    v128.store(y, v128.shuffle<u64>(y2, y3, 1, 3), 48);
    y += 64;
  }
}

/** A pass at an even stride: all numbers of a row p have the same twiddles. */
function passOfFour(x: usize, y: usize, n: usize, s: usize, twiddles: usize, turn: v128): void {
  const rowCount = n >> 2;
  const row = s * COMPLEX_BYTES;
  const quarter = rowCount * row;
  const rotate = v128.xor(turn, i32x4.splat(0x80000000));
  for (let p: usize = 0; p < rowCount; p++) {
    const re1 = v128.load64_splat(twiddles);
    const im1 = v128.xor(v128.load64_splat(twiddles, 8), turn);
    const re2 = v128.load64_splat(twiddles, 16);
    const im2 = v128.xor(v128.load64_splat(twiddles, 24), turn);
    const re3 = v128.load64_splat(twiddles, 32);
    const im3 = v128.xor(v128.load64_splat(twiddles, 40), turn);
    twiddles += 3 * TWIDDLE_BYTES;
    for (let end = x + row; x < end; x += 16, y += 16) {
      const a = v128.load(x);
      const b = v128.load(x + quarter);
      const c = v128.load(x + 2 * quarter);
      const d = v128.load(x + 3 * quarter);
      const sumAc = f32x4.add(a, c);
      const sumBd = f32x4.add(b, d);
      const differenceAc = f32x4.sub(a, c);
      const turnedBd = v128.xor(swapParts(f32x4.sub(b, d)), rotate);
      v128.store(y, f32x4.add(sumAc, sumBd));
      v128.store(y + row, times(f32x4.add(differenceAc, turnedBd), re1, im1));
      v128.store(y + 2 * row, times(f32x4.sub(sumAc, sumBd), re2, im2));
      v128.store(y + 3 * row, times(f32x4.sub(differenceAc, turnedBd), re3, im3));
    }
    y += 3 * row;
  }
}

/** The last pass where the size is no power of four: n = 2, no twiddles. */
function passOfTwo(x: usize, y: usize, s: usize): void {
  const half = s * COMPLEX_BYTES;
  for (let end = x + half; x < end; x += 16, y += 16) {
    const a = v128.load(x);
    const b = v128.load(x + half);
    v128.store(y, f32x4.add(a, b));
    v128.store(y + half, f32x4.sub(a, b));
  }
}

/**
 * Transforms `columns` interleaved columns of `size` complex numbers (size a power of two from 8, columns 1 or even), without
 * scaling. Both areas are overwritten; 16-byte aligned addresses.
 * @returns the area that has the result
 */
export function fft(data: usize, work: usize, size: i32, columns: i32, twiddles: usize, isInverse: bool): usize {
  const turn = turnMask(isInverse);
  let x = data;
  let y = work;
  let s = <usize>columns;
  for (let n = <usize>size; n > 1; n >>= 2, s <<= 2) {
    if (n === 2) passOfTwo(x, y, s);
    else if (s === 1) firstPass(x, y, n, twiddles, turn);
    else passOfFour(x, y, n, s, twiddles, turn);
    twiddles += 3 * (n >> 2) * TWIDDLE_BYTES;
    const next = x;
    x = y;
    y = next;
  }
  return x;
}
