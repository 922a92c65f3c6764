import fc from 'fast-check';
import { ExampleKey, sagaIdOf, START_MS } from '../../testing/example-logs.js';
import { buildCheckpoint, CHECKPOINT_LEAVES_MAX, type SealedHeads } from './checkpoint.js';
import {
  CHECKPOINT_LINE_BYTES_MAX,
  checkpointLine,
  type CheckpointLine,
  parseCheckpointLine,
  publishCheckpoint,
  readCheckpointFile,
} from './checkpoint-file.js';

const key = new ExampleKey('wal-1');
const seal = (leafCount: number, previous?: SealedHeads) =>
  buildCheckpoint(
    previous?.checkpoint,
    Array.from({ length: leafCount }, (_, index) => ({
      sagaId: sagaIdOf(index),
      count: 10,
      head: 'ab'.repeat(32),
    })),
    { keyId: key.kid, sign: key.sign, nowMs: START_MS },
  );

async function linesOf(chunks: Iterable<Uint8Array>): Promise<CheckpointLine[]> {
  const lines: CheckpointLine[] = [];
  for await (const line of readCheckpointFile(chunks)) lines.push(line);
  return lines;
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

test('a file is read as it was written, wherever its chunks are cut', async () => {
  const first = await seal(3);
  const second = await seal(5, first);
  const bytes = bytesOf(checkpointLine(first) + checkpointLine(second));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 6 }), async cuts => {
      const ends = [...cuts, bytes.length].sort((a, b) => a - b);
      const chunks = ends.map((end, index) => bytes.slice(index === 0 ? 0 : ends[index - 1], end));
      expect(await linesOf(chunks)).toEqual([
        { line: 1, ...first },
        { line: 2, ...second },
      ]);
    }),
  );
});

test('the longest line that there can be is within the bound', async () => {
  const line = checkpointLine(await seal(CHECKPOINT_LEAVES_MAX));
  expect(bytesOf(line).length).toBeLessThan(CHECKPOINT_LINE_BYTES_MAX);
  expect(await linesOf([bytesOf(line)])).toMatchObject([{ line: 1, checkpoint: { number: 1 } }]);
});

test('what is no line is named by its number, and the lines around it are read', async () => {
  const good = checkpointLine(await seal(1));
  const text = `${good}\nnone\n{"checkpoint":{}}\n${good}`;
  expect(await linesOf([bytesOf(text), Uint8Array.of(0xff, 10), bytesOf(good)])).toMatchObject([
    { line: 1, checkpoint: { number: 1 } },
    { line: 3, fault: 'line-malformed' },
    { line: 4, fault: 'line-malformed' },
    { line: 5, checkpoint: { number: 1 } },
    { line: 6, fault: 'line-malformed' },
    { line: 7, checkpoint: { number: 1 } },
  ]);
});

test('a last line without an end is torn, whatever it holds', async () => {
  const good = checkpointLine(await seal(1));
  expect(await linesOf([bytesOf(good + good.slice(0, -1))])).toMatchObject([
    { line: 1 },
    { line: 2, fault: 'torn' },
  ]);
});

test('a line beyond the bound is not held in memory, and the next one is read', async () => {
  const good = bytesOf(checkpointLine(await seal(1)));
  const piece = new Uint8Array(65_536).fill(0x20);
  function* endless() {
    for (let sent = 0; sent < 512 * 1_048_576; sent += piece.length) yield piece;
    yield Uint8Array.of(10);
    yield good;
  }
  const before = process.memoryUsage().rss;
  expect(await linesOf(endless())).toMatchObject([{ line: 1, fault: 'line-too-long' }, { line: 2 }]);
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1_048_576);
});

test('no bytes make the reader throw or invent a checkpoint', async () => {
  const good = bytesOf(checkpointLine(await seal(4)));
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(good.length - 2), fc.nat(255)), { minLength: 1, maxLength: 3 }),
      async edits => {
        const bytes = Uint8Array.from(good);
        for (const [at, byte] of edits) bytes[at] = byte;
        for (const line of await linesOf([bytes])) {
          if ('fault' in line) continue;
          // What is read is what is written there: writing it again gives the same text, spacing and order aside.
          const { checkpoint, leaves } = line;
          const again = leaves
            ? (JSON.parse(checkpointLine({ checkpoint, leaves })) as object)
            : { checkpoint: publishCheckpoint(checkpoint) };
          expect(JSON.parse(new TextDecoder().decode(bytes))).toMatchObject(again);
        }
      },
    ),
    { numRuns: 300 },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 80 }), { maxLength: 4 }), async chunks => {
      for (const line of await linesOf(chunks)) expect(line).toHaveProperty('fault');
    }),
  );
});

test('leaves may be left out, but are never of another count', async () => {
  const { checkpoint, leaves } = await seal(2);
  const line = (more: object) =>
    parseCheckpointLine(JSON.stringify({ checkpoint: publishCheckpoint(checkpoint), ...more }));
  expect(line({})).toEqual({ checkpoint, leaves: undefined });
  const rows = leaves.map(({ sagaId, count, head }) => [sagaId, count, `0x${head}`]);
  expect(line({ leaves: rows })).toEqual({ checkpoint, leaves });
  expect(line({ leaves: rows.slice(1) })).toBeUndefined();
  expect(line({ leaves: [...rows.slice(1), [sagaIdOf(0), '10', `0x${'ab'.repeat(32)}`]] })).toBeUndefined();
  expect(line({ leaves: 'none' })).toBeUndefined();
});
