import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '@svc/platform';
import { fastify, type FastifyInstance } from 'fastify';
import { noteCaller } from '../../src/rate-limit/caller.js';
import type { TrustedProxies } from '../../src/rate-limit/client-address.js';
import { REFUSAL_LINES } from '../../src/rate-limit/refusal-lines.js';
import {
  PAUSED_OF_ADDRESS_MAX,
  pauseRefusal,
  PROMPT_REFUSALS,
  REFUSAL_PAUSE_MS,
  RefusalPauses,
} from '../../src/rate-limit/refusal-pauses.js';

const [MALLORY, ALICE] = ['192.0.2.1', '192.0.2.2'];

let instance: FastifyInstance;
let address: string;
/** Those that wait: each ends one pause. */
let pauses: (() => void)[];
let waits: number[];
let lines: Record<string, unknown>[];
async function serve(factor: number): Promise<void> {
  [pauses, waits, lines] = [[], [], []];
  const logger = createLogger('gateway', { level: 'silent' });
  logger.warn = ((line: Record<string, unknown>) => lines.push(line)) as typeof logger.warn;
  const wait = (ms: number) => {
    waits.push(ms);
    return new Promise<void>(resolve => pauses.push(resolve));
  };
  instance = fastify();
  instance.addHook('onRequest', (request, _reply, done) => {
    const clientOf = () => request.headers['x-from'] as string;
    noteCaller(request, { trustedProxies: { clientOf, trusts: () => false } as unknown as TrustedProxies });
    done();
  });
  new RefusalPauses(logger, { factor }, wait).register(instance);
  instance.get('/:status', async (request, reply) =>
    reply.code(Number((request.params as { status: string }).status)).send({}),
  );
  instance.get('/within/:status', async (request, reply) => {
    await pauseRefusal(request, reply, Number((request.params as { status: string }).status));
    return { isRefused: true };
  });
  address = await instance.listen({ port: 0, host: '127.0.0.1' });
}
beforeEach(() => serve(1));
afterEach(() => instance.close());

const ask = async (status: number | string, from = MALLORY) =>
  (await fetch(`${address}/${status}`, { headers: { 'x-from': from, connection: 'close' } })).status;
const whenWaiting = async (count: number) => {
  while (pauses.length < count) await new Promise(resolve => setImmediate(resolve));
};

describe('a refusal', () => {
  it.each([
    [429, PROMPT_REFUSALS.limits.count],
    [401, PROMPT_REFUSALS.failures.count],
    [403, PROMPT_REFUSALS.failures.count],
  ])('%i comes at once %i times, and waits afterwards', async (status, prompt) => {
    for (let turn = 0; turn < prompt; turn++) expect(await ask(status)).toBe(status);
    expect(pauses).toHaveLength(0);
    const paused = ask(status);
    await whenWaiting(1);
    expect(waits).toEqual([REFUSAL_PAUSE_MS]);
    // Others, and what is not refused, do not wait with it.
    expect(await ask(status, ALICE)).toBe(status);
    expect(await ask(200)).toBe(200);
    expect(await ask(402)).toBe(402);
    expect(pauses).toHaveLength(1);
    pauses[0]();
    expect(await paused).toBe(status);
  });

  it('loses its connection where too many of one address wait', async () => {
    for (let turn = 0; turn < PROMPT_REFUSALS.limits.count; turn++) await ask(429);
    const paused = Array.from({ length: PAUSED_OF_ADDRESS_MAX }, () => ask(429));
    await whenWaiting(PAUSED_OF_ADDRESS_MAX);
    await expect(ask(429)).rejects.toThrow();
    expect(await ask(429, ALICE)).toBe(429);
    for (const end of pauses) end();
    expect(await Promise.all(paused)).toEqual(paused.map(() => 429));
    // Room again.
    const another = ask(429);
    await whenWaiting(PAUSED_OF_ADDRESS_MAX + 1);
    pauses.at(-1)!();
    expect(await another).toBe(429);
  });

  it('of a key or a right is logged with its address, and one of a limit is not', async () => {
    await ask(401);
    await ask(403, ALICE);
    await ask(429);
    expect(lines).toMatchObject([
      { security: 'refused', status: 401, address: MALLORY, method: 'GET', route: '/:status' },
      { security: 'refused', status: 403, address: ALICE },
    ]);
  });

  it.each([
    [429, PROMPT_REFUSALS.limits.count, 0],
    [401, PROMPT_REFUSALS.failures.count, PROMPT_REFUSALS.failures.count + 2],
    [403, PROMPT_REFUSALS.failures.count, PROMPT_REFUSALS.failures.count + 2],
  ])(
    '%i that stands within an answer counts, waits and is logged as any other',
    async (status, prompt, logged) => {
      for (let turn = 0; turn < prompt; turn++) expect(await ask(`within/${status}`)).toBe(200);
      expect(pauses).toHaveLength(0);
      const paused = [ask(`within/${status}`), ask(status)];
      await whenWaiting(2);
      for (const other of [200, 402, 404]) expect(await ask(`within/${other}`)).toBe(200);
      expect(pauses).toHaveLength(2);
      for (const end of pauses) end();
      expect(await Promise.all(paused)).toEqual([200, status]);
      expect(lines).toHaveLength(logged);
    },
  );

  it('of a key is logged so many times for an address, and then counted', async () => {
    for (let turn = 0; turn < REFUSAL_LINES.count + 5; turn++) {
      const refused = ask(401);
      if (turn >= PROMPT_REFUSALS.failures.count) {
        await whenWaiting(turn - PROMPT_REFUSALS.failures.count + 1);
        pauses.at(-1)!();
      }
      await refused;
    }
    expect(lines).toHaveLength(REFUSAL_LINES.count);
    await instance.close();
    expect(lines.at(-1)).toMatchObject({ security: 'refused', address: MALLORY, unwritten: 5 });
  });

  it('never waits where the limits are off', async () => {
    await instance.close();
    await serve(0);
    for (let turn = 0; turn <= PROMPT_REFUSALS.limits.count; turn++) await ask(429);
    expect(pauses).toHaveLength(0);
  });
});
