import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { buildCheckpoint, type Checkpoint, checkpointLine, type SealedHeads } from '@svc/durability';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CheckpointFile, CheckpointFileError } from './checkpoint-file.js';
import { WAL_SIGNING_SEEDS, walFaults, walKeysOf } from './wal-config.js';

const SEED = 'a-seed-of-checkpoint-keys-of-32-characters';
const keysOf = (text: string) => walKeysOf({ secrets: { [WAL_SIGNING_SEEDS]: text } });

async function sealed(previous: Checkpoint | undefined, leafCount = 2): Promise<SealedHeads> {
  const { kid, sign } = keysOf(SEED).current(Date.now())!;
  const heads = Array.from({ length: leafCount }, () => ({
    sagaId: randomUUID(),
    count: 3,
    head: 'ab'.repeat(32),
  }));
  return buildCheckpoint(previous, heads, { keyId: kid, sign, nowMs: Date.now() });
}

describe('the checkpoint file', () => {
  let folder: string;
  let path: string;
  const open: CheckpointFile[] = [];
  const opened = () => {
    const file = new CheckpointFile(path);
    open.push(file);
    return file;
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-checkpoints-'));
    path = join(folder, 'made', 'on the way', 'checkpoints.jsonl');
  });
  afterEach(async () => {
    for (const file of open.splice(0)) await file.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('knows its last checkpoint again, however long the lines are', async () => {
    const first = await sealed(undefined);
    const second = await sealed(first.checkpoint, 2_000);
    const file = opened();
    expect(await file.last()).toBeUndefined();
    await file.append(first);
    await file.append(second);
    expect(await file.last()).toEqual(second.checkpoint);
    expect(await opened().last()).toEqual(second.checkpoint);
    expect(await readFile(path, 'utf8')).toBe(checkpointLine(first) + checkpointLine(second));
  });

  it('takes away a last line that was torn at any of its bytes, and goes on after the one before', async () => {
    const first = await sealed(undefined);
    const second = await sealed(first.checkpoint);
    await opened().append(first);
    const line = checkpointLine(second);
    for (let length = 1; length < line.length; length += 37) {
      await appendFile(path, line.slice(0, length));
      expect(await opened().last()).toEqual(first.checkpoint);
      expect(await readFile(path, 'utf8')).toBe(checkpointLine(first));
    }
    await opened().append(second);
    expect(await readFile(path, 'utf8')).toBe(checkpointLine(first) + line);
  });

  it('refuses a file whose last line is whole and no checkpoint, and leaves it as it is', async () => {
    await opened().append(await sealed(undefined));
    await appendFile(path, 'notes of mine\n');
    const before = await readFile(path, 'utf8');
    await expect(opened().last()).rejects.toThrow(CheckpointFileError);
    expect(await readFile(path, 'utf8')).toBe(before);
    await writeFile(path, 'torn from its first byte');
    expect(await opened().last()).toBeUndefined();
  });
});

describe('keys of checkpoints', () => {
  const NOW = Date.UTC(2026, 5, 1);

  it('are the same on every replica, and of another secret others', () => {
    expect(keysOf(SEED).published()).toEqual(keysOf(SEED).published());
    expect(keysOf(`${SEED}x`).published()[0].kid).not.toBe(keysOf(SEED).published()[0].kid);
    expect(keysOf(SEED).published()[0]).toMatchObject({
      alg: 'Ed25519',
      use: 'wal-checkpoint',
      revokedAt: null,
    });
  });

  it('take turns: the newest that may sign does, and those that ended stay published', () => {
    const [old, next, revoked] = [SEED, `${SEED}-next`, `${SEED}-lost`];
    const keys = keysOf(
      `${old}:2026-01-01:2026-07-01,${next}:2026-05-01,${revoked}:2026-05-15::revoked=2026-05-20`.replace(
        '::',
        ':2027-01-01:',
      ),
    );
    const kidOf = (secret: string) => keysOf(secret).published()[0].kid;
    expect(keys.current(NOW)?.kid).toBe(kidOf(next));
    expect(keys.current(Date.UTC(2026, 2, 1))?.kid).toBe(kidOf(old));
    expect(keys.current(Date.UTC(2025, 2, 1))).toBeUndefined();
    expect(keys.published().map(({ kid }) => kid)).toEqual([kidOf(revoked), kidOf(next), kidOf(old)]);
    expect(keys.published()[0].revokedAt).toBe('2026-05-20T00:00:00.000Z');
  });

  it('and the other variables of the log are refused by name where they are wrong', () => {
    expect(walFaults({ secrets: {} }, { EVENTS_REPLICAS: '9', EVENTS_BYTES_MAX: '12' })).toEqual([
      'WAL_SIGNING_SEEDS: is not set',
      expect.stringMatching(/^EVENTS_REPLICAS: /),
      expect.stringMatching(/^EVENTS_BYTES_MAX: /),
    ]);
    expect(walFaults({ secrets: { [WAL_SIGNING_SEEDS]: SEED } }, { EVENTS_REPLICAS: '' })).toEqual([]);
  });
});
