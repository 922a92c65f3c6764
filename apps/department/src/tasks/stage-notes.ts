import type { StoredTask } from './stored-task.js';
import type { TaskEvent } from './task-state.js';
import type { TaskStore } from './task-store.js';

/** Least growth of the progress that is written down: each note is a row, and a run tells of itself many times a second. */
const PROGRESS_STEP = 0.01;

/** Records the stages of one run one after another, while the work goes on; one that cannot be recorded is left out. */
export class StageNotes {
  private tail: Promise<unknown> = Promise.resolve();
  private stage: string | undefined;
  private progress = 0;

  constructor(
    private readonly store: Pick<TaskStore, 'apply'>,
    private readonly task: Pick<StoredTask, 'taskId' | 'fence'>,
  ) {}

  note(stage: string, progress?: number): void {
    const hasGrown = progress !== undefined && progress - this.progress >= PROGRESS_STEP;
    const isDone = progress === 1 && this.progress < 1;
    if (stage === this.stage && !hasGrown && !isDone) return;
    this.stage = stage;
    this.progress = Math.max(this.progress, progress ?? 0);
    const { taskId, fence } = this.task;
    const event: TaskEvent = {
      type: 'progressed',
      fence,
      stage,
      ...(progress === undefined ? {} : { progress }),
    };
    this.tail = this.tail.then(() => this.store.apply(taskId, event)).catch(() => undefined);
  }

  /** Once everything that was noted is recorded, or left out. */
  async idle(): Promise<void> {
    await this.tail;
  }
}
