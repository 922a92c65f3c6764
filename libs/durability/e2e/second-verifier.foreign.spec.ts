import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ExampleKey, exampleEntries, sagaIdOf, START_MS } from '../testing/example-logs.js';
import { buildCheckpoint, type SealedHeads } from '../src/wal/checkpoint.js';
import { checkpointLine } from '../src/wal/checkpoint-file.js';
import { verifyChain } from '../src/wal/verify-wal.js';
import { appendRecords } from '../src/wal/wal-codec.js';
import { type PublishedWalEvent, publishRecord, readWalEvent } from '../src/wal/wal-event.js';
import type { JsonObject, WalRecord } from '../src/wal/wal-record.js';

const SCRIPT = fileURLToPath(new URL('../../../bench/second-verifier-wal/verify_wal.py', import.meta.url));

/** What canonical JSON has to spell in one way. */
const ODD: JsonObject[] = [
  {
    numbers: [
      0, -0, 1, 1.5, -1e-7, 1e21, 123456789012345680000, 5e-324, 1.7976931348623157e308, 0.000001, 1e-6,
    ],
  },
  { numbers: [9007199254740991, 4.35, 100, 333333333.33333329, 1e23, 0.1, 123e-20, 2 ** 70, 12345.678e10] },
  { ö: 'é\u2028\u007f\u001f"\\/', '\u{1f600}': '\u{10ffff}', '\ufb33': 'b', '1': '\b\f\n\r\t', '': {} },
  { nested: [{ b: [], a: null }, [true, false], { z: { y: { x: 'deep' } } }] },
];

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'svc-second-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

type Verdict = { readonly code: number | string; readonly stdout: string };
const python = (...args: string[]) =>
  new Promise<Verdict>(resolve =>
    execFile('python3', args, (error, stdout) => resolve({ code: error?.code ?? 0, stdout })),
  );

/** A test of its own where there is Python, and one that says so where there is none. */
const withPython = (name: string, work: () => Promise<void>) =>
  test(name, async () => {
    if ((await python('--version')).code !== 0) return console.log('SKIPPED: python3 is not installed');
    await work();
  });

/** Logs with odd payloads, and checkpoints over them; the views of the sagas as answers have them. */
async function example(key: ExampleKey) {
  const logs: WalRecord[][] = [];
  for (let index = 0; index < 9; index += 1) {
    const sagaId = sagaIdOf(index);
    const entries = exampleEntries(sagaId, index % 3 === 2 ? 'compensated' : 'completed').map(entry =>
      entry.kind === 'STEP_COMMIT' ? { ...entry, payload: ODD[index % ODD.length] } : entry,
    );
    logs.push(appendRecords(undefined, entries, { sagaId, fence: 1, nowMs: START_MS + index }));
  }
  const checkpoints: SealedHeads[] = [];
  for (const sagas of [logs.slice(0, 1), logs.slice(1, 4), logs.slice(2), logs.slice(0, 7)]) {
    const heads = sagas.map(log => ({
      sagaId: log[0].sagaId,
      count: log.length,
      head: log[log.length - 1].hash,
    }));
    const signer = { keyId: key.kid, sign: key.sign, nowMs: START_MS + 60_000 };
    checkpoints.push(await buildCheckpoint(checkpoints.at(-1)?.checkpoint, heads, signer));
  }
  return { logs, checkpoints };
}

async function second(views: readonly object[], checkpoints?: readonly SealedHeads[], key?: ExampleKey) {
  const path = (name: string) => join(folder, name);
  await writeFile(path('log.jsonl'), views.map(view => `${JSON.stringify(view)}\n`).join(''));
  if (!checkpoints || !key) return python(SCRIPT, path('log.jsonl'));
  await writeFile(path('checkpoints.jsonl'), checkpoints.map(checkpointLine).join(''));
  await writeFile(path('keys.json'), JSON.stringify({ keys: [key.published] }));
  return python(SCRIPT, path('log.jsonl'), path('checkpoints.jsonl'), path('keys.json'));
}

const viewOf = (log: readonly WalRecord[]) => ({ sagaId: log[0].sagaId, walEvents: log.map(publishRecord) });

withPython('a verifier in another language, written from the document, agrees on honest logs', async () => {
  const key = new ExampleKey('wal-1');
  const { logs, checkpoints } = await example(key);
  expect(logs.every(log => verifyChain(log).valid)).toBe(true);
  expect(await second(logs.map(viewOf), checkpoints, key)).toEqual({ code: 0, stdout: 'VALID\n' });
});

withPython('and refuses what this one refuses, of the same sagas', async () => {
  const key = new ExampleKey('wal-1');
  const { logs } = await example(key);
  const changes: ((event: Record<string, unknown>, index: number) => void)[] = [
    event => (event['payload'] = { ...(event['payload'] as object), more: 1 }),
    event => (event['attempt'] = Number(event['attempt']) + 1),
    event => (event['at'] = '2026-11-22T05:00:00.000Z'),
    event => (event['step'] = 'another'),
    event => (event['fence'] = 3),
    event => (event['kind'] = 'SAGA_STUCK'),
    event => (event['prevHash'] = event['hash']),
    event => (event['hash'] = `0x${'ab'.repeat(32)}`),
    event => (event['idemKey'] = `0x${'ab'.repeat(32)}`),
    event => (event['seq'] = Number(event['seq']) + 1),
  ];
  const altered = changes.map((change, index) => {
    const view = structuredClone(viewOf(logs[index % logs.length])) as {
      sagaId: string;
      walEvents: PublishedWalEvent[];
    };
    view.sagaId = logs[index % logs.length][0].sagaId;
    change(view.walEvents[(index * 3) % view.walEvents.length] as unknown as Record<string, unknown>, index);
    return view;
  });
  const ours = altered.filter(({ sagaId, walEvents }) => {
    const records = walEvents.map(event => readWalEvent(sagaId, event));
    return !records.every(record => record !== undefined) || !verifyChain(records).valid;
  });
  expect(ours).toHaveLength(changes.length);
  const { code, stdout } = await second(altered);
  expect(code).toBe(1);
  expect(
    stdout
      .trim()
      .split('\n')
      .map(line => line.slice('saga '.length, 'saga '.length + 36)),
  ).toEqual(altered.map(({ sagaId }) => sagaId));
});

withPython('and refuses forged, altered and cut checkpoints', async () => {
  const key = new ExampleKey('wal-1');
  const { logs, checkpoints } = await example(key);
  const views = logs.map(viewOf);
  const refused = async (list: readonly SealedHeads[], by = key) => {
    const { code, stdout } = await second(views, list, by);
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining('checkpoint') });
  };
  const [first, next, ...rest] = checkpoints;
  await refused(checkpoints, new ExampleKey('wal-1'));
  await refused([first, ...rest]);
  await refused([first, { ...next, leaves: next.leaves.slice(1) }, ...rest]);
  await refused([
    first,
    { ...next, checkpoint: { ...next.checkpoint, at: '2026-11-22T05:00:00.000Z' } },
    ...rest,
  ]);
  const { code, stdout } = await second(views.slice(1), checkpoints, key);
  expect({ code, stdout }).toEqual({
    code: 1,
    stdout: expect.stringContaining(`saga ${sagaIdOf(0)}, not as checkpoint 1`),
  });
});
