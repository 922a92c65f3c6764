import { openEventStream } from '../src/messaging/open-event-stream.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AnyCloudEvent, EVENT_BYTES_MAX, type OutgoingEvent } from '@svc/contracts';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import type { EmbeddedPostgres } from '../src/embedded/embedded-postgres.js';
import { HANGS_MS } from '../src/testing/by-tier.js';
import { startTemporaryPostgres } from '../src/testing/temporary-postgres.js';
import { MemoryBus } from '../src/messaging/memory-bus.js';
import { openBusLink } from '../src/messaging/bus.module.js';
import { type DeliveredEvent, type EventStream, type StreamEvent } from '../src/messaging/event-stream.js';
import { createLogger } from '../src/observability/logger.js';
import { openDataSource } from '../src/persistence/service-data-source.js';
import { SessionLock } from '../src/persistence/session-lock.js';
import { EventOutbox } from '../src/events/event-outbox.js';
import { EventOutboxTable } from '../src/events/event-outbox-table.js';
import { EventPublisher } from '../src/events/event-publisher.js';
import { OutboxRelay } from '../src/events/outbox-relay.js';

class Outbox1700000000000 extends EventOutboxTable {
  readonly name = 'Outbox1700000000000';
}

const logger = createLogger('payments', { level: 'silent' });
const eventOf = (about: string, n = 0, data: OutgoingEvent['data'] = { n }): OutgoingEvent => ({
  subject: `events.test.${about}`,
  id: `test:${about}:${n}`,
  type: 'svc.test.happened.v1',
  service: 'payments',
  about,
  data,
});

