import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { sha256Bytes as browserSha256Bytes, sha256Hex as browserSha256Hex } from './digest.js';
import { sha256Bytes, sha256Hex } from './node/digest.js';
import { canonicalJson, PayloadError } from './canonical-json.js';
import { appendRecords, genesisHash, genesisOf, payloadDigest, recordHash } from './wal-codec.js';
import { type JsonObject, WAL_KINDS, type WalEntry, type WalRecord } from './wal-record.js';

const SAGA = '6f0c2a9e-6a55-4d5e-9a7b-0c1d2e3f4a5b';
const GENESIS = { name: 'two-steps', version: 1, steps: ['one', 'two'], inputDigest: 'ab'.repeat(32) };
const begin: WalEntry = { kind: 'SAGA_BEGIN', step: null, attempt: 0, idemKey: null, payload: GENESIS };
const intent: WalEntry = { kind: 'STEP_INTENT', step: 'one', attempt: 1, idemKey: null, payload: {} };
const at = { sagaId: SAGA, fence: 1, nowMs: Date.parse('2026-11-22T04:00:00.123Z') };

const sha256 = (...parts: (string | Buffer)[]) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
};

/** The specification, read aloud. */
function naiveRecordHash(record: WalRecord): string {
  const { sagaId: saga, idemKey: idem, seq, kind, step, attempt, fence, at } = record;
  const payload = sha256(canonicalize(record.payload) as string);
  const members = { saga, seq, kind, step, attempt, idem, fence, payload, at };
  return sha256('svc-wal-record/v1\n', canonicalize(members) as string, Buffer.from(record.prevHash, 'hex'));
}

const hex32 = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map(bytes => Buffer.from(bytes).toString('hex'));
const json = fc
  .dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ stringUnit: 'grapheme' }), { maxKeys: 4 })
  .map(value => JSON.parse(JSON.stringify(value)) as JsonObject)
  .filter(value => !JSON.stringify(value).includes('\\u0000'));

test('a record hashes to what the specification says, whatever it holds', () => {
  const record = fc.record({
    sagaId: fc.string(),
    seq: fc.maxSafeNat(),
    kind: fc.constantFrom(...WAL_KINDS),
    step: fc.option(fc.string({ unit: 'grapheme' })),
    attempt: fc.maxSafeNat(),
    idemKey: fc.option(hex32),
    payload: json,
    fence: fc.maxSafeNat(),
    at: fc.string(),
    prevHash: hex32,
  });
  fc.assert(
    fc.property(record, open => {
      expect(recordHash(open)).toBe(naiveRecordHash({ ...open, hash: '' }));
    }),
  );
});

test('what is written quickly is written as the general canonicaliser writes it, or refused as there', () => {
  const general = (value: object) => {
    try {
      const text = canonicalize(value) as string;
      let nul = false;
      JSON.parse(text, (name, item) => {
        nul ||= name.includes('\0') || (typeof item === 'string' && item.includes('\0'));
      });
      return nul ? undefined : text;
    } catch {
      return undefined;
    }
  };
  const quick = (value: object) => {
    try {
      return canonicalJson(value);
    } catch (error) {
      if (error instanceof PayloadError) return undefined;
      throw error;
    }
  };
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom(...'\ud83d\ude00"\\\n\x7f\u2028é') }),
  );
  const leaf = fc.oneof(
    text,
    fc.double(),
    fc.integer(),
    fc.boolean(),
    fc.constantFrom(null, undefined, -0, 1e21),
  );
  const odd = fc.constantFrom(new Date(0), Object('boxed') as object, Object.create(null) as object, {
    toJSON: () => 1,
  });
  const { tree } = fc.letrec(tie => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      leaf,
      odd,
      fc.array(tie('tree')),
      fc.dictionary(text, tie('tree'), { maxKeys: 24 }),
    ),
  }));
  const payload = fc.dictionary(text, tree, { maxKeys: 24 });
  fc.assert(
    fc.property(payload, value => expect(quick(value)).toBe(general(value))),
    { numRuns: 500 },
  );
});

test('a payload that holds itself is refused, and one that is only deep is not', () => {
  const cycle: Record<string, object> = {};
  cycle['again'] = { cycle };
  expect(() => canonicalJson(cycle)).toThrow(PayloadError);
  const deep = '{"a":'.repeat(100) + '{}' + '}'.repeat(100);
  expect(canonicalJson(JSON.parse(deep) as object)).toBe(deep);
});

