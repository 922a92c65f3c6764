import { Inject, Injectable } from '@nestjs/common';
import {
  paced,
  SERVICE_ENVIRONMENT,
  type ServiceEnvironment,
  ProblemError,
  runInTurn,
  type TakenWork,
  WORK_QUEUE,
  type WorkConsumer,
  type WorkQueue,
} from '@svc/platform';
import { setTimeout as delay } from 'node:timers/promises';
import { patienceMsOf } from '../desks/capability.js';
import { CapabilityRunner } from '../desks/capability-runner.js';
import { capabilityOf, deskOf, DESKS } from '../desks/desks.js';
import { StageNotes } from './stage-notes.js';
import type { StoredTask } from './stored-task.js';
import { TaskBacklog } from './task-backlog.js';
import { endOf } from './task-end.js';
import { type TaskOrder, TaskSeal } from './task-order.js';
import { TaskRun } from './task-run.js';
import { TaskSettlement } from './task-settlement.js';
import { TASK_SETTINGS, type TaskSettings } from './task-settings.js';
import { BEGINS_MAX, type TaskEvent } from './task-state.js';
import { type TaskLeaves, TaskStore } from './task-store.js';

/** How often a worker says that it is still at its tasks, milliseconds. */
const HEARTBEAT_MS = 1_000;
/** Deliveries of a task that is not begun, or given up by those who do; how often it is begun is counted in its row. */
const DELIVERIES_MAX = 2 * BEGINS_MAX;
/** Between two attempts to record how a task has ended, milliseconds. */
const RECORD_AGAIN_MS = 1_000;

/** What somebody waits for on an open connection, and has paid for, goes before tasks; of these callers take turns. */
const turnOf = ({ caller }: TaskOrder) => ({ subject: caller || 'tasks', standing: 'later' }) as const;

/** Does the tasks of the desks that the queue hands to this process. */
@Injectable()
export class TaskWorker {
  private readonly runs = new Set<TaskRun>();
  /** Whose turn was last, by desk and priority. */
  private readonly lastTurns = new Map<string, string>();
  private consumers: readonly WorkConsumer[] = [];
  private timer: NodeJS.Timeout | undefined;
  private isBeating = false;

  constructor(
    @Inject(WORK_QUEUE) private readonly queue: WorkQueue,
    private readonly store: TaskStore,
    private readonly backlog: TaskBacklog,
    private readonly settlement: TaskSettlement,
    private readonly runner: CapabilityRunner,
    private readonly seal: TaskSeal,
    @Inject(TASK_SETTINGS) private readonly settings: TaskSettings,
    @Inject(SERVICE_ENVIRONMENT) private readonly environment: ServiceEnvironment,
  ) {}

  private get heartbeatMs(): number {
    return paced(this.environment, HEARTBEAT_MS);
  }

  async start(): Promise<void> {
    const { concurrency, leaseSeconds } = this.settings;
    this.timer = setInterval(() => void this.heartbeat(), this.heartbeatMs).unref();
    const consumers = DESKS.flatMap(({ deptId: queue }) => [
      this.queue.consume(
        // Longer than the lease: what is handed to another worker is nobody's by then.
        { queue, concurrency, deliveriesMax: DELIVERIES_MAX, ackWaitMs: 2_000 * leaseSeconds },
        work => this.handle(work),
      ),
      this.queue.consumeDead(queue, work => this.bury(work)),
    ]);
    this.consumers = await Promise.all(consumers);
  }

  /** What is being done is given back, for another worker to do. */
  async stop(): Promise<void> {
    await Promise.all(this.consumers.map(consumer => consumer.stop()));
    clearInterval(this.timer);
  }

  /** Ends the run of a task that has come to an outcome otherwise. */
  lose(taskId: string): void {
    for (const run of this.runs) if (run.task.taskId === taskId) run.lose();
  }

  /**
   * Resolves when there is nothing more to be done for the task of this delivery; rejects: it is delivered again. Whose turn is before
   * that of the task has one done first. The queue hands out tasks as they came: one caller's many would go before all others.
   */
  private async handle(work: TakenWork): Promise<void> {
    const taskId = Buffer.from(work.data).toString('utf8');
    for (let hasGivenWay = false; ;) {
      const task = await this.store.find(taskId).catch(absent);
      if (task?.state !== 'QUEUED' && task?.state !== 'RUNNING') return;
      const isFree = task.state === 'QUEUED' || task.isLapsed;
      // While another worker has it, this one does what else there is.
      const other = hasGivenWay && isFree ? undefined : await this.goesBefore(task, isFree);
      if (other) {
        await this.attempt(other, work);
        hasGivenWay = true;
      } else if (isFree) {
        if (await this.attempt(task, work)) return;
      } else {
        // It is waited for as long as that one says nothing.
        work.working();
        await delay(Math.min(task.leaseLeftMs + 100, this.heartbeatMs), undefined, { signal: work.signal });
      }
    }
  }

  /** What waits beside a task and whose turn is before it; undefined where it is the turn of the task's own caller. */
  private async goesBefore(task: StoredTask, isFree: boolean): Promise<StoredTask | undefined> {
    const line = `${task.deptId} ${task.priority}`;
    const next = await this.backlog.nextInTurn(task, this.lastTurns.get(line) ?? '');
    if (!next) return undefined;
    this.lastTurns.set(line, next.turnSubject);
    return isFree && next.turnSubject === task.turnSubject ? undefined : next;
  }

