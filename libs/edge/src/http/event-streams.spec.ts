import type { FastifyReply, FastifyRequest } from 'fastify';
import { EventEmitter, once } from 'node:events';
import type { Readable } from 'node:stream';
import { noteCaller } from '../rate-limit/caller.js';
import type { TrustedProxies } from '../rate-limit/client-address.js';
import { EventStreams, STREAM_BEGIN } from './event-streams.js';

/** What a stream needs of a reply, and the stream that it was given. */
class ReplyUnderTest {
  readonly request: FastifyRequest;
  readonly raw = Object.assign(new EventEmitter(), { writableFinished: false });
  stream: Readable | undefined;

  constructor(address = '192.0.2.1') {
    this.request = { raw: { socket: {}, headers: {} } } as unknown as FastifyRequest;
    noteCaller(this.request, { trustedProxies: { clientOf: () => address } as unknown as TrustedProxies });
  }

  header(): this {
    return this;
  }

  send(stream: Readable): this {
    this.stream = stream;
    return this;
  }
}

/** Goes on until it is told to end. */
async function* silent(signal: AbortSignal): AsyncGenerator<string> {
  yield STREAM_BEGIN;
  if (!signal.aborted) await once(signal, 'abort');
}

describe('streams of events', () => {
  const { request } = new ReplyUnderTest('192.0.2.200');
  let addresses = 0;
  /** From an address of its own where none is named. */
  const open = async (
    streams: EventStreams,
    kind: string,
    streamsMax: number,
    address = `192.0.2.${++addresses}`,
  ) => {
    const reply = new ReplyUnderTest(address);
    await streams.send(reply as unknown as FastifyReply, kind, silent, streamsMax);
    return reply.stream!.resume();
  };

  it('are as many of a kind as its bound, and one more where one has closed', async () => {
    const streams = new EventStreams();
    const [first] = [await open(streams, 'inboxes', 2), await open(streams, 'inboxes', 2)];
    const refused = { code: 'OVERLOADED', payload: { retryAfterSeconds: 5 } };
    await expect(open(streams, 'inboxes', 2)).rejects.toMatchObject(refused);
    expect(() => streams.requireRoom(request, 'inboxes', 2)).toThrow(
      expect.objectContaining({ code: 'OVERLOADED' }),
    );
    streams.requireRoom(request, 'tasks', 2);
    const closed = once(first, 'close');
    first.destroy();
    await closed;
    streams.requireRoom(request, 'inboxes', 2);
    await open(streams, 'inboxes', 2);
    await expect(open(streams, 'inboxes', 2)).rejects.toMatchObject(refused);
    streams.beforeApplicationShutdown();
  });

  it('are an eighth for each address of all kinds together, questions among them, whatever those of one kind have', async () => {
    const streams = new EventStreams();
    const from = (address: string) => new ReplyUnderTest(address).request;
    const questions = Array.from({ length: 511 }, () => {
      let answer = () => {};
      const asked = new Promise<void>(resolve => (answer = resolve));
      return { answer, held: streams.hold(from('192.0.2.7'), 'sounds', 100_000, () => asked) };
    });
    const last = await open(streams, 'inboxes', 100_000, '192.0.2.7');
    const detail = '512 streams and questions of all kinds are open from this address, which is the bound';
    await expect(open(streams, 'tasks', 256, '192.0.2.7')).rejects.toMatchObject({
      ...{ code: 'RATE_LIMITED', payload: { detail } },
    });
    streams.requireRoom(from('192.0.2.8'), 'tasks');
    questions[0].answer();
    await questions[0].held;
    await open(streams, 'tasks', 256, '192.0.2.7');
    const closed = once(last, 'close');
    last.destroy();
    await closed;
    streams.requireRoom(from('192.0.2.7'), 'sounds', 100_000);
    questions.forEach(({ answer }) => answer());
    streams.beforeApplicationShutdown();
  });

  it('are an eighth of what others leave for each address, so that thirty of them fill none', async () => {
    const streams = new EventStreams();
    const ofEach: number[] = [];
    for (let address = 1; address <= 30; address++) {
      for (let count = 0; ; count++) {
        const opened = await open(streams, 'tasks', 256, `198.51.100.${address}`).catch(() => undefined);
        if (opened) continue;
        ofEach.push(count);
        break;
      }
    }
    expect(ofEach.slice(0, 3)).toEqual([32, 28, 25]);
    expect(Math.min(...ofEach)).toBeGreaterThanOrEqual(1);
    await open(streams, 'tasks', 256, '203.0.113.1');
    streams.beforeApplicationShutdown();
  });

  it('are an eighth of them for one address, which closes none for others', async () => {
    const streams = new EventStreams();
    const [first] = [
      await open(streams, 'tasks', 16, '203.0.113.1'),
      await open(streams, 'tasks', 16, '203.0.113.1'),
    ];
    await expect(open(streams, 'tasks', 16, '203.0.113.1')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await open(streams, 'tasks', 16, '203.0.113.2');
    await open(streams, 'inboxes', 16, '203.0.113.1');
    const closed = once(first, 'close');
    first.destroy();
    await closed;
    await open(streams, 'tasks', 16, '203.0.113.1');
    streams.beforeApplicationShutdown();
  });

  it('end with their answer, also where that is over before it begins, or has no body', async () => {
    const streams = new EventStreams();
    const signals: AbortSignal[] = [];
    const source = (signal: AbortSignal) => {
      signals.push(signal);
      return silent(signal);
    };
    const [gone, head] = [new ReplyUnderTest(), new ReplyUnderTest()];
    Object.assign(gone.raw, { destroyed: true });
    await streams.send(gone as unknown as FastifyReply, 'inboxes', source);
    await streams.send(head as unknown as FastifyReply, 'inboxes', source);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    head.raw.writableFinished = true;
    const closed = once(head.stream!, 'close');
    head.raw.emit('close');
    expect(signals[1].aborted).toBe(true);
    // Neither was read, and both places are free again.
    await closed;
    for (let place = 0; place < 2; place++) await open(streams, 'inboxes', 2);
  });

  it('end when their gateway does', async () => {
    const streams = new EventStreams();
    const stream = await open(streams, 'inboxes', 1);
    const closed = once(stream, 'close');
    streams.beforeApplicationShutdown();
    await closed;
    streams.requireRoom(request, 'inboxes', 1);
  });
});
