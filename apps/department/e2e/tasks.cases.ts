import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DEPARTMENT_IDS, departmentTaskContract, type RequestOf, type Task } from '@svc/contracts';
import { problem, type ProblemError, problemOf, SealedJson } from '@svc/platform';
import fc from 'fast-check';
import { randomBytes, randomUUID } from 'node:crypto';
import { type DepartmentFixture, startDepartment } from './department-fixture.js';
import { describeCrashes } from './task-crash.cases.js';

const { departments, quoteTask, admitTask, submitTask, task, taskOfClaim, cancelTask, taskEnd, taskEvents } =
  departmentTaskContract;
type Submit = RequestOf<typeof submitTask>;
type DeptId = Submit['deptId'];

const newTaskId = () => `tsk_${randomBytes(16).toString('base64url')}`;
const DEPARTMENT_SECRET = 'department-secret-of-the-tests-of-32-characters';
const CATALOG = { deptId: 'payments', request: { capability: 'get_product_catalog', task: {} } } as const;
const LINK = { deptId: 'payments', request: { capability: 'create_purchase_link', task: {} } } as const;
const ENDED = ['COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED'];

let fixture: DepartmentFixture;

function submit(more: Partial<Submit> = {}) {
  const taskId = newTaskId();
  const claim = fixture.payments.claim();
  return {
    ...{ taskId, claim },
    submitted: fixture.bus.call(submitTask, { taskId, ...CATALOG, payment: { claim }, ...more } as Submit),
  };
}

/** The task once it has ended. */
async function ended(taskId: string, deptId: DeptId = 'payments'): Promise<Task> {
  let after = 0;
  for (;;) {
    const { events, ended: isOver } = await fixture.bus.call(taskEvents, {
      ...{ deptId, taskId, after, waitMs: 5_000 },
    });
    if (isOver) break;
    after = events.at(-1)?.seq ?? after;
  }
  const found = await fixture.bus.call(task, { deptId, taskId });
  expect(ENDED).toContain(found.status);
  return found;
}

/** What stands in the row of a task. */
const rowOf = async (taskId: string) => {
  const [row] = await fixture.database.query('SELECT * FROM task WHERE task_id = $1', [taskId]);
  return row as Record<string, unknown>;
};
const cancel = (taskId: string) => fixture.bus.call(cancelTask, { deptId: 'payments', taskId });

/** Work that stands still until it is let go on. */
function heldTool() {
  let go = () => undefined as void;
  const released = new Promise<void>(resolve => (go = resolve));
  let begun = () => undefined as void;
  const hasBegun = new Promise<void>(resolve => (begun = resolve));
  fixture.payments.beforeTool = async () => {
    begun();
    await released;
  };
  return { go, hasBegun };
}

