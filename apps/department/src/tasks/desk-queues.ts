import { Inject, Injectable } from '@nestjs/common';
import { problem } from '@svc/platform';
import type { DeptId } from '../desks/capability.js';
import { TaskBacklog } from './task-backlog.js';
import { TASK_SETTINGS, type TaskSettings } from './task-settings.js';

/** For how long a count of waiting tasks is used, milliseconds. */
const COUNT_MS = 500;
const COME_AGAIN_SECONDS = 5;

interface Count {
  readonly atMs: number;
  readonly waiting: ReadonlyMap<string, number>;
}

/**
 * How full the desks are. The count is made twice a second at the most, and what this replica has taken since is added: a
 * bound may be exceeded by what other replicas take in that time.
 */
@Injectable()
export class DeskQueues {
  private count: Promise<Count> | undefined;
  private takenSince = new Map<DeptId, number>();

  constructor(
    private readonly backlog: TaskBacklog,
    @Inject(TASK_SETTINGS) private readonly settings: TaskSettings,
  ) {}

  /** @throws ProblemError QUEUE_FULL */
  async requireRoom(deptId: DeptId): Promise<void> {
    const { waiting } = await this.counted();
    const depth = (waiting.get(deptId) ?? 0) + (this.takenSince.get(deptId) ?? 0);
    const { queueMax } = this.settings;
    if (depth < queueMax) return;
    throw problem('QUEUE_FULL', `${depth} tasks wait at this desk, of at most ${queueMax}`, {
      retryAfterSeconds: COME_AGAIN_SECONDS,
      extensions: { queueMax },
    });
  }

  taken(deptId: DeptId): void {
    this.takenSince.set(deptId, (this.takenSince.get(deptId) ?? 0) + 1);
  }

  private async counted(): Promise<Count> {
    const known = await this.count?.catch(() => undefined);
    if (known && performance.now() - known.atMs < COUNT_MS) return known;
    this.count = this.countNow();
    return this.count;
  }

  private async countNow(): Promise<Count> {
    const atMs = performance.now();
    this.takenSince = new Map();
    return { atMs, waiting: await this.backlog.waiting() };
  }
}
