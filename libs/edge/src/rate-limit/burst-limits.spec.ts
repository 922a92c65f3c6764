import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BurstLimits, SIMULATED_FAULTS, SIMULATED_FAULTS_OF_DAY } from './burst-limits.js';
import { noteCaller } from './caller.js';
import type { TrustedProxies } from './client-address.js';
import { KnownKeys } from './known-keys.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const reply = { getHeader: () => undefined, header: () => reply } as unknown as FastifyReply;
const MINUTE_MS = 60_000;

describe('simulated faults', () => {
  /** Whether each of so many was let in. */
  async function fault(bursts: BurstLimits, address: string): Promise<string> {
    const raw = { socket: {}, headers: {}, rawHeaders: [] };
    const request = { raw, method: 'POST', url: '/', routeOptions: {} } as unknown as FastifyRequest;
    noteCaller(request, { trustedProxies: { clientOf: () => address } as unknown as TrustedProxies });
    await bursts.takeRequest(request, reply);
    return bursts.takeSimulatedFault(request, reply).then(
      () => 'taken',
      (error: { payload: { errors: { path: string }[] } }) => error.payload.errors[0].path,
    );
  }

  it('are so many in a minute, and so many in a day, of each address', async () => {
    const bursts = new BurstLimits(1, new KnownKeys(() => Promise.reject(new Error('nobody asks'))));
    for (let taken = 0; taken < SIMULATED_FAULTS_OF_DAY; taken += SIMULATED_FAULTS) {
      for (let turn = 0; turn < SIMULATED_FAULTS; turn++)
        expect(await fault(bursts, '192.0.2.1')).toBe('taken');
      expect(await fault(bursts, '192.0.2.1')).toBe('simulated-faults');
      await jest.advanceTimersByTimeAsync(MINUTE_MS);
    }
    expect(await fault(bursts, '192.0.2.1')).toBe('simulated-faults-of-day');
    expect(await fault(bursts, '192.0.2.2')).toBe('taken');
    await jest.advanceTimersByTimeAsync(24 * 60 * MINUTE_MS);
    expect(await fault(bursts, '192.0.2.1')).toBe('taken');
  });
});
