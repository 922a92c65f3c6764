import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Controller } from '@nestjs/common';
import {
  accountContract,
  adminContract,
  type KeyHolder,
  type ParsedRequestOf,
  type ReplyOf,
  type Route,
  ROUTES,
} from '@svc/contracts';
import { PublicUrls } from '@svc/edge';
import { createLogger, Handle, MemoryBus, problem, type RunningService } from '@svc/platform';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { GatewayEnvironment, RunningGateway } from '../src/start-gateway.js';
import { startGatewayOn, startServiceOn, WITHOUT_LIMITS } from './gateway-under-test.js';
import { HOLDER } from './payments-under-test.js';
import { type RawAnswer, rawCall } from './raw-call.js';

const ADMIN_KEY = 'svc_test_operator';
const WITH_KEY = [['x-svc-key', ADMIN_KEY]] as const;
const EMPTY_PAGE = { items: [], nextCursor: null };
const OPERATORS = { port: 0, host: '127.0.0.1' };

/** Calls that reached payments. */
let asked: string[];
/** Listing the accounts waits for it. */
let held: Promise<void> | undefined;

@Controller()
class PaymentsOfOperators {
  @Handle(accountContract.authenticate)
  authenticate({ accountKey, scope }: ParsedRequestOf<typeof accountContract.authenticate>): KeyHolder {
    asked.push('authenticate');
    if (accountKey !== ADMIN_KEY) throw problem('UNKNOWN_CREDENTIAL', 'The key is not known');
    return { ...HOLDER, scopes: scope ? [scope] : [] };
  }

  @Handle(adminContract.accounts)
  async accounts(): Promise<ReplyOf<typeof adminContract.accounts>> {
    asked.push('accounts');
    await held;
    return EMPTY_PAGE;
  }
}

const bus = new MemoryBus();
let payments: RunningService;
const gateways: RunningGateway[] = [];
const start = async (overrides: Partial<GatewayEnvironment> = {}) => {
  const gateway = await startGatewayOn(bus, { production: true, operators: OPERATORS, ...overrides });
  gateways.push(gateway);
  await gateway.whenReachable();
  return { gateway, operators: gateway.operatorAddress!, open: gateway.address };
};

/** The gateway of most tests; no `Host` is refused on its public listener. */
let open: string;
let operators: string;
beforeAll(async () => {
  payments = await startServiceOn(bus, 'payments', { controllers: [PaymentsOfOperators] });
  ({ open, operators } = await start());
});
beforeEach(() => {
  asked = [];
  held = undefined;
});
afterAll(async () => {
  for (const gateway of gateways) await gateway.close();
  await payments?.close();
});

const get = (address: string, path: string, lines: readonly (readonly [string, string])[] = []) =>
  rawCall(address, path, { method: 'GET', lines });
