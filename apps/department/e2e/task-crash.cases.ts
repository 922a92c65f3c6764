import { describe, expect, it } from '@jest/globals';
import type { Task, TaskClaim } from '@svc/contracts';
import type { DepartmentFixture } from './department-fixture.js';

/** How tasks with an effect are given and waited for. */
export interface TasksUnderTest {
  of(): DepartmentFixture;
  submit(): { readonly taskId: string; readonly claim: TaskClaim; readonly submitted: Promise<unknown> };
  ended(taskId: string): Promise<Task>;
}

/** Rows are put back to what they were, as a database stands after a crash that has taken its last commits back. */
export function describeCrashes({ of, submit, ended }: TasksUnderTest): void {
  describe('a task and the disk', () => {
    it('waits for one commit beside those of its payment: what a crash of the database takes back is done again', async () => {
      const commits = await of().commitsDuring(async () => {
        const { taskId, submitted } = submit();
        await submitted;
        expect(await ended(taskId)).toMatchObject({ status: 'COMPLETED', payment: 'delivered' });
      });
      expect(commits).toBe(1);
    });

    it.each([
      ['works', 'beforeTool'],
      ['is to settle its payment', 'beforeSettling'],
    ] as const)(
      'that a crash of the database has taken back to where it %s is done again, and paid once',
      async (_state, at) => {
        let before: { seq: number } | undefined;
        const { taskId, claim, submitted } = submit();
        of().payments[at] = async () => {
          const [{ row }] = await of().database.query(
            'SELECT to_jsonb(task) AS row FROM task WHERE task_id = $1',
            [taskId],
          );
          before ??= row;
        };
        await submitted;
        const done = await ended(taskId);
        const { response } = of().payments.of(claim);
        // As the database stands without its last commits, which nothing has waited for.
        const columns = Object.keys(before!).join(', ');
        await of().database.query(
          `UPDATE task SET (${columns}) = (SELECT ${columns} FROM jsonb_populate_record(NULL::task, $2)) WHERE task_id = $1`,
          [taskId, JSON.stringify(before)],
        );
        await of().database.query('DELETE FROM task_event WHERE task_id = $1 AND seq > $2', [
          taskId,
          before!.seq,
        ]);
        expect(await ended(taskId)).toMatchObject({
          ...{ status: 'COMPLETED', payment: 'delivered' },
          // Work that is done again has evidence of its own; what the payment bought stays.
          ...(at === 'beforeSettling' && { result: done.result }),
        });
        expect(of().payments.of(claim)).toMatchObject({ state: 'delivered', moves: 1, response });
      },
    );
  });
}
