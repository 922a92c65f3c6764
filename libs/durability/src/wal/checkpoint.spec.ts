import fc from 'fast-check';
import { ExampleKey, sagaIdOf, START_MS, verifyEd25519 } from '../../testing/example-logs.js';
import {
  buildCheckpoint,
  type Checkpoint,
  checkpointHash,
  CHECKPOINT_LEAVES_MAX,
  checkpointText,
  checkSignature,
  inclusionOf,
  isIncluded,
  type WalHead,
} from './checkpoint.js';
import { publishCheckpoint, readCheckpoint } from './checkpoint-file.js';
import { checkpointFault } from './verify-checkpoints.js';

const key = new ExampleKey('wal-1');
const signer = { keyId: key.kid, sign: key.sign, nowMs: START_MS };
const headOf = (index: number, count = 10): WalHead => ({
  sagaId: sagaIdOf(index),
  count,
  head: index.toString(16).padStart(64, '0'),
});
const heads = (count: number) => Array.from({ length: count }, (_, index) => headOf(index));

test('leaves are ordered by saga, whatever order the heads came in', async () => {
  const [ordered, shuffled] = [heads(9), heads(9).reverse()];
  const one = await buildCheckpoint(undefined, ordered, signer);
  const other = await buildCheckpoint(undefined, shuffled, signer);
  expect(other).toEqual(one);
  expect(one.leaves).toEqual(ordered);
  expect(checkpointFault(one)).toBeUndefined();
});

test('checkpoints are numbered from 1 and linked, and their time does not fall', async () => {
  const { checkpoint: first } = await buildCheckpoint(undefined, heads(1), signer);
  const { checkpoint: second } = await buildCheckpoint(first, heads(2), {
    ...signer,
    nowMs: START_MS - 5_000,
  });
  expect(first).toMatchObject({ number: 1, prevHash: '00'.repeat(32), leafCount: 1 });
  expect(second).toMatchObject({ number: 2, prevHash: first.hash, at: first.at });
});

test('what is signed is the domain and the canonical JSON of the checkpoint', async () => {
  const { checkpoint } = await buildCheckpoint(undefined, heads(3), signer);
  expect(checkpointText(checkpoint)).toBe(
    'svc-wal-checkpoint/v1\n{"at":"2026-11-22T04:00:00.000Z","keyId":"wal-1","leafCount":3,"number":1,' +
      `"prevHash":"${'00'.repeat(32)}","root":"${checkpoint.root}"}`,
  );
});

test('heads that are no leaves of one checkpoint are refused', async () => {
  const refused = (...bad: WalHead[]) =>
    expect(buildCheckpoint(undefined, bad, signer)).rejects.toThrow(RangeError);
  await refused();
  await refused(headOf(1), headOf(1, 11));
  await refused(headOf(1, 0));
  await refused({ ...headOf(1), head: 'AB' });
  await refused({ ...headOf(1), sagaId: 'no id' });
  await refused(...heads(CHECKPOINT_LEAVES_MAX + 1));
  await expect(
    buildCheckpoint(undefined, heads(1), { ...signer, sign: () => new Uint8Array(63) }),
  ).rejects.toThrow(RangeError);
});

test('every leaf is shown to be in its checkpoint, and no other head is', async () => {
  const { checkpoint, leaves } = await buildCheckpoint(undefined, heads(13), signer);
  leaves.forEach((leaf, leafIndex) => {
    const path = inclusionOf(leaves, leafIndex);
    expect(isIncluded(leaf, { leafIndex, path }, checkpoint)).toBe(true);
    expect(isIncluded({ ...leaf, count: leaf.count + 1 }, { leafIndex, path }, checkpoint)).toBe(false);
    expect(isIncluded({ ...leaf, head: 'ff'.repeat(32) }, { leafIndex, path }, checkpoint)).toBe(false);
    expect(isIncluded(leaf, { leafIndex: leafIndex + 1, path }, checkpoint)).toBe(false);
    expect(isIncluded(leaf, { leafIndex, path: path.slice(1) }, checkpoint)).toBe(false);
    expect(isIncluded(leaf, { leafIndex, path: ['no digest', ...path.slice(1)] }, checkpoint)).toBe(false);
  });
});

