import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { MerkleAccumulator, TransparencyTree } from './transparency-tree.js';

/**
 * Leaves, roots and audit paths of the reference tests of Certificate Transparency
 * (google/certificate-transparency, cpp/merkletree/merkle_tree_test.cc, Apache License 2.0).
 */
const LEAVES = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
];
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];
const PATHS: [index: number, count: number, path: string[]][] = [
  [0, 1, []],
  [
    0,
    8,
    [
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ],
  ],
  [
    5,
    8,
    [
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
  ],
  [2, 3, ['fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125']],
  [
    1,
    5,
    [
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    ],
  ],
];

const tree = new TransparencyTree();
const leafHash = (data: Uint8Array) => tree.leafHash(data);

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));
const hex = (value: Uint8Array | undefined) => value && Buffer.from(value).toString('hex');
const sha256 = (...parts: Uint8Array[]) =>
  Uint8Array.from(createHash('sha256').update(Buffer.concat(parts)).digest());

/** MTH of RFC 6962 section 2.1, word for word. */
function naiveRoot(data: readonly Uint8Array[]): Uint8Array {
  if (data.length === 0) return sha256();
  if (data.length === 1) return sha256(Uint8Array.of(0), data[0]);
  const k = splitOf(data.length);
  return sha256(Uint8Array.of(1), naiveRoot(data.slice(0, k)), naiveRoot(data.slice(k)));
}

/** PATH of RFC 6962 section 2.1.1, word for word. */
function naivePath(index: number, data: readonly Uint8Array[]): Uint8Array[] {
  if (data.length === 1) return [];
  const k = splitOf(data.length);
  return index < k
    ? [...naivePath(index, data.slice(0, k)), naiveRoot(data.slice(k))]
    : [...naivePath(index - k, data.slice(k)), naiveRoot(data.slice(0, k))];
}

/** The largest power of two smaller than n. */
function splitOf(n: number): number {
  let k = 1;
  while (k * 2 < n) k *= 2;
  return k;
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => Uint8Array.of(index, 7));

test('roots are those of the published vectors', () => {
  const leaves = LEAVES.map(leaf => leafHash(bytes(leaf)));
  ROOTS.forEach((root, count) => expect(hex(tree.root(leaves.slice(0, count)))).toBe(root));
});

test.each(PATHS)('the audit path of leaf %i of %i is the published one', (index, leafCount, path) => {
  const leaves = LEAVES.slice(0, leafCount).map(leaf => leafHash(bytes(leaf)));
  expect(tree.inclusionPath(leaves, index).map(hex)).toEqual(path);
  expect(hex(tree.rootOfInclusion({ leaf: leaves[index], index, leafCount, path: path.map(bytes) }))).toBe(
    ROOTS[leafCount],
  );
});

test('roots and paths are those of the definition, for every tree of up to 70 leaves', () => {
  for (let leafCount = 1; leafCount <= 70; leafCount += 1) {
    const data = numbered(leafCount);
    const leaves = data.map(leafHash);
    const root = hex(naiveRoot(data));
    expect(hex(tree.root(leaves))).toBe(root);
    for (let index = 0; index < leafCount; index += leafCount > 20 ? 7 : 1) {
      const path = tree.inclusionPath(leaves, index);
      expect(path).toEqual(naivePath(index, data));
      expect(hex(tree.rootOfInclusion({ leaf: leaves[index], index, leafCount, path }))).toBe(root);
    }
  }
});

test('the root can be asked for at every count without disturbing what follows', () => {
  const accumulator = new MerkleAccumulator();
  numbered(40).forEach((data, index) => {
    accumulator.add(leafHash(data));
    expect(accumulator.count).toBe(index + 1);
    expect(accumulator.root()).toEqual(naiveRoot(numbered(index + 1)));
  });
});

test('a path that is altered, cut, lengthened or of another leaf leads to another root or to none', () => {
  const property = fc.property(
    fc.integer({ min: 1, max: 40 }),
    fc.nat(39),
    fc.nat(),
    fc.constantFrom('flip', 'cut', 'longer', 'index', 'leaf', 'swap'),
    (leafCount, at, random, how) => {
      const index = at % leafCount;
      const leaves = numbered(leafCount).map(leafHash);
      const path: Uint8Array[] = tree.inclusionPath(leaves, index).map(node => Uint8Array.from(node));
      const root = hex(tree.root(leaves));
      const claim = { leaf: leaves[index], index, leafCount, path };
      if (how === 'longer') path.splice(random % (path.length + 1), 0, leafHash(Uint8Array.of(9)));
      else if (how === 'leaf') claim.leaf = leafHash(Uint8Array.of(index, 8));
      else if (how === 'index') claim.index = (index + 1 + (random % leafCount)) % (leafCount + 1);
      else if (how === 'swap' && path.length > 1) path.reverse();
      else if (path.length === 0) return;
      else if (how === 'cut') path.splice(random % path.length, 1);
      else path[random % path.length][random % 32] ^= 1 << (random % 8);
      if (claim.index === index && how === 'index') return;
      expect(hex(tree.rootOfInclusion(claim))).not.toBe(root);
    },
  );
  fc.assert(property, { numRuns: 500 });
});