  /** Does a task, or ends one that is late or was begun too often; false where another worker has begun it meanwhile. */
  private async attempt(task: StoredTask, work: TakenWork): Promise<boolean> {
    const isLapsed = task.state === 'RUNNING';
    const isOver = task.isLate && (task.state === 'QUEUED' || !task.isBinding);
    if (isOver || task.begins >= BEGINS_MAX) {
      await this.end(task, isOver ? { type: 'deadline-passed' } : { type: 'exhausted', isLapsed });
      return true;
    }
    const begun = await this.store.begin(task);
    if (!begun?.sealedOrder) return false;
    const run = new TaskRun(begun.task, work.signal);
    this.runs.add(run);
    const beat = setInterval(() => work.working(), this.heartbeatMs);
    try {
      await this.run(run, begun.sealedOrder, work);
    } finally {
      clearInterval(beat);
      this.runs.delete(run);
    }
    work.signal.throwIfAborted();
    return true;
  }

  private async run(run: TaskRun, sealedOrder: Buffer, work: TakenWork): Promise<void> {
    const { task } = run;
    const notes = new StageNotes(this.store, task);
    try {
      const order = this.seal.openOrder(sealedOrder, task.taskId);
      const { deptId, capability } = task;
      const engine = capabilityOf(deskOf(deptId), capability)?.engine;
      if (!engine) throw new Error(`The desk ${deptId} has no capability ${capability}`);
      const { taskId, fence, receipt } = task;
      const paid = { receipt, isFree: task.counted !== undefined };
      const onStage = (stage: string, progress?: number) => {
        // Answers that come together share a proof: with the next task begun meanwhile, more of them do.
        if (stage === 'attest') work.waiting();
        notes.note(stage, progress);
      };
      const answer = await run.patiently(async signal => {
        // Also of a run that is repeated, and of the second task of a delivery.
        await work.resumed();
        signal.throwIfAborted();
        return runInTurn(turnOf(order), () =>
          this.runner.run(engine, { ...order, ...paid, taskId, fence, signal, onStage }),
        );
      }, patienceMsOf(engine));
      await notes.idle();
      const { result, charged, opening } = answer;
      const sealedOpening = opening && this.seal.sealOpening(opening, task.taskId);
      run.end();
      await this.end(task, { type: 'succeeded', fence: task.fence, charged }, { result, sealedOpening });
    } catch (error) {
      run.end();
      await notes.idle();
      const end = endOf(error, task.fence);
      if (end?.type === 'failed' && end.problem.code === 'INTERNAL')
        this.environment.logger.error({ err: error }, 'A task failed');
      if (end) await this.end(task, end);
    }
  }

  /** Records an end, and settles its payment; what cannot be settled now is settled by the sweep. */
  private async end(task: StoredTask, event: TaskEvent, leaves: TaskLeaves = {}): Promise<void> {
    const ended = await this.recordEnd(task, event, leaves);
    if (ended?.state !== 'SETTLING') return;
    await this.settlement
      .settle(ended)
      .catch((error: unknown) => this.warn(error, 'A payment is settled later'));
  }

  /** Tries again while the lease may still hold: an answer is not lost to a database that is away for a moment. */
  private async recordEnd(
    task: StoredTask,
    event: TaskEvent,
    leaves: TaskLeaves,
  ): Promise<StoredTask | undefined> {
    const deadline = performance.now() + this.settings.leaseSeconds * 1_000;
    for (;;) {
      try {
        return await this.store.apply(task.taskId, event, leaves, task);
      } catch (error) {
        const isAway = !(error instanceof ProblemError) || error.code === 'SERVICE_UNAVAILABLE';
        if (!isAway || performance.now() > deadline) throw error;
        this.warn(error, 'How a task ended could not be recorded yet');
        await delay(RECORD_AGAIN_MS);
      }
    }
  }

  /** A delivery that was given up: of a task that was begun too often it is the end, any other is queued anew. */
  private async bury(work: TakenWork): Promise<void> {
    const taskId = Buffer.from(work.data).toString('utf8');
    const task = await this.store.find(taskId).catch(absent);
    if (task === undefined || (task.state !== 'QUEUED' && task.state !== 'RUNNING')) return;
    if (task.begins >= BEGINS_MAX && (task.state === 'QUEUED' || task.isLapsed))
      return this.end(task, { type: 'exhausted', isLapsed: task.state === 'RUNNING' });
    await this.backlog.dropped(taskId);
  }

  private async heartbeat(): Promise<void> {
    const runs = [...this.runs];
    if (runs.length === 0 || this.isBeating) return;
    this.isBeating = true;
    try {
      const held = await this.store.renewLeases(runs.map(({ task }) => task));
      for (const run of runs)
        if (!run.isOver && !held.has(`${run.task.taskId} ${run.task.fence}`)) run.lose();
    } catch (error) {
      this.warn(error, 'The leases of tasks could not be renewed');
    } finally {
      this.isBeating = false;
    }
  }

  private warn(error: unknown, message: string): void {
    this.environment.logger.warn({ reason: (error as Error).message }, message);
  }
}

function absent(error: unknown): undefined {
  if (error instanceof ProblemError && error.code === 'NOT_FOUND') return undefined;
  throw error;
}
