// BLAKE3, four equally long messages at a time: lane i of every vector belongs to message i.
// Specification: "BLAKE3: one function, fast everywhere" (O'Connor, Aumasson, Neves, Wilcox-O'Hearn).
import { scratchArea } from './scratch';

const IV0: u32 = 0x6a09e667;
const IV1: u32 = 0xbb67ae85;
const IV2: u32 = 0x3c6ef372;
const IV3: u32 = 0xa54ff53a;

const CHUNK_START: u32 = 1;
const CHUNK_END: u32 = 2;
const PARENT: u32 = 4;
const ROOT: u32 = 8;
/** Mode flag of keyed hashing; plain hashing passes 0 and the initial vector as the key. */
export const KEYED_HASH: u32 = 16;

const BLOCK_BYTES: usize = 64;
const CHUNK_BYTES: usize = 1024;

/** Where round r finds its message words: byte offsets into a block of sixteen vectors. */
const SCHEDULE: usize = memory.data<u8>([
  0, 16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240,
  32, 96, 48, 160, 112, 0, 64, 208, 16, 176, 192, 80, 144, 224, 240, 128,
  48, 64, 160, 192, 208, 32, 112, 224, 96, 80, 144, 0, 176, 240, 128, 16,
  160, 112, 192, 144, 224, 48, 208, 240, 64, 0, 176, 32, 80, 128, 16, 96,
  192, 208, 144, 176, 240, 160, 224, 128, 112, 32, 80, 48, 0, 16, 96, 64,
  144, 224, 176, 80, 128, 192, 240, 16, 208, 48, 0, 160, 32, 96, 64, 112,
  176, 240, 80, 0, 16, 144, 128, 96, 224, 160, 32, 192, 48, 64, 112, 208,
]);

// Layout of the scratch area.
const BLOCK: usize = 0; // sixteen transposed message words
const CHAINING: usize = 256; // chaining value of the current chunk
const KEY: usize = 384; // the key in every lane
const TAIL: usize = 512; // four zero-padded last blocks
const STACK: usize = 768; // chaining values of finished subtrees, 32 levels
export const BLAKE3_SCRATCH_BYTES: usize = 768 + 32 * 128;

// @ts-ignore: decorator
@inline
function rotateRight(x: v128, bits: i32): v128 {
  return v128.or(i32x4.shr_u(x, bits), i32x4.shl(x, 32 - bits));
}

// @ts-ignore: decorator
@inline
function rotateRight16(x: v128): v128 {
  return v128.shuffle<u16>(x, x, 1, 0, 3, 2, 5, 4, 7, 6);
}

// @ts-ignore: decorator
@inline
function rotateRight8(x: v128): v128 {
  return v128.shuffle<u8>(x, x, 1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12);
}

// @ts-ignore: decorator
@inline
function add3(a: v128, b: v128, c: v128): v128 {
  return i32x4.add(i32x4.add(a, b), c);
}

// @ts-ignore: decorator
@inline
function word(block: usize, schedule: usize, index: usize): v128 {
  return v128.load(block + <usize>load<u8>(schedule + index));
}

