import fc from 'fast-check';
import { exampleEntries, exampleLog, sagaIdOf, START_MS } from '../../testing/example-logs.js';
import { verifyChain } from './verify-wal.js';
import { appendRecords, recordHash } from './wal-codec.js';
import { publishRecord, readWalEvent } from './wal-event.js';
import { WAL_KINDS, type WalRecord } from './wal-record.js';

const SAGA = sagaIdOf(1);
const logs = { completed: exampleLog(SAGA), compensated: exampleLog(SAGA, 'compensated') };

/** Hashes anew from a record on, as somebody does who can write to the database and knows the format. */
function rehash(records: readonly WalRecord[], from = 0): WalRecord[] {
  const forged: WalRecord[] = [];
  for (const [seq, record] of records.entries()) {
    const prevHash = forged.at(-1)?.hash ?? record.prevHash;
    const open = { ...record, prevHash };
    forged.push(seq < from ? record : { ...open, hash: recordHash(open) });
  }
  return forged;
}

const altered = (records: readonly WalRecord[], seq: number, change: Partial<WalRecord>) =>
  records.map(record => (record.seq === seq ? { ...record, ...change } : record));

const reasonOf = (records: readonly WalRecord[]) => {
  const verdict = verifyChain(records);
  return verdict.valid ? 'valid' : [verdict.seq, verdict.reason];
};

test('a log is valid, and every beginning of it, which a saga that runs has', () => {
  for (const log of [logs.completed, logs.compensated]) {
    for (let count = 1; count <= log.length; count += 1) {
      const head = log[count - 1].hash;
      expect(verifyChain(log.slice(0, count))).toEqual({ valid: true, count, head });
    }
  }
  expect(reasonOf([])).toEqual([0, 'record-missing']);
});

/** Another value of the same type, of any member. */
const mutation = fc.oneof(
  fc.record({ seq: fc.nat(12) }),
  fc.record({ kind: fc.constantFrom(...WAL_KINDS) }),
  fc.record({ step: fc.option(fc.constantFrom('reserve', 'contract', 'prove', 'settle', 'x')) }),
  fc.record({ attempt: fc.nat(3) }),
  fc.record({ idemKey: fc.option(fc.constantFrom('00'.repeat(32), 'ff'.repeat(32))) }),
  fc.record({ payload: fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue(), { maxKeys: 2 }) }),
  fc.record({ fence: fc.nat(4) }),
  fc.record({ at: fc.nat(20).map(ms => new Date(START_MS + ms - 4).toISOString()) }),
  fc.record({ prevHash: fc.constantFrom('00'.repeat(32), 'no digest') }),
  fc.record({ hash: fc.constantFrom('00'.repeat(32), 'no digest') }),
  fc.record({ sagaId: fc.constantFrom(sagaIdOf(2), 'no id') }),
) as fc.Arbitrary<Partial<WalRecord>>;

test('any member of any record that is altered is found, at that record or, where it lies about its place, before it', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(logs.completed, logs.compensated),
      fc.nat(12),
      mutation,
      (log, nth, change) => {
        const seq = nth % log.length;
        const forged = altered(log, seq, change);
        fc.pre(JSON.stringify(forged) !== JSON.stringify(log));
        const verdict = verifyChain(forged);
        expect(verdict.valid).toBe(false);
        if (!verdict.valid && !('seq' in change)) expect(verdict.seq).toBe(seq);
      },
    ),
    { numRuns: 1_000 },
  );
});

test('every bit of every digest counts', () => {
  const log = logs.completed;
  fc.assert(
    fc.property(
      fc.nat(log.length - 1),
      fc.constantFrom('hash', 'prevHash'),
      fc.nat(255),
      (seq, member, bit) => {
        const bytes = Buffer.from(log[seq][member as 'hash'], 'hex');
        bytes[bit >> 3] ^= 1 << (bit & 7);
        const verdict = reasonOf(altered(log, seq, { [member]: bytes.toString('hex') }));
        expect(verdict).toEqual([
          seq,
          member === 'hash' ? 'hash-differs' : seq === 0 ? 'genesis-differs' : 'prev-hash-differs',
        ]);
      },
    ),
  );
});

