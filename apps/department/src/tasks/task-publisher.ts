import { Inject, Injectable } from '@nestjs/common';
import {
  Batch,
  SERVICE_ENVIRONMENT,
  type ServiceEnvironment,
  WORK_QUEUE,
  type WorkQueue,
} from '@svc/platform';
import { TaskBacklog, type TaskToEnqueue } from './task-backlog.js';

/** Tasks that the sweep puts into the queue at once. */
const SWEPT_AT_ONCE = 500;
const ADDED_AT_ONCE = 128;

/**
 * Puts tasks that are committed into the work queue, and records that they are there. Whatever dies in between leaves a
 * task that the sweep of whichever replica lives puts there, perhaps for a second time: a task is begun by one worker all
 * the same.
 */
@Injectable()
export class TaskPublisher {
  private readonly adding: Batch<TaskToEnqueue, void>;

  constructor(
    @Inject(WORK_QUEUE) private readonly queue: WorkQueue,
    private readonly backlog: TaskBacklog,
    @Inject(SERVICE_ENVIRONMENT) private readonly environment: ServiceEnvironment,
  ) {
    this.adding = new Batch(tasks => this.addAll(tasks), { sizeMax: ADDED_AT_ONCE });
  }

  /** Never rejects: a task that cannot be put there now is put there later. */
  async publish(task: TaskToEnqueue): Promise<void> {
    await this.adding.add(task).catch((error: unknown) => {
      this.environment.logger.warn({ reason: (error as Error).message }, 'A task could not be queued yet');
    });
  }

  /** A queue in memory begins empty, whatever stands in the database. */
  async start(): Promise<void> {
    if (this.environment.bus.kind === 'memory') await this.backlog.forgetEnqueued();
  }

  /** Puts there what was left. */
  async sweep(): Promise<void> {
    const left = await this.backlog.leftOver(SWEPT_AT_ONCE);
    await Promise.all(left.map(task => this.publish(task)));
  }

  private async addAll(tasks: readonly TaskToEnqueue[]): Promise<void[]> {
    const added = await Promise.allSettled(
      tasks.map(({ taskId, deptId, priority, enqueueCount }) =>
        this.queue.add({
          queue: deptId,
          id: `${taskId}:${enqueueCount}`,
          priority,
          data: Buffer.from(taskId, 'utf8'),
        }),
      ),
    );
    const stored = tasks.filter((_, index) => added[index].status === 'fulfilled');
    if (stored.length > 0) await this.backlog.markEnqueued(stored);
    const failure = added.find(one => one.status === 'rejected');
    if (failure) {
      const detail = {
        reason: String((failure.reason as Error).message),
        tasks: tasks.length - stored.length,
      };
      this.environment.logger.warn(detail, 'Tasks could not be queued yet');
    }
    return tasks.map(() => undefined);
  }
}
