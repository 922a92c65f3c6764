import { describe, expect, test } from '@jest/globals';
import { CallProgress } from './call-progress.js';

describe('the progress of a call', () => {
  test('is told at once where there is more than was known', async () => {
    const progress = new CallProgress();
    expect(await progress.after(0, 0)).toEqual({ seq: 0, progress: 0, ended: false });
    progress.note('execute');
    expect(await progress.after(0, 60_000)).toEqual({ seq: 1, progress: 0, ended: false, stage: 'execute' });
  });

  test('is waited for, and told to everybody who waits when it comes', async () => {
    const progress = new CallProgress();
    progress.note('execute');
    const waiting = [progress.after(1, 60_000), progress.after(1, 60_000)];
    progress.note('commit-trace');
    for (const step of await Promise.all(waiting))
      expect(step).toMatchObject({ seq: 2, stage: 'commit-trace' });
  });

  test('never falls, stays below 1 while the run goes on, and is 1 when it has ended', async () => {
    const progress = new CallProgress();
    let last = 0;
    for (let seq = 0; seq < 8; seq++) {
      progress.note(`stage ${seq}`);
      const { progress: share } = await progress.after(seq, 60_000);
      expect(share).toBeGreaterThanOrEqual(last);
      expect(share).toBeLessThan(1);
      last = share;
    }
    const waiting = progress.after(8, 60_000);
    progress.end();
    expect(await waiting).toMatchObject({ progress: 1, ended: true });
    expect(await progress.after(99, 60_000)).toMatchObject({ ended: true });
  });

  test('is told as it is when the wait is over', async () => {
    const progress = new CallProgress();
    progress.note('execute');
    expect(await progress.after(1, 5)).toMatchObject({ seq: 1, ended: false });
  });
});
