import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { departmentTaskContract, EVENTS, type RequestOf, type Task } from '@svc/contracts';
import {
  createLogger,
  type DeliveredEvent,
  type EventSubscription,
  openBusLink,
  openEventStream,
  problem,
  problemOf,
} from '@svc/platform';
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type DepartmentFixture, startDepartment } from './department-fixture.js';

const { admitTask, submitTask, task, taskEvents } = departmentTaskContract;
type Submit = RequestOf<typeof submitTask>;

const QUEUE_MAX = 3;
/** For how long a count of waiting tasks is used. */
const COUNT_MS = 500;
const CATALOG = { deptId: 'payments', request: { capability: 'get_product_catalog', task: {} } } as const;
const LINK = {
  deptId: 'payments',
  request: { capability: 'create_purchase_link', task: { tier: 'developer_sdk' } },
} as const;

let fixture: DepartmentFixture;
let reading: EventSubscription;
const told: DeliveredEvent[] = [];
let passedMs = 0;

const newTaskId = () => `tsk_${randomBytes(16).toString('base64url')}`;
const submit = (taskId: string, asked: typeof CATALOG | typeof LINK = CATALOG) =>
  fixture.bus.call(submitTask, {
    ...asked,
    taskId,
    payment: { claim: fixture.payments.claim() },
  } as Submit);
const find = (taskId: string): Promise<Task> => fixture.bus.call(task, { deptId: 'payments', taskId });

async function ended(taskId: string): Promise<Task> {
  for (;;) {
    const found = await find(taskId);
    if (!['QUEUED', 'RUNNING'].includes(found.status)) return found;
    await delay(20);
  }
}

/** Events of a task that were published, once as many came as the task has steps; each held against its schema. */
async function toldOf(taskId: string) {
  const { events: steps } = await fixture.bus.call(taskEvents, {
    ...{ deptId: 'payments', taskId, after: 0, waitMs: 0 },
  });
  const subject = `events.task.payments.${taskId}`;
  const of = () => told.filter(event => event.subject === subject);
  for (let looks = 0; of().length < steps.length && looks < 250; looks++) await delay(20);
  const events = of().map(({ id, data }) => {
    const event = JSON.parse(Buffer.from(data).toString()) as { type: keyof typeof EVENTS.task.messages };
    const parsed = EVENTS.task.messages[event.type].schema.parse(event) as {
      id: string;
      type: string;
      data: Record<string, unknown>;
    };
    expect([parsed, parsed.id]).toEqual([event, id]);
    return parsed;
  });
  return { steps, events };
}

export function describeTaskQueue(): void {
  describe('task queue', () => {
    beforeAll(async () => {
      const now = performance.now.bind(performance);
      jest.spyOn(performance, 'now').mockImplementation(() => now() + passedMs);
      const variables = { DEPARTMENT_QUEUE_MAX: String(QUEUE_MAX), DEPARTMENT_TASKS_AT_ONCE: '1' };
      fixture = await startDepartment({ variables });
      const logger = createLogger('gateway', { level: 'silent' });
      const link = openBusLink({ kind: 'memory', bus: fixture.memoryBus }, 'gateway', logger);
      reading = await openEventStream(link, {}, logger).subscribe(
        { filter: EVENTS.task.filter, durable: 'reader' },
        async event => {
          told.push(event);
        },
      );
    });
    afterAll(async () => {
      await reading?.stop();
      await fixture?.close();
      jest.restoreAllMocks();
    });
    beforeEach(() => {
      fixture.payments.beforeTool = async () => undefined;
    });

    describe('events of tasks', () => {
      it.each<[string, (() => Promise<void>) | undefined, string]>([
        ['is done', undefined, 'completed'],
        [
          'fails',
          async () => {
            throw problem('UNPROCESSABLE', 'secret of the inside');
          },
          'failed',
        ],
      ])('tell every step of one that %s, once and in order', async (_, fault, last) => {
        const taskId = newTaskId();
        if (fault) fixture.payments.beforeTool = fault;
        await submit(taskId, LINK);
        const { status } = await ended(taskId);
        const { steps, events } = await toldOf(taskId);
        expect(events.map(({ id }) => id)).toEqual(steps.map(({ seq }) => `task:${taskId}:${seq}`));
        expect(events.map(({ data }) => data.status)).toEqual(steps.map(step => step.status));
        expect(events[0].type).toBe('svc.task.queued.v1');
        expect([events.at(-1)!.type, status.toLowerCase()]).toEqual([`svc.task.${last}.v1`, last]);
        // Neither what it was given nor what it found, nor who pays.
        expect(JSON.stringify(events)).not.toMatch(/developer_sdk|checkoutUrl|secret|claimId/);
      });
    });

    describe('a desk that is full', () => {
      it('refuses before anything is paid, keeps what it has, and takes more when there is room', async () => {
        let go = () => undefined as void;
        const released = new Promise<void>(resolve => (go = resolve));
        const begun = new Promise<void>(resolve => {
          fixture.payments.beforeTool = async () => {
            resolve();
            await released;
          };
        });
        const running = newTaskId();
        await submit(running);
        await begun;
        // What was counted of the desk before is forgotten.
        passedMs += COUNT_MS;
        const waiting = Array.from({ length: QUEUE_MAX }, newTaskId);
        for (const taskId of waiting) expect((await submit(taskId)).status).toBe('QUEUED');

        const { deptId, request } = CATALOG;
        const refused = await problemOf(fixture.bus.call(admitTask, { deptId, request } as never));
        expect([refused.code, refused.payload.extensions]).toMatchObject([
          'QUEUE_FULL',
          { queueMax: QUEUE_MAX },
        ]);
        expect(refused.payload.retryAfterSeconds).toBeGreaterThan(0);
        const late = newTaskId();
        expect((await problemOf(submit(late))).code).toBe('QUEUE_FULL');
        expect((await problemOf(find(late))).code).toBe('NOT_FOUND');
        // One that is there already takes no room, and other desks have theirs.
        expect((await submit(waiting[0])).taskId).toBe(waiting[0]);
        const other = {
          deptId: 'valuation',
          request: { task: { productId: 'none', massG: 1, peaksHz: [1_000] } },
        };
        expect((await problemOf(fixture.bus.call(admitTask, other as never))).code).toBe('UNPROCESSABLE');

        go();
        for (const taskId of [running, ...waiting])
          expect(await ended(taskId)).toMatchObject({ status: 'COMPLETED', payment: 'delivered' });
        passedMs += COUNT_MS;
        await submit(late);
        expect(await ended(late)).toMatchObject({ status: 'COMPLETED' });
      });
    });
  });
}
