import fc from 'fast-check';
import {
  ExampleDatabase,
  ExampleKey,
  exampleLog,
  sagaIdOf,
  START_MS,
  verifyEd25519,
} from '../../testing/example-logs.js';
import { buildCheckpoint, checkpointHash, type SealedHeads } from './checkpoint.js';
import { checkpointLine, type CheckpointLine, readCheckpointFile } from './checkpoint-file.js';
import { type LogReport, verifyLogs } from './verify-logs.js';
import { recordHash } from './wal-codec.js';
import type { WalRecord } from './wal-record.js';

const key = new ExampleKey('wal-1');
const keys = { keys: [key.published], verify: verifyEd25519 };
const [first, second, third, running] = [1, 2, 3, 4].map(sagaIdOf);

/** Three sagas that ended and one that runs, under three checkpoints; the last saga is under none yet. */
const honest = new ExampleDatabase();
/** What was written outside, as the checkpoints were made. */
const file: string[] = [];

beforeAll(async () => {
  const seal = async (...sagaIds: string[]) =>
    void file.push(checkpointLine(await honest.seal(key, ...sagaIds)));
  honest.write(exampleLog(second).slice(0, 4));
  await seal(second);
  honest.write(exampleLog(first));
  honest.write(exampleLog(second).slice(4));
  await seal(first, second);
  honest.write(exampleLog(third, 'compensated'));
  await seal(third);
  honest.write(exampleLog(running, 'completed', 5));
});

async function* lines(...texts: string[]): AsyncGenerator<CheckpointLine> {
  yield* readCheckpointFile([new TextEncoder().encode(texts.join(''))]);
}

const verify = (database: ExampleDatabase, withFile = false): Promise<LogReport> =>
  verifyLogs(database, { keys, ...(withFile ? { outside: lines(...file) } : {}) });

/** Verifies a copy that was tampered with, without the file and with it. */
async function tampered(tamper: (database: ExampleDatabase) => void | Promise<void>) {
  const database = honest.clone();
  await tamper(database);
  const [inside, outside] = [await verify(database), await verify(database, true)];
  expect(inside.valid).toBe(inside.findingCount === 0);
  return { inside: inside.findings, outside: outside.findings };
}

const recordOf = (database: ExampleDatabase, sagaId: string, seq: number) =>
  database.wal.find(
    record => record.sagaId === sagaId && record.seq === seq,
  ) as ExampleDatabase['wal'][number];

function rehash(database: ExampleDatabase, sagaId: string, from: number): void {
  const chain = database.wal.filter(record => record.sagaId === sagaId).sort((a, b) => a.seq - b.seq);
  for (const record of chain.slice(from)) {
    if (record.seq > 0) record.prevHash = chain[record.seq - 1].hash;
    record.hash = recordHash(record);
  }
  const row = database.rows.find(saga => saga.sagaId === sagaId);
  if (row) [row.head, row.count] = [(chain.at(-1) as WalRecord).hash, chain.length];
}

test('an honest database holds, with what was kept outside and without', async () => {
  const report = await verify(honest, true);
  expect(report).toMatchObject({
    valid: true,
    sagas: 4,
    records: 10 + 10 + 14 + 5,
    checkpoints: 3,
    recordsUncovered: 5,
    signatures: 'checked',
    outsideCheckpoints: 3,
    outsideTorn: false,
    findings: [],
  });
  expect(await verifyLogs(honest)).toMatchObject({ valid: true, signatures: 'unchecked' });
  expect(await verifyLogs(new ExampleDatabase(), { keys })).toMatchObject({
    valid: true,
    sagas: 0,
    records: 0,
  });
});

test('one byte of one row is found, and its record named', async () => {
  const { inside } = await tampered(database => {
    recordOf(database, first, 6).payload = { note: 'prove is Done', at: 1.5 };
  });
  expect(inside).toEqual([{ sagaId: first, seq: 6, reason: 'hash-differs' }]);
});

test('a deleted, a moved and an inserted record are found', async () => {
  const deleted = await tampered(database => {
    database.wal = database.wal.filter(({ sagaId, seq }) => sagaId !== third || seq !== 5);
  });
  expect(deleted.inside).toEqual([{ sagaId: third, seq: 5, reason: 'record-missing' }]);
  const moved = await tampered(database => {
    const [three, four] = [recordOf(database, first, 3), recordOf(database, first, 4)];
    [three.seq, four.seq] = [4, 3];
  });
  expect(moved.inside).toEqual([{ sagaId: first, seq: 3, reason: 'prev-hash-differs' }]);
  const inserted = await tampered(database => {
    database.wal.push({ ...recordOf(database, first, 9), seq: 10 });
  });
  expect(inserted.inside).toEqual([{ sagaId: first, seq: 10, reason: 'prev-hash-differs' }]);
});

