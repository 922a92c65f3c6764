import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { baseToBytes } from '../field/field-bytes.js';
import { blake3Hash, blake3Keyed, DIGEST_BYTES } from '../hash/blake3.js';
import { LEAF_KEY, MerkleTree, NODE_KEY } from '../merkle/merkle-tree.js';
import { loadKernelModule } from '../node/kernel-module.js';
import { KernelPool } from '../node/kernel-pool.js';
import { GRINDING_KEY, grind, isGrindingNonce } from '../transcript/grinding.js';
import { InlineKernelExecutor } from './kernel-executor.js';

const { arena, kernels } = new InlineKernelExecutor(await loadKernelModule());
const vectors = JSON.parse(readFileSync(new URL('../hash/blake3.vectors.json', import.meta.url), 'utf8')) as {
  key: string;
  cases: { inputBytes: number; hash: string; keyedHash: string }[];
};
const KEYED = 16;
const INITIAL_VECTOR = new Uint8Array(
  Uint32Array.of(
    0x6a09e667,
    0xbb67ae85,
    0x3c6ef372,
    0xa54ff53a,
    0x510e527f,
    0x9b05688c,
    0x1f83d9ab,
    0x5be0cd19,
  ).buffer,
);
const officialInput = (length: number) => Uint8Array.from({ length }, (_, i) => i % 251);
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

function hashMany(messages: readonly Uint8Array[], stride: number, key: Uint8Array, mode: number): string[] {
  const mark = arena.usedBytes;
  const bytes = messages[0].length;
  const input = arena.allocate(messages.length * stride);
  messages.forEach((message, i) => arena.bytes(input + i * stride, bytes).set(message));
  const out = arena.allocate((messages.length + 1) * DIGEST_BYTES);
  const beyond = arena.bytes(out + messages.length * DIGEST_BYTES, DIGEST_BYTES).fill(0xee);
  kernels.blake3Many(out, input, stride, bytes, messages.length, arena.storeBytes(key), mode);
  expect(beyond.every(byte => byte === 0xee)).toBe(true);
  const digests = messages.map((_, i) => hex(arena.bytes(out + i * DIGEST_BYTES, DIGEST_BYTES)));
  arena.release(mark);
  return digests;
}

it.each(vectors.cases)(
  'agrees with the official vectors for $inputBytes bytes',
  ({ inputBytes, hash, keyedHash }) => {
    const input = officialInput(inputBytes);
    const key = new TextEncoder().encode(vectors.key);
    expect(hashMany([input], inputBytes, INITIAL_VECTOR, 0)).toEqual([hash]);
    expect(hashMany([input, input, input, input], inputBytes, key, KEYED)).toEqual(
      new Array(4).fill(keyedHash),
    );
  },
);

it('hashes any number of different messages, any distance apart, as an independent implementation does', () => {
  const lengths = fc.oneof(
    fc.integer({ min: 0, max: 200 }),
    fc.constantFrom(1023, 1024, 1025, 1600, 2048, 2049, 5000),
  );
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9 }),
      lengths,
      fc.integer({ min: 0, max: 70 }),
      (count, length, gap) => {
        const messages = Array.from({ length: count }, (_, i) =>
          Uint8Array.from({ length }, (_, j) => (i * 131 + j * 7 + (j >> 8)) & 255),
        );
        expect(hashMany(messages, length + gap, LEAF_KEY, KEYED)).toEqual(
          messages.map(message => hex(blake3Keyed(LEAF_KEY, message))),
        );
        expect(hashMany(messages, length + gap, INITIAL_VECTOR, 0)).toEqual(
          messages.map(message => hex(blake3Hash(message))),
        );
      },
    ),
    { numRuns: 40 },
  );
});

