import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type {
  TakenWork,
  WorkConsumer,
  WorkConsumerOptions,
  WorkItem,
  WorkPriority,
  WorkQueue,
} from './work-queue.js';
import { byTier } from '../testing/by-tier.js';

/** An end of the queues under test. */
export interface WorkEnd {
  readonly queue: WorkQueue;
  /** The process at this end dies: nothing that it says is heard any more. */
  kill(): Promise<void>;
}

/** Queues that several ends share. */
export interface WorkUnderTest {
  open(settings?: { piecesMax?: number }): Promise<WorkEnd>;
}

let runs = 0;
const nothing = async () => undefined;
const sleep = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms));
const text = (work: Pick<TakenWork, 'data'>) => Buffer.from(work.data).toString();
const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });

/** What the queues promise, whatever keeps the work. */
export function itKeepsTheWorkQueueContract(start: () => Promise<WorkUnderTest>): void {
  async function onQueue(work: (scope: Scope) => Promise<void>): Promise<void> {
    const under = await start();
    const scope = new Scope(`t${process.pid}-${++runs}`, under, await under.open());
    try {
      await work(scope);
    } finally {
      await scope.close();
    }
  }

  it('hands out what was added before a worker came and after it, once each, as a copy', () =>
    onQueue(async scope => {
      const data = Buffer.from('first');
      await scope.queue.add({ queue: scope.name, id: 'a', data });
      data.fill(0);
      const { seen, reach } = await scope.work();
      await reach(1);
      await scope.add('b');
      await reach(2);
      expect(seen.map(each => [each.id, text(each), each.delivery, each.priority, each.queue])).toEqual([
        ['a', 'first', 1, 'normal', scope.name],
        ['b', 'b', 1, 'normal', scope.name],
      ]);
      await scope.isEmpty();
    }));

  it('stores the same work once, also after it was done', () =>
    onQueue(async scope => {
      const other = await scope.open();
      await Promise.all([scope.add('a'), scope.add('a'), scope.add('a', 'normal', other.queue)]);
      expect(await scope.queue.depth(scope.name)).toBe(1);
      const { seen, reach } = await scope.work();
      await reach(1);
      await scope.isEmpty();
      await scope.add('a');
      await scope.add('b');
      await reach(2);
      expect(seen.map(({ id }) => id)).toEqual(['a', 'b']);
    }));

  it('has as many pieces at work as the worker has room for, and counts them in its depth', () =>
    onQueue(async scope => {
      for (let i = 0; i < 12; i++) await scope.add(String(i));
      let running = 0;
      let runningMax = 0;
      const release: (() => void)[] = [];
      const { seen, reach } = await scope.work({ concurrency: 3 }, async () => {
        runningMax = Math.max(runningMax, ++running);
        await new Promise<void>(resolve => release.push(resolve));
        running--;
      });
      await reach(3);
      await scope.marker();
      expect({ seen: seen.length, depth: await scope.queue.depth(scope.name) }).toEqual({
        seen: 3,
        depth: 12,
      });
      const letGo = setInterval(() => release.shift()?.(), 5);
      await reach(12);
      await scope.isEmpty();
      clearInterval(letGo);
      expect(runningMax).toBe(3);
    }));

  it('begins another piece beside one that waits for others, up to seven', () =>
    onQueue(async scope => {
      for (let i = 0; i < 12; i++) await scope.add(String(i));
      const release: (() => void)[] = [];
      const { seen, reach } = await scope.work({ concurrency: 1 }, async ({ waiting }) => {
        // Once more is no more room.
        for (let i = 0; i < 2; i++) waiting();
        await new Promise<void>(resolve => release.push(resolve));
      });
      await reach(8);
      await scope.marker();
      expect(seen).toHaveLength(8);
      release.shift()!();
      await reach(9);
      const goOn = setInterval(() => release.shift()?.(), 5);
      await reach(12);
      await scope.isEmpty();
      clearInterval(goOn);
    }));

  it('has no more pieces at work where those that waited go on', () =>
    onQueue(async scope => {
      for (let i = 0; i < 12; i++) await scope.add(String(i));
      let atWork = 0;
      let atWorkMax = 0;
      let meet = () => undefined as void;
      // The first waits for the second, so that two are at work at once however late the second comes.
      const met = new Promise<void>(resolve => (meet = resolve));
      const step = async () => {
        atWorkMax = Math.max(atWorkMax, ++atWork);
        if (atWork === 2) meet();
        await met;
        await new Promise(resolve => setImmediate(resolve));
        atWork--;
      };
      const { reach } = await scope.work({ concurrency: 2 }, async ({ waiting, resumed }) => {
        await step();
        for (let again = 0; again < 3; again++) {
          waiting();
          await new Promise(resolve => setImmediate(resolve));
          await resumed();
          await step();
        }
      });
      await reach(12);
      await scope.isEmpty();
      expect(atWorkMax).toBe(2);
    }));

  it('delivers again what was not done, after its pause, and counts', () =>
    onQueue(async scope => {
      await scope.add('a');
      const { seen, reach } = await scope.work({ retryMs: 20 }, ({ delivery }) => {
        if (delivery < 3) throw new Error('not yet');
      });
      await reach(3);
      expect(seen.map(({ delivery }) => delivery)).toEqual([1, 2, 3]);
      await scope.isEmpty();
    }));

  it('puts aside what fails too often, and tells the handler of dead letters until that has done its part', () =>
    onQueue(async scope => {
      await scope.add('good');
      await scope.add('poison', 'low');
      const { seen, reach } = await scope.work({ deliveriesMax: 3, retryMs: 10 }, ({ id }) => {
        if (id === 'poison') throw new Error('cannot be done');
      });
      await reach(4);
      const dead: string[] = [];
      scope.keep(
        await scope.queue.consumeDead(scope.name, async work => {
          dead.push(`${work.id} ${text(work)} ${work.delivery}`);
          if (work.delivery === 1) throw new Error('not now');
        }),
      );
      await scope.until(() => dead.length >= 2);
      await scope.isEmpty();
      expect(dead).toEqual(['poison poison 1', 'poison poison 2']);
      expect(seen.map(({ id }) => id).filter(id => id === 'poison')).toHaveLength(3);
    }));

  it('gives the work of a worker that has died to another one', () =>
    onQueue(async scope => {
      await scope.add('a');
      const dying = await scope.open();
      let begun = false;
      let mayEnd: () => void = () => undefined;
      const doomed = await dying.queue.consume({ ...scope.options, ackWaitMs: 300 }, async () => {
        begun = true;
        await new Promise<void>(resolve => (mayEnd = resolve));
        throw new Error('fails, unheard');
      });
      await scope.until(() => begun);
      await dying.kill();
      const { seen, reach } = await scope.work({ ackWaitMs: 300 });
      await reach(1);
      expect(seen.map(({ id, delivery }) => [id, delivery])).toEqual([['a', 2]]);
      mayEnd();
      await doomed.stop();
      await scope.isEmpty();
    }));

  it('puts aside what kills its workers, without handing it out once more', () =>
    onQueue(async scope => {
      await scope.add('killer');
      for (const delivery of [1, 2]) {
        const dying = await scope.open();
        let begun = 0;
        let mayEnd: () => void = () => undefined;
        const doomed = await dying.queue.consume(
          { ...scope.options, ackWaitMs: 200, deliveriesMax: 2 },
          async work => {
            begun = work.delivery;
            await new Promise<void>(resolve => (mayEnd = resolve));
          },
        );
        await scope.until(() => begun === delivery);
        await dying.kill();
        mayEnd();
        await doomed.stop();
      }
      const { seen } = await scope.work({ ackWaitMs: 200, deliveriesMax: 2 });
      const dead: string[] = [];
      scope.keep(await scope.queue.consumeDead(scope.name, async ({ id }) => void dead.push(id)));
      await scope.until(() => dead.length > 0);
      expect({ seen, dead }).toEqual({ seen: [], dead: ['killer'] });
      await scope.isEmpty();
    }));

  it('leaves work with a worker that says it goes on, and takes it from one that is silent', () =>
    onQueue(async scope => {
      const other = await scope.open();
      for (const id of ['alive', 'silent']) await scope.add(id);
      const holders: string[] = [];
      let deliveriesOfSilent = 0;
      const workOf = (holder: string) => async (work: TakenWork) => {
        if (work.id === 'silent') {
          deliveriesOfSilent = Math.max(deliveriesOfSilent, work.delivery);
          if (work.delivery < 3) await aborted(work.signal);
          return;
        }
        holders.push(holder);
        // Beyond two of the times after which the other piece was taken from who had it.
        for (; deliveriesOfSilent < 3; await sleep(20)) work.working();
      };
      const options = { ...scope.options, ackWaitMs: 300 };
      scope.keep(await scope.queue.consume(options, workOf('first')));
      await scope.until(() => holders.length > 0 && deliveriesOfSilent > 0);
      scope.keep(await other.queue.consume(options, workOf('second')));
      await scope.isEmpty();
      expect(holders).toEqual(['first']);
    }));

  it('tells a silent worker that it has lost its work, and does not hear what it rejects afterwards', () =>
    onQueue(async scope => {
      await scope.add('a');
      const events: string[] = [];
      let inFlight = 0;
      let inFlightMax = 0;
      const { reach } = await scope.work(
        { concurrency: 2, ackWaitMs: 300, retryMs: 0 },
        async ({ delivery, signal, working }) => {
          inFlightMax = Math.max(inFlightMax, delivery === 1 ? 0 : ++inFlight);
          if (delivery === 1) {
            await aborted(signal).catch(() => events.push('told'));
            await scope.until(() => inFlight > 0);
            events.push('rejects');
            throw new Error('too late');
          }
          // On, until the rejection would have been heard.
          let isHeard = false;
          const hearing = scope.until(() => events.includes('rejects')).then(() => scope.marker());
          void hearing.then(() => (isHeard = true));
          for (; !isHeard; await sleep(20)) working();
          inFlight--;
          events.push('done');
        },
      );
      await reach(2);
      await scope.isEmpty();
      expect(events).toEqual(['told', 'rejects', 'done']);
      expect(inFlightMax).toBe(1);
    }));

  it('gives back at once what a stopped worker leaves, and does not count it', () =>
    onQueue(async scope => {
      await scope.add('a');
      const options = { ackWaitMs: 60_000, retryMs: 60_000, deliveriesMax: 2 };
      for (let round = 0; round < 4; round++) {
        const { reach, consumer } = await scope.work(options, ({ signal }) => aborted(signal));
        await reach(1);
        await consumer.stop();
      }
      const { seen, reach } = await scope.work(options);
      await reach(1);
      expect(seen.map(({ id, delivery }) => [id, delivery])).toEqual([['a', 5]]);
      await scope.isEmpty();
    }));

  it('waits for what runs when it is stopped, and takes nothing more', () =>
    onQueue(async scope => {
      await scope.add('a');
      const events: string[] = [];
      let letGo: () => void = () => undefined;
      const { seen, reach, consumer } = await scope.work({}, async () => {
        await new Promise<void>(resolve => (letGo = resolve));
        events.push('done');
      });
      await reach(1);
      await scope.add('b');
      const stopping = consumer.stop().then(() => events.push('stopped'));
      await scope.marker();
      events.push('let go');
      letGo();
      await stopping;
      expect(events).toEqual(['let go', 'done', 'stopped']);
      await scope.marker();
      expect(seen.map(({ id }) => id)).toEqual(['a']);
      expect(await scope.queue.depth(scope.name)).toBe(1);
    }));

  it('takes the higher priorities first, and the lower ones all the same', () =>
    onQueue(async scope => {
      for (const priority of ['low', 'normal', 'high'] as const)
        for (let i = 0; i < 40; i++) await scope.add(`${priority}-${i}`, priority);
      const { seen, reach } = await scope.work({ concurrency: 1 });
      await reach(120);
      const order = seen.map(({ priority }) => priority);
      const share = (priority: WorkPriority) => order.slice(0, 40).filter(each => each === priority).length;
      expect({ high: share('high'), normal: share('normal'), low: share('low') }).toEqual({
        high: 24,
        normal: 12,
        low: 4,
      });
      for (const priority of ['low', 'normal', 'high'])
        expect(seen.filter(each => each.priority === priority).map(({ id }) => id)).toEqual(
          Array.from({ length: 40 }, (_, i) => `${priority}-${i}`),
        );
    }));

  it('refuses what is beyond its bound, knows again what it holds, and takes more when there is room', () =>
    onQueue(async scope => {
      const { queue } = await scope.open({ piecesMax: 5 });
      for (let i = 0; i < 5; i++) await scope.add(String(i), 'normal', queue);
      await expect(scope.add('more', 'normal', queue)).rejects.toMatchObject({
        payload: { code: 'QUEUE_FULL' },
      });
      await scope.add('3', 'normal', queue);
      await scope.add('urgent', 'high', queue);
      expect(await queue.depth(scope.name)).toBe(6);
      const { reach, consumer } = await scope.work();
      await reach(6);
      await scope.isEmpty();
      await consumer.stop();
      await scope.add('more', 'normal', queue);
      expect(await queue.depth(scope.name)).toBe(1);
    }));

  it('keeps queues apart', () =>
    onQueue(async scope => {
      const mine = await scope.work();
      const theirs: string[] = [];
      const queue = `${scope.name}-other`;
      scope.keep(
        await scope.queue.consume({ ...scope.options, queue }, async ({ id }) => void theirs.push(id)),
      );
      await scope.queue.add({ queue, id: 'x', data: new Uint8Array(0) });
      await scope.add('x');
      await scope.until(() => theirs.length === 1 && mine.seen.length === 1);
      expect(await scope.queue.depth(queue)).toBe(0);
    }));

  it('loses nothing while workers are killed, stopped and fail at random', () =>
    onQueue(async scope => {
      const count = byTier(1_000, 5_000);
      const done = new Map<string, number>();
      const random = seeded(7);
      const options = {
        ...scope.options,
        concurrency: 8,
        ackWaitMs: 400,
        retryMs: 5,
        deliveriesMax: 1_000,
      };
      const begin = async () => {
        const end = await scope.open();
        const consumer = await end.queue.consume(options, async ({ id, signal }) => {
          // a fixed wait: work of random length, so that kills and stops fall into it
          await sleep(random() * 4);
          if (signal.aborted || random() < 0.02) throw new Error('not this time');
          done.set(id, (done.get(id) ?? 0) + 1);
        });
        return { end, consumer };
      };
      const ended: Promise<void>[] = [];
      const workers = [await begin(), await begin(), await begin()];
      const adding = (async () => {
        for (let i = 0; i < count; i += 20) {
          const ids = Array.from({ length: 20 }, (_, j) => `piece-${i + j}`);
          await Promise.all(ids.map(id => scope.add(id, PRIORITIES[Math.floor(random() * 3)])));
        }
      })();
      let deaths = 0;
      while (done.size < count) {
        await sleep(60);
        if (deaths >= 12) continue;
        const at = Math.floor(random() * workers.length);
        const { end, consumer } = workers[at];
        if (deaths++ % 3 !== 2) await end.kill();
        ended.push(consumer.stop());
        workers[at] = await begin();
      }
      await adding;
      await scope.isEmpty();
      await Promise.all([...ended, ...workers.map(({ consumer }) => consumer.stop())]);
      expect([...done.keys()].sort()).toEqual(Array.from({ length: count }, (_, i) => `piece-${i}`).sort());
      expect(deaths).toBeGreaterThan(2);
      expect([...done.values()].reduce((sum, times) => sum + times, 0)).toBeLessThan(count * 1.2);
    }));

  it('keeps a model of itself under any order of additions, failures and stops', async () => {
    const step = fc.oneof(
      fc.record({
        kind: fc.constant('add' as const),
        id: fc.nat(6),
        priority: fc.constantFrom(...PRIORITIES),
      }),
      fc.record({ kind: fc.constant('work' as const), fails: fc.boolean() }),
      fc.record({ kind: fc.constant('stop' as const) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), steps =>
        onQueue(async scope => {
          const waiting = new Set<string>();
          const known = new Set<string>();
          for (const each of steps) {
            if (each.kind === 'add') {
              await scope.add(String(each.id), each.priority);
              if (!known.has(String(each.id))) waiting.add(String(each.id));
              known.add(String(each.id));
            } else if (waiting.size > 0) {
              const fails = each.kind === 'work' && each.fails;
              let first: string | undefined;
              const { consumer } = await scope.work(
                { concurrency: 1, retryMs: 0, deliveriesMax: 100 },
                async work => {
                  if (first === undefined && each.kind === 'work' && !fails) {
                    first = work.id;
                    return;
                  }
                  first ??= work.id;
                  if (fails) throw new Error('fails');
                  await aborted(work.signal);
                },
              );
              await scope.until(() => first !== undefined);
              await consumer.stop();
              if (each.kind === 'work' && !fails) waiting.delete(first!);
            }
            await scope.until(async () => (await scope.queue.depth(scope.name)) === waiting.size);
          }
        }),
      ),
      { numRuns: byTier(8, 100), seed: 11 },
    );
  });

  it('refuses what can be no queue, no id, no priority, no data and no worker', () =>
    onQueue(async scope => {
      const item = { queue: scope.name, id: 'x', data: new Uint8Array(0) };
      const wrong: Partial<WorkItem>[] = [
        ...['', 'a.b', 'A', 'a b', '*', 'x'.repeat(65)].map(queue => ({ queue })),
        ...['', 'a b', 'a\r\nb', 'x'.repeat(257)].map(id => ({ id })),
        { data: new Uint8Array(64 * 1024 + 1) },
        { priority: 'urgent' as WorkPriority },
      ];
      for (const each of wrong)
        await expect(scope.queue.add({ ...item, ...each })).rejects.toThrow(RangeError);
      for (const each of [{ queue: 'a.b' }, { concurrency: 0 }, { concurrency: NaN }, { ackWaitMs: 0 }])
        await expect(scope.queue.consume({ ...scope.options, ...each }, nothing)).rejects.toThrow(RangeError);
      await expect(scope.queue.consumeDead('a>', nothing)).rejects.toThrow(RangeError);
      await expect(scope.queue.depth('a.*')).rejects.toThrow(RangeError);
    }));

  it('says SERVICE_UNAVAILABLE while it is away', () =>
    onQueue(async scope => {
      const away = await scope.open();
      await away.kill();
      const item = { queue: scope.name, id: 'x', data: new Uint8Array(0) };
      for (const work of [away.queue.ensure(), away.queue.add(item), away.queue.depth(scope.name)])
        await expect(work).rejects.toMatchObject({ payload: { code: 'SERVICE_UNAVAILABLE' } });
      for (const work of [
        away.queue.consume(scope.options, nothing),
        away.queue.consumeDead(scope.name, nothing),
      ])
        await expect(work).rejects.toMatchObject({ payload: { code: 'SERVICE_UNAVAILABLE' } });
    }));
}

