import { describe, expect, it, jest } from '@jest/globals';
import type { Standing } from './call-scope.js';
import { runInTurn } from './caller-turn.js';
import { WorkLane } from './work-lane.js';

const lane = (more = {}) =>
  new WorkLane({ name: 'runs', waitingMax: 1, waitMsMax: 10_000, unitMsFirst: 1, ...more });

it('learns what a unit of cost takes from work that ended, and from no other', async () => {
  const measured = lane();
  await measured.run(1_000_000, async () => 'quick');
  expect(measured.millisecondsOf(1)).toBeCloseTo(0.7, 2);
  await expect(measured.run(1, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(measured.millisecondsOf(1)).toBeCloseTo(0.7, 2);
});

it('says what is ahead, and refuses with its name and the time to come again', async () => {
  const busy = lane();
  let open!: () => void;
  const opened = new Promise<void>(resolve => (open = resolve));
  const running = busy.run(4_500, () => opened);
  expect(busy.assertRoom()).toBe(4_500);
  const waiting = busy.run(1, async () => undefined);
  expect(() => busy.assertRoom()).toThrow(
    expect.objectContaining({
      payload: {
        code: 'QUEUE_FULL',
        detail: '2 runs are ahead, which take about 5 s; at most 1 may wait, for 10 s',
        retryAfterSeconds: 5,
      },
    }),
  );
  open();
  await Promise.all([running, waiting]);
  expect(busy.assertRoom()).toBe(0);
});

describe('callers of a lane', () => {
  const as = <T>(subject: string, standing: Standing, fn: () => T): T => runInTurn({ subject, standing }, fn);
  const full = expect.objectContaining({ code: 'QUEUE_FULL' });

  /** A lane that is at work, which notes the order in which what waits for it begins. */
  function busy(waitingMax: number) {
    const of = lane({ waitingMax });
    const order: string[] = [];
    let open!: () => void;
    const opened = new Promise<void>(resolve => (open = resolve));
    const asked = [of.run(1, () => opened)];
    const ask = (subject: string, standing: Standing, signal?: AbortSignal) => {
      const asking = as(subject, standing, () =>
        of.run(1, async () => void order.push(`${standing} ${subject}`), { signal }),
      );
      asked.push(asking.catch(() => undefined));
      return asking;
    };
    const end = async () => {
      open();
      await Promise.all(asked);
      return order;
    };
    return { of, ask, end };
  }

  it('take turns, so that one with fifty pieces puts another behind one of them', async () => {
    const { ask, end } = busy(50);
    for (let i = 0; i < 50; i++) void ask('loud', 'settled');
    void ask('quiet', 'settled');
    expect((await end()).indexOf('settled quiet')).toBeLessThanOrEqual(1);
  });

  it('are told how long they wait in their own turn', async () => {
    const { of, ask, end } = busy(50);
    for (let i = 0; i < 50; i++) void ask('loud', 'settled');
    const waitOf = (subject: string) => as(subject, 'settled', () => of.assertRoom());
    expect([waitOf('quiet'), waitOf('loud')]).toEqual([2, 51]);
    await end();
  });

  it('go first where they have paid, whoever came before', async () => {
    const { of, ask, end } = busy(8);
    void ask('one', 'later');
    void ask('two', 'later');
    const job = of.run(1, async () => undefined, { waitsForRoom: true });
    void ask('one', 'settled');
    void ask('three', 'settled');
    const order = await end();
    expect(order.slice(0, 2)).toEqual(['settled one', 'settled three']);
    expect(order.slice(2)).toEqual(['later one', 'later two']);
    await job;
  });

  it('are refused while a payment may still be taken, and never once it was', async () => {
    const { of, ask, end } = busy(2);
    const admit = (subject: string) => as(subject, 'claiming', () => of.assertRoom());
    admit('one');
    admit('one');
    // Two places are kept for calls that have not come yet, behind the one that runs.
    expect(() => admit('one')).toThrow(full);
    expect(() => admit('one')).toThrow(/^3 /);
    admit('two');
    expect(() => admit('three')).not.toThrow();
    expect(() => admit('four')).toThrow(full);
    for (const subject of ['one', 'one', 'two', 'three', 'four']) void ask(subject, 'settled');
    await expect(ask('five', 'later')).rejects.toEqual(full);
    const order = await end();
    expect(order).toHaveLength(5);
    expect(() => admit('four')).not.toThrow();
  });

  it('have a place kept for two seconds, and not longer where they do not come', async () => {
    const { of, end } = busy(1);
    const admit = () => as('one', 'claiming', () => of.assertRoom());
    admit();
    expect(admit).toThrow(full);
    const now = performance.now();
    const clock = jest.spyOn(performance, 'now').mockReturnValue(now + 2_100);
    expect(admit).not.toThrow();
    clock.mockRestore();
    await end();
  });

  it('leave no place behind when they give up', async () => {
    const { of, ask, end } = busy(2);
    const caller = new AbortController();
    const left = [1, 2].map(() => ask('one', 'later', caller.signal));
    await expect(ask('one', 'later')).rejects.toEqual(full);
    caller.abort(new Error('gone'));
    for (const each of left) await expect(each).rejects.toThrow('gone');
    void ask('one', 'later');
    expect(await end()).toEqual(['later one']);
    expect(of.assertRoom()).toBe(0);
  });
});
