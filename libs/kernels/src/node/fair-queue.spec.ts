import { jest } from '@jest/globals';
import { FairQueue } from './fair-queue.js';

const first = (subject: string) => ({ subject, isFirst: true });
const later = (subject: string) => ({ subject, isFirst: false });
const claiming = (subject: string) => ({ subject, isFirst: true, payment: 'claiming' as const });
const settled = (subject: string) => ({ subject, isFirst: true, payment: 'settled' as const });

/** A queue in which the subjects have so many waiting, `loud 0`, `loud 1` and so on, in the order in which they are named. */
function queueOf(counts: Record<string, number>, waitingMax = 100): FairQueue<string> {
  const queue = new FairQueue<string>(waitingMax);
  for (const [subject, count] of Object.entries(counts))
    for (let i = 0; i < count; i++) queue.push(`${subject} ${i}`, first(subject));
  return queue;
}

const taken = (queue: FairQueue<string>, count: number) => Array.from({ length: count }, () => queue.shift());

it('puts nobody behind more than one piece of each other, however much they have waiting', () => {
  const queue = queueOf({ loud: 50, louder: 50 });
  expect(taken(queue, 4)).toEqual(['loud 0', 'louder 0', 'loud 1', 'louder 1']);
  queue.push('quiet', first('quiet'));
  expect(taken(queue, 3)).toContain('quiet');
  for (let i = 0; i < 20; i++) {
    queue.push(`again ${i}`, first('quiet'));
    const next = taken(queue, 3);
    expect(next).toContain(`again ${i}`);
    expect(next.filter(entry => entry!.startsWith('loud '))).toHaveLength(1);
  }
});

it('serves each in the order in which its work came', () => {
  const queue = queueOf({ a: 3, b: 2, c: 1 });
  expect(taken(queue, 7)).toEqual(['a 0', 'b 0', 'c 0', 'a 1', 'b 1', 'a 2', undefined]);
});

it('lets one that has had no turn go next, and none that asks again at once', () => {
  const queue = queueOf({ loud: 10 });
  expect(queue.shift()).toBe('loud 0');
  queue.push('quiet 0', first('quiet'));
  expect(queue.shift()).toBe('quiet 0');
  queue.push('quiet 1', first('quiet'));
  expect(taken(queue, 2)).toEqual(['loud 1', 'quiet 1']);
});

it('starves nobody for all who are new', () => {
  const queue = queueOf({ loud: 10 });
  const order: (string | undefined)[] = [queue.shift()];
  for (let i = 0; i < 40; i++) {
    queue.push(`new ${i}`, first(`new ${i}`));
    queue.push(`newer ${i}`, first(`newer ${i}`));
    order.push(queue.shift());
  }
  expect(order.filter(entry => entry?.startsWith('loud')).length).toBeGreaterThanOrEqual(4);
});

it('takes what goes first before the rest, of whomever, and one of the rest after eight', () => {
  const queue = new FairQueue<string>(100);
  for (let i = 0; i < 3; i++) queue.push(`free ${i}`, later(`free ${i}`));
  for (let i = 0; i < 20; i++) queue.push(`paid ${i}`, first('payer'));
  const order = taken(queue, 23);
  expect(order.map(entry => entry!.startsWith('free')).flatMap((isFree, i) => (isFree ? [i] : []))).toEqual([
    8, 17, 22,
  ]);
});

describe('how many may wait', () => {
  const fill = (queue: FairQueue<string>, subject: string) => {
    let count = 0;
    for (; queue.hasRoomFor(subject); count++) queue.push(`${subject} ${count}`, first(subject));
    return count;
  };

  it('is what is said of one that is alone, and leaves room for others, for each its share', () => {
    const queue = new FairQueue<string>(32);
    expect(fill(queue, 'loud')).toBe(32);
    expect(fill(queue, 'second')).toBe(16);
    expect(fill(queue, 'third')).toBe(8);
    expect(queue.hasRoomFor('fourth')).toBe(true);
    expect(queue.hasRoomFor('loud')).toBe(false);
  });

  it('counts what waits first and what waits behind together, and places that are kept', () => {
    const queue = new FairQueue<string>(2);
    queue.push('a', first('one'));
    expect(queue.admits(claiming('one'))).toBe(true);
    queue.keep(claiming('one'));
    queue.keep(later('one'));
    expect([queue.hasRoomFor('one'), queue.hasRoomFor('two')]).toEqual([false, true]);
    // It is paid for, comes, and has no other place than that one.
    expect(queue.admits(settled('one'))).toBe(true);
    queue.push('b', settled('one'));
    expect([queue.hasRoomFor('one'), queue.hasRoomFor('two')]).toEqual([false, true]);
    queue.keep(claiming('two'));
    expect([queue.admits(claiming('two')), queue.admits(later('three'))]).toEqual([false, true]);
  });

  it('is no bound for what is paid for, but for four times as many', () => {
    const queue = new FairQueue<string>(2);
    let count = 0;
    for (; queue.admits(settled('one')); count++) queue.push(`${count}`, settled('one'));
    expect([count, queue.admits(later('two'))]).toEqual([8, false]);
  });

  it('does not count a place any more that was kept for long', () => {
    const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
    try {
      const queue = new FairQueue<string>(1);
      queue.keep(claiming('one'));
      clock.mockReturnValue(1_999);
      expect(queue.admits(claiming('one'))).toBe(false);
      clock.mockReturnValue(2_000);
      expect(queue.admits(claiming('one'))).toBe(true);
    } finally {
      clock.mockRestore();
    }
  });
});

it('keeps no place of what has left, and calls it in no turn', () => {
  const queue = new FairQueue<string>(2);
  for (const entry of ['a', 'b']) queue.push(entry, first('one'));
  expect(queue.hasRoomFor('one')).toBe(false);
  expect(['a', 'a', 'x'].map(entry => queue.remove(entry))).toEqual([true, false, false]);
  expect([queue.size, queue.countOf('one'), queue.hasRoomFor('one')]).toEqual([1, 1, true]);
  expect(taken(queue, 2)).toEqual(['b', undefined]);
  expect([queue.size, queue.countOf('one')]).toEqual([0, 0]);
});

it('says what would go before one more', () => {
  const queue = queueOf({ loud: 50, other: 1 });
  queue.push('free', later('loud'));
  expect([...queue.ahead(first('quiet'))]).toEqual(['loud 0', 'other 0']);
  expect([...queue.ahead(first('other'))]).toEqual(['loud 0', 'loud 1', 'other 0']);
  expect([...queue.ahead(first('loud'))]).toHaveLength(51);
  expect([...queue.ahead(later('quiet'))]).toHaveLength(52);
});

it('gives up all that waits at once', () => {
  const queue = queueOf({ a: 2, b: 1 });
  expect(queue.clear()).toHaveLength(3);
  expect([queue.size, queue.shift()]).toEqual([0, undefined]);
});