/** The compression function: out (eight vectors) may be cv. */
function compress(cv: usize, block: usize, counter: u32, blockBytes: u32, flags: u32, out: usize): void {
  let v0 = v128.load(cv, 0);
  let v1 = v128.load(cv, 16);
  let v2 = v128.load(cv, 32);
  let v3 = v128.load(cv, 48);
  let v4 = v128.load(cv, 64);
  let v5 = v128.load(cv, 80);
  let v6 = v128.load(cv, 96);
  let v7 = v128.load(cv, 112);
  let v8 = i32x4.splat(IV0);
  let v9 = i32x4.splat(IV1);
  let v10 = i32x4.splat(IV2);
  let v11 = i32x4.splat(IV3);
  let v12 = i32x4.splat(counter);
  let v13 = i32x4.splat(0);
  let v14 = i32x4.splat(blockBytes);
  let v15 = i32x4.splat(flags);
  for (let s = SCHEDULE; s < SCHEDULE + 112; s += 16) {
    v12 = rotateRight16(v128.xor(v12, (v0 = add3(v0, v4, word(block, s, 0)))));
    v4 = rotateRight(v128.xor(v4, (v8 = i32x4.add(v8, v12))), 12);
    v12 = rotateRight8(v128.xor(v12, (v0 = add3(v0, v4, word(block, s, 1)))));
    v4 = rotateRight(v128.xor(v4, (v8 = i32x4.add(v8, v12))), 7);
    v13 = rotateRight16(v128.xor(v13, (v1 = add3(v1, v5, word(block, s, 2)))));
    v5 = rotateRight(v128.xor(v5, (v9 = i32x4.add(v9, v13))), 12);
    v13 = rotateRight8(v128.xor(v13, (v1 = add3(v1, v5, word(block, s, 3)))));
    v5 = rotateRight(v128.xor(v5, (v9 = i32x4.add(v9, v13))), 7);
    v14 = rotateRight16(v128.xor(v14, (v2 = add3(v2, v6, word(block, s, 4)))));
    v6 = rotateRight(v128.xor(v6, (v10 = i32x4.add(v10, v14))), 12);
    v14 = rotateRight8(v128.xor(v14, (v2 = add3(v2, v6, word(block, s, 5)))));
    v6 = rotateRight(v128.xor(v6, (v10 = i32x4.add(v10, v14))), 7);
    v15 = rotateRight16(v128.xor(v15, (v3 = add3(v3, v7, word(block, s, 6)))));
    v7 = rotateRight(v128.xor(v7, (v11 = i32x4.add(v11, v15))), 12);
    v15 = rotateRight8(v128.xor(v15, (v3 = add3(v3, v7, word(block, s, 7)))));
    v7 = rotateRight(v128.xor(v7, (v11 = i32x4.add(v11, v15))), 7);
    v15 = rotateRight16(v128.xor(v15, (v0 = add3(v0, v5, word(block, s, 8)))));
    v5 = rotateRight(v128.xor(v5, (v10 = i32x4.add(v10, v15))), 12);
    v15 = rotateRight8(v128.xor(v15, (v0 = add3(v0, v5, word(block, s, 9)))));
    v5 = rotateRight(v128.xor(v5, (v10 = i32x4.add(v10, v15))), 7);
    v12 = rotateRight16(v128.xor(v12, (v1 = add3(v1, v6, word(block, s, 10)))));
    v6 = rotateRight(v128.xor(v6, (v11 = i32x4.add(v11, v12))), 12);
    v12 = rotateRight8(v128.xor(v12, (v1 = add3(v1, v6, word(block, s, 11)))));
    v6 = rotateRight(v128.xor(v6, (v11 = i32x4.add(v11, v12))), 7);
    v13 = rotateRight16(v128.xor(v13, (v2 = add3(v2, v7, word(block, s, 12)))));
    v7 = rotateRight(v128.xor(v7, (v8 = i32x4.add(v8, v13))), 12);
    v13 = rotateRight8(v128.xor(v13, (v2 = add3(v2, v7, word(block, s, 13)))));
    v7 = rotateRight(v128.xor(v7, (v8 = i32x4.add(v8, v13))), 7);
    v14 = rotateRight16(v128.xor(v14, (v3 = add3(v3, v4, word(block, s, 14)))));
    v4 = rotateRight(v128.xor(v4, (v9 = i32x4.add(v9, v14))), 12);
    v14 = rotateRight8(v128.xor(v14, (v3 = add3(v3, v4, word(block, s, 15)))));
    v4 = rotateRight(v128.xor(v4, (v9 = i32x4.add(v9, v14))), 7);
  }
  v128.store(out, v128.xor(v0, v8), 0);
  v128.store(out, v128.xor(v1, v9), 16);
  v128.store(out, v128.xor(v2, v10), 32);
  v128.store(out, v128.xor(v3, v11), 48);
  v128.store(out, v128.xor(v4, v12), 64);
  v128.store(out, v128.xor(v5, v13), 80);
  v128.store(out, v128.xor(v6, v14), 96);
  v128.store(out, v128.xor(v7, v15), 112);
}

