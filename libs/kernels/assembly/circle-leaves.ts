// Leaves of the trees over M31 columns. In circle order the eight rows of a leaf lie side by side in
// every column, and the leaves in the order of their indices, so that a twin-coset's leaves are a range.
import { BLAKE3_SCRATCH_BYTES, hashFour, KEYED_HASH, TRANSPOSED } from './blake3';
import { transposeEight } from './qm31';
import { scratchArea } from './scratch';

const DIGEST_BYTES: usize = 32;
const SALT_BYTES: usize = 16;
/** Most columns that a leaf may have: four transposed leaves must fit the scratch area. */
const COLUMNS_MAX: usize = 255;

const WORDS: usize = BLAKE3_SCRATCH_BYTES;

/** Bytes of scratch for leaves of up to 255 columns. */
export function circleLeafScratchBytes(): usize {
  return WORDS + 128 + 4 * (32 * COLUMNS_MAX + SALT_BYTES);
}

/** Copies the eight rows of a leaf of all columns to out, row after row. */
export function circlePackLeaf(out: usize, columns: usize, stride: usize, width: i32, leaf: usize): void {
  const row = <usize>width << 2;
  for (let c = 0; c < width; c++, columns += stride, out += 4) {
    const at = columns + (leaf << 5);
    for (let k: usize = 0; k < 8; k++) store<u32>(out + k * row, load<u32>(at + (k << 2)));
  }
}

/**
 * leaves[i] = the hash of leaf i of the columns for i from first to first+count-1, multiples of 4. Unless
 * `salts` is 0, each leaf ends in the 16 bytes at salts + 16·i.
 */
export function circleHashLeaves(
  leaves: usize,
  columns: usize,
  stride: usize,
  width: i32,
  first: u32,
  count: u32,
  salts: usize,
  key: usize,
): void {
  const words = scratchArea() + WORDS;
  const row = <usize>width << 4;
  const message = words + 128;
  const rowBytes = <usize>width << 5;
  const bytes = salts ? rowBytes + SALT_BYTES : rowBytes;
  for (let i = <usize>first; i < <usize>(first + count); i += 4) {
    let column = columns + (i << 5);
    for (let c: usize = 0; c < <usize>width; c++, column += stride) {
      transposeEight(words, column, 32);
      const to = message + (c << 4);
      for (let k: usize = 0; k < 8; k++) v128.store(to + k * row, v128.load(words + (k << 4)));
    }
    if (salts) transposeSalts(message + 8 * row, salts + (i << 4));
    hashFour(leaves + i * DIGEST_BYTES, message, TRANSPOSED, bytes, key, KEYED_HASH);
  }
}

/** Four salts of 16 bytes as four vectors of words. */
function transposeSalts(out: usize, salts: usize): void {
  for (let word: usize = 0; word < 4; word++) {
    for (let lane: usize = 0; lane < 4; lane++) {
      store<u32>(out + (word << 4) + (lane << 2), load<u32>(salts + (lane << 4) + (word << 2)));
    }
  }
}
