import { Controller, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { procedure, type ServiceName } from '@svc/contracts';
import { expect, it } from '@jest/globals';
import { z } from 'zod';
import { createLogger } from '../observability/logger.js';
import { currentTrace, runWithTrace } from '../observability/trace-context.js';
import { problem, ProblemError } from '../problem-details/problem-error.js';
import { BusClient } from './bus-client.js';
import type { BusLink } from './bus-link.js';
import { BusServer } from './bus-server.js';
import { EnvelopeEncodeError } from './envelope.js';
import { Handle } from './handle.js';
import { readReply } from './wire.js';
import { currentTurn, runInTurn } from '../runtime/caller-turn.js';

const echo = procedure('prover', 'echo', {
  request: z.object({
    text: z.string().max(10).default('none'),
    bytes: z.array(z.instanceof(Uint8Array)).default([]),
  }),
  reply: z.object({
    text: z.string(),
    bytes: z.array(z.instanceof(Uint8Array)),
    traceId: z.string(),
    turn: z.object({ subject: z.string(), standing: z.string() }).optional(),
    by: z.string(),
  }),
  timeoutMs: 5_000,
});
const fail = procedure('prover', 'fail', {
  request: z.object({ how: z.enum(['problem', 'unknown', 'lie', 'cannot-cross', 'huge']) }),
  reply: z.object({ value: z.number() }),
  timeoutMs: 5_000,
});
const wait = procedure('prover', 'wait', {
  request: z.object({}),
  reply: z.object({ by: z.string() }),
  timeoutMs: 5_000,
});
const nobody = procedure('snn', 'nobody', { request: z.object({}), reply: z.object({}), timeoutMs: 5_000 });

/** One service on the bus, its gate in the test's hand. */
interface Instance {
  readonly calls: { echo: number };
  /** Resolves when the handler of `wait` has begun. */
  readonly waiting: Promise<void>;
  openGate(): void;
  close(): Promise<void>;
}

/** A bus under test: each call opens another end of it. */
export interface BusUnderTest {
  link(service: ServiceName): Promise<BusLink>;
}

/**
 * What both buses promise to the services, whatever carries the messages.
 *
 * @param sendBytes asks with any bytes, where the bus carries bytes
 */
export function itKeepsTheBusContract(
  open: () => Promise<BusUnderTest>,
  sendBytes?: (link: BusLink, subject: string, bytes: Uint8Array) => Promise<Uint8Array>,
): void {
  let instances: Instance[];
  let links: BusLink[];

  async function onBus(
    work: (bus: BusUnderTest, client: BusClient, link: BusLink) => Promise<void>,
  ): Promise<void> {
    instances = [];
    links = [];
    const bus = await open();
    const link = await bus.link('gateway');
    links.push(link);
    try {
      await work(bus, new BusClient(link), link);
    } finally {
      for (const instance of instances) instance.openGate();
      await Promise.all(instances.map(instance => instance.close()));
      await Promise.all(links.map(each => each.close()));
    }
  }
  const start = async (bus: BusUnderTest, name: string) => {
    const instance = await startInstance(await bus.link('prover'), name);
    instances.push(instance);
    return instance;
  };
  const refusal = async (call: Promise<unknown>) => {
    const error = await call.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(ProblemError);
    return error as ProblemError;
  };

  it('carries a request and its reply, with defaults filled in by the schema', () =>
    onBus(async (bus, client) => {
      await start(bus, 'a');
      expect(await client.call(echo, {})).toMatchObject({ text: 'none', bytes: [], by: 'a' });
    }));

  it('carries megabytes of raw bytes both ways, unchanged and aligned', () =>
    onBus(async (bus, client) => {
      await start(bus, 'a');
      const bytes = [1_500_000, 0, 3].map(length => Uint8Array.from({ length }, (_, i) => (i * 31) & 255));
      const reply = await client.call(echo, { bytes });
      expect(
        reply.bytes.map(each => Buffer.from(each).equals(Buffer.from(bytes[reply.bytes.indexOf(each)]))),
      ).toEqual([true, true, true]);
      expect(reply.bytes.every(each => each.byteOffset === 0)).toBe(true);
    }));

  it('says SERVICE_UNAVAILABLE at once when nobody listens, and names the subject', () =>
    onBus(async (_bus, client) => {
      const error = await refusal(client.call(nobody, {}, { timeoutMs: 60_000 }));
      expect(error.payload).toEqual({
        code: 'SERVICE_UNAVAILABLE',
        detail: 'No service answers snn.nobody',
        retryAfterSeconds: 1,
      });
    }));

  it('says TIMEOUT when the handler is slower than the caller waits', () =>
    onBus(async (bus, client) => {
      await start(bus, 'a');
      const error = await refusal(client.call(wait, {}, { timeoutMs: 60 }));
      expect(error.payload).toMatchObject({
        code: 'TIMEOUT',
        detail: 'prover.wait did not answer within 60 ms',
      });
    }));

  it('lets the caller give up with its own reason', () =>
    onBus(async (bus, client) => {
      const instance = await start(bus, 'a');
      const controller = new AbortController();
      const call = client.call(wait, {}, { signal: controller.signal });
      await instance.waiting;
      controller.abort(new Error('changed my mind'));
      await expect(call).rejects.toThrow('changed my mind');
      await expect(client.call(echo, {}, { signal: controller.signal })).rejects.toThrow('changed my mind');
    }));

  it('refuses a payload that breaks the schema, names the field, and does not run the handler', () =>
    onBus(async (bus, client) => {
      const instance = await start(bus, 'a');
      const error = await refusal(client.call(echo, { text: 'much too long a text' }));
      expect(error.payload.code).toBe('VALIDATION_FAILED');
      expect(error.payload.errors).toEqual([
        { path: 'text', message: expect.any(String), bound: 10, got: 'much too long a text' },
      ]);
      expect(instance.calls.echo).toBe(0);
    }));

  it("gives the handler's problem to the caller whole", () =>
    onBus(async (bus, client) => {
      await start(bus, 'a');
      const error = await refusal(client.call(fail, { how: 'problem' }));
      expect(error.payload).toEqual({
        code: 'OVERLOADED',
        detail: 'All provers are busy',
        retryAfterSeconds: 3,
        errors: [{ path: 'degree', message: 'too large for now' }],
        extensions: { queueLength: 9 },
      });
    }));

  it.each([
    ['an unknown error', 'unknown'],
    ['a reply that cannot cross the bus', 'cannot-cross'],
  ] as const)('says INTERNAL and leaks nothing after %s', (_name, how) =>
    onBus(async (bus, client) => {
      await start(bus, 'a');
      const error = await refusal(client.call(fail, { how }));
      expect(error.payload).toEqual({ code: 'INTERNAL', detail: expect.not.stringContaining('hunter2') });
    }),
  );

  it('says INTERNAL when a reply breaks the contract', () =>
    onBus(async (bus, client) => {
      await start(bus, 'a');
      const error = await refusal(client.call(fail, { how: 'lie' }));
      expect(error.payload).toEqual({
        code: 'INTERNAL',
        detail: 'The reply of prover.fail breaks its contract',
      });
    }));

  it('says what is too large instead of going silent, for requests and for replies', () =>
    onBus(async (bus, client) => {
      await start(bus, 'a');
      const request = await refusal(client.call(echo, { bytes: [new Uint8Array(9_000_000)] }));
      expect(request.payload).toMatchObject({
        code: 'BODY_TOO_LARGE',
        detail: expect.stringMatching(
          /^A message of prover\.echo has 90000\d\d bytes; the bus carries at most 8388608$/,
        ),
      });
      const reply = await refusal(client.call(fail, { how: 'huge' }, { timeoutMs: 60_000 }));
      expect(reply.payload).toMatchObject({
        code: 'BODY_TOO_LARGE',
        detail: expect.stringContaining('8388608'),
      });
    }));

  it('throws where a payload holds what cannot cross', () =>
    onBus(async (bus, client) => {
      await start(bus, 'a');
      await expect(client.call(echo, { text: new Date() as never })).rejects.toThrow(EnvelopeEncodeError);
    }));

  if (sendBytes) {
    it('answers bytes that are no envelope with a problem and lives on', () =>
      onBus(async (bus, client, link) => {
        await start(bus, 'a');
        for (const bytes of [[], [1, 2, 3], [255, 255, 255, 255, 0], [2, 0, 0, 0, 0x7b, 0x7d, 9]]) {
          const answer = await sendBytes(link, 'prover.echo', Uint8Array.from(bytes));
          expect(Buffer.from(answer).toString()).toContain('VALIDATION_FAILED');
        }
        expect(await client.call(echo, {})).toMatchObject({ by: 'a' });
      }));
  }

  it('carries copies: what either end does to a value later does not reach the other', () =>
    onBus(async (bus, _client, link) => {
      const service = await bus.link('prover');
      links.push(service);
      const kept = { list: [{ n: 1 }], bytes: Uint8Array.of(1, 2) };
      const received: unknown[] = [];
      service.listen('prover.keeps', 'prover', ({ payload, respond }) => {
        if (payload.ok) received.push(payload.value);
        respond({ value: kept });
      });
      await service.flush();
      const options = { timeoutMs: 5_000, traceparent: currentTrace().traceparent };
      const sent = { list: [{ n: 1 }], bytes: Buffer.from([1, 2]) };
      const asked = link.request('prover.keeps', sent, options);
      sent.list[0].n = 2;
      sent.bytes[0] = 9;
      const reply = readReply('prover.keeps', await asked);
      kept.list[0].n = 2;
      kept.bytes[0] = 9;
      const before = { list: [{ n: 1 }], bytes: Uint8Array.of(1, 2) };
      expect(received).toEqual([before]);
      expect(reply).toEqual(before);
    }));

  it('takes the trace of the caller to the handler', () =>
    onBus(async (bus, client) => {
      await start(bus, 'a');
      const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
      const reply = await runWithTrace(`00-${traceId}-00f067aa0ba902b7-01`, () => client.call(echo, {}));
      expect(reply.traceId).toBe(traceId);
    }));

  it('takes along for whom a call comes, and how it stands with its payment', () =>
    onBus(async (bus, client, link) => {
      await start(bus, 'a');
      const turn = { subject: 'Zm9v_-1', standing: 'settled' } as const;
      expect((await runInTurn(turn, () => client.call(echo, {}))).turn).toEqual(turn);
      expect((await client.call(echo, {})).turn).toBeUndefined();
      const options = { timeoutMs: 5_000, traceparent: currentTrace().traceparent, turn: 'paid somebody' };
      const answer = await link.request('prover.echo', {}, options);
      expect(readReply('prover.echo', answer)).not.toHaveProperty('turn');
    }));

  it('shares requests among the instances of one service, each going to exactly one', () =>
    onBus(async (bus, client) => {
      const both = [await start(bus, 'a'), await start(bus, 'b')];
      const replies = await Promise.all(Array.from({ length: 60 }, () => client.call(echo, {})));
      expect(both[0].calls.echo + both[1].calls.echo).toBe(60);
      expect(new Set(replies.map(reply => reply.by))).toEqual(new Set(['a', 'b']));
    }));

  it('drains: what was taken is finished, what is new goes to another instance', () =>
    onBus(async (bus, client) => {
      const leaving = await start(bus, 'leaving');
      const inFlight = client.call(wait, {});
      await leaving.waiting;
      const staying = await start(bus, 'staying');
      let closed = false;
      const closing = leaving.close().then(() => (closed = true));
      const replies = [];
      // The last requests sent before the drain began may still reach the one that leaves.
      while (replies.filter(by => by === 'staying').length < 20)
        replies.push((await client.call(echo, {})).by);
      expect(replies.slice(-20)).toEqual(Array(20).fill('staying'));
      expect(closed).toBe(false);
      leaving.openGate();
      expect(await inFlight).toEqual({ by: 'leaving' });
      await closing;
      await staying.close();
      const error = await refusal(client.call(echo, {}));
      expect(error.code).toBe('SERVICE_UNAVAILABLE');
    }));

  it('tells a notice to every end that hears it, once each, and to nobody else', () =>
    onBus(async (bus, _client, link) => {
      const [a, b] = [await bus.link('snn'), await bus.link('snn')];
      links.push(a, b);
      const heard: string[] = [];
      const note = (who: string) => (envelope: Uint8Array) =>
        void heard.push(`${who}:${Buffer.from(envelope).toString()}`);
      a.hear('notices.snn.one', note('a'));
      b.hear('notices.snn.one', note('b'));
      b.hear('notices.snn.two', note('b2'));
      await Promise.all([a.flush(), b.flush()]);
      const sent = new TextEncoder().encode('first');
      link.tell('notices.snn.one', sent);
      sent.fill(0);
      a.tell('notices.snn.one', new TextEncoder().encode('second'));
      // Each end hears its last one after whatever came before it.
      a.tell('notices.snn.two', new TextEncoder().encode('end'));
      await until(() => heard.length >= 5);
      expect(heard.toSorted()).toEqual(['a:first', 'a:second', 'b2:end', 'b:first', 'b:second']);
    }));

  it('hears notices while it drains, and none after its close', () =>
    onBus(async (bus, _client, link) => {
      const [leaving, staying] = [await bus.link('snn'), await bus.link('snn')];
      links.push(leaving, staying);
      const heard: string[] = [];
      leaving.hear('notices.snn.one', () => void heard.push('leaving'));
      staying.hear('notices.snn.one', () => void heard.push('staying'));
      await Promise.all([leaving.flush(), staying.flush()]);
      await leaving.stopListening();
      link.tell('notices.snn.one', new Uint8Array(1));
      await until(() => heard.length === 2);
      await leaving.close();
      link.tell('notices.snn.one', new Uint8Array(1));
      await until(() => heard.length === 3);
      expect(heard.toSorted()).toEqual(['leaving', 'staying', 'staying']);
    }));

  it('tells nobody where nobody hears, and refuses what is too large and what is told on a closed end', () =>
    onBus(async (bus, _client, link) => {
      expect(() => link.tell('notices.snn.nobody', new Uint8Array(1))).not.toThrow();
      const tooLarge = () => link.tell('notices.snn.nobody', new Uint8Array(9_000_000));
      expect(tooLarge).toThrow(expect.objectContaining({ code: 'BODY_TOO_LARGE' }));
      const closed = await bus.link('snn');
      await closed.close();
      const told = () => closed.tell('notices.snn.nobody', new Uint8Array(1));
      expect(told).toThrow(expect.objectContaining({ code: 'SERVICE_UNAVAILABLE' }));
    }));

  it('says SERVICE_UNAVAILABLE to callers on a closed end', () =>
    onBus(async (bus, _client) => {
      const link = await bus.link('gateway');
      await link.close();
      const error = await refusal(new BusClient(link).call(echo, {}));
      expect(error.code).toBe('SERVICE_UNAVAILABLE');
      expect(link.connected).toBe(false);
    }));
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(resolve => setTimeout(resolve, 5));
}

function latch(): { opened: Promise<void>; open: () => void } {
  let open!: () => void;
  const opened = new Promise<void>(resolve => (open = resolve));
  return { opened, open };
}

async function startInstance(link: BusLink, name: string): Promise<Instance> {
  const gate = latch();
  const waiting = latch();
  const calls = { echo: 0 };
  const app = await NestFactory.createMicroservice(
    moduleOf(controllerOf(name, calls, gate.opened, waiting.open)),
    {
      strategy: new BusServer(link, 'prover', createLogger('prover', { level: 'silent' })),
      logger: false,
    },
  );
  await app.listen();
  return {
    calls,
    waiting: waiting.opened,
    openGate: () => gate.open(),
    close: async () => {
      await app.close();
      await link.close();
    },
  };
}

function moduleOf(controller: Type): Type {
  @Module({ controllers: [controller] })
  class TestModule {}
  return TestModule;
}

function controllerOf(name: string, calls: { echo: number }, gate: Promise<void>, began: () => void): Type {
  @Controller()
  class TestController {
    @Handle(echo)
    echo({ text, bytes }: { text: string; bytes: Uint8Array<ArrayBuffer>[] }) {
      calls.echo++;
      return { text, bytes, traceId: currentTrace().traceId, turn: currentTurn(), by: name };
    }

    @Handle(fail)
    fail({ how }: { how: string }): { value: number } {
      switch (how) {
        case 'problem':
          throw problem('OVERLOADED', 'All provers are busy', {
            retryAfterSeconds: 3,
            errors: [{ path: 'degree', message: 'too large for now' }],
            extensions: { queueLength: 9 },
          });
        case 'unknown':
          throw new Error('password=hunter2');
        case 'cannot-cross':
          return { value: new Map([['hunter2', 1]]) as never };
        case 'huge':
          return { value: new Uint8Array(9_000_000) as never };
        default:
          return { value: 'not a number' as never };
      }
    }

    @Handle(wait)
    async wait(_request: Record<string, never>) {
      began();
      await gate;
      return { by: name };
    }
  }
  return TestController;
}
