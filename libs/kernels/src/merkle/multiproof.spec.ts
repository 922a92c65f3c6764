import fc from 'fast-check';
import { blake3Keyed } from '../hash/blake3.js';
import { capNodeCount, LEAF_KEY, MerkleTree, NODE_KEY, rootOfCap } from './merkle-tree.js';
import { type MultiproofClaim, multiproofNodeCount, verifyMultiproof } from './multiproof.js';

const LEAF_BYTES = 24;
const bytes = (length: number) => Uint8Array.from({ length }, (_, i) => (i * 31 + 7) % 256);

const opening = fc
  .integer({ min: 0, max: 7 })
  .chain(log2 =>
    fc.record({
      leafCount: fc.constant(2 ** log2),
      indices: fc.uniqueArray(fc.integer({ min: 0, max: 2 ** log2 - 1 }), { minLength: 1, maxLength: 12 }),
    }),
  )
  .map(({ leafCount, indices }) => ({ leafCount, indices: indices.sort((a, b) => a - b) }));

function openTree(leafCount: number, indices: readonly number[]): MultiproofClaim {
  const tree = new MerkleTree(bytes(leafCount * LEAF_BYTES), LEAF_BYTES);
  return { cap: tree.cap, leafCount, indices, leafBytes: LEAF_BYTES, ...tree.open(indices) };
}

function flipped(source: Uint8Array, position: number): Uint8Array {
  const copy = source.slice();
  copy[position] ^= 1;
  return copy;
}

it('accepts every honest opening, with exactly the predicted number of nodes', () => {
  fc.assert(
    fc.property(opening, ({ leafCount, indices }) => {
      const claim = openTree(leafCount, indices);
      expect(claim.nodes.length).toBe(32 * multiproofNodeCount(indices, leafCount));
      expect(verifyMultiproof(claim)).toBe(true);
    }),
  );
});

it('commits to the definition: leaves and nodes under their own keys, the root above the cap', () => {
  const leaves = bytes(4 * LEAF_BYTES);
  const hashed = [0, 1, 2, 3].map(i =>
    blake3Keyed(LEAF_KEY, leaves.slice(i * LEAF_BYTES, (i + 1) * LEAF_BYTES)),
  );
  const node = (a: Uint8Array, b: Uint8Array) => blake3Keyed(NODE_KEY, Uint8Array.from([...a, ...b]));
  const { cap } = new MerkleTree(leaves, LEAF_BYTES);
  expect(cap).toEqual(Uint8Array.from(hashed.flatMap(digest => [...digest])));
  expect(rootOfCap(cap)).toEqual(node(node(hashed[0], hashed[1]), node(hashed[2], hashed[3])));
});

it('has a cap of 16 nodes, or of all leaves of a smaller tree', () => {
  expect([1, 8, 16, 32, 1024].map(capNodeCount)).toEqual([1, 8, 16, 16, 16]);
  expect(new MerkleTree(bytes(64 * LEAF_BYTES), LEAF_BYTES).cap.length).toBe(16 * 32);
});

it('rejects a changed bit anywhere in leaves, nodes and the nodes of the cap above them', () => {
  const claim = openTree(64, [3, 17, 18, 40]);
  for (let i = 0; i < claim.leaves.length; i++) {
    expect(verifyMultiproof({ ...claim, leaves: flipped(claim.leaves, i) })).toBe(false);
  }
  for (let i = 0; i < claim.nodes.length; i++) {
    expect(verifyMultiproof({ ...claim, nodes: flipped(claim.nodes, i) })).toBe(false);
  }
  for (const index of claim.indices) {
    expect(verifyMultiproof({ ...claim, cap: flipped(claim.cap, 32 * (index >> 2)) })).toBe(false);
  }
});

it('rejects leaves at other indices, in another order, and missing or additional nodes', () => {
  const claim = openTree(64, [3, 17, 40]);
  const { leaves, nodes } = claim;
  expect(verifyMultiproof({ ...claim, indices: [3, 17, 41] })).toBe(false);
  const swapped = Uint8Array.from([
    ...leaves.slice(LEAF_BYTES, 2 * LEAF_BYTES),
    ...leaves.slice(0, LEAF_BYTES),
    ...leaves.slice(2 * LEAF_BYTES),
  ]);
  expect(verifyMultiproof({ ...claim, leaves: swapped })).toBe(false);
  expect(verifyMultiproof({ ...claim, nodes: nodes.slice(32) })).toBe(false);
  expect(verifyMultiproof({ ...claim, nodes: Uint8Array.from([...nodes, ...nodes.slice(0, 32)]) })).toBe(
    false,
  );
  expect(verifyMultiproof({ ...claim, cap: claim.cap.slice(32) })).toBe(false);
});

it('does not take an inner node for a leaf, nor a leaf for an inner node', () => {
  // A tree whose leaves have the size of two digests: without separate keys, the pair of hashes below a node would be a
  // second preimage of it one level further up.
  const leaves = bytes(64 * 64);
  const deep = new MerkleTree(leaves, 64);
  const pairs = Uint8Array.from(
    Array.from({ length: 32 }, (_, i) => [
      ...blake3Keyed(LEAF_KEY, leaves.slice(128 * i, 128 * i + 64)),
      ...blake3Keyed(LEAF_KEY, leaves.slice(128 * i + 64, 128 * i + 128)),
    ]).flat(),
  );
  const shallow = new MerkleTree(pairs, 64);
  expect(shallow.cap).not.toEqual(deep.cap);
  const { leaves: opened, nodes } = shallow.open([5]);
  const claim = { leafCount: 32, indices: [5], leafBytes: 64, leaves: opened, nodes };
  expect(verifyMultiproof({ ...claim, cap: shallow.cap })).toBe(true);
  expect(verifyMultiproof({ ...claim, cap: deep.cap })).toBe(false);
});

it('rejects a cap or leaves of another size than the tree has, whatever else they hold', () => {
  const claim = openTree(64, [3, 17, 40]);
  const longer = (part: Uint8Array, extra: number) => Uint8Array.from([...part, ...new Uint8Array(extra)]);
  expect(verifyMultiproof(claim)).toBe(true);
  expect(verifyMultiproof({ ...claim, cap: longer(claim.cap, 32) })).toBe(false);
  expect(verifyMultiproof({ ...claim, cap: claim.cap.slice(0, -32) })).toBe(false);
  expect(verifyMultiproof({ ...claim, leaves: longer(claim.leaves, LEAF_BYTES) })).toBe(false);
  expect(verifyMultiproof({ ...claim, leaves: claim.leaves.slice(0, -LEAF_BYTES) })).toBe(false);
});
