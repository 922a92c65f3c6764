import { describe, expect, it, jest } from '@jest/globals';
import { cloudEventOf, type OutgoingEvent, taskEvent, type TaskEventData } from '@svc/contracts';
import fc from 'fast-check';
import { consumeEvents, type ConsumeOptions } from './consume-events.js';
import type { ConsumedEvent, StreamMessage } from './event-types.js';
import { READ_BYTES_MAX, readEvent } from './read-event.js';

const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const taskId = `tsk_${'a'.repeat(22)}`;
const taskOf = (seq: number, more: Partial<TaskEventData> = {}): OutgoingEvent =>
  taskEvent({
    taskId,
    deptId: 'compliance',
    capability: 'coi.verify',
    seq,
    at: '2026-01-02T03:04:05.678Z',
    status: 'QUEUED',
    ...more,
  });

interface Stored {
  readonly subject: string;
  readonly id: string;
  readonly data: Uint8Array;
}
const storedOf = (event: OutgoingEvent): Stored => ({
  subject: event.subject,
  id: event.id,
  data: encode(cloudEventOf(event)),
});

/** A stream that hands one message over at a time, as the server does, and redelivers what was not acknowledged. */
class FakeStream {
  readonly outcomes: string[] = [];
  readonly published: Stored[] = [];
  readonly added: object[] = [];
  readonly updated: object[] = [];
  filter: string | undefined;
  deadLettersFail = 0;
  /** Consumptions that break before their first message. */
  losses = 0;
  onDone: () => void = () => undefined;

  constructor(private readonly events: Stored[]) {}

  options(): Pick<ConsumeOptions<string>, 'jetstream' | 'manager'> {
    return {
      manager: {
        consumers: {
          info: async () => {
            if (this.filter === undefined) throw Object.assign(new Error('not found'), { code: 10_014 });
            return { config: { filter_subject: this.filter } };
          },
          add: async (_stream: string, config: object) => this.added.push(config),
          update: async (_stream: string, _durable: string, config: object) => this.updated.push(config),
        },
      },
      jetstream: {
        consumers: { get: async () => ({ consume: async () => this.messages() }) },
        publish: async (subject: string, data: Uint8Array, { msgID }: { msgID: string }) => {
          if (this.deadLettersFail-- > 0) throw new Error('the stream is away');
          return this.published.push({ subject, id: msgID, data });
        },
      },
    };
  }

  private messages() {
    if (this.losses-- > 0) throw new Error('the server is away');
    let open = true;
    const end = new Promise<void>(resolve => (this.stopped = resolve));
    const { events, outcomes } = this;
    const done = () => this.onDone();
    async function* deliver(): AsyncGenerator<StreamMessage> {
      for (let at = 0, delivery = 1; open && at < events.length;) {
        const { subject, id, data } = events[at];
        let outcome = '';
        yield {
          subject,
          data,
          seq: at + 1,
          headers: { get: name => (name === 'Nats-Msg-Id' ? id : '') },
          info: { deliveryCount: delivery },
          ack: () => (outcome ||= 'ack'),
          nak: () => (outcome ||= 'nak'),
          term: () => (outcome ||= 'term'),
          working: () => undefined,
        };
        outcomes.push(`${id} ${outcome}`);
        if (outcome === 'nak') delivery++;
        else {
          at++;
          delivery = 1;
        }
      }
      done();
      await end;
    }
    return Object.assign(deliver(), {
      stop: () => {
        open = false;
        this.stopped();
      },
    });
  }

  private stopped: () => void = () => undefined;
}

/** Consumes all that there is. */
async function consumed(
  stream: FakeStream,
  handler: (event: ConsumedEvent<'task'>) => Promise<void>,
  more: Partial<ConsumeOptions<'events.task.>'>> = {},
): Promise<void> {
  const done = new Promise<void>(resolve => (stream.onDone = resolve));
  const consumption = await consumeEvents(
    { ...stream.options(), filter: 'events.task.>', durable: 'consumer-task', retryMs: 1, ...more },
    handler,
  );
  await done;
  await consumption.stop();
}