export function describeTasks(): void {
  describe('tasks', () => {
    beforeAll(async () => {
      fixture = await startDepartment({ pace: 20 }, { tasks: { leaseSeconds: 1 } });
    });
    afterAll(() => fixture?.close());
    beforeEach(() => {
      const { payments } = fixture;
      payments.beforeTool = payments.beforeSettling = payments.afterSettling = async () => undefined;
    });

    /** First: whatever is submitted below may give a desk its first sample. */
    describe('the desks', () => {
      it('are listed with their inputs and prices, and what is not there as offline', async () => {
        const { departments: desks } = await fixture.bus.call(departments, {});
        const of = (deptId: DeptId) => desks.find(desk => desk.deptId === deptId)!;
        expect(desks).toHaveLength(10);
        expect(of('payments')).toMatchObject({
          status: 'ONLINE',
          priceUsd: { get_product_catalog: '0.001' },
        });
        expect(of('compliance')).toMatchObject({ status: 'ONLINE', priceUsd: { 'coi.verify': '0.25' } });
        expect(of('mesh').status).toBe('OFFLINE');
        expect(of('authentication')).toMatchObject({
          status: 'ONLINE',
          priceUsd: { 'speckle.verify-slab': '0.001' },
        });
        expect(of('proofs').inputSchemas['zk_prove_spatial']).toMatchObject({
          type: 'object',
          required: ['coordinates'],
        });
        expect(of('neuro').sla).toMatchObject({ latencyMsP95: 0, samples: 0, reason: expect.any(String) });
      });
    });

    describeCrashes({ of: () => fixture, submit: () => submit(LINK), ended });

    describe('a task', () => {
      it('is done, and its payment delivered with it: the stored answer is the task', async () => {
        const { taskId, claim, submitted } = submit();
        expect(await submitted).toMatchObject({ taskId, capability: 'get_product_catalog', payment: 'held' });
        const done = await ended(taskId);
        expect(done).toMatchObject({
          ...{ status: 'COMPLETED', payment: 'delivered', receipt: claim.receipt, progress: 1 },
          result: { catalog: [], auditProof: { proves: 'commitment' } },
        });
        const { response, state, moves } = fixture.payments.of(claim);
        expect([state, moves, response!.status]).toEqual(['delivered', 1, 200]);
        expect(JSON.parse(Buffer.from(response!.body).toString('utf8'))).toEqual(done);
      });

      it('returns the recorded answer to a caller that shows its claim, and to no other caller', async () => {
        const held = heldTool();
        const { taskId, claim, submitted } = submit(LINK);
        await submitted;
        await held.hasBegun;
        const asked = { deptId: 'payments' as const, taskId, waitMs: 5_000 };
        const waiting = fixture.bus.call(taskEnd, { ...asked, claim });
        expect(await fixture.bus.call(taskEnd, { ...asked, claim, waitMs: 0 })).toEqual({
          task: expect.objectContaining({ status: 'RUNNING', payment: 'held' }),
        });
        held.go();
        const { task: done, answer } = await waiting;
        expect(done).toMatchObject({ status: 'COMPLETED', payment: 'delivered' });
        expect(answer).toEqual(fixture.payments.of(claim).response);
        for (const other of [{ claimId: randomUUID() }, { attempt: claim.attempt + 1 }]) {
          const reply = await fixture.bus.call(taskEnd, { ...asked, claim: { ...claim, ...other } });
          expect(reply).toEqual({ task: done });
        }
      });

      it('is one task, however often it is submitted under its id', async () => {
        const taskId = newTaskId();
        const claim = fixture.payments.claim();
        const call = { ...LINK, taskId, payment: { claim } };
        await Promise.all(Array.from({ length: 8 }, () => fixture.bus.call(submitTask, call)));
        const done = await ended(taskId);
        expect(await fixture.bus.call(submitTask, call)).toEqual(done);
        expect(fixture.payments.of(claim).moves).toBe(1);
        const [{ count }] = await fixture.database.query(
          'SELECT count(*)::int FROM task_event WHERE task_id = $1 AND seq = 1',
          [taskId],
        );
        expect(count).toBe(1);
      });

      it('keeps what it was given sealed, and only until it has an outcome', async () => {
        const held = heldTool();
        const { taskId, submitted } = submit({
          ...LINK,
          request: { ...LINK.request, task: { workEmail: 'a@b.test' } },
        });
        await submitted;
        await held.hasBegun;
        const row = await rowOf(taskId);
        expect(row.sealed_order).toBeInstanceOf(Buffer);
        expect((row.sealed_order as Buffer).includes('a@b.test')).toBe(false);
        held.go();
        await ended(taskId);
        expect(await rowOf(taskId)).toMatchObject({ sealed_order: null, sealed_opening: null });
      });

      it('tells each of its steps once and in order, and its end only when its payment is settled', async () => {
        let settled = false;
        fixture.payments.afterSettling = async () => void (settled = true);
        const { taskId, submitted } = submit(LINK);
        await submitted;
        await ended(taskId);
        expect(settled).toBe(true);
        const { events } = await fixture.bus.call(taskEvents, {
          deptId: 'payments',
          taskId,
          after: 0,
          waitMs: 0,
        });
        expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
        expect(events[0].status).toBe('QUEUED');
        expect(events.at(-1)!.status).toBe('COMPLETED');
        expect(events.at(-2)).toMatchObject({ status: 'RUNNING', stage: 'settling' });
        expect(events.map(({ stage }) => stage)).toContain('attest');
        const { events: later } = await fixture.bus.call(taskEvents, {
          ...{ deptId: 'payments', taskId, after: 2, waitMs: 0 },
        });
        expect(later).toEqual(events.slice(2));
      });

      it('is found by the claim that it holds, and by nobody once it has ended', async () => {
        const held = heldTool();
        const { taskId, claim, submitted } = submit();
        await submitted;
        const { claimId, attempt } = claim;
        expect(await fixture.bus.call(taskOfClaim, { claimId, attempt })).toEqual({
          taskId,
          deptId: 'payments',
        });
        expect(await fixture.bus.call(taskOfClaim, { claimId, attempt: 2 })).toEqual({});
        held.go();
        await ended(taskId);
        expect(await fixture.bus.call(taskOfClaim, { claimId, attempt })).toEqual({});
      });

      it('is not found at another desk', async () => {
        const { taskId, submitted } = submit();
        await submitted;
        expect(await problemOf(fixture.bus.call(task, { deptId: 'proofs', taskId }))).toMatchObject({
          code: 'NOT_FOUND',
        });
        expect(await problemOf(fixture.bus.call(cancelTask, { deptId: 'proofs', taskId }))).toMatchObject({
          code: 'NOT_FOUND',
        });
        await ended(taskId);
      });

      it('that fails returns its payment, takes back what it may have done, and says why', async () => {
        fixture.payments.beforeTool = async () => {
          throw problem('UNPROCESSABLE', 'cannot be sold');
        };
        const { taskId, claim, submitted } = submit(LINK);
        await submitted;
        expect(await ended(taskId)).toMatchObject({
          ...{
            status: 'FAILED',
            payment: 'returned',
            problem: { code: 'UNPROCESSABLE', detail: 'cannot be sold' },
          },
        });
        expect(fixture.payments.of(claim)).toMatchObject({ state: 'released', givenUp: false, moves: 1 });
        expect([...fixture.payments.effects.values()].at(-1)).toMatchObject({ runs: 0, revoked: true });
      });

      it('waits for room where there is none for a moment', async () => {
        let times = 0;
        fixture.payments.beforeTool = async () => {
          if (times++ < 2) throw problem('QUEUE_FULL', 'no room');
        };
        const { taskId, submitted } = submit(LINK);
        await submitted;
        expect(await ended(taskId)).toMatchObject({ status: 'COMPLETED', payment: 'delivered' });
        expect(times).toBe(3);
      });
    });

    describe('a task that is cancelled', () => {
      it('has its payment returned at once, is never done, and leaves no effect', async () => {
        const held = heldTool();
        const { taskId, claim, submitted } = submit(LINK);
        await submitted;
        await held.hasBegun;
        expect(await cancel(taskId)).toMatchObject({ status: 'CANCELLED', payment: 'returned' });
        expect(fixture.payments.of(claim)).toMatchObject({ state: 'released', givenUp: true, moves: 1 });
        held.go();
        expect(await cancel(taskId)).toMatchObject({ status: 'CANCELLED' });
        expect([...fixture.payments.effects.values()].at(-1)).toMatchObject({ runs: 0, revoked: true });
      });

      it('is refused once it has come to an outcome', async () => {
        const { taskId, submitted } = submit();
        await submitted;
        await ended(taskId);
        expect(await problemOf(cancel(taskId))).toMatchObject({ code: 'CONFLICT' });
      });

      it('is refused once it has begun where its payment cannot be given up; it goes on to its end', async () => {
        const held = heldTool();
        const claim = fixture.payments.claim({ canBeGivenUp: false });
        const { taskId, submitted } = submit({ ...LINK, payment: { claim } });
        await submitted;
        await held.hasBegun;
        expect(await problemOf(cancel(taskId))).toMatchObject({
          code: 'CONFLICT',
          payload: { extensions: { status: 'RUNNING' } },
        });
        held.go();
        expect(await ended(taskId)).toMatchObject({ status: 'COMPLETED', payment: 'delivered' });
      });
    });

    describe('a deadline', () => {
      it('ends a task that runs, and returns its payment', async () => {
        const held = heldTool();
        const { taskId, claim, submitted } = submit({
          ...LINK,
          request: { ...LINK.request, deadlineMs: 300 },
        });
        await submitted;
        expect(await ended(taskId)).toMatchObject({
          status: 'EXPIRED',
          payment: 'returned',
          problem: { code: 'EXPIRED' },
        });
        expect(fixture.payments.of(claim)).toMatchObject({ state: 'released', moves: 1 });
        held.go();
      });

      it('that has passed before a task is begun keeps it from being done', async () => {
        const held = heldTool();
        const before = fixture.payments.effects.size;
        // Every place of the desk is taken.
        const blocking = Array.from({ length: 4 }, () => submit(LINK));
        await Promise.all(blocking.map(({ submitted }) => submitted));
        await held.hasBegun;
        const late = submit({ ...LINK, request: { ...LINK.request, deadlineMs: 100 } });
        await late.submitted;
        expect(await ended(late.taskId)).toMatchObject({ status: 'EXPIRED', payment: 'returned' });
        expect(
          (await fixture.bus.call(task, { deptId: 'payments', taskId: late.taskId })).startedAt,
        ).toBeUndefined();
        expect(fixture.payments.of(late.claim)).toMatchObject({ givenUp: false });
        held.go();
        await Promise.all(blocking.map(({ taskId }) => ended(taskId)));
        expect(fixture.payments.effects.size).toBe(before + 4);
      });
    });

    describe('a payment', () => {
      it('that cannot be delivered for a while is delivered later, once', async () => {
        let isAway = true;
        let tries = 0;
        fixture.payments.beforeSettling = async () => {
          tries++;
          if (isAway) throw problem('SERVICE_UNAVAILABLE', 'away');
        };
        const { taskId, claim, submitted } = submit();
        await submitted;
        while (tries === 0) await fixture.bus.call(task, { deptId: 'payments', taskId });
        const shown = await fixture.bus.call(task, { deptId: 'payments', taskId });
        expect(shown).toMatchObject({ status: 'RUNNING', payment: 'held', stage: 'settling' });
        expect(shown.result).toBeUndefined();
        isAway = false;
        expect(await ended(taskId)).toMatchObject({ status: 'COMPLETED', payment: 'delivered' });
        expect(fixture.payments.of(claim).moves).toBe(1);
      });

      it('whose delivery is booked and not heard of is not moved again', async () => {
        let isLost = true;
        fixture.payments.afterSettling = async () => {
          if (isLost) throw problem('SERVICE_UNAVAILABLE', 'the answer is lost');
        };
        const { taskId, claim, submitted } = submit();
        await submitted;
        while (fixture.payments.of(claim).moves === 0)
          await fixture.bus.call(task, { deptId: 'payments', taskId });
        isLost = false;
        expect(await ended(taskId)).toMatchObject({ payment: 'delivered' });
        expect(fixture.payments.of(claim).moves).toBe(1);
      });

      it('that is another request’s by now ends the task, and is shown as that', async () => {
        const held = heldTool();
        const { taskId, claim, submitted } = submit(LINK);
        await submitted;
        await held.hasBegun;
        fixture.payments.claims.set(claim.claimId, { attempt: 2, state: 'held', renewals: 0, moves: 0 });
        await fixture.database.query('UPDATE task SET attend_at = now() WHERE task_id = $1', [taskId]);
        expect(await ended(taskId)).toMatchObject({
          ...{ status: 'FAILED', payment: 'superseded', problem: { code: 'CONFLICT' } },
        });
        held.go();
        expect(fixture.payments.of(claim)).toMatchObject({ attempt: 2, state: 'held', moves: 0 });
      });

      it('is renewed while its task waits or runs', async () => {
        const held = heldTool();
        const { taskId, claim, submitted } = submit(LINK);
        await submitted;
        await held.hasBegun;
        await fixture.database.query('UPDATE task SET attend_at = now() WHERE task_id = $1', [taskId]);
        while (fixture.payments.of(claim).renewals === 0)
          await fixture.bus.call(task, { deptId: 'payments', taskId });
        held.go();
        await ended(taskId);
        expect(fixture.payments.of(claim).renewals).toBe(1);
      });
    });

    describe('a task whose submitter or worker has died', () => {
      /** A row as it is left behind. */
      async function left(more: Record<string, unknown>) {
        const taskId = newTaskId();
        const claim = fixture.payments.claim();
        const seal = new SealedJson([DEPARTMENT_SECRET], 'svc/task-order/v1');
        const row: Record<string, unknown> = {
          ...{ task_id: taskId, dept_id: 'payments', capability: 'create_purchase_link', priority: 'normal' },
          ...{
            state: 'QUEUED',
            seq: 1,
            fence: 0,
            begins: 0,
            has_begun: false,
            is_binding: false,
            payment: 'held',
          },
          ...{ claim_id: claim.claimId, claim_attempt: claim.attempt, receipt: claim.receipt },
          sealed_order: seal.seal({ input: { tier: 'developer_sdk' } }, taskId),
          ...{ created_at: new Date(Date.now() - 60_000), attend_at: new Date(Date.now() + 60_000) },
          ...more,
        };
        const names = Object.keys(row);
        await fixture.database.query(
          `INSERT INTO task (${names.join(', ')}) VALUES (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
          Object.values(row),
        );
        return { taskId, claim };
      }
      const longAgo = new Date(Date.now() - 3_600_000);
      const begun = { state: 'RUNNING', seq: 2, fence: 1, has_begun: true, started_at: longAgo };

      it('before it was put into the queue, is done', async () => {
        const { taskId } = await left({});
        expect(await ended(taskId)).toMatchObject({ status: 'COMPLETED', payment: 'delivered' });
      });

      it('while it was done, is done by another one', async () => {
        const { taskId } = await left({ ...begun, begins: 1, lease_until: longAgo, enqueued_at: longAgo });
        expect(await ended(taskId)).toMatchObject({ status: 'COMPLETED', payment: 'delivered' });
        expect(await rowOf(taskId)).toMatchObject({ fence: 2, begins: 2 });
      });

      it('each time that it was begun, fails, and its payment is returned', async () => {
        const { taskId, claim } = await left({
          ...begun,
          begins: 5,
          lease_until: longAgo,
          enqueued_at: longAgo,
        });
        expect(await ended(taskId)).toMatchObject({
          ...{ status: 'FAILED', payment: 'returned', problem: { code: 'INTERNAL' } },
        });
        expect(fixture.payments.of(claim)).toMatchObject({ state: 'released', moves: 1 });
      });

      it('is not taken from a worker whose lease holds', async () => {
        const lease = new Date(Date.now() + 1_000);
        const { taskId } = await left({ ...begun, begins: 1, lease_until: lease, enqueued_at: longAgo });
        const done = await ended(taskId);
        expect(done).toMatchObject({ status: 'COMPLETED' });
        expect(Date.parse(done.endedAt!)).toBeGreaterThan(lease.getTime());
      });

      it('under another secret fails, and its payment is returned', async () => {
        const { taskId } = await left({ sealed_order: Buffer.alloc(64) });
        expect(await ended(taskId)).toMatchObject({ status: 'FAILED', payment: 'returned' });
      });
    });

    describe('a ticket', () => {
      it('is used with the task as its key, and what was taken back is told as not charged', async () => {
        const sagaId = '00000000-0000-4000-8000-000000000000';
        fixture.payments.execute = async ({ input }) => ({
          status: 200,
          result: { sagaId, status: input.simulateFault === true ? 'COMPENSATED' : 'COMPLETED' },
        });
        for (const [simulateFault, payment] of [
          [false, 'delivered'],
          [true, 'returned'],
        ] as const) {
          const taskId = newTaskId();
          await fixture.bus.call(submitTask, {
            ...{ taskId, deptId: 'licensing', payment: { ticket: 'tkt_x', receipt: 'r' } },
            request: { task: { licenseeAgentId: 'agent', simulateFault } },
          });
          expect(await ended(taskId, 'licensing')).toMatchObject({
            status: 'COMPLETED',
            payment,
            result: { sagaId },
          });
          expect(fixture.payments.executions.at(-1)).toMatchObject({
            ticket: 'tkt_x',
            idempotencyKey: taskId,
          });
        }
      });

      it('pays for a saga alone, and a saga is paid by nothing else', async () => {
        const ticket = { ticket: 'tkt_x', receipt: '' };
        expect(await problemOf(submit({ payment: ticket }).submitted)).toMatchObject({
          code: 'UNPROCESSABLE',
        });
        const licensing = { deptId: 'licensing', request: { task: { licenseeAgentId: 'agent' } } } as const;
        expect(await problemOf(submit(licensing).submitted)).toMatchObject({ code: 'UNPROCESSABLE' });
      });
    });

    describe('admission', () => {
      const admit = (deptId: DeptId, request: object) =>
        fixture.bus.call(admitTask, { deptId, request } as RequestOf<typeof admitTask>);

      it('names the price, and how it is paid', async () => {
        expect(await admit('payments', { task: {} })).toEqual({
          ...{ capability: 'get_product_catalog', operationId: 'tool.get_product_catalog', paidBy: 'claim' },
        });
        expect(await fixture.bus.call(quoteTask, { deptId: 'licensing' })).toEqual({
          ...{
            capability: 'm2m_license_contract',
            operationId: 'tool.m2m_license_contract',
            paidBy: 'ticket',
          },
        });
      });

      it.each<[string, DeptId, object, string, string | undefined]>([
        [
          'a capability that the desk does not have',
          'payments',
          { capability: 'zk.prove', task: {} },
          'VALIDATION_FAILED',
          'capability',
        ],
        ['an offer without a key', 'mesh', { task: {} }, 'VALIDATION_FAILED', 'task.peerPublicKey'],
        ['an unknown input', 'payments', { task: { nothing: 1 } }, 'VALIDATION_FAILED', 'task.nothing'],
        [
          'an input of the wrong type',
          'proofs',
          { task: { traceData: 7 } },
          'VALIDATION_FAILED',
          'task.traceData',
        ],
        [
          'what the service beneath cannot do',
          'payments',
          { capability: 'create_purchase_link', task: { tier: 'enterprise_sam' } },
          'UNPROCESSABLE',
          'task.tier',
        ],
        [
          'an unknown product',
          'valuation',
          { task: { productId: 'none', massG: 1, peaksHz: [1000] } },
          'UNPROCESSABLE',
          'task.productId',
        ],
        [
          'a callback to this machine',
          'payments',
          { task: {}, callbackUrl: 'https://127.0.0.1/' },
          'VALIDATION_FAILED',
          'callbackUrl',
        ],
      ])('refuses %s, before anything is paid', async (_name, deptId, request, code, path) => {
        const refused = await problemOf(admit(deptId, request));
        expect([refused.code, refused.payload.errors?.[0]?.path]).toEqual([code, path]);
        const taskId = newTaskId();
        const claim = fixture.payments.claim();
        if (code === 'UNPROCESSABLE') return;
        const call = { taskId, deptId, request, payment: { claim } } as RequestOf<typeof submitTask>;
        expect((await problemOf(fixture.bus.call(submitTask, call))).code).toBe(code);
        expect(await rowOf(taskId)).toBeUndefined();
      });
    });

    describe('whatever is asked', () => {
      it('is refused by a problem that is the caller’s, or is a task that can be done', async () => {
        const request = fc.oneof(
          fc.jsonValue(),
          fc.record(
            {
              capability: fc.oneof(
                fc.string(),
                fc.constantFrom('get_product_catalog', 'zk.prove', '__proto__'),
              ),
              task: fc.oneof(fc.constant({}), fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue()),
              priority: fc.oneof(fc.constantFrom('low', 'normal', 'high'), fc.jsonValue()),
              // A bus carries JSON, which has no form for NaN and Infinity.
              deadlineMs: fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })),
              callbackUrl: fc.oneof(fc.webUrl(), fc.constant('https://[::1]/'), fc.string()),
            },
            { requiredKeys: [] },
          ),
        );
        await fc.assert(
          fc.asyncProperty(fc.constantFrom(...DEPARTMENT_IDS), request, async (deptId, asked) => {
            const taskId = newTaskId();
            const call = { taskId, deptId, request: asked, payment: { claim: fixture.payments.claim() } };
            const taken = fixture.bus.call(submitTask, call as Submit);
            const refused = await taken.then(
              () => undefined,
              (error: ProblemError) => error,
            );
            if (refused === undefined) expect(await rowOf(taskId)).toMatchObject({ dept_id: deptId });
            else {
              expect(refused.status).toBe(400);
              expect(await rowOf(taskId)).toBeUndefined();
            }
          }),
          { numRuns: process.env.SUITE_TIER === 'long' ? 2_000 : 50 },
        );
      });
    });
  });
}
