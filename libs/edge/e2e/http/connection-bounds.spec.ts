import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import {
  boundConnections,
  closeQueuedAnswers,
  CONNECTIONS_OF_ADDRESS_MAX,
  FLOODS_MAX,
  UNANSWERED_MAX,
  vouchFor,
} from '../../src/http/connection-bounds.js';
import { TrustedProxies } from '../../src/rate-limit/client-address.js';
import { addressUnderTest } from './address-under-test.js';

const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const FLOOD = REQUEST.repeat(10 * UNANSWERED_MAX);

describe('connections', () => {
  let server: Server;
  let begun: ServerResponse[];
  let letIn: number;
  const sockets: Socket[] = [];

  async function serve(trusted: string[] = [], unreadMs?: number): Promise<void> {
    begun = [];
    letIn = 0;
    server = createServer((_request, response) => void begun.push(response));
    server.on('connection', () => letIn++);
    closeQueuedAnswers(server);
    boundConnections(server, new TrustedProxies(trusted), unreadMs);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }

  /** A client, and what it has been answered. */
  function open(localAddress = '127.0.0.1') {
    const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', localAddress });
    sockets.push(socket);
    const client = { socket, text: '', isClosed: false };
    socket.on('data', data => (client.text += data.toString()));
    socket.on('error', () => undefined).on('close', () => (client.isClosed = true));
    return client;
  }
  const until = async (holds: () => boolean) => {
    while (!holds()) await delay(5);
  };
  const answerAll = () => begun.splice(0).forEach(response => response.end('ok'));

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    server.close();
    await once(server, 'close');
  });

  it('may send some requests ahead of their answers, again and again', async () => {
    await serve();
    const client = open();
    for (let turn = 1; turn <= 3; turn++) {
      client.socket.write(REQUEST.repeat(UNANSWERED_MAX));
      await until(() => begun.length === UNANSWERED_MAX);
      answerAll();
      await until(() => client.text.split('HTTP/1.1 200').length === 1 + turn * UNANSWERED_MAX);
    }
    expect(client.isClosed).toBe(false);
  });

  it('that send more ahead are closed, and no others of their address', async () => {
    await serve();
    const idle = open();
    for (let flood = 1; flood <= FLOODS_MAX; flood++) {
      const client = open();
      client.socket.write(FLOOD);
      await until(() => client.isClosed);
      expect(begun.length).toBeLessThanOrEqual(flood * UNANSWERED_MAX);
    }
    const before = begun.length;
    idle.socket.write(REQUEST);
    await until(() => begun.length > before);
    answerAll();
    await until(() => idle.text.includes('200 OK'));
  });

  it('that send more ahead again and again have no new one let in, nor one stay that waits for nothing and has shown no key', async () => {
    await serve();
    const [idle, busy, keyed, other] = [open(), open(), open(), open('127.0.0.9')];
    keyed.socket.write(REQUEST);
    await until(() => begun.length === 1);
    vouchFor(begun[0].socket!);
    answerAll();
    await until(() => keyed.text.includes('200 OK'));
    busy.socket.write(REQUEST);
    await until(() => begun.length === 1);
    for (let flood = 0; flood <= FLOODS_MAX; flood++) {
      const client = open();
      client.socket.write(FLOOD);
      await until(() => client.isClosed);
    }
    await until(() => idle.isClosed);
    const letInBefore = letIn;
    const late = open();
    await until(() => late.isClosed);
    expect(letIn).toBe(letInBefore);
    const before = begun.length;
    keyed.socket.write(REQUEST);
    await until(() => begun.length === before + 1);
    other.socket.write(REQUEST);
    await until(() => begun.length === before + 2);
    answerAll();
    await until(() => busy.text.includes('200 OK') && other.text.includes('200 OK'));
    await until(() => keyed.text.split('200 OK').length === 3);
  });

  it('tell each answer once when they close, those of requests sent ahead too', async () => {
    await serve();
    const client = open();
    client.socket.write(REQUEST.repeat(4));
    await until(() => begun.length === 4);
    const told = begun.map(() => 0);
    begun.forEach((response, i) => response.on('close', () => told[i]++));
    begun[0].end('ok');
    await until(() => told[0] === 1);
    client.socket.destroy();
    await until(() => told.every(times => times > 0));
    await new Promise(setImmediate);
    expect(told).toEqual([1, 1, 1, 1]);
  });

  it('that take nothing of an answer are closed, and no other that waits', async () => {
    await serve([], 50);
    const [deaf, waiting] = [open(), open()];
    deaf.socket.pause();
    for (const { socket } of [deaf, waiting]) socket.write(REQUEST);
    await until(() => begun.length === 2);
    const [first, second] = begun.splice(0);
    const answers = first.socket!.remotePort === deaf.socket.localPort ? first : second;
    answers.end(Buffer.alloc(64 * 1_048_576));
    await until(() => answers.closed);
    expect(deaf.socket.bytesRead).toBeLessThan(64 * 1_048_576);
    (answers === first ? second : first).end('ok');
    await until(() => waiting.text.includes('200 OK'));
  });

  it('of a proxy that is trusted speak for many', async () => {
    await serve(['127.0.0.9']);
    const [flood, idle] = [open('127.0.0.9'), open('127.0.0.9')];
    flood.socket.write(REQUEST.repeat(UNANSWERED_MAX + 1));
    await until(() => flood.isClosed);
    const before = begun.length;
    idle.socket.write(REQUEST);
    await until(() => begun.length > before);
    answerAll();
    await until(() => idle.text.includes('200 OK'));
  });

  it('of one address are bounded', async () => {
    await serve();
    const clients = Array.from({ length: CONNECTIONS_OF_ADDRESS_MAX }, () => open());
    await until(() => clients.every(({ socket }) => !socket.connecting));
    const beyond = open();
    await until(() => beyond.isClosed);
    clients[0].socket.write(REQUEST);
    await until(() => begun.length === 1);
    clients[1].socket.destroy();
    let next = open();
    await until(() => {
      if (next.isClosed) next = open();
      else next.socket.write(REQUEST);
      return begun.length > 1;
    });
  });
});

it('an address of the product closes connections that send too much ahead', async () => {
  const instance = await addressUnderTest();
  let begun = 0;
  instance.get('/', async (_request, reply) => {
    begun++;
    return reply.hijack();
  });
  await instance.listen({ port: 0, host: '127.0.0.1' });
  const socket = connect((instance.server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined).write(REQUEST.repeat(UNANSWERED_MAX + 1));
  while (!socket.closed && begun <= UNANSWERED_MAX) await delay(5);
  expect(begun).toBeLessThanOrEqual(UNANSWERED_MAX);
  socket.destroy();
  await instance.close();
});