const PRIORITIES = ['low', 'normal', 'high'] as const;

/** Numbers in [0, 1) that are the same in every run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** One queue of one test, its ends and who works on it. */
class Scope {
  private readonly consumers: WorkConsumer[] = [];
  private markers = 0;
  readonly options: WorkConsumerOptions;

  constructor(
    readonly name: string,
    private readonly under: WorkUnderTest,
    private readonly first: WorkEnd,
  ) {
    this.options = { queue: name, concurrency: 4, retryMs: 20 };
  }

  get queue(): WorkQueue {
    return this.first.queue;
  }

  open(settings?: { piecesMax?: number }): Promise<WorkEnd> {
    return this.under.open(settings);
  }

  add(id: string, priority?: WorkPriority, queue = this.queue): Promise<void> {
    return queue.add({ queue: this.name, id, data: Buffer.from(id), ...(priority && { priority }) });
  }

  keep(consumer: WorkConsumer): void {
    this.consumers.push(consumer);
  }

  async work(
    options: Partial<WorkConsumerOptions> = {},
    handler: (work: TakenWork) => void | Promise<void> = () => undefined,
  ) {
    const seen: TakenWork[] = [];
    const consumer = await this.queue.consume({ ...this.options, ...options }, async work => {
      seen.push(work);
      await handler(work);
    });
    this.keep(consumer);
    return { seen, consumer, reach: (count: number) => this.until(() => seen.length >= count) };
  }

  async until(holds: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await holds())) await sleep(5);
  }

  /** Has work of another queue added and done: what was on its way to workers before has arrived. */
  async marker(): Promise<void> {
    const queue = `${this.name}-marker-${++this.markers}`;
    let isDone = false;
    const consumer = await this.queue.consume({ ...this.options, queue }, async () => void (isDone = true));
    await this.queue.add({ queue, id: 'marker', data: new Uint8Array(0) });
    await this.until(() => isDone);
    await consumer.stop();
  }

  isEmpty(): Promise<void> {
    return this.until(async () => (await this.queue.depth(this.name)) === 0);
  }

  async close(): Promise<void> {
    await Promise.all(this.consumers.map(each => each.stop()));
  }
}
