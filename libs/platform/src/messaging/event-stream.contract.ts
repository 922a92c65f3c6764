import { expect, it } from '@jest/globals';
import type {
  DeliveredEvent,
  EventStream,
  EventSubscription,
  EventSubscriptionOptions,
} from './event-stream.js';

/** A stream under test: each call of `open` is another end of it. */
export interface EventsUnderTest {
  open(): Promise<EventStream>;
}

const text = (event: Pick<DeliveredEvent, 'data'>) => Buffer.from(event.data).toString();
const event = (subject: string, id: string, data = id) => ({ subject, id, data: Buffer.from(data) });

let runs = 0;

/** What both streams promise, whatever keeps the events. */
export function itKeepsTheEventStreamContract(start: () => Promise<EventsUnderTest>): void {
  /** A stream and a namespace of its own in it: the events of other tests stay out of sight. */
  async function onStream(
    work: (stream: EventStream, scope: Scope, under: EventsUnderTest) => Promise<void>,
  ): Promise<void> {
    const under = await start();
    const scope = new Scope(`t${process.pid}-${++runs}`);
    const stream = await under.open();
    await stream.ensure();
    try {
      await work(stream, scope, under);
    } finally {
      await scope.close();
    }
  }

  it('hands a consumer what was published before it and after it, in order, as a copy', () =>
    onStream(async (stream, scope) => {
      const data = Buffer.from('first');
      await stream.publish({ subject: scope.subject('a'), id: scope.id('1'), data });
      data.fill(0);
      const { seen, reach } = await scope.collect(stream);
      await reach(1);
      for (const n of [2, 3, 4]) await stream.publish(event(scope.subject('a'), scope.id(String(n))));
      await reach(4);
      expect(seen.map(each => each.id)).toEqual(['1', '2', '3', '4'].map(n => scope.id(n)));
      expect(text(seen[0])).toBe('first');
      expect(seen[0].subject).toBe(scope.subject('a'));
    }));

  it('stores an event once, however often it is published, and says so by resolving', () =>
    onStream(async (stream, scope, under) => {
      const again = event(scope.subject('a'), scope.id('twice'));
      const other = await under.open();
      await Promise.all([stream.publish(again), stream.publish(again), other.publish(again)]);
      await stream.publish(event(scope.subject('a'), scope.id('last')));
      const { seen, reach } = await scope.collect(stream);
      await reach(2);
      expect(seen.map(each => each.id)).toEqual([scope.id('twice'), scope.id('last')]);
    }));

  it('filters by subject, with one token and with the rest', () =>
    onStream(async (stream, scope) => {
      for (const name of ['a', 'b', 'a.x']) await stream.publish(event(scope.subject(name), scope.id(name)));
      const one = await scope.collect(stream, { filter: `events.${scope.name}.*`, durable: 'one' });
      const rest = await scope.collect(stream, { filter: `events.${scope.name}.a.>`, durable: 'rest' });
      await Promise.all([one.reach(2), rest.reach(1)]);
      expect(one.seen.map(each => each.id)).toEqual([scope.id('a'), scope.id('b')]);
      expect(rest.seen.map(each => each.id)).toEqual([scope.id('a.x')]);
    }));

  it('delivers an event that was not handled again, before the next one', () =>
    onStream(async (stream, scope) => {
      for (const n of ['1', '2', '3']) await stream.publish(event(scope.subject('a'), scope.id(n)));
      const { seen, reach } = await scope.collect(stream, {}, ({ id, delivery }) => {
        if (id === scope.id('2') && delivery < 3) throw new Error('not yet');
      });
      await reach(5);
      expect(seen.map(({ id, delivery }) => [id, delivery])).toEqual([
        [scope.id('1'), 1],
        [scope.id('2'), 1],
        [scope.id('2'), 2],
        [scope.id('2'), 3],
        [scope.id('3'), 1],
      ]);
    }));

  it('puts a poison message aside after its deliveries, and goes on with the next', () =>
    onStream(async (stream, scope) => {
      for (const n of ['1', 'poison', '3']) await stream.publish(event(scope.subject('a'), scope.id(n)));
      const { seen, reach } = await scope.collect(stream, { deliveriesMax: 3 }, ({ id }) => {
        if (id === scope.id('poison')) throw new Error('cannot be read');
      });
      await reach(5);
      expect(seen.map(each => each.id)).toEqual(
        ['1', 'poison', 'poison', 'poison', '3'].map(n => scope.id(n)),
      );
      const dead = await scope.collect(stream, {
        filter: `events.dead.${scope.name}-all.>`,
        durable: 'undertaker',
      });
      await dead.reach(1);
      expect(dead.seen[0].subject).toBe(`events.dead.${scope.name}-all.${scope.name}.a`);
      expect(text(dead.seen[0])).toBe(scope.id('poison'));
    }));

  it('remembers what a durable consumer has done, also for its successor', () =>
    onStream(async (stream, scope, under) => {
      for (const n of ['1', '2']) await stream.publish(event(scope.subject('a'), scope.id(n)));
      const first = await scope.collect(stream);
      await first.reach(2);
      await first.subscription.stop();
      await stream.publish(event(scope.subject('a'), scope.id('3')));
      const second = await scope.collect(await under.open());
      await second.reach(1);
      expect(second.seen.map(each => each.id)).toEqual([scope.id('3')]);
    }));

  it('has one event of a slow consumer in flight, and takes publications all the while', () =>
    onStream(async (stream, scope) => {
      let inFlight = 0;
      let inFlightMax = 0;
      let letGo: () => void = () => undefined;
      const gate = new Promise<void>(resolve => (letGo = resolve));
      const { seen, reach } = await scope.collect(stream, {}, async () => {
        inFlightMax = Math.max(inFlightMax, ++inFlight);
        await gate;
        await new Promise(resolve => setImmediate(resolve));
        inFlight--;
      });
      const ids = Array.from({ length: 40 }, (_, i) => scope.id(String(i)));
      for (const id of ids) await stream.publish(event(scope.subject('a'), id));
      await scope.until(() => inFlight === 1);
      expect(seen.length).toBeLessThanOrEqual(1);
      letGo();
      await reach(ids.length);
      expect(inFlightMax).toBe(1);
      expect(seen.map(each => each.id)).toEqual(ids);
    }));

  it('shares the work of one durable consumer between two that subscribe, each event once', () =>
    onStream(async (stream, scope, under) => {
      const ids = Array.from({ length: 20 }, (_, i) => scope.id(String(i)));
      for (const id of ids) await stream.publish(event(scope.subject('a'), id));
      const [a, b] = [await scope.collect(stream), await scope.collect(await under.open())];
      await scope.until(() => a.seen.length + b.seen.length >= ids.length);
      expect([...a.seen, ...b.seen].map(each => each.id).sort()).toEqual([...ids].sort());
    }));

  it('refuses what can be no subject, no id, no filter and no consumer', () =>
    onStream(async (stream, scope) => {
      for (const subject of ['events', 'events.', 'events..a', 'events.a b', 'events.*', 'payments.claim']) {
        await expect(stream.publish(event(subject, 'x'))).rejects.toThrow(RangeError);
      }
      for (const id of ['', 'a b', 'a\r\nb', 'x'.repeat(257)]) {
        await expect(stream.publish(event(scope.subject('a'), id))).rejects.toThrow(RangeError);
      }
      const nothing = async () => undefined;
      for (const filter of ['events', 'payments.>', 'events.>', 'events.*', 'events.*.a', 'events.a.>.b']) {
        await expect(stream.subscribe({ filter, durable: 'd' }, nothing)).rejects.toThrow(RangeError);
      }
      const filter = `events.${scope.name}.>`;
      await expect(stream.subscribe({ filter, durable: 'a.b' }, nothing)).rejects.toThrow(RangeError);
    }));
}

/** Names of one test, and what it subscribed to. */
class Scope {
  private readonly subscriptions: EventSubscription[] = [];

  constructor(readonly name: string) {}

  subject(rest: string): string {
    return `events.${this.name}.${rest}`;
  }

  id(rest: string): string {
    return `${this.name}:${rest}`;
  }

  async collect(
    stream: EventStream,
    options: Partial<EventSubscriptionOptions> = {},
    handler: (event: DeliveredEvent) => void | Promise<void> = () => undefined,
  ) {
    const seen: DeliveredEvent[] = [];
    const subscription = await stream.subscribe(
      {
        filter: `events.${this.name}.>`,
        retryMs: 20,
        ...options,
        durable: `${this.name}-${options.durable ?? 'all'}`,
      },
      async event => {
        seen.push(event);
        await handler(event);
      },
    );
    this.subscriptions.push(subscription);
    return { seen, subscription, reach: (count: number) => this.until(() => seen.length >= count) };
  }

  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise(resolve => setTimeout(resolve, 5));
  }

  async close(): Promise<void> {
    await Promise.all(this.subscriptions.map(each => each.stop()));
  }
}