/** Transposes four 64-byte blocks into sixteen word vectors. */
function loadBlock(block: usize, m0: usize, m1: usize, m2: usize, m3: usize): void {
  for (let i: usize = 0; i < 64; i += 16) {
    const a = v128.load(m0 + i);
    const b = v128.load(m1 + i);
    const c = v128.load(m2 + i);
    const d = v128.load(m3 + i);
    const ab01 = v128.shuffle<u32>(a, b, 0, 4, 1, 5);
    const ab23 = v128.shuffle<u32>(a, b, 2, 6, 3, 7);
    const cd01 = v128.shuffle<u32>(c, d, 0, 4, 1, 5);
    const cd23 = v128.shuffle<u32>(c, d, 2, 6, 3, 7);
    const at = block + (i << 2);
    v128.store(at, v128.shuffle<u64>(ab01, cd01, 0, 2));
    v128.store(at, v128.shuffle<u64>(ab01, cd01, 1, 3), 16);
    v128.store(at, v128.shuffle<u64>(ab23, cd23, 0, 2), 32);
    v128.store(at, v128.shuffle<u64>(ab23, cd23, 1, 3), 48);
  }
}

/** Writes four transposed digests as 32 bytes each, one after the other. */
function storeDigests(out: usize, cv: usize): void {
  for (let half: usize = 0; half < 2; half++) {
    const a = v128.load(cv + (half << 6));
    const b = v128.load(cv + (half << 6), 16);
    const c = v128.load(cv + (half << 6), 32);
    const d = v128.load(cv + (half << 6), 48);
    const ab01 = v128.shuffle<u32>(a, b, 0, 4, 1, 5);
    const ab23 = v128.shuffle<u32>(a, b, 2, 6, 3, 7);
    const cd01 = v128.shuffle<u32>(c, d, 0, 4, 1, 5);
    const cd23 = v128.shuffle<u32>(c, d, 2, 6, 3, 7);
    const at = out + (half << 4);
    v128.store(at, v128.shuffle<u64>(ab01, cd01, 0, 2));
    v128.store(at, v128.shuffle<u64>(ab01, cd01, 1, 3), 32);
    v128.store(at, v128.shuffle<u64>(ab23, cd23, 0, 2), 64);
    v128.store(at, v128.shuffle<u64>(ab23, cd23, 1, 3), 96);
  }
}

function copyChaining(to: usize, from: usize): void {
  for (let i: usize = 0; i < 128; i += 16) v128.store(to + i, v128.load(from + i));
}

/** As a stride: the messages lie word by word, the vector at 16·w holding word w of all four. */
export const TRANSPOSED: usize = 0xffffffff;

/** Address of the transposed block at `offset` of four messages, padded with zeros past their end. */
function messageBlock(s: usize, messages: usize, stride: usize, offset: usize, bytes: usize): usize {
  if (stride == TRANSPOSED) {
    const block = messages + (offset << 2);
    if (bytes == BLOCK_BYTES) return block;
    memory.fill(s + BLOCK, 0, 256);
    memory.copy(s + BLOCK, block, bytes << 2);
    return s + BLOCK;
  }
  loadMessageBlock(s, messages + offset, stride, bytes);
  return s + BLOCK;
}

/** Loads a block of four messages, padding with zeros past their end. */
function loadMessageBlock(s: usize, m: usize, stride: usize, bytes: usize): void {
  if (bytes == BLOCK_BYTES) {
    loadBlock(s + BLOCK, m, m + stride, m + 2 * stride, m + 3 * stride);
    return;
  }
  const tail = s + TAIL;
  memory.fill(tail, 0, 256);
  for (let i: usize = 0; i < 4; i++) memory.copy(tail + i * 64, m + i * stride, bytes);
  loadBlock(s + BLOCK, tail, tail + 64, tail + 128, tail + 192);
}

