import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { ServiceName } from '@svc/contracts';
import { MemoryBus, type RunningService } from '@svc/platform';
import { setTimeout as delay } from 'node:timers/promises';
import { CHANGE_STREAMS_MAX } from '../src/mcp/listed-tools.js';
import type { RunningGateway } from '../src/start-gateway.js';
import { startGatewayOn, startServiceOn } from './gateway-under-test.js';
import { BOTH_TYPES, envelope, rpc } from './mcp-post.js';

const VERSION = '2026-07-28';
/** The more services are there, the more of these are available. */
const LOOKED_AT = ['search_cards', 'value_card', 'zk_prove_spatial', 'webgpu_snn_attractor'];

let bus: MemoryBus;
let gateway: RunningGateway;
const services = new Map<ServiceName, RunningService>();
const open: AbortController[] = [];

beforeEach(async () => {
  bus = new MemoryBus();
  gateway = await startGatewayOn(bus, { pace: 300 });
});
afterEach(async () => {
  for (const each of open.splice(0)) each.abort();
  jest.restoreAllMocks();
  await gateway.close();
  for (const service of services.values()) await service.close();
  services.clear();
});
const start = async (...names: ServiceName[]) => {
  for (const name of names) services.set(name, await startServiceOn(bus, name));
};
const until = async (holds: () => boolean | Promise<boolean>) => {
  while (!(await holds())) await delay(5);
};

type Listed = { tools: { name: string; _meta?: Record<string, unknown> }[] };
const availableOf = ({ tools }: Listed) =>
  LOOKED_AT.filter(name => {
    const { _meta } = tools.find(tool => tool.name === name)!;
    return (_meta!['svc/price'] as { available: boolean }).available;
  });

/** A client of the SDK, unmodified, that follows the list: what it has of it, and how often it was told to read it again. */
type Follower = { list(): Promise<Listed>; told(): number; close(): Promise<void> };
const CLIENTS: Readonly<Record<string, () => Promise<Follower>>> = {
  '2025-11-25': async () => {
    let told = 0;
    const client = new Client(
      { name: 'a client', version: '1' },
      { listChanged: { tools: { onChanged: () => void told++, autoRefresh: false, debounceMs: 0 } } },
    );
    await client.connect(new StreamableHTTPClientTransport(new URL(`${gateway.address}/mcp`)));
    return { list: () => client.listTools(), told: () => told, close: () => client.close() };
  },
  [VERSION]: async () => {
    let told = 0;
    const client = new ModernClient(
      { name: 'a client', version: '1' },
      {
        versionNegotiation: { mode: { pin: VERSION } },
        listChanged: { tools: { onChanged: () => void told++, autoRefresh: false, debounceMs: 0 } },
      },
    );
    await client.connect(new ModernTransport(new URL(`${gateway.address}/mcp`)));
    return { list: () => client.listTools(), told: () => told, close: () => client.close() };
  },
};

describe.each(Object.entries(CLIENTS))('a client of %s', (_version, connect) => {
  test('is told when tools come and go with their services, and sees which', async () => {
    const follower = await connect();
    await until(async () => availableOf(await follower.list()).length === 0);
    const before = follower.told();
    await start('department');
    await until(() => follower.told() > before);
    expect(availableOf(await follower.list())).toEqual(['search_cards']);
    await start('payments', 'prover');
    await until(async () => availableOf(await follower.list()).includes('zk_prove_spatial'));
    expect(availableOf(await follower.list())).toEqual(LOOKED_AT.slice(0, 3));
    const others = follower.told();
    await start('snn', 'acoustic', 'mesh-signalling');
    await until(async () => availableOf(await follower.list()).includes('webgpu_snn_attractor'));
    await until(() => follower.told() > others);
    const whole = follower.told();
    await services.get('prover')!.close();
    services.delete('prover');
    // A service is away once it has not answered for ten seconds.
    const now = Date.now.bind(Date);
    jest.spyOn(Date, 'now').mockImplementation(() => now() + 11_000);
    await until(() => follower.told() > whole);
    await until(async () => availableOf(await follower.list()).length === 1);
    await follower.close();
  });
});

