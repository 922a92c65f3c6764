import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { departmentTaskContract, SNN_DOES_NOT_PROVE, type RequestOf, type Task } from '@svc/contracts';
import { problem, problemOf } from '@svc/platform';
import { randomBytes } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { purgeTasks } from '../src/tasks/task-retention.js';
import { type DepartmentFixture, startDepartment } from './department-fixture.js';

const { admitTask, submitTask, task, cancelTask, taskEvents, quoteTask } = departmentTaskContract;
type Submit = RequestOf<typeof submitTask>;

const newTaskId = () => `tsk_${randomBytes(16).toString('base64url')}`;
/** As `DEPARTMENT_TASKS_AT_ONCE` has it where nobody says otherwise. */
const TASKS_AT_ONCE = 4;
const COUNTED = { subject: `address:${'a'.repeat(64)}`, resetsAt: '2026-12-01T00:00:00.000Z' };
const solve = (more: Record<string, unknown> = {}) => ({
  deptId: 'neuro' as const,
  request: { capability: 'snn.solve', task: { neuronCount: 1_000, ...more } },
});
const GRAPH = {
  problem: 'sssp',
  nodes: 3,
  edges: [
    [0, 1, 2],
    [1, 2, 3],
  ],
  source: 0,
  target: 2,
};
const MODEL = { A: [[1]], B: [[[1]]], C: [0], D: [1], observations: [0] };

let fixture: DepartmentFixture;

async function submit(more: Partial<Submit> = {}): Promise<string> {
  const taskId = newTaskId();
  await fixture.bus.call(submitTask, {
    taskId,
    ...solve(),
    payment: { counted: COUNTED },
    ...more,
  } as Submit);
  return taskId;
}

/** The task once it has ended. */
async function ended(taskId: string, deptId: Submit['deptId'] = 'neuro'): Promise<Task> {
  for (let after = 0; ;) {
    const asked = { deptId, taskId, after, waitMs: 5_000 };
    const { events, ended: isOver } = await fixture.bus.call(taskEvents, asked);
    if (isOver) return fixture.bus.call(task, { deptId, taskId });
    after = events.at(-1)?.seq ?? after;
  }
}

/** A computation that stands still until it is let go on. */
function heldWork() {
  let go = () => undefined as void;
  const released = new Promise<void>(resolve => (go = resolve));
  const begun = new Promise<string>(resolve => {
    fixture.snn.beforeWork = async callId => {
      resolve(callId);
      await released;
    };
  });
  return { go, begun };
}

const takenBack = (taskId: string) => fixture.payments.uncounted.get(taskId);

