import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import {
  addTaskCallback,
  callbacksOf,
  type DueCallback,
  purgeCallbacks,
  recordCallback,
  takeDueCallbacks,
} from '../src/callbacks/task-callbacks.js';
import { type DepartmentFixture, startDepartment } from './department-fixture.js';

let fixture: DepartmentFixture;

const LEASE_MS = 3_600_000;
const url = 'https://hooks.example.com/done';
const owed = () => ({ taskId: `tsk_${randomBytes(16).toString('base64url')}`, deptId: 'proofs', url });
const manager = () => fixture.database.manager;
const stateOf = async (taskId: string) => (await callbacksOf(manager(), [taskId])).get(taskId);

/** Rows that no sender of the running service takes before the test does. */
async function owe(count: number): Promise<string[]> {
  const callbacks = Array.from({ length: count }, owed);
  await fixture.database.transaction(async inner => {
    for (const callback of callbacks) await addTaskCallback(inner, callback);
    await inner.query(`UPDATE task_callback SET next_at = 'infinity'`);
  });
  return callbacks.map(({ taskId }) => taskId);
}

/** Takes within one transaction what was made due in it, so that the running service comes too late. */
function takeNow(max: number): Promise<DueCallback[]> {
  return fixture.database.transaction(async inner => {
    await inner.query(
      `UPDATE task_callback SET next_at = now() - interval '1 second' WHERE state = 'waiting'`,
    );
    return takeDueCallbacks(inner, max, LEASE_MS);
  });
}

export function describeCallbacks(): void {
  describe('callbacks', () => {
    beforeAll(async () => {
      fixture = await startDepartment();
    });
    afterAll(() => fixture?.close());
    beforeEach(() => fixture.database.query('DELETE FROM task_callback'));

    describe('callbacks that are owed', () => {
      it('are owed once for a task, however often its end is written', async () => {
        const callback = owed();
        await fixture.database.transaction(async inner => {
          await addTaskCallback(inner, callback);
          await addTaskCallback(inner, callback);
          await inner.query(`UPDATE task_callback SET next_at = 'infinity'`);
        });
        expect(await stateOf(callback.taskId)).toEqual({ url, state: 'waiting', attempts: 0 });
      });

      it('are taken by one of many replicas, and by nobody else while its lease runs', async () => {
        const ids = await owe(40);
        await fixture.database.query(`UPDATE task_callback SET next_at = 'infinity'`);
        const first = await takeNow(25);
        // Of those that are left, each of several takers gets its own.
        await fixture.database.transaction(async inner => {
          await inner.query(
            `UPDATE task_callback SET next_at = now() - interval '1 second' WHERE attempts = 0`,
          );
          const rest = await takeDueCallbacks(inner, 100, LEASE_MS);
          const taken = [...first, ...rest].map(({ taskId }) => taskId);
          expect(taken.sort()).toEqual([...ids].sort());
        });
        expect(await takeDueCallbacks(manager(), 100, LEASE_MS)).toEqual([]);
      });

      it('are taken again after a replica that died, and what that one says later counts for nothing', async () => {
        const [taskId] = await owe(1);
        const [dead] = await takeNow(1);
        const [again] = await takeNow(1);
        expect([dead.attempts, again.attempts]).toEqual([0, 1]);
        await recordCallback(manager(), dead, { state: 'delivered' });
        expect(await stateOf(taskId)).toMatchObject({ state: 'waiting', attempts: 2 });
        await recordCallback(manager(), again, { state: 'given-up', error: 'answered 410' });
        expect(await stateOf(taskId)).toEqual({
          url,
          state: 'given-up',
          attempts: 2,
          lastError: 'answered 410',
        });
        await recordCallback(manager(), again, { state: 'delivered' });
        expect(await stateOf(taskId)).toMatchObject({ state: 'given-up' });
      });

      it('show no error once delivered, and are deleted when they have been kept for their time', async () => {
        const [taskId] = await owe(1);
        const [first] = await takeNow(1);
        await recordCallback(manager(), first, { state: 'waiting', error: 'answered 500', nextMs: LEASE_MS });
        const [second] = await takeNow(1);
        await recordCallback(manager(), second, { state: 'delivered' });
        expect(await stateOf(taskId)).toEqual({ url, state: 'delivered', attempts: 2 });
        expect(await purgeCallbacks(manager(), LEASE_MS)).toBe(0);
        await fixture.database.query(`UPDATE task_callback SET ended_at = now() - interval '2 hours'`);
        expect(await purgeCallbacks(manager(), LEASE_MS)).toBe(1);
      });

      it('are given up where the tries of replicas that died have used all of them', async () => {
        const [taskId] = await owe(1);
        await fixture.database.query(
          `UPDATE task_callback SET attempts = 8, next_at = now() - interval '1 second'`,
        );
        for (const sinceMs = Date.now(); (await stateOf(taskId))?.state === 'waiting';) {
          if (Date.now() - sinceMs > 10_000) throw new Error('it is still tried');
          await new Promise(resolve => setTimeout(resolve, 50));
        }
        expect(await stateOf(taskId)).toMatchObject({
          state: 'given-up',
          lastError: 'the tries were cut off',
        });
      });
    });
  });
}
