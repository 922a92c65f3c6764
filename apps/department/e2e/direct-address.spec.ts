import { afterEach, describe, expect, test } from '@jest/globals';
import { BURST_REQUESTS, ProcessBursts } from '@svc/edge';
import {
  API_VERSION,
  createLogger,
  freePort,
  MemoryBus,
  openBusLink,
  type Readiness,
  type ServiceEnvironment,
} from '@svc/platform';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { DirectAddress } from '../src/direct-address/direct-address.js';

const REQUESTS = 3;
const bus = { kind: 'memory', bus: new MemoryBus() } as const;
const readiness = async (): Promise<Readiness> => ({ ready: true, checks: {} });
const started: DirectAddress[] = [];
afterEach(async () => {
  for (const listener of started.splice(0)) await listener.beforeApplicationShutdown();
});

/** Where a listener is that lets so many requests of an address in. */
async function listen(bursts: ProcessBursts, more: Record<string, string> = {}): Promise<string> {
  const port = String(await freePort());
  const environment: ServiceEnvironment = {
    ...{ service: 'department', version: API_VERSION, bus, production: false, secrets: {} },
    variables: {
      ...{ DEPARTMENT_PORT: port, RATE_LIMIT_FACTOR: String(REQUESTS / BURST_REQUESTS.address) },
      ...more,
    },
    logger: createLogger('department', { level: 'silent' }),
  };
  const link = openBusLink(bus, 'department');
  const listener = new DirectAddress(link, environment, readiness, bursts);
  started.push(listener);
  await listener.onApplicationBootstrap();
  return `http://127.0.0.1:${port}`;
}
const ask = async (address: string) => (await fetch(`${address}/openapi.json`)).status;

describe('the limits of the department’s own address', () => {
  test('are those of the process that it is given', async () => {
    const shared = new ProcessBursts();
    const [one, another] = [await listen(shared), await listen(shared)];
    for (let turn = 0; turn < REQUESTS; turn++) expect(await ask(one)).toBe(200);
    expect(await ask(another)).toBe(429);
    expect(await ask(await listen(new ProcessBursts()))).toBe(200);
  });
});

describe('the department’s own address, where a variable says how the public calls it,', () => {
  test('serves nothing for another host', async () => {
    const address = await listen(new ProcessBursts(), { PUBLIC_URL: 'https://desks.svc.example' });
    const statusFor = async (host: string) => {
      const [answer] = (await once(
        request(`${address}/openapi.json`, { headers: { host } }).end(),
        'response',
      )) as [IncomingMessage];
      answer.resume();
      return answer.statusCode;
    };
    expect(await statusFor('desks.svc.example')).toBe(200);
    for (const host of ['svc.example', new URL(address).host]) expect(await statusFor(host)).toBe(421);
  });

  test('explains its own problems', async () => {
    const address = await listen(new ProcessBursts());
    const { type, code } = (await (await fetch(`${address}/nowhere`)).json()) as Record<string, string>;
    expect(type).toBe(`${address}/problems/not-found`);
    expect(await (await fetch(type)).json()).toMatchObject({ type, code, charged: 'no', retry: 'no' });
  });
});