/** Until something is true that nobody tells of. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await fixture.bus.call(quoteTask, { deptId: 'neuro' });
}

export function describeComputedTasks(): void {
  describe('computed tasks', () => {
    beforeAll(async () => {
      fixture = await startDepartment({ pace: 20 }, { tasks: { leaseSeconds: 1, countedBytesMax: 100_000 } });
    });
    afterAll(() => fixture?.close());
    beforeEach(() => {
      const { payments, snn } = fixture;
      payments.beforeSettling = payments.afterSettling = async () => undefined;
      snn.beforeWork = snn.beforeAdmission = async () => undefined;
      for (const list of [snn.admitted, snn.solved, snn.graphs, snn.packed, snn.cancelled]) list.length = 0;
      fixture.attest.free.length = 0;
    });

    describe('a computation as a task', () => {
      it('answers as its own route does, with evidence of what it does not prove', async () => {
        const done = await ended(await submit());
        expect(done).toMatchObject({ status: 'COMPLETED', payment: 'delivered', capability: 'snn.solve' });
        expect(done.result).toMatchObject({
          ...{ neuronCount: 1_000, proves: 'commitment', doesNotProve: SNN_DOES_NOT_PROVE.solve },
          auditProof: { proves: 'commitment', doesNotProve: SNN_DOES_NOT_PROVE.solve },
        });
        expect(fixture.snn.solved).toMatchObject([{ mode: 'task', request: { iterations: 100 } }]);
      });

      it('of a graph takes its text as it is, and says which request was answered', async () => {
        const request = { capability: 'snn.solve-graph', task: GRAPH };
        const done = await ended(await submit({ request }));
        expect(done.result).toMatchObject({ path: [0, 1, 2], auditProof: { proves: 'commitment' } });
        expect(done.result).not.toHaveProperty('requestDigest');
        expect(fixture.snn.graphs).toEqual([GRAPH]);
      });

      it('of a graph is kept deflated, and written out once for its turn', async () => {
        const { go, begun } = heldWork();
        const edges = Array.from({ length: 5_000 }, (_, n) => [n % 3, (n + 1) % 3, 1 + (n % 7)]);
        const graph = { ...GRAPH, edges };
        const taskId = await submit({ request: { capability: 'snn.solve-graph', task: graph } });
        await begun;
        const [{ bytes }] = await fixture.database.query(
          `SELECT octet_length(sealed_order) AS bytes FROM task WHERE task_id = $1`,
          [taskId],
        );
        expect(bytes).toBeLessThan(JSON.stringify(graph).length / 4);
        go();
        expect(await ended(taskId)).toMatchObject({ status: 'COMPLETED' });
        expect(fixture.snn.graphs).toEqual([graph]);
      });

      it('of a graph that came packed gives the service the very bytes, and keeps them sealed till then', async () => {
        const packedTask = deflateRawSync(` ${JSON.stringify(GRAPH)}`);
        const request = { capability: 'snn.solve-graph', task: {} };
        const done = await ended(await submit({ request, packedTask }));
        expect(done).toMatchObject({ status: 'COMPLETED', result: { path: [0, 1, 2] } });
        expect(fixture.snn.packed.map(bytes => Buffer.from(bytes))).toEqual([packedTask]);
      });

      it('takes nothing packed that the desk reads itself', async () => {
        const packedTask = deflateRawSync('{"neuronCount":1000}');
        const asked = submit({
          request: { capability: 'snn.solve', task: { neuronCount: 1_000 } },
          packedTask,
        });
        await expect(asked).rejects.toMatchObject({ code: 'UNPROCESSABLE' });
      });

      it('infers at the desk of parcels', async () => {
        const request = { capability: 'fep.active-inference', task: MODEL };
        const done = await ended(await submit({ deptId: 'parcels', request }), 'parcels');
        expect(done.result).toMatchObject({ action: 0, doesNotProve: SNN_DOES_NOT_PROVE.activeInference });
      });

      it('tells how far it is while it runs', async () => {
        const held = heldWork();
        const taskId = await submit();
        const callId = await held.begun;
        await until(() => fixture.snn.followed.has(callId));
        let shown: Task;
        do shown = await fixture.bus.call(task, { deptId: 'neuro', taskId });
        while ((shown.progress ?? 0) < 0.75);
        expect(shown).toMatchObject({
          status: 'RUNNING',
          stage: 'simulate',
          progress: 0.75,
          payment: 'held',
        });
        held.go();
        await ended(taskId);
      });

      it('that is cancelled ends at the service too', async () => {
        const held = heldWork();
        const taskId = await submit();
        const callId = await held.begun;
        const cancelled = await fixture.bus.call(cancelTask, { deptId: 'neuro', taskId });
        expect(cancelled).toMatchObject({ status: 'CANCELLED' });
        expect(fixture.snn.cancelled).toContain(callId);
        held.go();
      });

      it('waits for room where there is none for a moment', async () => {
        let times = 0;
        fixture.snn.beforeWork = async () => {
          if (times++ < 2) throw problem('QUEUE_FULL', 'no room');
        };
        expect(await ended(await submit())).toMatchObject({ status: 'COMPLETED' });
        expect(times).toBe(3);
      });

      it('whose worker has died has its old run ended, and is computed anew under another name', async () => {
        const held = heldWork();
        const taskId = await submit();
        const first = await held.begun;
        // As its worker's death leaves it: begun, and silent.
        await fixture.database.query(
          `UPDATE task SET fence = fence + 1, seq = seq + 1, lease_until = now() - interval '1 minute',
              enqueued_at = NULL, begins = begins WHERE task_id = $1`,
          [taskId],
        );
        await until(
          () => fixture.snn.solved.length >= 2 && fixture.snn.cancelled.some(name => name === first),
        );
        held.go();
        expect(await ended(taskId)).toMatchObject({ status: 'COMPLETED', payment: 'delivered' });
        const names = new Set(fixture.snn.solved.map(({ callId }) => callId));
        expect(names.size).toBe(2);
      });
    });

    describe('admission of a computation', () => {
      const refusal = (request: unknown, deptId = 'neuro') =>
        problemOf(fixture.bus.call(admitTask, { deptId, request } as RequestOf<typeof admitTask>));

      it.each([
        [
          'a count of neurons beyond all bounds',
          { capability: 'snn.solve', task: { neuronCount: 1e9 } },
          'task.neuronCount',
        ],
        [
          'an unknown problem, which the service reads',
          { capability: 'snn.solve-graph', task: { ...GRAPH, problem: 'tsp' } },
          'task.problem',
        ],
      ])('refuses %s, naming its place in the task', async (_what, request, path) => {
        expect(await refusal(request)).toMatchObject({
          code: 'VALIDATION_FAILED',
          payload: { errors: [expect.objectContaining({ path })] },
        });
      });

      it('refuses what only asks for an estimate: the route answers that at once, for nothing', async () => {
        expect(await refusal({ capability: 'snn.solve', task: { dryRun: true } })).toMatchObject({
          code: 'UNPROCESSABLE',
          payload: { errors: [expect.objectContaining({ path: 'task.dryRun' })] },
        });
        expect(fixture.snn.admitted).toEqual([]);
      });

      it('asks the service as for a task, and passes its refusal on', async () => {
        await fixture.bus.call(admitTask, { ...solve() });
        expect(fixture.snn.admitted).toMatchObject([{ mode: 'task', request: { neuronCount: 1_000 } }]);
        fixture.snn.beforeAdmission = async () => {
          const errors = [{ path: 'neuronCount', message: 'needs too much memory', bound: { max: 5 } }];
          throw problem('UNPROCESSABLE', 'too much', { errors });
        };
        const inference = { capability: 'fep.active-inference', task: MODEL };
        for (const [deptId, request] of [
          ['neuro', solve().request],
          ['neuro', { capability: 'snn.solve-graph', task: GRAPH }],
          ['parcels', inference],
        ] as const)
          expect(await refusal(request, deptId)).toMatchObject({
            code: 'UNPROCESSABLE',
            payload: { errors: [{ path: 'task.neuronCount', bound: { max: 5 } }] },
          });
      });
    });

    describe('a task within a quota', () => {
      const kept = async (taskIds: readonly string[]) => {
        const rows: { task_id: string }[] = await fixture.database.query(
          'SELECT task_id FROM task WHERE task_id = ANY ($1)',
          [taskIds],
        );
        return taskIds.map(taskId => rows.some(row => row.task_id === taskId));
      };
      const counted = { subject: `address:${'b'.repeat(64)}`, resetsAt: COUNTED.resetsAt };

      it('goes where newer ones of its caller take all the room, and no other caller’s does', async () => {
        const other = await submit();
        await ended(other);
        const taskIds: string[] = [];
        for (let i = 0; i < 4; i++) {
          const taskId = await submit({ payment: { counted } });
          taskIds.push(taskId);
          await ended(taskId);
          // As large as an answer can be, and no text that Postgres could pack.
          await fixture.database.query('UPDATE task SET result = $2 WHERE task_id = $1', [
            taskId,
            JSON.stringify({ $sealed: randomBytes(25_000).toString('base64') }),
          ]);
        }
        await ended(await submit({ payment: { counted } }));
        expect(await kept([other, ...taskIds])).toEqual([true, false, false, true, true]);
        const [deptId, taskId] = ['neuro' as const, taskIds[0]];
        const gone = problemOf(fixture.bus.call(task, { deptId, taskId }));
        expect((await gone).code).toBe('NOT_FOUND');
      });

      it('goes after a day, and one that was paid for after thirty', async () => {
        const taskIds = [await submit({ payment: { counted } }), await submit({ payment: { counted } })];
        const paid = [await submit(), await submit()];
        for (const taskId of [...taskIds, ...paid]) await ended(taskId);
        await fixture.database.query(
          'UPDATE task SET counted_subject = NULL, counted_resets_at = NULL WHERE task_id = ANY ($1)',
          [paid],
        );
        const age = (taskId: string, hours: number) =>
          fixture.database.query(
            'UPDATE task SET created_at = now() - make_interval(hours => $2) WHERE task_id = $1',
            [taskId, hours],
          );
        await age(taskIds[0], 25);
        await age(taskIds[1], 23);
        await age(paid[0], 24 * 30 + 1);
        await age(paid[1], 24 * 30 - 1);
        expect(await purgeTasks(fixture.database)).toBe(2);
        expect(await kept([...taskIds, ...paid])).toEqual([false, true, false, true]);
      });

      it('that is answered stays counted, and is on the disk before its end is told of', async () => {
        const commits = await fixture.commitsDuring(async () => {
          const taskId = await submit();
          const done = await ended(taskId);
          expect(done).toMatchObject({ status: 'COMPLETED', payment: 'delivered' });
          expect(done.receipt).toBeUndefined();
          expect(takenBack(taskId)).toBeUndefined();
        });
        expect(fixture.attest.free).toEqual([true]);
        expect(commits).toBe(2);
      });

      it('that fails is taken back once, though payments are away at first and their answer is lost then', async () => {
        fixture.snn.beforeWork = async () => {
          throw problem('UNPROCESSABLE', 'cannot be simulated');
        };
        let asked = 0;
        fixture.payments.beforeSettling = async what => {
          expect(what).toBe('uncount');
          if (asked++ === 0) throw problem('SERVICE_UNAVAILABLE', 'away');
        };
        let isLost = true;
        fixture.payments.afterSettling = async () => {
          if (isLost) {
            isLost = false;
            throw problem('SERVICE_UNAVAILABLE', 'the answer is lost');
          }
        };
        const taskId = await submit();
        expect(await ended(taskId)).toMatchObject({
          ...{ status: 'FAILED', payment: 'returned', problem: { code: 'UNPROCESSABLE' } },
        });
        expect(takenBack(taskId)).toEqual({ subject: COUNTED.subject, asked: 2, takenBack: 1 });
      });

      it('that is cancelled before it has begun is taken back once', async () => {
        const held = heldWork();
        const begun = await Promise.all(Array.from({ length: TASKS_AT_ONCE }, () => submit()));
        await until(() => fixture.snn.solved.length === TASKS_AT_ONCE);
        const taskId = await submit();
        const named = { deptId: 'neuro', taskId } as const;
        await Promise.all([fixture.bus.call(cancelTask, named), fixture.bus.call(cancelTask, named)]);
        expect(await ended(taskId)).toMatchObject({ status: 'CANCELLED', payment: 'returned' });
        expect(takenBack(taskId)).toMatchObject({ takenBack: 1 });
        held.go();
        for (const one of begun) expect(await ended(one)).toMatchObject({ status: 'COMPLETED' });
      });

      it('that is cancelled after it has begun stays counted', async () => {
        const held = heldWork();
        const taskId = await submit();
        await held.begun;
        const named = { deptId: 'neuro', taskId } as const;
        await Promise.all([fixture.bus.call(cancelTask, named), fixture.bus.call(cancelTask, named)]);
        expect(await ended(taskId)).toMatchObject({ status: 'CANCELLED', payment: 'delivered' });
        expect(takenBack(taskId)).toBeUndefined();
        held.go();
      });

      it('that comes to its deadline after it has begun stays counted', async () => {
        const held = heldWork();
        const taskId = await submit({ request: { ...solve().request, deadlineMs: 300 } });
        const callId = await held.begun;
        expect(await ended(taskId)).toMatchObject({ status: 'EXPIRED', payment: 'delivered' });
        expect(takenBack(taskId)).toBeUndefined();
        expect(fixture.snn.cancelled).toContain(callId);
        held.go();
      });

      it('is refused for a capability that no quota covers', async () => {
        const call = { taskId: newTaskId(), payment: { counted: COUNTED } };
        const request = { capability: 'create_purchase_link', task: {} };
        expect(
          await problemOf(fixture.bus.call(submitTask, { ...call, deptId: 'payments', request })),
        ).toMatchObject({ code: 'UNPROCESSABLE' });
      });

      it('is paid by a claim as well', async () => {
        const claim = fixture.payments.claim();
        const done = await ended(await submit({ payment: { claim } }));
        expect(done).toMatchObject({ payment: 'delivered', receipt: claim.receipt });
        expect(fixture.payments.of(claim)).toMatchObject({ state: 'delivered', moves: 1 });
        expect(fixture.attest.free).toEqual([false]);
      });
    });
  });
}