/** Opens one stream, and reads it until it ends: its status, and what it has said. */
async function follow(init: RequestInit & { method: string }) {
  const ended = new AbortController();
  open.push(ended);
  const response = await fetch(`${gateway.address}/mcp`, { ...init, signal: ended.signal });
  const stream = { status: response.status, headers: response.headers, text: '', isOver: false, ended };
  void (async () => {
    for await (const chunk of response.body!) stream.text += Buffer.from(chunk as Uint8Array).toString();
  })()
    .catch(() => undefined)
    .finally(() => (stream.isOver = true));
  return stream;
}
const get = (headers: Record<string, string> = {}) =>
  follow({ method: 'GET', headers: { accept: BOTH_TYPES, ...headers } });
const subscribe = (headers: Record<string, string> = {}, more: object = {}) =>
  follow({
    method: 'POST',
    headers: {
      ...{ 'content-type': 'application/json', accept: BOTH_TYPES },
      ...{ 'mcp-protocol-version': VERSION, 'mcp-method': 'subscriptions/listen' },
      ...headers,
    },
    body: JSON.stringify(
      rpc('subscriptions/listen', { notifications: { toolsListChanged: true, ...more }, _meta: envelope() }),
    ),
  });

describe('streams of changes', () => {
  test('say that they go on where there is nothing to say, and end with the gateway', async () => {
    const streams = [await get(), await subscribe()];
    expect(streams.map(({ status, headers }) => [status, headers.get('content-type')])).toEqual([
      [200, 'text/event-stream; charset=utf-8'],
      [200, 'text/event-stream; charset=utf-8'],
    ]);
    await until(() => streams.every(({ text }) => /^: .*\n\n/m.test(text)));
    expect(streams[1].text).toContain('"notifications":{"toolsListChanged":true}');
    await gateway.close();
    await until(() => streams.every(({ isOver }) => isOver));
    // The newer protocol tells an end apart from a connection that broke.
    expect(streams[1].text).toMatch(/"id":1,"result":\{"resultType":"complete".*\n\n$/);
  });

  test('are one of a session: a newer ends the one before it', async () => {
    const session = { 'mcp-session-id': `std.${'A'.repeat(22)}` };
    const [first, other, second] = [await get(session), await get(), await get(session)];
    await until(() => first.isOver);
    await start('department');
    await until(() => [other, second].every(({ text }) => text.includes('list_changed')));
    expect(first.text).not.toContain('list_changed');
  });

  test('hold nothing of what their client sent', async () => {
    // Long bodies of an address are 32 MiB at most: these would be more.
    const resourceSubscriptions = [`svc://answers/${'x'.repeat(1_000_000)}`];
    for (let i = 0; i < 36; i++) expect((await subscribe({}, { resourceSubscriptions })).status).toBe(200);
    expect((await subscribe()).status).toBe(200);
  });

  test('of both protocols share the places of an address, and give them back', async () => {
    const share = CHANGE_STREAMS_MAX / 8;
    const streams = [];
    for (let i = 0; i < share - 1; i++) streams.push(await get());
    streams.push(await subscribe());
    expect(streams.map(({ status }) => status)).toEqual(Array(share).fill(200));
    expect([(await get()).status, (await subscribe()).status]).toEqual([429, 429]);
    streams[0].ended.abort();
    await until(async () => (await get()).status === 200);
    streams.at(-1)!.ended.abort();
    await until(async () => (await subscribe()).status === 200);
  });

  test('are no answer for a client that reads no streams', async () => {
    expect((await subscribe({ accept: 'application/json' })).status).toBe(400);
    for (const accept of ['*/*', 'text/html'])
      expect([accept, (await get({ accept })).status]).toEqual([accept, 400]);
  });

  test.each([
    [{ accept: 'application/json' }, 400],
    [{ 'mcp-session-id': 'made up' }, 404],
    [{ 'mcp-protocol-version': '1999-01-01' }, 400],
    [{ 'mcp-protocol-version': VERSION }, 400],
    [{ origin: 'https://elsewhere.example' }, 403],
  ])('are refused with %j', async (headers, status) => {
    expect((await get(headers as Record<string, string>)).status).toBe(status);
  });
});
