import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Controller } from '@nestjs/common';
import { licencesContract, type ParsedRequestOf, type ReplyOf } from '@svc/contracts';
import { createLogger, Handle, MemoryBus, problem, type RunningService } from '@svc/platform';
import { Writable } from 'node:stream';
import type { RunningGateway } from '../src/start-gateway.js';
import { startGatewayOn, startServiceOn } from './gateway-under-test.js';

/** Shaped as a licence key is. */
const LICENCE_KEY = `sam1.${'A'.repeat(300)}.${'b'.repeat(86)}`;
const asked: string[] = [];
const verdict: ReplyOf<typeof licencesContract.check> = {
  valid: false,
  code: 'EXPIRED',
  tier: 'developer',
  features: ['sdk'],
  expiresAt: '2026-01-01T00:00:00.000Z',
  licenseId: 'lic_1',
  keyId: 'kid-1',
  checkedAt: '2026-02-01T00:00:00.000Z',
};
const KEYS = [
  {
    kid: 'kid-1',
    alg: 'Ed25519' as const,
    publicKey: 'A'.repeat(43),
    use: 'licence-key',
    notBefore: '2026-01-01T00:00:00.000Z',
    notAfter: null,
    revokedAt: null,
  },
];

@Controller()
class LicencesUnderTest {
  @Handle(licencesContract.check)
  check({ licenseKey }: ParsedRequestOf<typeof licencesContract.check>): typeof verdict {
    asked.push(licenseKey);
    if (licenseKey.endsWith('.away')) throw problem('SERVICE_UNAVAILABLE', 'The database is away');
    return verdict;
  }

  @Handle(licencesContract.keys)
  publicKeys(): ReplyOf<typeof licencesContract.keys> {
    return { keys: KEYS };
  }
}

let log = '';
let service: RunningService;
let gateway: RunningGateway;
beforeAll(async () => {
  const bus = new MemoryBus();
  service = await startServiceOn(bus, 'payments', { controllers: [LicencesUnderTest] });
  const destination = new Writable({
    write(chunk, _encoding, done) {
      log += String(chunk);
      done();
    },
  });
  gateway = await startGatewayOn(bus, { logger: createLogger('gateway', { level: 'trace', destination }) });
});
afterAll(async () => {
  await gateway.close();
  await service.close();
});

const get = (path: string) => fetch(`${gateway.address}${path}`);

it('answers 200 with the verdict, whatever the key is worth, and nobody may keep it', async () => {
  const answer = await get(`/sam/verify-key/${LICENCE_KEY}`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(await answer.json()).toEqual(verdict);
  expect(asked.at(-1)).toBe(LICENCE_KEY);
});

it.each([
  ['%E2%9C%93', '✓'],
  ['a%2Fb', 'a/b'],
  ['a%00b', 'a\0b'],
  ['sam1.x.y%0A', 'sam1.x.y\n'],
  ['x'.repeat(4_096), 'x'.repeat(4_096)],
])('asks about the very text that came: %#', async (path, text) => {
  expect((await get(`/sam/verify-key/${path}`)).status).toBe(200);
  expect(asked.at(-1)).toBe(text);
});

it.each(['x'.repeat(4_097), '%', '%FF', ''])('refuses what can be no key without asking: %#', async path => {
  const before = asked.length;
  const answer = await get(`/sam/verify-key/${path}`);
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(answer.status).toBeLessThan(500);
  expect(asked).toHaveLength(before);
});

it('publishes the keys, which may be kept for five minutes', async () => {
  const answer = await get('/.well-known/svc-license-keys.json');
  expect(answer.headers.get('cache-control')).toBe('public, max-age=300');
  expect(await answer.json()).toEqual({ keys: KEYS });
});

it('says 503, and nothing of the key, while licences cannot be looked up', async () => {
  const answer = await get(`/sam/verify-key/${LICENCE_KEY}.away`);
  expect(answer.status).toBe(503);
  const text = await answer.text();
  expect(JSON.parse(text)).toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    instance: '/sam/verify-key/:licenseKey',
  });
  expect(text).not.toContain(LICENCE_KEY.slice(0, 60));
});

it('repeats no licence key that came by another method, or with more behind it', async () => {
  for (const [path, status] of [
    [LICENCE_KEY, 405],
    [`${LICENCE_KEY}/more`, 404],
  ] as const) {
    const answer = await fetch(`${gateway.address}/sam/verify-key/${path}`, { method: 'POST' });
    expect(answer.status).toBe(status);
    expect(await answer.text()).not.toContain(LICENCE_KEY.slice(0, 60));
  }
});

it('writes no licence key into its log', async () => {
  await get(`/sam/verify-key/${LICENCE_KEY}`);
  expect(log).toContain('/sam/verify-key/:licenseKey');
  expect(log).not.toContain(LICENCE_KEY.slice(0, 60));
});