test('a tail that was cut off is found by the row of its saga, or by its checkpoint', async () => {
  const cut = await tampered(database => {
    database.wal = database.wal.filter(({ sagaId, seq }) => sagaId !== running || seq < 4);
  });
  expect(cut.inside).toEqual([{ sagaId: running, seq: 4, reason: 'tail-missing' }]);
  const cutWithItsRow = await tampered(database => {
    database.wal = database.wal.filter(({ sagaId, seq }) => sagaId !== first || seq < 7);
    const row = database.rows.find(({ sagaId }) => sagaId === first);
    Object.assign(row as object, { count: 7, head: recordOf(database, first, 6).hash, state: 'RUNNING' });
  });
  expect(cutWithItsRow.inside).toEqual([{ sagaId: first, seq: 7, reason: 'tail-missing', checkpoint: 2 }]);
});

test('a saga that was deleted whole is found by its checkpoint', async () => {
  const { inside } = await tampered(database => {
    database.wal = database.wal.filter(({ sagaId }) => sagaId !== second);
    database.rows = database.rows.filter(({ sagaId }) => sagaId !== second);
  });
  expect(inside).toEqual([{ sagaId: second, seq: 0, reason: 'saga-missing', checkpoint: 1 }]);
});

test('a chain that was written anew with all its hashes is found by its checkpoint', async () => {
  const { inside } = await tampered(database => {
    recordOf(database, second, 6).payload = { note: 'another' };
    rehash(database, second, 6);
  });
  // Up to the checkpoint before, it is still the same.
  expect(inside).toEqual([{ sagaId: second, seq: 9, reason: 'differs-from-checkpoint', checkpoint: 2 }]);
});

test('a tail that was cut off with its checkpoints is found by what was kept outside, and by that alone', async () => {
  const forget = (database: ExampleDatabase) => {
    database.wal = database.wal.filter(({ sagaId }) => sagaId !== third && sagaId !== running);
    database.rows = database.rows.filter(({ sagaId }) => sagaId !== third && sagaId !== running);
    database.list.pop();
  };
  const { inside, outside } = await tampered(forget);
  expect(inside).toEqual([]);
  expect(outside).toEqual([
    { reason: 'checkpoint-missing-from-database', checkpoint: 3, line: 3 },
    { reason: 'saga-missing', sagaId: third, seq: 0 },
  ]);
  const cut = await tampered(database => {
    database.wal = database.wal.filter(({ sagaId, seq }) => sagaId !== second || seq < 4);
    const row = database.rows.find(({ sagaId }) => sagaId === second);
    Object.assign(row as object, { count: 4, head: recordOf(database, second, 3).hash, state: 'RUNNING' });
    database.list.splice(1);
    database.wal = database.wal.filter(({ sagaId }) => sagaId === second);
    database.rows = database.rows.filter(({ sagaId }) => sagaId === second);
  });
  expect(cut.inside).toEqual([]);
  expect(cut.outside).toContainEqual({ reason: 'tail-missing', sagaId: second, seq: 4 });
});

test('a history that somebody with the key wrote anew differs from what was kept outside', async () => {
  const { inside, outside } = await tampered(async database => {
    recordOf(database, third, 3).payload = { note: 'another' };
    rehash(database, third, 3);
    database.list.pop();
    await database.seal(key, third);
  });
  expect(inside).toEqual([]);
  expect(outside).toEqual([
    { reason: 'checkpoint-differs-from-outside', checkpoint: 3, line: 3 },
    { reason: 'differs-from-outside-checkpoint', sagaId: third, seq: 13 },
  ]);
});

test('a checkpoint that was altered, forged, deleted or moved is found', async () => {
  const forge = async (database: ExampleDatabase, sign: ExampleKey) => {
    recordOf(database, third, 3).payload = { note: 'another' };
    rehash(database, third, 3);
    database.list.pop();
    await database.seal(sign, third);
  };
  const { inside } = await tampered(database => forge(database, new ExampleKey('wal-1')));
  expect(inside).toEqual([{ reason: 'signature-bad', checkpoint: 3 }]);
  const unknown = await tampered(database => forge(database, new ExampleKey('wal-9')));
  expect(unknown.inside).toEqual([{ reason: 'signature-bad', checkpoint: 3 }]);

  const deleted = await tampered(database => void database.list.splice(1, 1));
  expect(deleted.inside).toEqual([{ reason: 'checkpoint-missing', checkpoint: 2 }]);
  const beheaded = await tampered(database => void database.list.shift());
  expect(beheaded.inside).toEqual([{ reason: 'checkpoint-missing', checkpoint: 1 }]);
  const altered = await tampered(database => {
    const { checkpoint } = database.list[1];
    checkpoint.leafCount = 3;
    checkpoint.hash = checkpointHash(checkpoint);
  });
  expect(altered.inside).toContainEqual({ reason: 'root-differs', checkpoint: 2 });
  expect(altered.inside).toContainEqual({ reason: 'checkpoint-prev-hash-differs', checkpoint: 3 });
  const leafless = await tampered(database => void database.list[1].leaves.pop());
  expect(leafless.inside).toContainEqual({ reason: 'root-differs', checkpoint: 2 });
});

