import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  BURST_CHALLENGE_DIVISOR,
  BURST_REQUESTS,
  BURST_SENT_BYTES,
  BURST_WINDOW_SECONDS,
  BurstLimits,
  SIMULATED_FAULTS,
  SIMULATED_FAULTS_OF_DAY,
  UNPAID_FILES,
  UNPAID_FILES_WINDOW_SECONDS,
} from './burst-limits.js';
import { noteCaller } from './caller.js';
import type { TrustedProxies } from './client-address.js';
import { KnownKeys } from './known-keys.js';
import { Pace } from './pace.js';

beforeEach(() => {
  jest.useFakeTimers();
  // Nobody waits for a turn: what is counted is another matter.
  jest.spyOn(Pace.prototype, 'take').mockReturnValue(0);
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

const reply = { getHeader: () => undefined, header: () => reply } as unknown as FastifyReply;
const MINUTE_MS = 60_000;

const limits = () => new BurstLimits(1, new KnownKeys(() => Promise.reject(new Error('nobody asks'))));
function requestOf(method: string, address = '192.0.2.1'): FastifyRequest {
  const raw = { socket: {}, headers: {}, rawHeaders: [] };
  const request = { raw, method, url: '/', routeOptions: {} } as unknown as FastifyRequest;
  noteCaller(request, { trustedProxies: { clientOf: () => address } as unknown as TrustedProxies });
  return request;
}
/** Begins a request, which is let in. */
async function begin(bursts: BurstLimits, method: string): Promise<FastifyRequest> {
  const request = requestOf(method);
  await bursts.takeRequest(request, reply);
  return request;
}
/** How often something is done before it is refused; at most so many times. */
async function timesUntilRefused(most: number, run: () => Promise<unknown>): Promise<number> {
  for (let times = 0; times < most; times++) {
    const isRefused = await run().then(
      () => false,
      () => true,
    );
    if (isRefused) return times;
  }
  return most;
}
const passWindow = () => jest.advanceTimersByTimeAsync(BURST_WINDOW_SECONDS * 1_000);

describe('what is given back', () => {
  const ANSWERS = BURST_SENT_BYTES / 262_144;

  it('of an answer that comes in a later window gives that one nothing', async () => {
    const bursts = limits();
    const held: FastifyRequest[] = [];
    for (let window = 0; window < 2; window++) {
      for (let count = 0; count < 240; count++) held.push(await begin(bursts, 'GET'));
      await passWindow();
    }
    for (const request of held) bursts.noteSent(request, 40);
    expect(await timesUntilRefused(2 * ANSWERS, () => begin(bursts, 'GET'))).toBe(ANSWERS);
    // Once it has begun as well.
    await passWindow();
    const late = [await begin(bursts, 'GET'), await begin(bursts, 'GET')];
    await passWindow();
    await begin(bursts, 'GET');
    for (const request of late) bursts.noteSent(request, 40);
    expect(await timesUntilRefused(2 * ANSWERS, () => begin(bursts, 'GET'))).toBe(ANSWERS - 1);
  });

  it('of a large answer delays the next call of its reader, and that of no other', async () => {
    const take = jest.mocked(Pace.prototype.take);
    take.mockRestore();
    const waits = jest.spyOn(Pace.prototype, 'take');
    const bursts = limits();
    bursts.noteSent(await begin(bursts, 'GET'), 4 * 1_048_576);
    void begin(bursts, 'GET');
    await bursts.takeRequest(requestOf('GET', '192.0.2.2'), reply);
    const waited = waits.mock.results.map(({ value }) => value as number);
    // 64 KiB in 4 ms, and 128 ms of it at once.
    expect(waited).toEqual([0, expect.closeTo(256 + 1 - 128, 5), 0]);
  });

  it('of a small answer leaves room for others in its window', async () => {
    const bursts = limits();
    const small = async () => bursts.noteSent(await begin(bursts, 'GET'), 1_024);
    expect(await timesUntilRefused(2 * ANSWERS, small)).toBe(2 * ANSWERS);
  });

  it('of a challenge never leaves more of them than a window has', async () => {
    const bursts = limits();
    const request = await begin(bursts, 'POST');
    const most = BURST_REQUESTS.address / BURST_CHALLENGE_DIVISOR;
    for (let paid = 0; paid < 5; paid++) await bursts.givePaidChallengeBack(request);
    expect(await timesUntilRefused(2 * most, () => bursts.takeChallenge(request))).toBe(most);
    await passWindow();
    await bursts.givePaidChallengeBack(request);
    expect(await timesUntilRefused(2 * most, () => bursts.takeChallenge(request))).toBe(most);
  });

  it('of a file is given once, and to the window that counted it', async () => {
    const bursts = limits();
    const request = await begin(bursts, 'POST');
    const file = () => ({ pdfBase64: '' });
    const body = file();
    await bursts.takeFile(request, body);
    await jest.advanceTimersByTimeAsync(UNPAID_FILES_WINDOW_SECONDS * 1_000);
    await bursts.takeFile(request, file());
    for (let turn = 0; turn < 2; turn++) await bursts.giveFileBack(body);
    const take = () => bursts.takeFile(request, file());
    expect(await timesUntilRefused(2 * UNPAID_FILES, take)).toBe(UNPAID_FILES - 1);
  });
});

describe('simulated faults', () => {
  /** Whether each of so many was let in. */
  async function fault(bursts: BurstLimits, address: string): Promise<string> {
    const request = requestOf('POST', address);
    await bursts.takeRequest(request, reply);
    return bursts.takeSimulatedFault(request, reply).then(
      () => 'taken',
      (error: { payload: { errors: { path: string }[] } }) => error.payload.errors[0].path,
    );
  }

  it('are so many in a minute, and so many in a day, of each address', async () => {
    const bursts = limits();
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
