import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Client, type ClientOptions, createClient } from '../../src/client.js';

const JOB_ID = `job_${'A'.repeat(22)}`;
const event = (seq: number, state = 'running') =>
  `id: ${seq}\nevent: ${state}\ndata: ${JSON.stringify({ seq, at: '2026-04-02T00:00:00.000Z', state, stagesDone: 0, stageCount: 9 })}\n\n`;

let server: Server;
let lastEventIds: (string | undefined)[];
/** What the server does with one connection after another. */
let answers: ((response: ServerResponse) => void)[];
let clientOf: (reconnectMs?: number, options?: Pick<ClientOptions, 'fetch'>) => Client;

beforeEach(async () => {
  lastEventIds = [];
  server = createServer((request, response) => {
    expect(request.url).toBe(`/v1/stark/jobs/${JOB_ID}/events`);
    lastEventIds.push(request.headers['last-event-id'] as string | undefined);
    const answer = answers.shift();
    if (answer) answer(response);
    else response.destroy();
  }).listen(0, '127.0.0.1');
  await new Promise(resolve => server.once('listening', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  clientOf = (reconnectMs, options) => createClient({ baseUrl, reconnectMs, ...options });
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const stream =
  (...chunks: string[]) =>
  (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const chunk of chunks) response.write(chunk);
    response.end();
  };

async function followed(client = clientOf(1), signal?: AbortSignal): Promise<string[]> {
  const read: string[] = [];
  for await (const { seq, state } of client.followJob(JOB_ID, { signal })) read.push(`${seq} ${state}`);
  return read;
}

it('reads each event once, over a stream that breaks off and one that repeats', async () => {
  answers = [
    stream('retry: 1000\n\n', event(1, 'queued'), event(2), ': nothing new\n\n', event(3).slice(0, 20)),
    stream(event(2), event(3), event(4, 'succeeded')),
  ];
  await expect(followed()).resolves.toEqual(['1 queued', '2 running', '3 running', '4 succeeded']);
  expect(lastEventIds).toEqual([undefined, '2']);
});

it('ends when nothing can come any more', async () => {
  answers = [stream(event(1)), response => response.writeHead(204).end()];
  await expect(followed()).resolves.toEqual(['1 running']);
});

it('says so when the server knows no such job', async () => {
  answers = [response => response.writeHead(404).end()];
  await expect(followed()).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

it('gives up a server that is away, and ends at once when its caller gives up', async () => {
  answers = [];
  const caller = new AbortController();
  // Given up once the client waits before it connects again, which would be for an hour.
  const failing: ClientOptions['fetch'] = (...request) =>
    fetch(...request).finally(() => setImmediate(() => caller.abort(new Error('enough'))));
  await expect(followed(clientOf(3_600_000, { fetch: failing }), caller.signal)).rejects.toThrow('enough');
  expect(lastEventIds).toHaveLength(1);
  await expect(followed()).rejects.toMatchObject({ code: 'UNREACHABLE' });
});
