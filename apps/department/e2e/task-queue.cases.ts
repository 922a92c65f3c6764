import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { departmentTaskContract, EVENTS, type RequestOf, type Task } from '@svc/contracts';
import {
  createLogger,
  currentTurn,
  type DeliveredEvent,
  type EventSubscription,
  openBusLink,
  openEventStream,
  problem,
  problemOf,
  runInTurn,
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
/** Lets the task go on that a desk is busy with. */
let go = () => undefined as void;

const newTaskId = () => `tsk_${randomBytes(16).toString('base64url')}`;
const submit = (taskId: string, asked: typeof CATALOG | typeof LINK = CATALOG) =>
  fixture.bus.call(submitTask, {
    ...asked,
    taskId,
    payment: { claim: fixture.payments.claim() },
  } as Submit);
/** Submits a task for a caller that can be told from others. */
const submitOf = (subject: string, taskId: string) =>
  runInTurn({ subject, standing: 'later' }, () => submit(taskId));
const admitOf = (subject: string) =>
  runInTurn({ subject, standing: 'claiming' }, () => fixture.bus.call(admitTask, CATALOG as never));
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
  while (of().length < steps.length) await delay(20);
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

/** A desk whose worker is at a task until it is let go; whatever was counted of the desk is forgotten. */
async function busyDesk(beforeTool: () => Promise<void> = async () => undefined, subject = 'first') {
  const released = new Promise<void>(resolve => (go = resolve));
  const running = newTaskId();
  passedMs += COUNT_MS;
  await new Promise<void>((resolve, reject) => {
    fixture.payments.beforeTool = async () => {
      await beforeTool();
      resolve();
      await released;
    };
    submitOf(subject, running).catch(reject);
  });
  passedMs += COUNT_MS;
  return running;
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
    // Also where a test has failed: nothing closes while a task goes on.
    afterEach(() => go());

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
        const running = await busyDesk();
        const waiting = Array.from({ length: QUEUE_MAX }, newTaskId);
        for (const [index, taskId] of waiting.entries())
          expect((await submitOf(`caller-${index}`, taskId)).status).toBe('QUEUED');

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

    describe('a caller with many tasks', () => {
      /** How many tasks a single caller may queue in an empty queue: as many as it leaves free. */
      const SHARE = Math.ceil(QUEUE_MAX / 2);

      it('is refused beyond its share, before it pays and after, and leaves a place to another', async () => {
        const running = await busyDesk();
        const loud = Array.from({ length: 4 * QUEUE_MAX }, newTaskId);
        // At once: each that is taken counts before it is recorded.
        const asked = await Promise.allSettled(loud.map(taskId => submitOf('loud', taskId)));
        const taken = loud.filter((_, index) => asked[index].status === 'fulfilled');
        expect(taken).toHaveLength(SHARE);
        passedMs += COUNT_MS;
        for (const refusal of [admitOf('loud'), submitOf('loud', newTaskId())])
          expect((await problemOf(refusal)).payload).toMatchObject({
            code: 'QUEUE_FULL',
            detail: expect.stringMatching(/of at most 3; 2 of them are of this caller, whose share is 2 now/),
            extensions: { queueMax: QUEUE_MAX, share: SHARE },
          });
        // One that it has already takes no room.
        expect((await submitOf('loud', taken[0])).taskId).toBe(taken[0]);
        await admitOf('quiet');
        const quiet = newTaskId();
        expect((await submitOf('quiet', quiet)).status).toBe('QUEUED');
        expect((await problemOf(admitOf('third'))).payload.extensions).toMatchObject({ share: 0 });
        go();
        for (const taskId of [running, ...taken, quiet])
          expect(await ended(taskId)).toMatchObject({ status: 'COMPLETED' });
      });

      it('is known by its account where a batch says no turn', async () => {
        const running = await busyDesk();
        const submitBy = (name: string) => {
          const payment = { claim: fixture.payments.claim() };
          const accountId = `acct_${name.padEnd(20, '0')}`;
          return fixture.bus.call(submitTask, {
            ...CATALOG,
            taskId: newTaskId(),
            payment,
            accountId,
          } as Submit);
        };
        const taken = [await submitBy('loud'), await submitBy('loud')];
        expect((await problemOf(submitBy('loud'))).code).toBe('QUEUE_FULL');
        taken.push(await submitBy('quiet'));
        go();
        for (const taskId of [running, ...taken.map(task => task.taskId)]) await ended(taskId);
      });

      it('takes turns with other callers, and the engines are told which caller a task is for', async () => {
        const turns: ReturnType<typeof currentTurn>[] = [];
        const running = await busyDesk(async () => void turns.push(currentTurn()), 'loud');
        const waiting = [newTaskId(), newTaskId(), newTaskId()];
        await submitOf('loud', waiting[0]);
        await submitOf('loud', waiting[1]);
        await submitOf('quiet', waiting[2]);
        go();
        for (const taskId of [running, ...waiting])
          expect(await ended(taskId)).toMatchObject({ status: 'COMPLETED' });
        // The task that came last is done before those that came before it.
        const subjects = ['loud', 'quiet', 'loud', 'loud'];
        expect(turns).toEqual(subjects.map(subject => ({ subject, standing: 'later' })));
      });
    });
  });
}
