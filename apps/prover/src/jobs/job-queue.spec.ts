import type { ServiceEnvironment, WorkQueue } from '@svc/platform';
import type { DataSource } from 'typeorm';
import { JobQueue, QUEUED_MAX } from './job-queue.js';

const place = { sizeClass: 'small', subject: 'one' } as const;
/** With one more the caller has as many waiting as places are free. */
const LAST = QUEUED_MAX.small / 2 - 1;

it('counts a job that was recorded while others were counted: the count may be of before', async () => {
  const counts: ((rows: unknown) => void)[] = [];
  const dataSource = { query: () => new Promise(resolve => counts.push(resolve)) };
  const queue = new JobQueue(
    dataSource as unknown as DataSource,
    {} as WorkQueue,
    {} as unknown as ServiceEnvironment,
  );
  const asked = [queue.take(place, async () => 'first'), queue.take(place, async () => 'second')];
  const before = [{ count: LAST, own: LAST }];
  counts[0](before);
  expect(await asked[0]).toBe('first');
  counts[1](before);
  await expect(asked[1]).rejects.toMatchObject({ code: 'QUEUE_FULL' });
  // A count that begins now has it in the table, and not a second time.
  const next = queue.take(place, async () => 'next');
  counts[2]([{ count: LAST, own: LAST }]);
  expect(await next).toBe('next');
});
