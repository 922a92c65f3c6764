import {
  appendRecords,
  buildCheckpoint,
  inclusionOf,
  publishCheckpoint,
  publishRecord,
  type WalEntry,
  type WalKey,
} from '@svc/durability';
import { generateKeyPairSync, sign } from 'node:crypto';
import { verifyWalEvents } from './verify-wal-events.js';

const SAGA = '6f0c2a9e-6a55-4d5e-9a7b-0c1d2e3f4a5b';
const pair = generateKeyPairSync('ed25519');
const keys: WalKey[] = [
  {
    kid: 'wal-1',
    alg: 'Ed25519',
    publicKey: String(pair.publicKey.export({ format: 'jwk' }).x),
    notBefore: '2026-01-01T00:00:00Z',
    notAfter: null,
    revokedAt: null,
  },
];

const entry = (kind: WalEntry['kind'], step: string | null, payload: WalEntry['payload'] = {}): WalEntry => ({
  ...{ kind, step, attempt: step === null ? 0 : 1, idemKey: null, payload },
});
const records = appendRecords(
  undefined,
  [
    entry('SAGA_BEGIN', null, {
      name: 'example',
      version: 1,
      steps: ['reserve'],
      inputDigest: 'ab'.repeat(32),
    }),
    entry('STEP_INTENT', 'reserve'),
    entry('STEP_COMMIT', 'reserve', { amountMicroUsd: 20_000 }),
    entry('SAGA_COMMIT', null, { starkRoot: '0x00' }),
  ],
  { sagaId: SAGA, fence: 1, nowMs: Date.parse('2026-11-22T04:00:00Z') },
);

/** The view of a saga, under a checkpoint over three sagas. */
async function honestAnswer() {
  const { checkpoint, leaves } = await buildCheckpoint(
    undefined,
    [
      { sagaId: SAGA.replace('6', '1'), count: 3, head: 'ab'.repeat(32) },
      { sagaId: SAGA, count: records.length, head: records[3].hash },
      { sagaId: SAGA.replace('6', 'e'), count: 9, head: 'cd'.repeat(32) },
    ],
    {
      keyId: 'wal-1',
      sign: message => Uint8Array.from(sign(null, message, pair.privateKey)),
      nowMs: Date.parse('2026-11-22T04:00:03Z'),
    },
  );
  const published = publishCheckpoint(checkpoint);
  const answer = {
    sagaId: SAGA,
    status: 'COMPLETED',
    walHash: `0x${records[3].hash}`,
    walCount: records.length,
    walEvents: records.map(publishRecord),
    checkpoint: published,
    inclusion: {
      checkpoint: published,
      leafIndex: 1,
      walCount: records.length,
      path: inclusionOf(leaves, 1).map(node => `0x${node}`),
    },
  };
  return JSON.parse(JSON.stringify(answer)) as typeof answer;
}

test('an honest answer holds, and says which checkpoint covers it', async () => {
  const answer = await honestAnswer();
  const cover = { number: 1, at: '2026-11-22T04:00:03.000Z', covers: 4, signature: 'good' };
  const verdict = { valid: true, sagaId: SAGA, count: 4, head: answer.walHash, checkpoint: cover };
  expect(await verifyWalEvents(answer, { keys })).toEqual(verdict);
  const { checkpoint: _, inclusion: __, ...uncovered } = answer;
  expect(await verifyWalEvents(uncovered, { keys })).toEqual({ ...verdict, checkpoint: undefined });
  const unchecked = { ...verdict, checkpoint: { ...cover, signature: 'unchecked' } };
  expect(await verifyWalEvents(answer)).toEqual(unchecked);
});

test('what is altered in an answer is named', async () => {
  const answer = await honestAnswer();
  const verdictOf = (change: (copy: typeof answer) => void) => {
    const copy = structuredClone(answer);
    change(copy);
    return verifyWalEvents(copy, { keys });
  };
  const refusal = (reason: string, seq?: number) => ({
    valid: false,
    reason,
    ...(seq === undefined ? {} : { seq }),
  });
  expect(
    await verdictOf(a => void Object.assign(a.walEvents[2], { payload: { amountMicroUsd: 1 } })),
  ).toEqual(refusal('record-malformed', 2));
  expect(await verdictOf(a => void Object.assign(a.walEvents[2], { kind: 'STEP_PAUSED' }))).toEqual(
    refusal('kind-unknown', 2),
  );
  expect(await verdictOf(a => void Object.assign(a.walEvents[2], { kind: 7 }))).toEqual(
    refusal('record-malformed', 2),
  );
  expect(await verdictOf(a => void Object.assign(a.walEvents[2], { fence: 2 }))).toEqual(
    refusal('hash-differs', 2),
  );
  expect(await verdictOf(a => void a.walEvents.splice(1, 1))).toEqual(refusal('record-missing', 1));
  expect(await verdictOf(a => void a.walEvents.pop())).toEqual(refusal('wal-hash-differs', 2));
  expect(await verdictOf(a => void (a.walCount = 5))).toEqual(refusal('wal-count-differs', 3));
  expect(await verdictOf(a => void (a.status = 'COMPENSATED'))).toEqual(refusal('status-differs', 3));
  expect(await verdictOf(a => void (a.sagaId = SAGA.replace('6', '7')))).toEqual(refusal('hash-differs', 0));
  expect(await verdictOf(a => void Object.assign(a.checkpoint, { at: '2026-11-22T04:00:03.001Z' }))).toEqual(
    refusal('checkpoint-hash-differs'),
  );
  expect(await verdictOf(a => void (a.inclusion.leafIndex = 0))).toEqual(refusal('not-in-checkpoint'));
  expect(await verdictOf(a => void (a.inclusion.walCount = 3))).toEqual(refusal('not-in-checkpoint'));
  expect(await verdictOf(a => void (a.inclusion.walCount = 5))).toEqual(
    refusal('inclusion-covers-other-records'),
  );
  expect(await verdictOf(a => void a.inclusion.path.pop())).toEqual(refusal('not-in-checkpoint'));
  expect(await verdictOf(a => void (a.inclusion.path = ['ab']))).toEqual(refusal('inclusion-malformed'));
  expect(await verifyWalEvents({}, { keys })).toEqual(refusal('no-log'));
});

test('a checkpoint counts by a key that is published, in its time, and not revoked', async () => {
  const answer = await honestAnswer();
  const bad = { valid: false, reason: 'signature-bad' };
  const other = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x as string;
  expect(await verifyWalEvents(answer, { keys: [] })).toEqual(bad);
  expect(await verifyWalEvents(answer, { keys: [{ ...keys[0], publicKey: other }] })).toEqual(bad);
  expect(await verifyWalEvents(answer, { keys: [{ ...keys[0], notAfter: '2026-11-22T04:00:00Z' }] })).toEqual(
    bad,
  );
  expect(
    await verifyWalEvents(answer, { keys: [{ ...keys[0], revokedAt: '2026-12-01T00:00:00Z' }] }),
  ).toEqual(bad);
});
