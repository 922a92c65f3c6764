import type { KernelExecutor, KernelTask } from '@svc/kernels';
import { abortableExecutor } from './abortable-executor.js';

/** Counts the batches that begin. */
function counting(): { executor: KernelExecutor; batches: number[] } {
  const batches: number[] = [];
  const inner = { arena: {}, kernels: {}, concurrency: 2 };
  const run = (tasks: readonly KernelTask[]) =>
    Promise.resolve(tasks.map(() => void batches.push(tasks.length)));
  const wide = Object.assign({ ...inner, concurrency: 4, run }) as KernelExecutor & { wide: KernelExecutor };
  wide.wide = wide;
  return { executor: { ...inner, run, wide } as unknown as KernelExecutor, batches };
}
const TASK = ['heapBase'] as unknown as KernelTask;

it('begins no batch once the signal has aborted, here or where wide work goes', async () => {
  const { executor, batches } = counting();
  const caller = new AbortController();
  const abortable = abortableExecutor(executor, caller.signal);
  await abortable.run([TASK]);
  await abortable.wide.run([TASK, TASK]);
  expect(batches).toEqual([1, 2, 2]);
  caller.abort(new Error('gone'));
  await expect(abortable.run([TASK])).rejects.toThrow('gone');
  await expect(abortable.wide.run([TASK])).rejects.toThrow('gone');
  expect(batches).toHaveLength(3);
  expect([abortable.concurrency, abortable.wide.concurrency]).toEqual([2, 4]);
});

it('is the executor itself where nothing can abort', () => {
  const { executor } = counting();
  expect(abortableExecutor(executor, undefined)).toBe(executor);
});