/** The chaining value of chunk `index`, into the scratch; `last` adds the root flag to its last block. */
function hashChunk(s: usize, m: usize, stride: usize, bytes: usize, index: u32, mode: u32, last: u32): void {
  const cv = s + CHAINING;
  copyChaining(cv, s + KEY);
  let offset = <usize>index * CHUNK_BYTES;
  const end = offset + bytes;
  let flags = mode | CHUNK_START;
  do {
    const blockBytes = min(end - offset, BLOCK_BYTES);
    const block = messageBlock(s, m, stride, offset, blockBytes);
    if (offset + blockBytes == end) flags |= CHUNK_END | last;
    compress(cv, block, index, <u32>blockBytes, flags, cv);
    flags = mode;
    offset += blockBytes;
  } while (offset < end);
}

/** Combines the top of the stack with the current chaining value. */
function joinSubtree(s: usize, left: usize, flags: u32): void {
  copyChaining(s + BLOCK, left);
  copyChaining(s + BLOCK + 128, s + CHAINING);
  compress(s + KEY, s + BLOCK, 0, 64, flags, s + CHAINING);
}

/** Puts the key into every lane. */
export function loadKey(key: usize): void {
  const at = scratchArea() + KEY;
  for (let i: usize = 0; i < 8; i++) v128.store(at + (i << 4), v128.load32_splat(key + (i << 2)));
}

/** Where a message of one block is put for hashBlock: sixteen vectors, lane i of word w for message i. */
export function blockArea(): usize {
  return scratchArea() + BLOCK;
}

/** Hashes the messages at blockArea under the key that was loaded. Returns the address of the digests' eight vectors. */
export function hashBlock(blockBytes: u32, mode: u32): usize {
  const s = scratchArea();
  compress(s + KEY, s + BLOCK, 0, blockBytes, mode | CHUNK_START | CHUNK_END | ROOT, s + CHAINING);
  return s + CHAINING;
}

/**
 * Digests of four messages of `bytes` bytes each (at most 2^32 chunks), `stride` apart (or TRANSPOSED): 32
 * bytes each at out, one after the other. `key` is 32 bytes: the key in keyed mode, else the initial vector.
 */
export function hashFour(out: usize, messages: usize, stride: usize, bytes: usize, key: usize, mode: u32): void {
  const s = scratchArea();
  loadKey(key);
  let offset: usize = 0;
  let index: u32 = 0;
  let depth: usize = 0;
  for (; bytes - offset > CHUNK_BYTES; offset += CHUNK_BYTES) {
    hashChunk(s, messages, stride, CHUNK_BYTES, index++, mode, 0);
    for (let done = index; !(done & 1); done >>= 1) {
      joinSubtree(s, s + STACK + (--depth << 7), mode | PARENT);
    }
    copyChaining(s + STACK + (depth++ << 7), s + CHAINING);
  }
  hashChunk(s, messages, stride, bytes - offset, index, mode, depth ? 0 : ROOT);
  while (depth) {
    depth--;
    joinSubtree(s, s + STACK + (depth << 7), mode | PARENT | (depth ? 0 : ROOT));
  }
  storeDigests(out, s + CHAINING);
}

/** Digests of `count` messages laid `stride` apart, 32 bytes each at out; see hashFour. */
export function blake3Many(
  out: usize,
  messages: usize,
  stride: usize,
  bytes: usize,
  count: i32,
  key: usize,
  mode: u32,
): void {
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    hashFour(out + (<usize>i << 5), messages + <usize>i * stride, stride, bytes, key, mode);
  }
  if (i == count) return;
  // Fewer than four left: every lane hashes the last messages it may read, the surplus is dropped.
  const spare = scratchArea() + BLAKE3_SCRATCH_BYTES;
  for (; i < count; i++) {
    hashFour(spare, messages + <usize>i * stride, 0, bytes, key, mode);
    memory.copy(out + (<usize>i << 5), spare, 32);
  }
}
