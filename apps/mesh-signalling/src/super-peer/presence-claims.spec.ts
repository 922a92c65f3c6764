import { jest } from '@jest/globals';
import { createLogger, MemoryBus, openBusLink, openPresenceBoard, type PresenceBoard } from '@svc/platform';
import { performance } from 'node:perf_hooks';
import { PresenceClaims } from './presence-claims.js';

const logger = createLogger('mesh-signalling', { level: 'silent' });
const TTL_MS = 300;

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise(resolve => setTimeout(resolve, 10));
}

it('entries that a board has lost all at once are back long before the next of their renewals', async () => {
  const ttlMs = 12_000;
  const held = new Map<string, string>();
  let count = 0;
  const put = (key: string) => {
    held.set(key, String(++count));
    return { revision: String(count) };
  };
  const lossy = {
    claim: async (key: string) => (held.has(key) ? undefined : put(key)),
    renew: async (key: string, _value: unknown, revision: string) =>
      held.get(key) === revision ? put(key) : undefined,
    release: async (key: string) => void held.delete(key),
  };
  jest.useFakeTimers();
  const claims = new PresenceClaims(lossy as unknown as PresenceBoard, ttlMs, logger);
  for (const key of ['node.n', 'session.a', 'session.b']) claims.hold(key, {});
  await jest.advanceTimersByTimeAsync(0);
  expect(held.size).toBe(3);
  held.clear();
  await jest.advanceTimersByTimeAsync(ttlMs / 6);
  expect(held.size).toBe(3);
  jest.useRealTimers();
  await claims.close();
  expect(held.size).toBe(0);
});

describe('entries that a replica keeps up', () => {
  let board: PresenceBoard;
  let close: () => Promise<void>;
  let claims: PresenceClaims;

  const open = async () => {
    const link = openBusLink({ kind: 'memory', bus: new MemoryBus() }, 'mesh-signalling', logger);
    await link.connect();
    board = openPresenceBoard(link, { owner: 'mesh-signalling', ttlMs: TTL_MS }, logger);
    claims = new PresenceClaims(board, TTL_MS, logger);
    close = async () => {
      await claims.close();
      await link.close();
    };
  };
  beforeEach(open);
  afterEach(async () => {
    jest.useRealTimers();
    jest.restoreAllMocks();
    await close();
  });

  const keys = async () => (await board.list('')).map(({ key }) => key);

  it('are there for longer than they would live, and gone once they are let go of', async () => {
    await close();
    jest.useFakeTimers();
    jest.spyOn(performance, 'now').mockImplementation(() => Date.now());
    await open();
    claims.hold('session.a', { nodeId: 'n' });
    claims.hold('session.b', { nodeId: 'n' });
    await jest.advanceTimersByTimeAsync(0);
    const seen: string[] = [];
    const { stop } = await board.watch('', ({ kind, key }) => void seen.push(`${kind} ${key}`));
    await jest.advanceTimersByTimeAsync(3 * TTL_MS);
    expect(seen).toEqual(['put session.a', 'put session.b']);
    claims.let('session.a');
    claims.let('session.a');
    await jest.advanceTimersByTimeAsync(0);
    expect(await keys()).toEqual(['session.b']);
    expect(await board.get('session.b')).toEqual({ key: 'session.b', value: { nodeId: 'n' } });
    expect(claims.size).toBe(1);
    stop();
  });

  it('come back when the board has lost them', async () => {
    const { renew } = board;
    let lost = 0;
    board.renew = async (key, value, revision) => {
      if (lost++ > 0) return renew.call(board, key, value, revision);
      await board.release(key, revision);
      return undefined;
    };
    claims.hold('node.n', {});
    await until(async () => lost > 1 && (await keys()).length === 1);
  });

  it('come when the board does, and rejections stay within', async () => {
    const { claim } = board;
    let tries = 0;
    board.claim = async (key, value) => {
      if (tries++ === 0) throw new Error('the board is away');
      return claim.call(board, key, value);
    };
    claims.hold('node.n', {});
    expect(await keys()).toEqual([]);
    await until(async () => (await keys()).length === 1);
    expect(tries).toBe(2);
  });

  it('that are let go of while they are claimed do not stay', async () => {
    claims.hold('session.a', {});
    claims.let('session.a');
    claims.hold('session.b', {});
    await claims.close();
    expect(await keys()).toEqual([]);
    expect(claims.size).toBe(0);
    claims.hold('session.c', {});
    expect(claims.size).toBe(0);
  });

  it('of another holder are left to it until they lapse', async () => {
    await board.claim('session.a', { nodeId: 'other' });
    claims.hold('session.a', { nodeId: 'n' });
    expect((await board.get('session.a'))?.value).toEqual({ nodeId: 'other' });
    await until(async () => JSON.stringify((await board.get('session.a'))?.value) === '{"nodeId":"n"}');
  });
});
