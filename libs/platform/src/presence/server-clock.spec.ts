import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ServerClock } from './server-clock.js';

describe('what a server’s clock says', () => {
  it('lies between its bounds, which are as far apart as the answer took', () => {
    const duration = fc.double({ min: 0, max: 10_000, noNaN: true });
    fc.assert(
      fc.property(
        fc.record({
          origin: fc.integer({ min: -1e6, max: 2e12 }),
          there: duration,
          back: duration,
          later: duration,
        }),
        ({ origin, there, back, later }) => {
          let localMs = 5_000;
          const clock = new ServerClock(() => localMs);
          const serverMs = () => localMs + origin;
          const sentMs = clock.local();
          localMs += there;
          // As servers say it: cut to milliseconds.
          const said = Math.floor(serverMs());
          localMs += back;
          clock.note(said, sentMs, clock.local());
          localMs += later;
          expect(clock.earliestMs()).toBeLessThanOrEqual(serverMs() + 1e-3);
          expect(clock.latestMs()).toBeGreaterThanOrEqual(serverMs() - 1e-3);
          expect(clock.latestMs() - clock.earliestMs()).toBeCloseTo(there + back + 1, 2);
        },
      ),
    );
  });

  it('is what it said last', () => {
    const clock = new ServerClock(() => 0);
    clock.note(1_000, 0, 0);
    clock.note(5_000, -2, -1);
    expect([clock.earliestMs(), clock.latestMs()]).toEqual([5_001, 5_003]);
  });

  it('is not known before it said something that is a time', () => {
    const clock = new ServerClock();
    expect(() => clock.earliestMs()).toThrow(/has not said/);
    expect(() => clock.latestMs()).toThrow(/has not said/);
    expect(() => clock.note(Date.parse('soon'), 0, 0)).toThrow(RangeError);
  });

  it('goes on by itself', async () => {
    const clock = new ServerClock();
    clock.note(0, clock.local(), clock.local());
    const sinceMs = performance.now();
    const before = clock.latestMs();
    while (clock.latestMs() - before < 15) await new Promise(resolve => setImmediate(resolve));
    expect(clock.latestMs() - before).toBeLessThanOrEqual(performance.now() - sinceMs);
  });
});
