import type { ConsumerNotification, JsMsg } from '@nats-io/jetstream';
import { describe, expect, it, jest } from '@jest/globals';
import type { PresenceBucket } from './presence-bucket.js';
import { presenceNamesOf } from './presence-key.js';
import { PresenceTail } from './presence-tail.js';
import { ServerClock } from './server-clock.js';

const turn = () => new Promise(resolve => setImmediate(resolve));

/** A tail of a bucket whose server says what the test has it say. */
async function tailOf() {
  let deliver: (message: JsMsg) => void = () => undefined;
  let notify: (note: ConsumerNotification) => void = () => undefined;
  let close: () => void = () => undefined;
  const closed = new Promise<void>(resolve => (close = resolve));
  const stop = jest.fn();
  const remove = jest.fn(async () => true);
  const notes = async function* () {
    for (;;) yield await new Promise<ConsumerNotification>(resolve => (notify = resolve));
  };
  const consume = async ({ callback }: { callback: (message: JsMsg) => void }) => {
    deliver = callback;
    return { stop, closed: () => closed, status: notes };
  };
  const add = async () => ({ created: '2026-01-01T00:00:00.123456789Z' });
  const bucket = {
    names: presenceNamesOf('snn'),
    heartbeatMs: 1_000,
    link: { inboxPrefix: '_INBOX.snn' },
    manager: async () => ({ consumers: { add, delete: remove } }),
    client: () => ({ consumers: { getPushConsumer: async () => ({ consume }) } }),
  };
  const clock = new ServerClock(() => 0);
  const seen: number[] = [];
  const tail = await PresenceTail.open(
    bucket as unknown as PresenceBucket,
    clock,
    ({ seq }) => void seen.push(seq),
  );
  return {
    tail,
    seen,
    stop,
    remove,
    clock,
    close: () => close(),
    deliver: (deliverySequence: number, streamSequence: number) =>
      deliver({ seq: streamSequence, info: { deliverySequence, streamSequence } } as unknown as JsMsg),
    heartbeat: async (lastConsumerSequence: number, lastStreamSequence: number) => {
      notify({ type: 'heartbeat', lastConsumerSequence, lastStreamSequence });
      await turn();
    },
    notify: async (note: ConsumerNotification) => {
      notify(note);
      await turn();
    },
  };
}

/** Whether a promise has settled by now, and how. */
async function stateOf(promise: Promise<unknown>): Promise<string> {
  const settled = promise.then(
    () => 'resolved',
    (error: Error) => error.message,
  );
  return Promise.race([settled, turn().then(() => 'waits')]);
}

describe('the tail of a bucket', () => {
  it('notes the time of the server, and hands on what comes', async () => {
    const { clock, deliver, seen } = await tailOf();
    expect(clock.earliestMs()).toBe(Date.parse('2026-01-01T00:00:00.123Z'));
    deliver(1, 4);
    deliver(2, 9);
    expect(seen).toEqual([4, 9]);
  });

  it('has reached what was handed on, and what an empty stream had', async () => {
    const { tail, deliver } = await tailOf();
    expect(await stateOf(tail.reached({ last_seq: 100, messages: 0 }))).toBe('resolved');
    const reached = [4, 5, 9].map(last_seq => tail.reached({ last_seq, messages: 3 }));
    expect(await Promise.all(reached.map(stateOf))).toEqual(['waits', 'waits', 'waits']);
    deliver(1, 4);
    expect(await Promise.all(reached.map(stateOf))).toEqual(['resolved', 'waits', 'waits']);
    deliver(2, 9);
    expect(await Promise.all(reached.map(stateOf))).toEqual(['resolved', 'resolved', 'resolved']);
    expect(await stateOf(tail.reached({ last_seq: 9, messages: 3 }))).toBe('resolved');
  });

  it('has reached what was gone before it was delivered, when a heartbeat says so', async () => {
    const { tail, deliver, heartbeat } = await tailOf();
    deliver(1, 4);
    const reached = tail.reached({ last_seq: 7, messages: 1 });
    await heartbeat(0, 7);
    expect(await stateOf(reached)).toBe('waits');
    await heartbeat(1, 7);
    expect(await stateOf(reached)).toBe('resolved');
    expect(tail.isOver).toBe(false);
  });

  it('ends where a message is missing, hands on nothing more, and takes its consumer away', async () => {
    for (const lose of ['message', 'heartbeat'] as const) {
      const { tail, seen, deliver, heartbeat, stop, remove } = await tailOf();
      deliver(1, 1);
      const reached = tail.reached({ last_seq: 9, messages: 1 });
      const state = stateOf(reached);
      if (lose === 'message') deliver(3, 3);
      else await heartbeat(2, 3);
      expect(await tail.ended).toBe('a message is missing');
      expect(await state).toBe('a message is missing');
      expect(await stateOf(tail.reached({ last_seq: 1, messages: 1 }))).toBe('a message is missing');
      deliver(2, 2);
      deliver(4, 4);
      expect([seen, tail.isOver]).toEqual([[1], true]);
      await turn();
      tail.end('again');
      await turn();
      expect([stop.mock.calls.length, remove.mock.calls.length]).toEqual([1, 1]);
    }
  });

  it('ends where the server is silent, or the subscription closed', async () => {
    const silent = await tailOf();
    await silent.notify({ type: 'flow_control' });
    expect(silent.tail.isOver).toBe(false);
    await silent.notify({ type: 'heartbeats_missed', count: 2 });
    expect(await silent.tail.ended).toMatch(/silent/);
    const closed = await tailOf();
    closed.close();
    expect(await closed.tail.ended).toMatch(/closed/);
  });

  it('ends where nothing comes of what the stream has', async () => {
    const { tail } = await tailOf();
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    try {
      const reached = expect(tail.reached({ last_seq: 1, messages: 1 })).rejects.toThrow(/nothing comes/);
      await jest.advanceTimersByTimeAsync(3_000);
      await reached;
      expect(await tail.ended).toMatch(/nothing comes/);
    } finally {
      jest.useRealTimers();
    }
  });
});
