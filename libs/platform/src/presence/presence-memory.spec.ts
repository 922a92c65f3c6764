import { openPresenceBoard } from './open-presence-board.js';
import { describe, expect, it } from '@jest/globals';
import { MemoryBus, MemoryLink } from '../messaging/memory-bus.js';
import { createLogger } from '../observability/logger.js';
import { itKeepsThePresenceContract } from './presence-board.contract.js';
import { MemoryPresenceBoard, MemoryPresenceStore } from './presence-memory.js';

const logger = createLogger('mesh-signalling', { level: 'silent' });

describe('presence in process', () => {
  itKeepsThePresenceContract(async () => {
    const bus = new MemoryBus();
    const ttlMs = 400;
    return {
      ttlMs,
      open: async () => {
        const link = new MemoryLink(bus);
        return {
          board: openPresenceBoard(link, { owner: 'mesh-signalling', ttlMs }, logger),
          kill: () => link.close(),
        };
      },
    };
  });

  it('shows a service its own entries alone', async () => {
    const bus = new MemoryBus();
    const [mesh, snn] = (['mesh-signalling', 'snn'] as const).map(owner =>
      openPresenceBoard(new MemoryLink(bus), { owner }, logger),
    );
    expect(await mesh.claim('a', 1)).toBeDefined();
    expect([await mesh.count(''), await snn.count('')]).toEqual([1, 0]);
    expect(await snn.claim('a', 2)).toBeDefined();
  });

  it('keeps an entry for its lifetime from its last claim or renewal on, to the millisecond', async () => {
    let nowMs = 0;
    const link = { connected: true, presence: new MemoryPresenceStore(() => nowMs) };
    const board = new MemoryPresenceBoard(link, { owner: 'snn', ttlMs: 400 }, logger);
    let held = (await board.claim('a', 1))!;
    for (const endMs of [400, 799]) {
      nowMs = endMs - 1;
      expect([await board.claim('a', 2), await board.count('')]).toEqual([undefined, 1]);
      held = (await board.renew('a', 1, held.revision))!;
    }
    nowMs = 1_198;
    expect(await board.get('a')).toBeUndefined();
    expect(await board.claim('a', 2)).toBeDefined();
  });

  it('refuses a lifetime that no server keeps', () => {
    for (const ttlMs of [99, 86_400_001, 100.5, NaN, Infinity])
      expect(() =>
        openPresenceBoard(new MemoryLink(new MemoryBus()), { owner: 'snn', ttlMs }, logger),
      ).toThrow(/is not within 100 to 86400000/);
  });
});
