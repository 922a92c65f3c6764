import { openWorkQueue } from './open-work-queue.js';
import { describe, expect, it } from '@jest/globals';
import { createLogger } from '../observability/logger.js';
import { MemoryBus, MemoryLink } from './memory-bus.js';
import { MemoryWork } from './work-queue-memory.js';
import { itKeepsTheWorkQueueContract } from './work-queue.contract.js';

const logger = createLogger('department', { level: 'silent' });

describe('work queues in process', () => {
  itKeepsTheWorkQueueContract(async () => {
    const bus = new MemoryBus();
    return {
      open: async (settings = {}) => {
        const link = new MemoryLink(bus);
        return {
          queue: openWorkQueue(link, { owner: 'department', idleMs: 20, ...settings }, logger),
          kill: () => link.close(),
        };
      },
    };
  });

  it('shows a service its own queues alone', async () => {
    const bus = new MemoryBus();
    const [prover, department] = (['prover', 'department'] as const).map(owner =>
      openWorkQueue(new MemoryLink(bus), { owner }, logger),
    );
    await prover.add({ queue: 'jobs', id: 'a', data: new Uint8Array(0) });
    expect([await prover.depth('jobs'), await department.depth('jobs')]).toEqual([1, 0]);
  });

  it('knows an id again for ten minutes', () => {
    let nowMs = 0;
    const work = new MemoryWork(() => nowMs);
    const item = { queue: 'q', id: 'a', data: new Uint8Array(0) };
    work.add(item, 10);
    nowMs = 10 * 60_000 - 1;
    work.add(item, 10);
    expect(work.size).toBe(1);
    nowMs += 1;
    work.add(item, 10);
    expect(work.size).toBe(2);
  });
});
