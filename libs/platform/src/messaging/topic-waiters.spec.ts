import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ProblemError } from '../problem-details/problem-error.js';
import { TopicWaiters } from './topic-waiters.js';
import type { Wait } from './waiters.js';

/** Longer than any test may run. */
const LONG_MS = 600_000;
const LIMITS = { topic: 'session', topicMax: 2, countMax: 4 };
const TOPICS = ['a', 'b', 'c'] as const;

/** Whether somebody is woken, without waiting for it. */
const isWoken = async (wait: Wait<string>) => (await wait.within(0)) !== undefined;

describe('TopicWaiters', () => {
  it('wake those of the topic, with the news, and nobody else', async () => {
    const waiters = new TopicWaiters<string>(LIMITS);
    const [here, too, elsewhere] = [waiters.expect('a'), waiters.expect('a'), waiters.expect('b')];
    waiters.wake('a', 'news');
    waiters.wake('of nobody', 'lost');
    expect(await Promise.all([here.within(LONG_MS), too.within(LONG_MS)])).toEqual(['news', 'news']);
    expect(await isWoken(elsewhere)).toBe(false);
  });

  it.each([
    ['of one topic', ['a', 'a'], 'a'],
    ['of all topics', ['a', 'a', 'b', 'c'], 'c'],
  ])('refuse more than the bound %s, name both bounds, and have room again', (_what, topics, next) => {
    const waiters = new TopicWaiters<string>(LIMITS);
    const waits = topics.map(topic => waiters.expect(topic));
    const refused = () => waiters.expect(next);
    expect(refused).toThrow(ProblemError);
    expect(refused).toThrow('At most 2 questions of one session are held open, and 4 of all');
    expect(refused).toThrow(expect.objectContaining({ code: 'OVERLOADED' }));
    waits.at(-1)!.end();
    waits.at(-1)!.end();
    expect(refused).not.toThrow();
    expect(refused).toThrow(ProblemError);
  });

  it('are all woken when it closes, and none waits after that', async () => {
    const waiters = new TopicWaiters(LIMITS);
    const waits = [waiters.expect('a'), waiters.expect('b')];
    expect(waiters.isClosed).toBe(false);
    waiters.close();
    expect(waiters.isClosed).toBe(true);
    await Promise.all([...waits, waiters.expect('c')].map(wait => wait.within(LONG_MS)));
  });

  it('hold as many as have not ended, whatever came and went before', () => {
    const step = fc.record({ topic: fc.constantFrom(...TOPICS), ends: fc.option(fc.nat(8)) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), steps => {
        const waiters = new TopicWaiters(LIMITS);
        const open: { topic: string; wait: Wait }[] = [];
        const ended: Wait[] = [];
        for (const { topic, ends } of steps) {
          const gone = ends === null ? [] : open.splice(ends, 1);
          for (const { wait } of gone) ended.push(wait);
          for (const wait of ended) wait.end();
          const hasRoom =
            open.length < LIMITS.countMax && open.filter(one => one.topic === topic).length < LIMITS.topicMax;
          if (hasRoom) open.push({ topic, wait: waiters.expect(topic) });
          else expect(() => waiters.expect(topic)).toThrow(ProblemError);
        }
      }),
    );
  });

  it('keep nothing of topics that nobody waits for', () => {
    const waiters = new TopicWaiters(LIMITS);
    for (let i = 0; i < 100; i++) waiters.expect(`session ${i}`).end();
    expect(waiters).toHaveProperty('topics.size', 0);
  });

  it('wake whoever came to a topic after its first had gone', async () => {
    const waiters = new TopicWaiters<string>(LIMITS);
    const first = waiters.expect('a');
    first.end();
    const second = waiters.expect('a');
    first.end();
    waiters.wake('a', 'news');
    expect(await second.within(LONG_MS)).toBe('news');
  });
});
