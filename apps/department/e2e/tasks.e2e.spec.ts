import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { departmentTaskContract, type RequestOf, type Task } from '@svc/contracts';
import { problem } from '@svc/platform';
import { randomBytes } from 'node:crypto';
import { type DepartmentFixture, problemOf, startDepartment } from './department-fixture.js';

const { departments, quoteTask, admitTask, submitTask, task, taskOfClaim, cancelTask, taskEvents } =
  departmentTaskContract;
type Submit = RequestOf<typeof submitTask>;
type DeptId = Submit['deptId'];

const newTaskId = () => `tsk_${randomBytes(16).toString('base64url')}`;
const CATALOG = { deptId: 'payments', request: { capability: 'get_product_catalog', task: {} } } as const;
const LINK = { deptId: 'payments', request: { capability: 'create_purchase_link', task: {} } } as const;
const ENDED = ['COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED'];

let fixture: DepartmentFixture;
beforeAll(async () => {
  fixture = await startDepartment({ variables: { DEPARTMENT_TASK_LEASE_SECONDS: '2' } });
}, 60_000);
afterAll(() => fixture?.close());
beforeEach(() => {
  const { payments } = fixture;
  payments.beforeTool = payments.beforeSettling = payments.afterSettling = async () => undefined;
});

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

describe('a task', () => {
  it('is done, and its payment delivered with it: the stored answer is the task', async () => {
    const { taskId, claim, submitted } = submit();
    expect(await submitted).toMatchObject({ taskId, capability: 'get_product_catalog', payment: 'held' });
    const done = await ended(taskId);
    expect(done).toMatchObject({
      ...{ status: 'COMPLETED', payment: 'delivered', receipt: claim.receipt, progress: 1 },
      result: { catalog: [{ name: 'one' }], auditProof: { proves: 'commitment' } },
    });
    const { response, state, moves } = fixture.payments.of(claim);
    expect([state, moves, response!.status]).toEqual(['delivered', 1, 200]);
    expect(JSON.parse(Buffer.from(response!.body).toString('utf8'))).toEqual(JSON.parse(JSON.stringify(done)));
  });
});
