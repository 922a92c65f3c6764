import { expect, it } from '@jest/globals';
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
