import { describe, expect, it } from '@jest/globals';
import { Waiters } from './waiters.js';

/** Longer than any test may run. */
const LONG_MS = 600_000;

describe('Waiters', () => {
  it('miss no news that come after they were expected, though before they are asked for', async () => {
    const waiters = new Waiters<string>();
    const wait = waiters.expect();
    waiters.wake('first');
    waiters.wake('second');
    expect(await wait.within(LONG_MS)).toBe('first');
    expect(await wait.within(LONG_MS)).toBe('first');
    wait.end();
  });

  it('are all told, and whoever comes later is not', async () => {
    const waiters = new Waiters<string>();
    const asked = [waiters.next(LONG_MS), waiters.next(LONG_MS)];
    waiters.wake('news');
    expect(await Promise.all(asked)).toEqual(['news', 'news']);
    expect(await waiters.next(5)).toBeUndefined();
  });

  it('resolve without news when their time is over, and where nobody knows what the news are', async () => {
    const waiters = new Waiters<string>();
    expect(await waiters.next(0)).toBeUndefined();
    const next = waiters.next(LONG_MS);
    waiters.wake();
    expect(await next).toBeUndefined();
  });

  it('are kept until they end, and no longer', async () => {
    const waiters = new Waiters();
    const waits = [waiters.expect(), waiters.expect()];
    expect(waiters.count).toBe(2);
    waits[0].end();
    waits[0].end();
    expect(waiters.count).toBe(1);
    waits[1].end();
    const next = waiters.next(1);
    expect(waiters.count).toBe(1);
    await next;
    expect(waiters.count).toBe(0);
  });
});
