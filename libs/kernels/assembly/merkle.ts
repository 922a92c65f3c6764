// Commitment to a low-degree extension: one leaf for each FRI coset, then the layers above.
//
// Evaluations are held coset by coset. Coset c of an extension with blowup 2^logBlowup holds the
// points shift·w^c·h^m in bit-reversed order of m, so that the eight rows of a leaf (m, m + N/8, …)
// lie side by side in every column, in the order of reversed three-bit numbers.
import { KEYED_HASH, BLAKE3_SCRATCH_BYTES, blake3Many, hashFour } from './blake3';
import { reverseBits } from './ntt';
import { scratchArea } from './scratch';

const DIGEST_BYTES: usize = 32;
/** What is appended to a leaf to hide it. */
const SALT_BYTES: usize = 16;
/** Most columns that a leaf may have: four packed leaves must fit the scratch area. */
export const COLUMNS_MAX: usize = 255;

/** Bytes of scratch that an instance needs. */
export function scratchBytes(): usize {
  return PACKED + 4 * (64 * COLUMNS_MAX + SALT_BYTES);
}

const DIGESTS: usize = BLAKE3_SCRATCH_BYTES;
const PACKED: usize = DIGESTS + 4 * DIGEST_BYTES;

/** Copies the eight rows at position 8·group of all columns to out, row after row in natural order. */
export function packLeaf(out: usize, columns: usize, stride: usize, width: i32, group: usize): void {
  const row = <usize>width << 3;
  let at = columns + (group << 6);
  for (let c = 0; c < width; c++, at += stride, out += 8) {
    store<u64>(out, load<u64>(at));
    store<u64>(out + 4 * row, load<u64>(at, 8));
    store<u64>(out + 2 * row, load<u64>(at, 16));
    store<u64>(out + 6 * row, load<u64>(at, 24));
    store<u64>(out + row, load<u64>(at, 32));
    store<u64>(out + 5 * row, load<u64>(at, 40));
    store<u64>(out + 3 * row, load<u64>(at, 48));
    store<u64>(out + 7 * row, load<u64>(at, 56));
  }
}

/**
 * Hashes the leaves at positions first … first+count-1 (a multiple of 4) of one coset into the leaf
 * level of a tree: position u of coset c is leaf bitReverse(u)·2^logBlowup + c. Unless `salts` is 0, each leaf
 * ends in the 16 bytes that stand there at 16·leaf.
 */
export function hashCosetLeaves(
  leaves: usize,
  columns: usize,
  stride: usize,
  width: i32,
  logSize: i32,
  coset: u32,
  logBlowup: i32,
  first: u32,
  count: u32,
  salts: usize,
  key: usize,
): void {
  const s = scratchArea();
  const rowBytes = <usize>width << 6;
  const leafBytes = salts ? rowBytes + SALT_BYTES : rowBytes;
  for (let u = first; u < first + count; u += 4) {
    for (let i: u32 = 0; i < 4; i++) {
      const packed = s + PACKED + <usize>i * leafBytes;
      packLeaf(packed, columns, stride, width, <usize>(u + i));
      if (salts) {
        const leaf = (reverseBits(u + i, logSize - 3) << logBlowup) + coset;
        v128.store(packed + rowBytes, v128.load(salts + (<usize>leaf << 4)));
      }
    }
    hashFour(s + DIGESTS, s + PACKED, leafBytes, leafBytes, key, KEYED_HASH);
    for (let i: u32 = 0; i < 4; i++) {
      const leaf = (reverseBits(u + i, logSize - 3) << logBlowup) + coset;
      const from = s + DIGESTS + (<usize>i << 5);
      const to = leaves + (<usize>leaf << 5);
      v128.store(to, v128.load(from));
      v128.store(to, v128.load(from, 16), 16);
    }
  }
}

/** parents[i] = H(children[2i] ‖ children[2i+1]) for i < count. */
export function hashParents(parents: usize, children: usize, count: i32, key: usize): void {
  blake3Many(parents, children, 64, 64, count, key, KEYED_HASH);
}

/**
 * Goes up `levels` levels from the digests of opened leaves: `indices` are 32-bit leaf numbers, ascending and distinct; at
 * `nodes` are the siblings that are not known, in the order of docs/stark-format.md, section 4, as many as it takes. `pairs` is
 * room for 64 bytes a leaf. Digests and indices become those of the last level. Returns how many they are.
 */
export function climbMultiproof(
  digests: usize,
  indices: usize,
  count: i32,
  nodes: usize,
  levels: i32,
  pairs: usize,
  key: usize,
): i32 {
  for (let level = 0; level < levels; level++) {
    let parents = 0;
    for (let k = 0; k < count; parents++) {
      const index = load<u32>(indices + (<usize>k << 2));
      const own = digests + (<usize>k << 5);
      const pair = pairs + (<usize>parents << 6);
      const isRight = <usize>(index & 1);
      const hasSibling = !isRight && k + 1 < count && load<u32>(indices + (<usize>k << 2), 4) == index + 1;
      memory.copy(pair + (isRight << 5), own, DIGEST_BYTES);
      if (hasSibling) {
        memory.copy(pair + DIGEST_BYTES, own + DIGEST_BYTES, DIGEST_BYTES);
      } else {
        memory.copy(pair + ((1 - isRight) << 5), nodes, DIGEST_BYTES);
        nodes += DIGEST_BYTES;
      }
      store<u32>(indices + (<usize>parents << 2), index >> 1);
      k += hasSibling ? 2 : 1;
    }
    count = parents;
    blake3Many(digests, pairs, 64, 64, count, key, KEYED_HASH);
  }
  return count;
}