test('what a node hashes, a browser hashes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.uint8Array(), (text, tail) => {
      const tailHex = Buffer.from(tail).toString('hex');
      expect(sha256Hex(text, tailHex)).toBe(browserSha256Hex(text, tailHex));
      expect(sha256Hex(text)).toBe(browserSha256Hex(text));
      expect(sha256Bytes(tail, tail)).toEqual(browserSha256Bytes(tail, tail));
    }),
  );
});

test('records are numbered and linked from the genesis that SAGA_BEGIN states', () => {
  const records = appendRecords(undefined, [begin, intent], at);
  expect(records.map(({ seq, at }) => [seq, at])).toEqual([
    [0, '2026-11-22T04:00:00.123Z'],
    [1, '2026-11-22T04:00:00.123Z'],
  ]);
  const text = `{"inputDigest":"${'ab'.repeat(32)}","name":"two-steps","steps":["one","two"],"version":1}`;
  expect(records[0].prevHash).toBe(sha256('svc-wal-genesis/v1\n', text));
  expect(genesisHash(GENESIS)).toBe(records[0].prevHash);
  expect(genesisOf({ ...GENESIS, tool: 'beside it' })).toEqual(GENESIS);
  expect(records[1].prevHash).toBe(records[0].hash);
  expect(records.map(naiveRecordHash)).toEqual(records.map(({ hash }) => hash));
});

test('appending one by one gives the same chain as appending all at once', () => {
  const all = appendRecords(undefined, [begin, intent, intent], at);
  const [first] = appendRecords(undefined, [begin], at);
  expect([first, ...appendRecords(first, [intent, intent], at)]).toEqual(all);
});

test('a clock that is set back leaves the time of the record before', () => {
  const [first] = appendRecords(undefined, [begin], at);
  const [second] = appendRecords(first, [intent], { ...at, nowMs: at.nowMs - 60_000 });
  expect(second.at).toBe(first.at);
  const [third] = appendRecords(second, [intent], { ...at, nowMs: at.nowMs + 1 });
  expect(third.at).toBe('2026-11-22T04:00:00.124Z');
});

test('what a log may not hold is not appended', () => {
  const [first] = appendRecords(undefined, [begin], { ...at, fence: 5 });
  const refused = (entry: Partial<WalEntry>, place = { ...at, fence: 5 }) =>
    expect(() => appendRecords(first, [{ ...intent, ...entry }], place)).toThrow();
  refused({}, { ...at, fence: 4 });
  refused({}, { ...at, fence: 5, sagaId: SAGA.replace('6', '7') });
  refused({ step: 'a step' });
  refused({ attempt: 0.5 });
  refused({ idemKey: 'ab' });
  refused({ payload: { text: '\ud800' } });
  refused({ payload: { text: 'a\u0000' } });
  refused({ payload: { number: NaN } });
  refused({ payload: { text: 'x'.repeat(65_536) } });
  expect(() => appendRecords(undefined, [intent], at)).toThrow(/begins with SAGA_BEGIN/);
  expect(() => appendRecords(undefined, [{ ...begin, payload: { name: 'x' } }], at)).toThrow(RangeError);
  expect(
    appendRecords(first, [{ ...intent, payload: { text: '\\u0000' } }], { ...at, fence: 5 }),
  ).toHaveLength(1);
});

test('equal payloads have one digest, however their members are ordered', () => {
  expect(payloadDigest({ a: 1, b: [1e21, -0] })).toBe(payloadDigest({ b: [1e21, 0], a: 1 }));
  expect(payloadDigest({ a: 1 })).not.toBe(payloadDigest({ a: '1' }));
});

test('the example of the format document is as it says', () => {
  const payload = { name: 'example', version: 1, steps: ['reserve'], inputDigest: 'ab'.repeat(32) };
  const place = { sagaId: SAGA, fence: 1, nowMs: Date.parse('2026-11-22T04:00:00.000Z') };
  const [record] = appendRecords(undefined, [{ ...begin, payload }], place);
  const document = readFileSync(new URL('../../../../docs/wal-format.md', import.meta.url), 'utf8');
  const stated = (name: string) => new RegExp(`^    ${name} +([0-9a-f]{64})$`, 'm').exec(document)?.[1];
  expect(stated('genesis')).toBe(record.prevHash);
  expect(stated('payload')).toBe(payloadDigest(payload));
  expect(stated('hash')).toBe(record.hash);
});
