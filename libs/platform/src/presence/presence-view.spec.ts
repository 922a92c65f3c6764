import { describe, expect, it, jest } from '@jest/globals';
import { createLogger } from '../observability/logger.js';
import type { PresenceChange } from './presence-board.js';
import { PresenceView } from './presence-view.js';

const logger = createLogger('mesh-signalling', { level: 'silent' });

/** A view whose clock stands until it is set. */
function viewAt(startMs = 0) {
  let nowMs = startMs;
  const view = new PresenceView(() => nowMs, logger);
  const told: string[] = [];
  const tell = (change: PresenceChange) =>
    void told.push(
      change.kind === 'put' ? `${change.key}=${JSON.stringify(change.value)}` : `-${change.key}`,
    );
  const put = (key: string, value: unknown, expiresAtMs = nowMs + 100) =>
    view.put(key, { json: JSON.stringify(value), revision: 'r', expiresAtMs });
  return { view, told, tell, put, set: (ms: number) => (nowMs = ms) };
}

describe('what is there now', () => {
  it('shows nothing from the millisecond on at which it ends, swept or not', () => {
    const { view, put, set } = viewAt();
    put('a.x', 1);
    set(99.9);
    expect([view.get('a.x')?.json, view.count('a'), view.list('a')]).toEqual([
      '1',
      1,
      [{ key: 'a.x', value: 1 }],
    ]);
    set(100);
    expect([view.get('a.x'), view.count('a'), view.list('a')]).toEqual([undefined, 0, []]);
  });

  it('takes over nothing that has ended before it came, and removes what it replaces', () => {
    const { view, told, tell, put, set } = viewAt();
    view.watch('', tell);
    put('a', 1);
    set(50);
    put('a', 2, 50);
    put('b', 2, 49);
    expect([view.get('a'), view.get('b'), told]).toEqual([undefined, undefined, ['a=1', '-a']]);
  });

  it('tells that an entry ended before it tells that it is there again, with the same value too', () => {
    const { view, told, tell, put, set } = viewAt();
    view.watch('', tell);
    put('a', 1);
    put('a', 1);
    set(200);
    put('a', 1);
    expect(told).toEqual(['a=1', '-a', 'a=1']);
  });

  it('keeps the order of ends through renewals, by one timer', () => {
    jest.useFakeTimers();
    try {
      const view = new PresenceView(() => performance.now(), logger);
      const told: string[] = [];
      view.watch('', ({ kind, key }) => void (kind === 'gone' && told.push(key)));
      const put = (key: string) =>
        view.put(key, { json: '1', revision: 'r', expiresAtMs: performance.now() + 100 });
      const timers = jest.spyOn(global, 'setTimeout');
      for (const key of ['a', 'b', 'c']) put(key);
      expect(timers).toHaveBeenCalledTimes(1);
      expect(jest.getTimerCount()).toBe(1);
      jest.advanceTimersByTime(60);
      put('a');
      jest.advanceTimersByTime(41);
      expect(told).toEqual(['b', 'c']);
      expect(jest.getTimerCount()).toBe(1);
      jest.advanceTimersByTime(60);
      expect(told).toEqual(['b', 'c', 'a']);
      expect(jest.getTimerCount()).toBe(0);
      put('d');
      view.close();
      expect(jest.getTimerCount()).toBe(0);
      expect([view.count(''), told]).toEqual([0, ['b', 'c', 'a']]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('keeps no process alive', () => {
    const timers = jest.spyOn(global, 'setTimeout');
    try {
      const { view, put } = viewAt();
      put('a', 1);
      expect(timers.mock.results.map(({ value }) => (value as NodeJS.Timeout).hasRef())).toEqual([false]);
      view.close();
    } finally {
      timers.mockRestore();
    }
  });

  it('tells a watcher that was stopped meanwhile nothing of what is still to be told', () => {
    const { view, told, tell, put } = viewAt();
    const watches = [view.watch('', () => watches[1].stop()), view.watch('', tell)];
    put('a', 1);
    expect(told).toEqual([]);
  });

  it('tells each in the order of changes, also those that a watcher makes', () => {
    const { view, told, tell, put } = viewAt();
    let calls = 0;
    let callsAtOnce = 0;
    view.watch('', change => {
      callsAtOnce = Math.max(callsAtOnce, ++calls);
      if (change.kind === 'put' && change.value === 1) put('a', 2);
      calls--;
    });
    view.watch('', tell);
    put('a', 1);
    expect([told, callsAtOnce]).toEqual([['a=1', 'a=2'], 1]);
  });

  it('retains what it is told to, and tells of the rest', () => {
    const { view, told, tell, put } = viewAt();
    for (const key of ['a', 'b', 'c']) put(key, key);
    view.watch('', tell);
    view.retain(new Set(['b', 'd']));
    expect([view.list('').map(({ key }) => key), told.slice(3)]).toEqual([['b'], ['-a', '-c']]);
  });
});