const portOf = (address: string) => Number(new URL(address).port);
/** The status of an answer to a request that has a whole URL, of another host, in place of its path. */
async function statusOfUrl(address: string, url: string): Promise<number> {
  const socket = connect(portOf(address), '127.0.0.1');
  const fields = { host: new URL(url).host, 'x-svc-key': ADMIN_KEY, connection: 'close' };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET ${url} HTTP/1.1\r\n${lines.join('')}\r\n`);
  let text = '';
  for await (const part of socket) text += String(part);
  return Number(text.split(' ')[1]);
}
/** A path of a route, with something for each parameter. */
const pathOf = ({ path }: Route) => path.replace(/:\w+/g, 'x').replace('*', 'x');
const linesOf = (routes: readonly Route[]) => routes.map(({ method, path }) => `${method} ${path}`);
/** What an answer says, without what is new in each or of its listener. */
const saidBy = ({ status, headers, json }: RawAnswer) => {
  const { date: _date, 'x-request-id': _id, traceparent: _trace, ...fields } = headers;
  const type = String(json.type).replace(/^.*(?=\/problems\/)/, '');
  return { status, fields, problem: { ...json, traceId: '', instance: '', type } };
};
const ADMIN_ROUTES = ROUTES.filter(({ path }) => path.startsWith('/v1/admin/'));

describe('the public listener in production', () => {
  test.each(linesOf(ADMIN_ROUTES))('has no %s, and asks nobody about its key', async line => {
    const route = ADMIN_ROUTES[linesOf(ADMIN_ROUTES).indexOf(line)];
    const path = pathOf(route);
    const unknown = path.replace('/admin/', '/nimda/');
    for (const lines of [[], WITH_KEY]) {
      for (const method of [route.method, 'HEAD', 'OPTIONS', 'PATCH']) {
        const answers = [path, unknown].map(one => rawCall(open, one, { method, lines }));
        const [hidden, nowhere] = (await Promise.all(answers)).map(saidBy);
        // Its own path is all that it says of it.
        const detail = nowhere.problem.detail?.replace('/nimda/', '/admin/');
        expect(hidden).toEqual({
          ...nowhere,
          fields: { ...nowhere.fields, 'content-length': hidden.fields['content-length'] },
          problem: detail ? { ...nowhere.problem, detail } : nowhere.problem,
        });
        if (method !== 'OPTIONS') expect(hidden.status).toBe(404);
      }
    }
    expect(asked).toEqual([]);
  });

  test('reads no body for it', async () => {
    // A length that is announced and never comes.
    const lines = [...WITH_KEY, ['content-length', '90000'], ['connection', 'close']] as const;
    const { status, json } = await rawCall(open, '/v1/admin/reconcile', { lines });
    expect([status, json.code]).toEqual([404, 'NOT_FOUND']);
  });

  test('believes nothing that a request says of the listener that it came to', async () => {
    const { host, port } = new URL(operators);
    const forged = [
      ['x-forwarded-host', host],
      ['x-forwarded-port', port],
      ['forwarded', `host=${host}`],
    ] as const;
    for (const path of ['/v1/admin/accounts', '/v1/%61dmin/accounts', '/v1/admin/accounts?limit=1']) {
      const options = { method: 'GET', host, lines: [...WITH_KEY, ...forged] };
      expect((await rawCall(open, path, options)).status).toBe(404);
    }
    expect(await statusOfUrl(open, `${operators}/v1/admin/accounts`)).toBe(404);
    expect(await statusOfUrl(operators, `${open}/v1/admin/accounts`)).toBe(200);
    expect(asked).toEqual(['authenticate', 'accounts']);
  });

  test('goes on with what is not for operators alone, also under an operator’s key', async () => {
    expect((await get(open, '/leads')).status).toBe(401);
    expect((await get(open, '/livez')).status).toBe(200);
    expect((await get(open, '/v1/account')).status).toBe(401);
  });
});

describe('the listener of operators', () => {
  test('answers 401 without a key or with a wrong one, and 200 with an operator’s', async () => {
    const accounts = '/v1/admin/accounts';
    expect((await get(operators, accounts)).status).toBe(401);
    expect(asked).toEqual([]);
    expect((await get(operators, accounts, [['x-svc-key', 'svc_test_none']])).status).toBe(401);
    const { status, json } = await get(operators, accounts, WITH_KEY);
    expect([status, json]).toEqual([200, EMPTY_PAGE]);
    expect(asked).toEqual(['authenticate', 'authenticate', 'accounts']);
  });

  test('answers what needs an operator’s key, and the probes, and nothing else', async () => {
    for (const route of ROUTES) {
      const { status, json } = await rawCall(operators, pathOf(route), { method: route.method });
      const said = [route.method, route.path, status, json.code];
      if (route.access === 'admin') expect(said).toEqual([...said.slice(0, 2), 401, 'UNKNOWN_CREDENTIAL']);
      else if (route.path === '/livez' || route.path === '/readyz') expect(status).toBe(200);
      else if (!route.path.startsWith('/mcp')) expect(said).toEqual([...said.slice(0, 2), 404, 'NOT_FOUND']);
      else expect(status).toBe(404);
    }
    for (const path of [
      '/v1/zk/prove',
      '/health',
      '/',
      '/console',
      '/docs',
      '/nowhere',
      '/dev/lightning/pay',
    ])
      for (const method of ['GET', 'HEAD', 'POST', 'DELETE'])
        expect([path, (await rawCall(operators, path, { method })).status]).toEqual([path, 404]);
    expect(asked).toEqual([]);
  });

  test('names the methods that it serves, and no others', async () => {
    const wrong = await rawCall(operators, '/v1/admin/accounts', { method: 'DELETE', lines: WITH_KEY });
    expect([wrong.status, wrong.headers.allow]).toEqual([405, 'GET, HEAD, POST']);
    expect(asked).toEqual([]);
  });

  test('refuses as the public one does, with the same fields and bounds', async () => {
    const [here, there] = await Promise.all([operators, open].map(address => get(address, '/leads')));
    expect(saidBy(here)).toEqual(saidBy(there));
    expect((await fetch(here.json.type as string)).status).toBe(200);
    expect(here.headers).toMatchObject({
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
    });
    const tooLong = await get(operators, '/v1/admin/accounts', [['x-filler', 'x'.repeat(40_000)]]);
    expect([tooLong.status, tooLong.json.code]).toEqual([431, 'HEADERS_TOO_LARGE']);
    const body = { reason: 'x'.repeat(300_000) };
    const tooLarge = await rawCall(operators, '/v1/admin/accounts', { lines: WITH_KEY, body });
    expect([tooLarge.status, tooLarge.json.code]).toEqual([413, 'BODY_TOO_LARGE']);
  });

  test('takes any host, where the public one takes its own alone', async () => {
    const publicUrls = new PublicUrls(['https://svc.example']);
    const known = await start({ rateLimits: { ...WITHOUT_LIMITS, publicUrls } });
    for (const host of ['gateway-operators:8082', '10.0.0.7', 'svc.example']) {
      const options = { method: 'GET', host, lines: WITH_KEY };
      expect((await rawCall(known.operators, '/v1/admin/accounts', options)).status).toBe(200);
      expect((await rawCall(known.operators, '/readyz', options)).status).toBe(200);
      const there = await rawCall(known.open, '/v1/admin/accounts', options);
      expect(there.status).toBe(host === 'svc.example' ? 404 : 421);
      expect((await rawCall(known.open, '/livez', options)).status).toBe(200);
    }
  });

  test('is named in the access lines of what came by it', async () => {
    const lines: Record<string, unknown>[] = [];
    const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
    const logged = await start({ logger: createLogger('gateway', { level: 'info', destination }) });
    await get(logged.operators, '/v1/admin/accounts', WITH_KEY);
    await get(logged.open, '/v1/admin/accounts', WITH_KEY);
    const access = () => lines.filter(({ msg }) => msg === 'request');
    while (access().length < 2) await delay(5);
    const route = '/v1/admin/accounts';
    expect(access().map(({ route, status, listener }) => ({ route, status, listener }))).toEqual([
      { route, status: 200, listener: 'operators' },
      { route, status: 404 },
    ]);
  });

  test('shares its limits with the public one: what an address is refused here it is refused there', async () => {
    const both = await start({ rateLimits: { ...WITHOUT_LIMITS, factor: 0.001 } });
    const statuses = [];
    for (const address of [both.operators, both.operators, both.operators, both.operators, both.open])
      statuses.push((await get(address, '/leads')).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
  });
});

describe('a gateway that closes', () => {
  test('answers what is in flight on both listeners, and then takes no connection on either', async () => {
    const { gateway, ...addresses } = await start({ production: false });
    let finish!: () => void;
    held = new Promise(resolve => (finish = resolve));
    const reach = async (address: string) => {
      const socket = connect(portOf(address), '127.0.0.1');
      await once(socket, 'connect');
      return socket;
    };
    const idle = await reach(addresses.operators);
    const ended = once(idle, 'close');
    const inFlight = [addresses.operators, addresses.open].map(address =>
      get(address, '/v1/admin/accounts', WITH_KEY),
    );
    while (asked.filter(one => one === 'accounts').length < 2) await delay(5);
    const closed = gateway.close();
    while ((await get(addresses.operators, '/livez')).status !== 503) await delay(5);
    finish();
    for (const answer of inFlight) expect((await answer).status).toBe(200);
    await closed;
    await ended;
    for (const address of Object.values(addresses))
      await expect(reach(address)).rejects.toThrow('ECONNREFUSED');
  });
});

describe('outside of production', () => {
  test('the public listener serves operators too, and the one of operators does not serve the public', async () => {
    const sandbox = await start({ production: false });
    for (const address of [sandbox.open, sandbox.operators])
      expect((await get(address, '/v1/admin/accounts', WITH_KEY)).status).toBe(200);
    expect((await get(sandbox.open, '/health')).status).toBe(200);
    expect((await get(sandbox.operators, '/health')).status).toBe(404);
  });

  test('a gateway has no listener of operators unless it is told of one', async () => {
    const { gateway } = await start({ production: false, operators: undefined });
    expect(gateway.operatorAddress).toBeUndefined();
  });
});

test('a port of operators that is taken fails the start, and nothing stays open', async () => {
  const port = portOf(operators);
  await expect(startGatewayOn(bus, { operators: { ...OPERATORS, port } })).rejects.toThrow('EADDRINUSE');
});
