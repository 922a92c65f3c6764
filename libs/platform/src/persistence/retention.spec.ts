import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Logger } from 'pino';
import { Retention } from './retention.js';

describe('retention', () => {
  const lines: unknown[][] = [];
  const logger = {
    info: (...line: unknown[]) => lines.push(['info', ...line]),
    warn: (...line: unknown[]) => lines.push(['warn', ...line]),
  } as unknown as Logger;
  beforeEach(() => {
    jest.useFakeTimers();
    lines.length = 0;
  });
  afterEach(() => void jest.useRealTimers());

  it('runs once an interval from the begin of the application to its end', async () => {
    let rounds = 0;
    const retention = new Retention(1_000, { proofs: async () => ++rounds && 0 }, logger);
    await jest.advanceTimersByTimeAsync(5_000);
    expect(rounds).toBe(0);
    retention.onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(999);
    expect(rounds).toBe(0);
    await jest.advanceTimersByTimeAsync(2_001);
    expect(rounds).toBe(3);
    retention.onApplicationShutdown();
    await jest.advanceTimersByTimeAsync(5_000);
    expect(rounds).toBe(3);
    expect(lines).toEqual([]);
  });

  it('goes on past what fails, in the same round and the next, and says what went and what failed', async () => {
    const counts = [3, 0, 2];
    const broken = () => Promise.reject(new Error('Postgres is away'));
    const purges = { proofs: broken, jobs: async () => counts.shift()!, calls: async () => 0 };
    const retention = new Retention(1_000, purges, logger);
    for (let round = 0; round < 3; round++) await retention.purge();
    const warned = ['warn', { of: 'proofs', reason: 'Postgres is away' }, expect.any(String)];
    expect(lines).toEqual([
      warned,
      ['info', { jobs: 3 }, expect.any(String)],
      warned,
      warned,
      ['info', { jobs: 2 }, expect.any(String)],
    ]);
  });
});
