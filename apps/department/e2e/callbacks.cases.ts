import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { departmentTaskContract } from '@svc/contracts';
import { problemOf } from '@svc/platform';
import { HANGS_MS } from '@svc/platform/testing';
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

const { admitTask, submitTask, task } = departmentTaskContract;

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

/** What names of callbacks stand for, and which were asked for. */
const names = {
  asked: [] as string[],
  addresses: {} as Record<string, string>,
  waiting: new Set<() => void>(),
  /** Of a name that has none nobody says anything, until somebody does. */
  resolve: async (name: string, signal: AbortSignal) => {
    names.asked.push(name);
    if (names.addresses[name] === undefined) {
      await new Promise<void>(resolve => {
        names.waiting.add(resolve);
        signal.addEventListener('abort', () => resolve());
      });
    }
    signal.throwIfAborted();
    return [{ address: names.addresses[name], family: 4 }];
  },
  /** Every name that is asked for from now on, or has been, is one of a private network. */
  speak: () => {
    names.addresses = new Proxy({}, { get: () => '10.0.0.1' });
    for (const answer of names.waiting) answer();
  },
};

const CATALOG = { deptId: 'payments', request: { capability: 'get_product_catalog', task: {} } } as const;

/** A task whose callback goes to a name, paid for. */
function submit(name: string) {
  const taskId = `tsk_${randomBytes(16).toString('base64url')}`;
  const payment = { claim: fixture.payments.claim() };
  return { taskId, submitted: fixture.bus.call(submitTask, { taskId, ...requestTo(name), payment }) };
}

const requestTo = (name: string) => ({
  ...CATALOG,
  request: { ...CATALOG.request, callbackUrl: `https://${name}/` },
});

export function describeCallbacks(): void {
  describe('callbacks', () => {
    beforeAll(async () => {
      const resolve = (name: string, signal: AbortSignal) => names.resolve(name, signal);
      fixture = await startDepartment({}, { callbacks: { resolve } });
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
          if (Date.now() - sinceMs > HANGS_MS) throw new Error('it is still tried');
          await new Promise(resolve => setTimeout(resolve, 50));
        }
        expect(await stateOf(taskId)).toMatchObject({
          state: 'given-up',
          lastError: 'the tries were cut off',
        });
      });
    });

    describe('the name of a callback', () => {
      beforeEach(() => {
        names.asked = [];
        names.addresses = { 'private.example.com': '10.0.0.1' };
      });
      afterAll(() => names.speak());

      it('is asked for once there is a payment, and not before', async () => {
        await fixture.bus.call(admitTask, requestTo('private.example.com'));
        expect(names.asked).toEqual([]);
        const { taskId, submitted } = submit('private.example.com');
        const refused = await problemOf(submitted);
        expect([refused.code, refused.payload.errors?.[0]]).toEqual([
          'VALIDATION_FAILED',
          {
            path: 'callbackUrl',
            message: 'private.example.com has an address that is not public',
            bound: 'a public address, by https',
          },
        ]);
        expect(names.asked).toEqual(['private.example.com']);
        expect(await fixture.database.query(`SELECT 1 FROM task WHERE task_id = $1`, [taskId])).toEqual([]);
      });

      it('that nobody answers for costs no task: the callback is tried, and says what was wrong', async () => {
        const { taskId, submitted } = submit('slow.example.com');
        await submitted;
        names.speak();
        const shown = () => fixture.bus.call(task, { deptId: 'payments', taskId });
        while ((await shown()).callback?.lastError === undefined) await new Promise(setImmediate);
        expect(await shown()).toMatchObject({
          ...{ status: 'COMPLETED', payment: 'delivered' },
          callback: { state: 'waiting', lastError: 'slow.example.com has an address that is not public' },
        });
      });

      it('of whom four are asked for already is left to the callback', async () => {
        const slow = Array.from({ length: 6 }, (_, index) => submit(`slow-${index}.example.com`));
        const created = slow.map(({ submitted }) => submitted);
        const first = await Promise.race(created);
        // Before the others' names are given up, and of those that were not asked for.
        expect(names.asked).toHaveLength(4);
        expect(names.asked).not.toContain(new URL(first.callback!.url).hostname);
        names.speak();
        const refusals = (await Promise.allSettled(created)).map(({ status }) => status);
        expect(refusals.filter(status => status === 'rejected')).toHaveLength(4);
      });
    });
  });
}