describe('the outbox of events', () => {
  let postgres: EmbeddedPostgres;
  let database: DataSource;
  let lock: SessionLock;
  const outbox = new EventOutbox();
  beforeAll(async () => {
    postgres = await startTemporaryPostgres();
    const url = postgres.migrationUrlFor('payments');
    const migrations = [Outbox1700000000000];
    database = await openDataSource({ service: 'payments', url, migrationUrl: url, migrations, logger });
    lock = new SessionLock(database, 'event publisher', logger);
    await lock.take();
  });
  afterAll(async () => {
    await lock?.release();
    await database?.destroy();
    await postgres?.stop();
  });
  beforeEach(() => database.query('DELETE FROM event_outbox'));

  const left = async (): Promise<string[]> =>
    (await database.query('SELECT event_id FROM event_outbox ORDER BY seq')).map(
      ({ event_id }: { event_id: string }) => event_id,
    );
  /** Rounds until nothing more is said to wait; failures are counted. */
  const drain = async (relay: OutboxRelay, roundsMax = 50): Promise<number> => {
    let failures = 0;
    for (let round = 0; round < roundsMax && (await left()).length > 0; round++)
      await relay.round(lock).catch(() => failures++);
    return failures;
  };

  it('has the events of a transaction that commits, and none of one that does not', async () => {
    await database.transaction(tx => outbox.add(tx, [eventOf('kept'), eventOf('kept', 1)]));
    await database
      .transaction(async tx => {
        await outbox.add(tx, [eventOf('lost')]);
        throw new Error('taken back');
      })
      .catch(() => undefined);
    expect(await left()).toEqual(['test:kept:0', 'test:kept:1']);
  });

  it('publishes CloudEvents with the id, the subject and the data that were given', async () => {
    const stream = new Recording();
    const time = new Date('2026-01-02T03:04:05.678Z');
    const data = { text: 'ünï \u0000 "', deep: { list: [1, null, true] } };
    await outbox.add(database, [{ ...eventOf('a', 0, data), time }]);
    await new OutboxRelay(stream).round(lock);
    expect(stream.stored.map(({ subject, id }) => [subject, id])).toEqual([['events.test.a', 'test:a:0']]);
    const event: unknown = JSON.parse(Buffer.from(stream.stored[0].data).toString());
    expect(AnyCloudEvent.parse(event)).toEqual(event);
    expect(event).toEqual({
      specversion: '1.0',
      id: 'test:a:0',
      source: '/payments',
      type: 'svc.test.happened.v1',
      subject: 'a',
      time: time.toISOString(),
      datacontenttype: 'application/json',
      data,
    });
    expect(await left()).toEqual([]);
  });

  it.each([
    ['a subject outside of events', { subject: 'payments.claim' }],
    ['a subject with a wildcard', { subject: 'events.test.*' }],
    ['a subject that is too long', { subject: `events.${'a'.repeat(250)}` }],
    ['an id with a space', { id: 'a b' }],
    ['an empty id', { id: '' }],
    ['an id that is too long', { id: 'a'.repeat(257) }],
    ['more than an event may carry', { data: { text: 'a'.repeat(EVENT_BYTES_MAX) } }],
  ])('refuses %s, so that nothing waits behind it', async (_name, part) => {
    await expect(outbox.add(database, [eventOf('a'), { ...eventOf('b'), ...part }])).rejects.toMatchObject({
      driverError: { code: '23514' },
    });
    expect(await left()).toEqual([]);
  });

  it('publishes each at least once and each subject in its order, whatever fails when', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(4), { minLength: 1, maxLength: 40 }),
        fc.array(fc.constantFrom('ok', 'refused', 'stored, and no answer'), { maxLength: 60 }),
        async (subjects, fates) => {
          await database.query('DELETE FROM event_outbox');
          const events = subjects.map((subject, n) => eventOf(`s${subject}`, n));
          await outbox.add(database, events);
          const stream = new Recording(fates);
          await drain(new OutboxRelay(stream), 200);
          expect(await left()).toEqual([]);
          for (const subject of new Set(events.map(event => event.subject))) {
            const wanted = events.filter(event => event.subject === subject).map(({ id }) => id);
            const stored = stream.stored.filter(event => event.subject === subject).map(({ id }) => id);
            // The first storage of each is in order: a repetition is known by its id.
            expect([...new Set(stored)]).toEqual(wanted);
          }
        },
      ),
      { numRuns: 25, seed: 20261122 },
    ));

  it('lets no event overtake another of its subject over many pages, and holds nobody else up', async () => {
    const blocked = Array.from({ length: 700 }, (_, n) => eventOf('blocked', n));
    const others = Array.from({ length: 700 }, (_, n) => eventOf(`free-${n}`));
    await outbox.add(
      database,
      blocked.flatMap((event, n) => [event, others[n]]),
    );
    const stream = new Recording();
    stream.refuse = subject => subject === 'events.test.blocked';
    const relay = new OutboxRelay(stream);
    for (let round = 0; round < 4; round++) await relay.round(lock).catch(() => undefined);
    expect(stream.stored.filter(({ subject }) => subject.includes('free')).length).toBe(700);
    expect(stream.stored.some(({ subject }) => subject.includes('blocked'))).toBe(false);
    stream.refuse = () => false;
    await drain(relay);
    const ids = stream.stored.filter(({ subject }) => subject.includes('blocked')).map(({ id }) => id);
    expect(ids).toEqual(blocked.map(({ id }) => id));
  });

  it('passes over what is held up when its pages come again', async () => {
    const events = Array.from({ length: 520 }, (_, n) => eventOf('once', n));
    await outbox.add(database, events);
    const stream = new Recording();
    let asked = 0;
    // The first is refused once: those of the second page must not go before it.
    stream.refuse = () => asked++ === 0;
    await drain(new OutboxRelay(stream));
    expect(stream.stored.map(({ id }) => id)).toEqual(events.map(({ id }) => id));
  });

  it('is published by one process at a time, and by the next when that one goes', async () => {
    const bus = new MemoryBus();
    const stream = openEventStream(openBusLink({ kind: 'memory', bus }, 'payments', logger), {}, logger);
    await lock.release();
    const processes = [1, 2].map(() => {
      const own = new EventOutbox();
      const session = new SessionLock(database, 'event publisher', logger);
      const publisher = new EventPublisher(
        { outbox: own, relay: new OutboxRelay(stream), lock: session, logger },
        { pollMs: 20 },
      );
      publisher.onApplicationBootstrap();
      return { own, publisher };
    });
    const seen: DeliveredEvent[] = [];
    const durable = `d-${randomUUID().slice(0, 8)}`;
    const reading = await stream.subscribe({ filter: 'events.test.*', durable }, async event => {
      seen.push(event);
    });
    try {
      await until(() => processes.some(({ publisher }) => publisher.leads));
      expect(processes.filter(({ publisher }) => publisher.leads).length).toBe(1);
      await outbox.add(database, [eventOf('x', 1)]);
      await until(() => seen.length === 1);
      const leader = processes.find(({ publisher }) => publisher.leads)!;
      await leader.publisher.onApplicationShutdown();
      await outbox.add(database, [eventOf('x', 2)]);
      for (const { own } of processes) own.wake();
      await until(() => seen.length === 2);
      expect(seen.map(({ id }) => id)).toEqual(['test:x:1', 'test:x:2']);
      await until(async () => (await left()).length === 0);
    } finally {
      await reading.stop();
      for (const { publisher } of processes) await publisher.onApplicationShutdown();
      await lock.take();
    }
  });
});

type Fate = 'ok' | 'refused' | 'stored, and no answer';

/** A stream that keeps what it stores, and fails as it is told to. */
class Recording implements EventStream {
  readonly stored: StreamEvent[] = [];
  refuse: (subject: string) => boolean = () => false;

  constructor(private readonly fates: Fate[] = []) {}

  async ensure(): Promise<void> {}

  async publish(event: StreamEvent): Promise<void> {
    const fate = this.fates.shift() ?? 'ok';
    await Promise.resolve();
    if (fate === 'refused' || this.refuse(event.subject)) throw new Error('the stream is away');
    this.stored.push(event);
    if (fate !== 'ok') throw new Error('no answer');
  }

  async subscribe(): Promise<never> {
    throw new Error('nobody reads it');
  }
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadlineMs = Date.now() + HANGS_MS;
  while (!(await holds())) {
    if (Date.now() > deadlineMs) throw new Error('it did not come to be');
    await new Promise(resolve => setTimeout(resolve, 10));
  }
}