test('no member of a checkpoint can be altered, not even with its hash', async () => {
  const sealed = await buildCheckpoint(undefined, heads(4), signer);
  const change = fc.oneof(
    fc.record({ number: fc.integer({ min: 1, max: 9 }) }),
    fc.record({ leafCount: fc.integer({ min: 1, max: 9 }) }),
    fc.record({ root: fc.constant('11'.repeat(32)) }),
    fc.record({ prevHash: fc.constant('11'.repeat(32)) }),
    fc.record({ at: fc.nat(999).map(ms => new Date(START_MS + ms).toISOString()) }),
    fc.record({ keyId: fc.constantFrom('wal-2', 'wal-1') }),
    fc.record({ signature: fc.nat(511).map(bit => flipped(sealed.checkpoint.signature, bit)) }),
  ) as fc.Arbitrary<Partial<Checkpoint>>;
  await fc.assert(
    fc.asyncProperty(change, async altered => {
      const checkpoint = { ...sealed.checkpoint, ...altered };
      fc.pre(JSON.stringify(checkpoint) !== JSON.stringify(sealed.checkpoint));
      if (!('signature' in altered)) expect(checkpointFault({ checkpoint })).toBe('checkpoint-hash-differs');
      const rehashed = { ...checkpoint, hash: checkpointHash(checkpoint) };
      const other = { ...key.published, kid: 'wal-2' };
      expect(
        await checkSignature(
          rehashed,
          [key.published, { ...other, publicKey: new ExampleKey('wal-2').published.publicKey }],
          verifyEd25519,
        ),
      ).toBe('bad');
    }),
  );
});

const flipped = (signature: string, bit: number) => {
  const bytes = Buffer.from(signature, 'base64url');
  bytes[bit >> 3] ^= 1 << (bit & 7);
  return bytes.toString('base64url');
};

test('a signature counts in the time of its key, and one of a revoked key is told apart', async () => {
  const { checkpoint } = await buildCheckpoint(undefined, heads(2), signer);
  const at = (ms: number) => new Date(START_MS + ms).toISOString();
  const check = (times: object) =>
    checkSignature(checkpoint, [{ ...key.published, ...times }], verifyEd25519);
  expect(await check({})).toBe('good');
  expect(await check({ notBefore: at(0), notAfter: at(1) })).toBe('good');
  expect(await check({ notBefore: at(1) })).toBe('bad');
  expect(await check({ notAfter: at(0) })).toBe('bad');
  expect(await check({ revokedAt: at(0) })).toBe('bad');
  expect(await check({ revokedAt: at(1) })).toBe('revoked');
  expect(await check({ notBefore: 'a day in spring' })).toBe('bad');
  expect(await check({ notAfter: 'a day in spring' })).toBe('bad');
  expect(await check({ alg: 'ML-DSA-65' })).toBe('bad');
  expect(await check({ publicKey: 'AAAA' })).toBe('bad');
  expect(await checkSignature(checkpoint, [], verifyEd25519)).toBe('bad');
});

test('a checkpoint is read back from its published form, and nothing else is', async () => {
  const { checkpoint } = await buildCheckpoint(undefined, heads(2), signer);
  const published = JSON.parse(JSON.stringify(publishCheckpoint(checkpoint))) as Record<string, unknown>;
  expect(published['root']).toBe(`0x${checkpoint.root}`);
  expect(readCheckpoint(published)).toEqual(checkpoint);
  for (const member of Object.keys(published)) {
    expect(readCheckpoint({ ...published, [member]: undefined })).toBeUndefined();
    expect(readCheckpoint({ ...published, [member]: {} })).toBeUndefined();
  }
  expect(readCheckpoint({ ...published, number: 0 })).toBeUndefined();
  expect(readCheckpoint({ ...published, at: '2026-02-30T00:00:00.000Z' })).toBeUndefined();
});