it.each([
  { width: 1, log2Size: 5, log2Blowup: 1, saltBytes: 0 },
  { width: 3, log2Size: 6, log2Blowup: 3, saltBytes: 16 },
  { width: 25, log2Size: 5, log2Blowup: 2, saltBytes: 0 },
  { width: 255, log2Size: 5, log2Blowup: 1, saltBytes: 16 },
])(
  'builds the reference tree over cosets of $width columns',
  async ({ width, log2Size, log2Blowup, saltBytes }) => {
    const mark = arena.usedBytes;
    const [size, cosets] = [2 ** log2Size, 2 ** log2Blowup];
    const leafCount = (size * cosets) / 8;
    const stride = 8 * size;
    const keys = { leaf: arena.storeBytes(LEAF_KEY), node: arena.storeBytes(NODE_KEY) };
    // Row j of the extension, column c; kernels hold coset j mod 2^blowup, bit-reversed.
    const value = (row: number, column: number) => BigInt(row * 1000 + column) * 0x1_0000_0001n;
    const columns = arena.allocate(cosets * width * stride);
    const reversed = (m: number) =>
      Number.parseInt(m.toString(2).padStart(log2Size, '0').split('').reverse().join(''), 2);
    for (let c = 0; c < cosets; c++) {
      for (let column = 0; column < width; column++) {
        const target = arena.elements(columns + (c * width + column) * stride, size);
        for (let m = 0; m < size; m++) target[reversed(m)] = value(c + cosets * m, column);
      }
    }
    const leaves = arena.allocate(leafCount * DIGEST_BYTES);
    const salts = Uint8Array.from({ length: leafCount * saltBytes }, (_, i) => (i * 29 + (i >> 4)) & 255);
    const saltsAt = saltBytes > 0 ? arena.storeBytes(salts) : 0;
    for (let c = 0; c < cosets; c++) {
      const at = columns + c * width * stride;
      kernels.hashCosetLeaves(
        leaves,
        at,
        stride,
        width,
        log2Size,
        c,
        log2Blowup,
        0,
        size / 8,
        saltsAt,
        keys.leaf,
      );
    }
    const parents = arena.allocate((leafCount / 2) * DIGEST_BYTES);
    kernels.hashParents(parents, leaves, leafCount / 2, keys.node);

    const rowBytes = 64 * width;
    const leafBytes = rowBytes + saltBytes;
    const bytes = new Uint8Array(leafCount * leafBytes);
    for (let q = 0; q < leafCount; q++) {
      const rows = Array.from({ length: 8 }, (_, k) => q + k * leafCount);
      const elements = rows.flatMap(row => Array.from({ length: width }, (_, column) => value(row, column)));
      bytes.set(baseToBytes(elements), q * leafBytes);
      bytes.set(salts.subarray(q * saltBytes, (q + 1) * saltBytes), q * leafBytes + rowBytes);
    }
    const reference = new MerkleTree(bytes, leafBytes);
    for (let q = 0; q < leafCount; q++) {
      const leaf = bytes.subarray(q * leafBytes, (q + 1) * leafBytes);
      expect(hex(arena.bytes(leaves + q * DIGEST_BYTES, DIGEST_BYTES))).toBe(
        hex(blake3Keyed(LEAF_KEY, leaf)),
      );
    }
    const level = arena.bytes(parents, (leafCount / 2) * DIGEST_BYTES);
    const siblings =
      hex(arena.bytes(leaves, DIGEST_BYTES)) + hex(arena.bytes(leaves + DIGEST_BYTES, DIGEST_BYTES));
    expect(hex(level.subarray(0, DIGEST_BYTES))).toBe(
      hex(blake3Keyed(NODE_KEY, Buffer.from(siblings, 'hex'))),
    );
    if (leafCount === 32) expect(hex(level)).toBe(hex(reference.cap));
    if (leafCount <= 16) expect(hex(arena.bytes(leaves, leafCount * DIGEST_BYTES))).toBe(hex(reference.cap));
    arena.release(mark);
  },
);

it('finds the least nonce, and none where there is none', () => {
  const mark = arena.usedBytes;
  const key = arena.storeBytes(GRINDING_KEY);
  for (let i = 0; i < 12; i++) {
    const seed = Uint8Array.from({ length: 32 }, (_, j) => (i * 37 + j) & 255);
    const at = arena.storeBytes(seed);
    const bits = i % 8;
    const nonce = kernels.grind(at, 0n, 16_384n, bits, key);
    expect(nonce).toBe(grind(seed, bits));
    expect(isGrindingNonce(seed, nonce, bits)).toBe(true);
    const before = nonce - (nonce % 4n);
    expect(kernels.grind(at, 0n, before, bits, key)).toBe(-1n);
    expect(kernels.grind(at, before, 4n, bits, key)).toBe(nonce);
    // Both halves of a nonce take part.
    const beyond = kernels.grind(at, 1n << 33n, 16_384n, bits, key);
    expect(beyond).toBeGreaterThanOrEqual(1n << 33n);
    expect(isGrindingNonce(seed, beyond, bits)).toBe(true);
  }
  arena.release(mark);
});

describe('a search that is shared', () => {
  const NOT_FOUND = 2n ** 63n - 1n;

  /** Where `bits` zero bits are first found, by one thread that searches from `next` on. */
  function search(seed: Uint8Array, next: bigint, least: bigint, end: bigint, bits: number) {
    const mark = arena.usedBytes;
    const at = arena.store([next, least]);
    kernels.grindTogether(arena.storeBytes(seed), at, end, bits, arena.storeBytes(GRINDING_KEY));
    const [, found] = arena.elements(at, 2);
    arena.release(mark);
    return found;
  }

  it('replaces what another thread found by what is less, and by nothing else', () => {
    for (let i = 0; i < 8; i++) {
      const seed = Uint8Array.from({ length: 32 }, (_, j) => (i * 41 + j) & 255);
      const least = grind(seed, 8);
      expect(search(seed, 0n, NOT_FOUND, 1n << 20n, 8)).toBe(least);
      expect(search(seed, 0n, least + 1n, 1n << 20n, 8)).toBe(least);
      expect(search(seed, 0n, 0n, 1n << 20n, 8)).toBe(least === 0n ? least : 0n);
      expect(search(seed, least + 1n, least, 1n << 20n, 8)).toBe(least);
    }
  });

  it('ends where it is told to', () => {
    const seed = new Uint8Array(32);
    expect(search(seed, 0n, NOT_FOUND, 4096n, 63)).toBe(NOT_FOUND);
  });

  it('finds the least nonce on several threads', async () => {
    const pool = await KernelPool.open(3);
    try {
      const shared = pool.arena.allocate(16);
      const key = pool.arena.storeBytes(GRINDING_KEY);
      const at = pool.arena.allocate(32);
      for (let i = 0; i < 40; i++) {
        const seed = Uint8Array.from({ length: 32 }, (_, j) => (i * 59 + j) & 255);
        pool.arena.bytes(at, 32).set(seed);
        pool.arena.elements(shared, 2).set([0n, NOT_FOUND]);
        const task = ['grindTogether', at, shared, 1n << 30n, 11, key] as const;
        await pool.run([task, task, task]);
        expect(pool.arena.elements(shared, 2)[1]).toBe(pool.kernels.grind(at, 0n, 1n << 30n, 11, key));
      }
    } finally {
      await pool.close();
    }
  });
});
