import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  BEGINS_MAX,
  isEnded,
  queuedTask,
  shownStateOf,
  type TaskEvent,
  type TaskSnapshot,
  transition,
} from './task-state.js';

const fence = fc.nat(6);
const event: fc.Arbitrary<TaskEvent> = fc.oneof(
  { weight: 4, arbitrary: fc.boolean().map((isLapsed): TaskEvent => ({ type: 'begun', isLapsed })) },
  fc
    .record({ fence, stage: fc.constantFrom('work', 'attest'), progress: fc.double({ noNaN: true }) })
    .map((said): TaskEvent => ({ type: 'progressed', ...said })),
  fence.map((of): TaskEvent => ({ type: 'given-back', fence: of })),
  fc.record({ fence, charged: fc.boolean() }).map((said): TaskEvent => ({ type: 'succeeded', ...said })),
  fence.map((of): TaskEvent => ({ type: 'failed', fence: of, problem: { code: 'INTERNAL', detail: '' } })),
  fc.boolean().map((isLapsed): TaskEvent => ({ type: 'exhausted', isLapsed })),
  fc.constantFrom<TaskEvent>(
    { type: 'cancel-requested' },
    { type: 'deadline-passed' },
    { type: 'payment-lost' },
  ),
  fc
    .constantFrom('delivered' as const, 'returned' as const, 'superseded' as const)
    .map((payment): TaskEvent => ({ type: 'settled', payment })),
);

type Step = readonly [before: TaskSnapshot, event: TaskEvent, after: TaskSnapshot | undefined];

/** Every step of a history, those included that change nothing. */
function steps(events: readonly TaskEvent[], isBinding: boolean): Step[] {
  let task = queuedTask(isBinding);
  return events.map(one => {
    const before = task;
    const after = transition(before, one);
    task = after ?? before;
    return [before, one, after];
  });
}

const holds = (check: (all: readonly Step[], isBinding: boolean) => void) =>
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40 }), fc.boolean(), (events, isBinding) =>
      check(steps(events, isBinding), isBinding),
    ),
    { numRuns: 1_000 },
  );
const changes = (all: readonly Step[]) =>
  all.filter(([, , after]) => after) as [TaskSnapshot, TaskEvent, TaskSnapshot][];

describe('a task', () => {
  it('numbers its changes without a gap, and never changes once it has ended', () =>
    holds(all => {
      changes(all).forEach(([before, , after], index) => {
        expect(after.seq).toBe(index + 2);
        expect(isEnded(before)).toBe(false);
      });
    }));

  it('comes to one outcome, which nothing but the settling of its payment follows', () =>
    holds(all => {
      for (const [before, one, after] of changes(all)) {
        if (before.outcome === undefined) continue;
        expect(one.type).toBe('settled');
        expect(after.outcome).toBe(before.outcome);
        expect(after.state).toBe(before.outcome);
      }
    }));

  it('is shown as ended only when its payment is settled, and delivers no payment without an answer', () =>
    holds(all => {
      for (const [, , after] of changes(all)) {
        const { status, payment } = shownStateOf(after);
        expect(status === 'QUEUED' || status === 'RUNNING').toBe(payment === 'held');
        if (after.payment === 'delivery-due') expect(after.outcome).toBe('COMPLETED');
        if (after.state === 'SETTLING') expect(['delivery-due', 'return-due']).toContain(after.payment);
      }
    }));

  it('hears of two workers the later alone', () =>
    holds(all => {
      for (const [before, one] of changes(all))
        if ('fence' in one) expect([before.state, before.fence]).toEqual(['RUNNING', one.fence]);
    }));

  it('is taken from a worker only where its lease has lapsed, and is begun a bounded number of times', () =>
    holds(all => {
      for (const [before, one, after] of changes(all)) {
        expect(after.begins).toBeLessThanOrEqual(BEGINS_MAX);
        if (one.type !== 'begun') continue;
        expect(before.state === 'QUEUED' || one.isLapsed).toBe(true);
        expect(after.fence).toBe(before.fence + 1);
      }
    }));

  it('is neither cancelled nor late once it has begun and is bought', () =>
    holds((all, isBinding) => {
      for (const [before, one] of changes(all))
        if (one.type === 'cancel-requested' || one.type === 'deadline-passed')
          expect(before.state === 'QUEUED' || !isBinding).toBe(true);
    }));

  it('never says that less is done than it said before, while the same worker has it', () =>
    holds(all => {
      for (const [before, one, after] of changes(all))
        if (one.type === 'progressed') expect(after.progress).toBeGreaterThanOrEqual(before.progress ?? 0);
    }));
});

describe('a task that was begun too often', () => {
  const begunOften = (): TaskSnapshot => {
    let task = queuedTask(false);
    for (let begin = 0; begin < BEGINS_MAX; begin++)
      task = transition(task, { type: 'begun', isLapsed: true })!;
    return task;
  };

  it('fails, and has its payment returned; while its last worker may live it does not', () => {
    expect(transition(begunOften(), { type: 'begun', isLapsed: true })).toBeUndefined();
    expect(transition(begunOften(), { type: 'exhausted', isLapsed: false })).toBeUndefined();
    expect(transition(begunOften(), { type: 'exhausted', isLapsed: true })).toMatchObject({
      ...{ state: 'SETTLING', outcome: 'FAILED', payment: 'return-due', problem: { code: 'INTERNAL' } },
    });
  });

  it('is not one that was given back: its worker closed, and did not die of it', () => {
    let task = queuedTask(false);
    for (let begin = 0; begin < 3 * BEGINS_MAX; begin++) {
      task = transition(task, { type: 'begun', isLapsed: false })!;
      task = transition(task, { type: 'given-back', fence: task.fence })!;
    }
    expect(task).toMatchObject({ state: 'QUEUED', begins: 0, hasBegun: true, fence: 3 * BEGINS_MAX });
  });
});
