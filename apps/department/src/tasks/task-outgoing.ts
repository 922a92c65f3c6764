import { type OutgoingEvent, taskEvent } from '@svc/contracts';
import { shownProgressOf, type StoredTask } from './stored-task.js';
import { shownStateOf } from './task-state.js';

/** What other services are told of a task at one step. */
export function outgoingOf(task: StoredTask): OutgoingEvent {
  const { taskId, deptId, capability, seq, problem } = task;
  const { payment } = shownStateOf(task);
  const at = new Date().toISOString();
  return taskEvent({
    ...{ taskId, deptId, capability, seq, at, payment },
    ...shownProgressOf(task),
    ...(problem && payment !== 'held' && { problemCode: problem.code }),
  });
}
