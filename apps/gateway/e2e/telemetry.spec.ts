import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { MemoryBus, type RunningService } from '@svc/platform';
import type { RunningGateway } from '../src/start-gateway.js';
import { startGatewayOn, startServiceOn } from './gateway-under-test.js';
import { scriptedX402, TELEMETRY, type X402Script } from './x402-under-test.js';

const PATH = '/v1/x402/telemetry';
const snapshot = (version: number) => ({
  version: `v${version}`,
  telemetry: { ...TELEMETRY, transactionsExecuted: version },
});

let script: X402Script;
let payments: RunningService;
let gateway: RunningGateway;
/** Questions that get no answer before the end of the test. */
let unanswered: Promise<never>;
let giveUp: () => void;
beforeEach(async () => {
  unanswered = new Promise((_, reject) => (giveUp = () => reject(new Error('the test is over'))));
  unanswered.catch(() => undefined);
  const bus = new MemoryBus();
  const x402 = scriptedX402();
  ({ script } = x402);
  payments = await startServiceOn(bus, 'payments', { controllers: x402.controllers });
  gateway = await startGatewayOn(bus);
});
afterEach(async () => {
  giveUp();
  await gateway.close();
  await payments.close();
});

const read = (headers: Record<string, string> = {}) => fetch(gateway.address + PATH, { headers });
const STREAM = { accept: 'text/event-stream' };

/** Answers questions one after the other with these, and what comes later never. */
function answer(...versions: number[]): unknown[] {
  const asked: unknown[] = [];
  script.telemetry = async question => {
    const version = versions[asked.push(question) - 1];
    return version === undefined ? unanswered : snapshot(version);
  };
  return asked;
}

test('a snapshot is JSON, also for whoever names nothing that there is', async () => {
  for (const accept of ['application/json', '*/*', 'image/png', 'text/event-stream;q=0.1, */*']) {
    const response = await read({ accept });
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('vary')).toMatch(/accept/i);
    expect(await response.json()).toEqual(TELEMETRY);
  }
});

test('a stream has an event for each change, with its version as id, and asks on from there', async () => {
  const asked = answer(1, 2, 2, 3);
  const response = await read(STREAM);
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.includes('id: v3\n')) giveUp();
  }
  expect(text.match(/^id: .*$/gm)).toEqual(['id: v1', 'id: v2', 'id: v3']);
  expect(text).toContain(': nothing new\n\n');
  expect(JSON.parse(/^data: (.*)$/m.exec(text)![1])).toEqual(snapshot(1).telemetry);
  expect(asked).toEqual([
    { waitMs: 0 },
    ...['v1', 'v2', 'v2', 'v3'].map(version => ({ version, waitMs: 10_000 })),
  ]);
});

test('a stream goes on after the last event that its reader has', async () => {
  answer(7, 8);
  const response = await read({ ...STREAM, 'last-event-id': 'v7' });
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.includes('id: v8\n')) giveUp();
  }
  expect(text.match(/^id: .*$/gm)).toEqual(['id: v8']);
});

test('an event that nobody can have read last is 400', async () => {
  const response = await read({ ...STREAM, 'last-event-id': 'x'.repeat(129) });
  expect(response.status).toBe(400);
});

test('a reader that hangs up leaves nothing behind, and a gateway that closes ends its streams', async () => {
  const asked = answer(1);
  const caller = new AbortController();
  const first = await fetch(gateway.address + PATH, { headers: STREAM, signal: caller.signal });
  const reader = first.body!.getReader();
  await reader.read();
  caller.abort();
  await expect(reader.read()).rejects.toThrow();

  const before = asked.length;
  script.telemetry = async question => (asked.push(question) === before + 1 ? snapshot(1) : unanswered);
  const second = await read(STREAM);
  const ended = second.text();
  while (asked.length < before + 2) await new Promise(resolve => setTimeout(resolve, 10));
  await gateway.close();
  // Less than the question for a change would wait on the bus: the close ends it.
  expect((await ended).match(/^id: .*$/gm)).toEqual(['id: v1']);
});

test('of so many streams of one address the next one is refused, and has its place once another ends', async () => {
  script.telemetry = async ({ version }) => (version === undefined ? snapshot(1) : unanswered);
  const callers = Array.from({ length: 32 }, () => new AbortController());
  const open = (signal?: AbortSignal) => fetch(gateway.address + PATH, { headers: STREAM, signal });
  await Promise.all(callers.map(({ signal }) => open(signal)));
  const refused = await open();
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
  expect(await refused.json()).toMatchObject({ code: 'RATE_LIMITED' });
  callers[0].abort();
  let status = 429;
  while (status === 429) {
    await new Promise(resolve => setTimeout(resolve, 10));
    const caller = new AbortController();
    callers.push(caller);
    ({ status } = await open(caller.signal));
  }
  expect(status).toBe(200);
  for (const caller of callers) caller.abort();
});
