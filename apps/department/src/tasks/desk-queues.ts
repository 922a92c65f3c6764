import { Inject, Injectable } from '@nestjs/common';
import { problem } from '@svc/platform';
import type { DeptId } from '../desks/capability.js';
import { TaskBacklog, type WaitingTasks } from './task-backlog.js';
import { TASK_SETTINGS, type TaskSettings } from './task-settings.js';

/** For how long a count of waiting tasks is used, milliseconds. */
const COUNT_MS = 500;
const COME_AGAIN_SECONDS = 5;

/** Where a task waits, and whose it is. */
export type Place = Pick<WaitingTasks, 'deptId' | 'subject'>;

/** How many tasks wait at each desk, of all callers and of each. */
class Waiting {
  private readonly counts = new Map<string, number>();

  constructor(tasks: readonly WaitingTasks[] = []) {
    for (const { count, ...place } of tasks) this.add(place, count);
  }

  add({ deptId, subject }: Place, count = 1): void {
    // No subject has a space.
    for (const key of [deptId, `${deptId} ${subject}`]) {
      const left = (this.counts.get(key) ?? 0) + count;
      if (left > 0) this.counts.set(key, left);
      else this.counts.delete(key);
    }
  }

  at(deptId: DeptId): number {
    return this.counts.get(deptId) ?? 0;
  }

  of({ deptId, subject }: Place): number {
    return this.counts.get(`${deptId} ${subject}`) ?? 0;
  }
}

interface Count {
  readonly atMs: number;
  readonly waiting: Waiting;
}

/**
 * How full the desks are, and of whose tasks: a caller may have as many waiting at a desk as places are free. So one that is alone
 * has half of the places, of several each has its share, and there is a place for one that has none.
 *
 * The count is of all replicas, and made twice a second at the most. What this replica takes meanwhile is added: a bound may be
 * exceeded by what other replicas take in that time.
 */
@Injectable()
export class DeskQueues {
  private count: Promise<Count> | undefined;
  /** Recorded since the count. */
  private takenSince = new Waiting();
  /** About to be recorded: no count has them yet. */
  private readonly taking = new Waiting();

  constructor(
    private readonly backlog: TaskBacklog,
    @Inject(TASK_SETTINGS) private readonly settings: TaskSettings,
  ) {}

  /** @throws ProblemError QUEUE_FULL */
  async requireRoom(place: Place): Promise<void> {
    this.requireRoomIn(await this.counted(), place);
  }

  /**
   * Records a task where there is room for it. It has its place from now on, so that of many at once no more are taken than may be.
   * @param record gives undefined where the task is there already
   * @throws ProblemError QUEUE_FULL
   */
  async take<Task>(place: Place, record: () => Promise<Task | undefined>): Promise<Task | undefined> {
    this.requireRoomIn(await this.counted(), place);
    this.taking.add(place);
    try {
      const recorded = await record();
      if (recorded !== undefined) this.takenSince.add(place);
      return recorded;
    } finally {
      this.taking.add(place, -1);
    }
  }

  private requireRoomIn({ waiting }: Count, place: Place): void {
    const all = [waiting, this.takenSince, this.taking];
    const depth = all.reduce((sum, tasks) => sum + tasks.at(place.deptId), 0);
    const own = all.reduce((sum, tasks) => sum + tasks.of(place), 0);
    const { queueMax } = this.settings;
    const free = queueMax - depth;
    if (own < free) return;
    const share = Math.max(0, Math.ceil((free + own) / 2));
    throw problem(
      'QUEUE_FULL',
      `${depth} tasks wait at this desk, of at most ${queueMax}; ${own} of them are of this caller, whose share is ${share} now`,
      { retryAfterSeconds: COME_AGAIN_SECONDS, extensions: { queueMax, share } },
    );
  }

  private async counted(): Promise<Count> {
    const known = await this.count?.catch(() => undefined);
    if (known && performance.now() - known.atMs < COUNT_MS) return known;
    this.count = this.countNow();
    return this.count;
  }

  private async countNow(): Promise<Count> {
    const atMs = performance.now();
    this.takenSince = new Waiting();
    return { atMs, waiting: new Waiting(await this.backlog.waiting()) };
  }
}