describe('a consumer of events', () => {
  it('gets every event in order, typed by its subject, and acknowledges what was handled', async () => {
    const stream = new FakeStream([1, 2, 3].map(seq => storedOf(taskOf(seq))));
    const seen: [string, number, string][] = [];
    await consumed(stream, async ({ family, id, event }) => {
      seen.push([family, event.data.seq, id]);
    });
    expect(seen).toEqual([1, 2, 3].map(seq => ['task', seq, `task:${taskId}:${seq}`]));
    expect(stream.outcomes).toEqual([1, 2, 3].map(seq => `task:${taskId}:${seq} ack`));
    expect(stream.added).toEqual([
      expect.objectContaining({
        durable_name: 'consumer-task',
        filter_subject: 'events.task.>',
        ack_policy: 'explicit',
        max_ack_pending: 1,
      }),
    ]);
  });

  it('makes no consumer where there is one, and changes the filter of one that has another', async () => {
    const stream = new FakeStream([]);
    stream.filter = 'events.task.>';
    await consumed(stream, async () => undefined);
    expect([stream.added, stream.updated]).toEqual([[], []]);
    stream.filter = 'events.task.proofs.>';
    await consumed(stream, async () => undefined);
    expect(stream.added).toEqual([]);
    expect(stream.updated).toEqual([{ filter_subject: 'events.task.>' }]);
  });

  it('gets an event again that it could not handle, and puts it aside after its deliveries', async () => {
    const [bad, good] = [storedOf(taskOf(1)), storedOf(taskOf(2))];
    const stream = new FakeStream([bad, good]);
    const deliveries: number[] = [];
    const aside = jest.fn();
    await consumed(
      stream,
      async ({ delivery, event }) => {
        if (event.data.seq === 2) return;
        deliveries.push(delivery);
        throw new Error('the books are closed');
      },
      { deliveriesMax: 3, onPutAside: aside },
    );
    expect(deliveries).toEqual([1, 2, 3]);
    expect(stream.published).toEqual([
      {
        subject: `events.dead.consumer-task.task.compliance.${taskId}`,
        id: `dead:consumer-task:${bad.id}`,
        data: bad.data,
      },
    ]);
    expect(aside).toHaveBeenCalledWith(bad.subject, bad.id, 'not-handled', 'the books are closed');
    expect(stream.outcomes.map(line => line.split(' ')[1])).toEqual(['nak', 'nak', 'term', 'ack']);
  });

  it('puts an event aside that kills its consumers, without handing it over once more', async () => {
    const stream = new FakeStream([storedOf(taskOf(1))]);
    const handler = jest.fn(async () => undefined);
    await consumed(stream, handler, { deliveriesMax: 0 });
    expect(handler).not.toHaveBeenCalled();
    expect(stream.published.length).toBe(1);
  });

  it('gives nothing up that could not be put aside', async () => {
    const stream = new FakeStream([{ ...storedOf(taskOf(1)), data: encode('broken') }]);
    stream.deadLettersFail = 1;
    const lost = jest.fn();
    await consumed(stream, async () => undefined, { onLost: lost });
    expect(lost).toHaveBeenCalledTimes(1);
    expect(stream.published.length).toBe(1);
    expect(stream.outcomes.at(-1)).toBe(`task:${taskId}:1 term`);
  });

  it('puts aside at once what cannot be read, and passes over what is newer than it', async () => {
    const newer = { ...cloudEventOf(taskOf(3)), type: 'svc.task.pondered.v1' };
    const stream = new FakeStream([
      { ...storedOf(taskOf(1)), data: encode({ specversion: '1.0' }) },
      { ...storedOf(taskOf(2)), data: encode({ ...cloudEventOf(taskOf(2)), data: { taskId: 7 } }) },
      { ...storedOf(taskOf(3)), data: encode(newer) },
      storedOf(taskOf(4)),
    ]);
    const seen: number[] = [];
    const aside: string[] = [];
    const skipped = jest.fn();
    await consumed(
      stream,
      async ({ event }) => {
        seen.push(event.data.seq);
      },
      { onPutAside: (_subject, id, why) => aside.push(`${id} ${why}`), onNewer: skipped },
    );
    expect(seen).toEqual([4]);
    expect(aside).toEqual([`task:${taskId}:1 unreadable`, `task:${taskId}:2 unreadable`]);
    expect(skipped).toHaveBeenCalledTimes(1);
  });

  it('does not hand over again what it has handled, as far as it remembers', async () => {
    const stream = new FakeStream([1, 1, 2].map(seq => storedOf(taskOf(seq))));
    const seen: number[] = [];
    await consumed(stream, async ({ event }) => {
      seen.push(event.data.seq);
    });
    expect(seen).toEqual([1, 2]);
    expect(stream.outcomes.every(line => line.endsWith('ack'))).toBe(true);
  });

  it('begins again when the stream is lost', async () => {
    const stream = new FakeStream([storedOf(taskOf(1))]);
    stream.losses = 1;
    const handler = jest.fn(async () => undefined);
    const lost = jest.fn();
    await consumed(stream, handler, { onLost: lost });
    expect(lost).toHaveBeenCalledTimes(1);
    expect(handler).toHaveBeenCalledTimes(1);
  });

  it.each([
    [{ durable: 'a.b' }],
    [{ durable: '' }],
    [{ filter: 'events.>' as const }],
    [{ filter: 'events.*.x' as const }],
    [{ filter: 'events.dead.x' as const }],
  ])('refuses %j', async part => {
    const options = {
      ...new FakeStream([]).options(),
      filter: 'events.task.>' as const,
      durable: 'a',
      ...part,
    };
    await expect(consumeEvents(options, async () => undefined)).rejects.toThrow(RangeError);
  });
});

describe('an event that is read', () => {
  const subject = taskOf(1).subject;

  it('gives a reason for whatever bytes it has, and throws for none', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.uint8Array({ maxLength: 200 }), fc.json().map(encode), fc.jsonValue().map(encode)),
        data => {
          expect(['newer', 'unreadable']).toContain(readEvent({ subject, id: 'x', data, delivery: 1 }).kind);
        },
      ),
      { numRuns: 300, seed: 20261122 },
    );
    const large = readEvent({ subject, id: 'x', data: new Uint8Array(READ_BYTES_MAX + 1), delivery: 1 });
    expect(large).toMatchObject({ kind: 'unreadable', reason: expect.stringContaining('1048576') });
  });

  it('may have members that this reader does not know', () => {
    const event = { ...cloudEventOf(taskOf(1)), newMember: 1, data: { ...taskOf(1).data, more: true } };
    expect(readEvent({ subject, id: 'x', data: encode(event), delivery: 1 }).kind).toBe('event');
  });

  it('is of no type that an object has by nature', () => {
    const event = { ...cloudEventOf(taskOf(1)), type: 'constructor' };
    expect(readEvent({ subject, id: 'x', data: encode(event), delivery: 1 }).kind).toBe('newer');
  });

  it('is newer where nothing is known of its subject', () => {
    for (const other of ['events.weather.today', 'events.task.compliance', `${subject}.more`])
      expect(readEvent({ subject: other, id: 'x', data: encode({}), delivery: 1 }).kind).toBe('newer');
  });
});