test('a record that is deleted, repeated, or in the place of another is named', () => {
  const log = logs.completed;
  for (let seq = 0; seq < log.length - 1; seq += 1) {
    const without = log.filter(record => record.seq !== seq);
    expect(reasonOf(without)).toEqual([seq, 'record-missing']);
    const repeated = [...log.slice(0, seq + 1), ...log.slice(seq)];
    expect(reasonOf(repeated)).toEqual([seq, 'record-repeated']);
    // Numbers closed up over the gap: the hashes still tell.
    const renumbered = without.map((record, index) => ({ ...record, seq: index }));
    expect(reasonOf(renumbered)).not.toBe('valid');
    const swapped = log.map(record => {
      if (record.seq === seq) return { ...log[seq + 1], seq };
      return record.seq === seq + 1 ? { ...log[seq], seq: seq + 1 } : record;
    });
    expect(reasonOf(swapped)).not.toBe('valid');
  }
});

test('a log whose hashes were all computed anew is refused where no saga writes it', () => {
  const log = logs.completed;
  expect(reasonOf(rehash(altered(log, 3, { fence: 0 }), 3))).toEqual([3, 'fence-fell']);
  expect(reasonOf(rehash(altered(log, 3, { at: '2026-11-21T00:00:00.000Z' }), 3))).toEqual([3, 'at-fell']);
  const paid = { ...log[0].payload, inputDigest: 'cd'.repeat(32) };
  expect(reasonOf(rehash(altered(log, 0, { payload: paid })))).toEqual([0, 'genesis-differs']);
  const closedUp = log.filter(({ seq }) => seq !== 2).map((record, seq) => ({ ...record, seq }));
  expect(reasonOf(rehash(closedUp, 2))).not.toBe('valid');
  expect(reasonOf(rehash(altered(log, 5, { idemKey: 'ab'.repeat(32) }), 5))).not.toBe('valid');
  // What the chain alone cannot know: this is for checkpoints.
  expect(reasonOf(rehash(altered(log, 4, { payload: { note: 'another' } }), 4))).toBe('valid');
});

test('nothing follows the end of a log', () => {
  const { completed } = logs;
  const entry = exampleEntries(SAGA, 'completed')[1];
  const more = appendRecords(completed.at(-1), [entry], { sagaId: SAGA, fence: 2, nowMs: START_MS + 99 });
  expect(reasonOf([...completed, ...more])).toMatchObject([completed.length, expect.any(String)]);
});

test('a payload that has no canonical form is a fault of its record', () => {
  expect(reasonOf(altered(logs.completed, 2, { payload: { text: '\ud800' } }))).toEqual([
    2,
    'payload-not-canonical',
  ]);
  let deep: WalRecord['payload'] = {};
  for (let depth = 0; depth < 50_000; depth += 1) deep = { deep };
  expect(reasonOf(altered(logs.completed, 2, { payload: deep }))).toEqual([2, 'hash-differs']);
});

test('records come back from an answer as they were', () => {
  for (const log of [logs.completed, logs.compensated]) {
    const events = JSON.parse(JSON.stringify(log.map(publishRecord))) as object[];
    expect(events.map(event => readWalEvent(SAGA, event))).toEqual(log);
  }
});

test('an event that says another digest than its payload has, or is no event, is not read', () => {
  const event = publishRecord(logs.compensated[5]);
  const refused = (change: object) => expect(readWalEvent(SAGA, { ...event, ...change })).toBeUndefined();
  refused({ payloadDigest: `0x${'00'.repeat(32)}` });
  refused({ payload: { other: 1 } });
  refused({ payload: [] });
  refused({ payload: { text: '\ud800' } });
  refused({ hash: event.hash.slice(2) });
  refused({ idemKey: 'ab' });
  refused({ kind: 'NONE' });
  refused({ step: 1 });
  refused({ seq: 0.5 });
  refused({ at: 5 });
  expect(readWalEvent(SAGA, null)).toBeUndefined();
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      expect(readWalEvent(SAGA, value)).toBeUndefined();
    }),
  );
});