test('a row of a saga that says another thing than its log is found', async () => {
  const row = (database: ExampleDatabase, sagaId: string) =>
    database.rows.find(saga => saga.sagaId === sagaId) as ExampleDatabase['rows'][number];
  const state = await tampered(database => void (row(database, third).state = 'COMPLETED'));
  expect(state.inside).toEqual([{ sagaId: third, seq: 13, reason: 'saga-state-differs' }]);
  const head = await tampered(database => void (row(database, third).head = 'ab'.repeat(32)));
  expect(head.inside).toEqual([{ sagaId: third, seq: 13, reason: 'saga-head-differs' }]);
  const count = await tampered(database => void (row(database, third).count = 12));
  expect(count.inside).toEqual([{ sagaId: third, seq: 12, reason: 'record-unknown-to-saga' }]);
  const none = await tampered(database => void (database.rows = database.rows.slice(1)));
  expect(none.inside).toMatchObject([{ reason: 'saga-row-missing' }]);
});

test('any member of any row of the log that is altered is found, whatever it is', async () => {
  const members = [
    'seq',
    'kind',
    'step',
    'attempt',
    'idemKey',
    'payload',
    'fence',
    'at',
    'prevHash',
    'hash',
  ] as const;
  const other = fc.oneof(
    fc.nat(20),
    fc.constantFrom('STEP_COMMIT', 'settle', 'x', 'ab'.repeat(32)),
    fc.constant(null),
  );
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.constantFrom(...members), other, async (nth, member, value) => {
      const database = honest.clone();
      const record = database.wal[nth % database.wal.length] as Record<string, unknown>;
      fc.pre(JSON.stringify(record[member]) !== JSON.stringify(value));
      record[member] = member === 'payload' ? { value } : value;
      const { valid, findings } = await verify(database);
      expect(valid).toBe(false);
      expect(findings.map(({ sagaId }) => sagaId)).toContain(record['sagaId']);
    }),
    { numRuns: 200 },
  );
});

test('checkpoints of a revoked key count where a key in force has signed one after them', async () => {
  const old = new ExampleKey('wal-0', { revokedAt: '2026-11-23T00:00:00Z' });
  const database = new ExampleDatabase();
  database.write(exampleLog(first));
  await database.seal(old, first);
  const both = { keys: { keys: [old.published, key.published], verify: verifyEd25519 } };
  expect((await verifyLogs(database, both)).findings).toEqual([{ reason: 'key-revoked', checkpoint: 1 }]);
  database.write(exampleLog(second));
  await database.seal(key, second);
  expect((await verifyLogs(database, both)).valid).toBe(true);
  // Whoever has the revoked key writes history anew: what was signed after it does not link to that.
  const { leaves } = database.list[0];
  const nowMs = START_MS + 59_000;
  const stolen = await buildCheckpoint(undefined, leaves, { keyId: old.kid, sign: old.sign, nowMs });
  database.list[0] = structuredClone(stolen) as (typeof database.list)[number];
  expect((await verifyLogs(database, both)).findings).toEqual([
    { reason: 'checkpoint-prev-hash-differs', checkpoint: 2 },
    { reason: 'key-revoked', checkpoint: 1 },
  ]);
});

test('a checkpoint file is itself held to its hashes, roots and signatures', async () => {
  const line = (sealed: SealedHeads) => checkpointLine(sealed);
  const check = async (...texts: string[]) =>
    (await verifyLogs(honest, { keys, outside: lines(...texts) })).findings;
  expect(await check(...file, ...file)).toEqual([]);
  const forger = new ExampleKey('wal-1');
  const heads = [{ sagaId: sagaIdOf(9), count: 10, head: 'ab'.repeat(32) }];
  const last = honest.list[2].checkpoint;
  const forged = await buildCheckpoint(last, heads, { keyId: 'wal-1', sign: forger.sign, nowMs: Date.now() });
  // A file that anybody could have written accuses no database.
  expect(await check(line(forged))).toEqual([{ reason: 'outside-signature-bad', checkpoint: 4, line: 1 }]);
  expect(await check('nonsense\n', file[0])).toEqual([{ reason: 'outside-line-malformed', line: 1 }]);
  const other = { ...honest.list[0], leaves: heads };
  expect(await check(line(other))).toEqual([{ reason: 'outside-root-differs', checkpoint: 1, line: 1 }]);
  const moved = { checkpoint: { ...last, number: 2 }, leaves: honest.list[2].leaves };
  expect(await check(line(moved))).toEqual([
    { reason: 'outside-checkpoint-hash-differs', checkpoint: 2, line: 1 },
  ]);
});

test('a file that is being written is not held against the database', async () => {
  const report = await verifyLogs(honest, { keys, outside: lines(...file, file[0].slice(0, 50)) });
  expect(report).toMatchObject({ valid: true, outsideTorn: true, outsideCheckpoints: 3 });
});

test('of many findings the first thousand are listed, and all are counted', async () => {
  const database = new ExampleDatabase();
  for (let index = 0; index < 1_200; index += 1) database.write(exampleLog(sagaIdOf(index), 'completed', 2));
  database.wal = database.wal.filter(({ seq }) => seq === 1);
  const report = await verifyLogs(database);
  expect(report.findings).toHaveLength(1_000);
  expect(report).toMatchObject({ valid: false, findingCount: 1_200, sagas: 1_200 });
});
