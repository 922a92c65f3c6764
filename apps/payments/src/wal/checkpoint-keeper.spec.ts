import { expect, it, jest } from '@jest/globals';
import { createLogger, type EventStream, type LockedSession } from '@svc/platform';
import { CheckpointKeeper } from './checkpoint-keeper.js';
import { WAL_SIGNING_SEEDS, walKeysOf } from './wal-config.js';

const SEED = 'a-seed-of-checkpoint-keys-of-32-characters';
const HEAD = { saga_id: 'b3a0a1f2-0000-4000-8000-000000000001', wal_count: 3, head: 'ab'.repeat(32) };

/** A database with one head that is due, in which checkpoints are stored once `store` lets them. */
function sessionOf(store: () => Promise<void>): LockedSession {
  const query = (text: string): Promise<never[]> => {
    if (text.includes('FROM saga_unsealed ORDER')) return Promise.resolve([HEAD] as never[]);
    return (text.startsWith('INSERT INTO wal_checkpoint (') ? store() : Promise.resolve()).then(() => []);
  };
  return { query, transaction: work => work() };
}

it('tells of a checkpoint once it is stored, and not before', async () => {
  const keeper = new CheckpointKeeper({
    keys: walKeysOf({ secrets: { [WAL_SIGNING_SEEDS]: SEED } }),
    stream: { publish: jest.fn() } as unknown as EventStream,
    file: undefined,
    logger: createLogger('payments', { level: 'silent' }),
  });
  const lost = new Error('the connection is gone');
  await expect(keeper.seal(sessionOf(() => Promise.reject(lost)))).rejects.toBe(lost);
  expect(keeper.newestCheckpoint()).toBeUndefined();

  const whileStored: unknown[] = [];
  const store = () => Promise.resolve(void whileStored.push(keeper.newestCheckpoint()));
  expect(await keeper.seal(sessionOf(store))).toBe(1);
  expect(whileStored).toEqual([undefined]);
  expect(keeper.newestCheckpoint()).toMatchObject({ number: 1, leafCount: 1 });
});
