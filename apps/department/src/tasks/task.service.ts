import { Inject, Injectable } from '@nestjs/common';
import {
  type ClaimHandle,
  type departmentTaskContract,
  type DepartmentList,
  type FieldFault,
  type ParsedRequestOf,
  type ReplyOf,
  type Task,
  type TaskPayment,
  type TaskRequest,
} from '@svc/contracts';
import { currentTurn, KeyedDigests, parseOrProblem, problem, ProblemError } from '@svc/platform';
import { priceOf } from '@svc/protocols';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { CallbackAdmission } from '../callbacks/callback-admission.js';
import { callbacksOf } from '../callbacks/task-callbacks.js';
import { type Capability, type DeptId, paidByOf } from '../desks/capability.js';
import { CapabilityRunner } from '../desks/capability-runner.js';
import { capabilityOf, deskOf } from '../desks/desks.js';
import { packedOf } from '../desks/compute-desk.js';
import { DeskDirectory } from '../desks/desk-directory.js';
import { DeskQueues } from './desk-queues.js';
import { shownTaskOf, type StoredTask } from './stored-task.js';
import type { NewTask } from './task-insert.js';
import { TaskSeal } from './task-order.js';
import { TaskPublisher } from './task-publisher.js';
import { TaskSettlement } from './task-settlement.js';
import { isEnded } from './task-state.js';
import { TaskStore } from './task-store.js';
import { TaskWorker } from './task-worker.js';

type Contract = typeof departmentTaskContract;
type Submit = ParsedRequestOf<Contract['submitTask']>;
type Request = z.output<typeof TaskRequest>;
type Named = { readonly deptId: DeptId; readonly taskId: string };

/** How often a question for events looks for those of other replicas, milliseconds. */
const EVENTS_LOOK_MS = 250;

/** A capability that a request asks for, with its inputs as they were read. */
interface AskedWork {
  readonly capability: Capability;
  readonly input: Record<string, unknown>;
}

/** Tasks of the desks: taken where they can be done, told of, cancelled. */
@Injectable()
export class TaskService {
  constructor(
    private readonly store: TaskStore,
    private readonly seal: TaskSeal,
    private readonly publisher: TaskPublisher,
    private readonly queues: DeskQueues,
    private readonly settlement: TaskSettlement,
    private readonly worker: TaskWorker,
    private readonly runner: CapabilityRunner,
    private readonly directory: DeskDirectory,
    private readonly callbacks: CallbackAdmission,
    private readonly digests: KeyedDigests,
    @Inject(DataSource) private readonly dataSource: DataSource,
  ) {}

  /** The caller that a task counts for, as its row names it; empty where no caller is known. */
  private callerOf(accountId?: string): string {
    const caller = subjectOf(accountId);
    return caller && this.digests.callerOf(caller);
  }

  departments(): Promise<z.output<typeof DepartmentList>> {
    return this.directory.list();
  }

  /** What a desk would be asked and paid for. @throws ProblemError VALIDATION_FAILED */
  quote({ deptId, capability: name }: { deptId: DeptId; capability?: string }) {
    const capability = requireCapability(deptId, name);
    return { capability: capability.name, operationId: capability.operationId, paidBy: paidByOf(capability) };
  }

  /** @throws ProblemError VALIDATION_FAILED, QUEUE_FULL, and what the capability refuses */
  async admit({ deptId, request, accountId }: ParsedRequestOf<Contract['admitTask']>) {
    const { capability, input } = this.read(deptId, request);
    await this.queues.requireRoom({ deptId, subject: this.callerOf(accountId) });
    await this.runner.admit(capability.engine, input, accountId).catch((error: unknown) => {
      throw belowTask(error);
    });
    return this.quote({ deptId, capability: capability.name });
  }

  /** Takes a task that is paid for. The same id twice is the same task. @throws ProblemError as {@link admit} */
  async submit(call: Submit): Promise<Task> {
    const { taskId, deptId, request, packedTask, payment, accountId } = call;
    const work = this.read(deptId, request, packedTask);
    requirePayment(work.capability, payment);
    const place = { deptId, subject: this.callerOf(accountId) };
    const created = await this.queues
      .take(place, () => this.record(call, work, place.subject))
      .catch(async (refusal: unknown) => {
        // A task that is there already takes no room.
        const isFull = refusal instanceof ProblemError && refusal.code === 'QUEUE_FULL';
        if (isFull && (await this.isKnown(taskId, deptId))) return undefined;
        throw refusal;
      });
    if (!created) return this.task({ deptId, taskId });
    void this.publisher.publish({ taskId, deptId, priority: created.priority, enqueueCount: 0 });
    return shownTaskOf(created);
  }

  /** Undefined where the id is taken. */
  private async record(
    { taskId, deptId, request, packedTask: packed, payment, baseUrl, accountId }: Submit,
    { capability, input }: AskedWork,
    turnSubject: string,
  ): Promise<StoredTask | undefined> {
    await this.callbacks.refuseName(request.callbackUrl);
    // Once for all: what nobody reads here is neither written out nor parsed again when its turn comes.
    const kept = packed ?? (capability.read && (await packedOf(input)));
    const { priority, callbackUrl, deadlineMs } = request;
    const ticket = 'ticket' in payment ? payment.ticket : undefined;
    return this.store.create({
      ...{ taskId, deptId, priority, callbackUrl, deadlineMs, turnSubject },
      capability: capability.name,
      ...recordedPayment(payment),
      sealedOrder: this.seal.sealOrder(
        { input: kept ? {} : input, packed: kept, ticket, baseUrl, accountId, caller: subjectOf(accountId) },
        taskId,
      ),
    });
  }

  /** @throws ProblemError NOT_FOUND */
  async task({ deptId, taskId }: Named): Promise<Task> {
    return this.shown(await this.store.find(taskId, deptId));
  }

  taskOfClaim(claim: ClaimHandle): Promise<ReplyOf<Contract['taskOfClaim']>> {
    return this.store.ofClaim(claim);
  }

  /** @throws ProblemError NOT_FOUND; CONFLICT where it has ended otherwise, or is made to its end */
  async cancel({ deptId, taskId }: Named): Promise<Task> {
    await this.store.find(taskId, deptId);
    const cancelled = await this.store.apply(taskId, { type: 'cancel-requested' });
    if (cancelled) {
      this.worker.lose(taskId);
      // What cannot be settled now is settled by the sweep.
      await this.settlement.settle(cancelled).catch(() => undefined);
    }
    const task = await this.store.find(taskId, deptId);
    if (task.outcome === 'CANCELLED') return this.shown(task);
    const { status } = shownTaskOf(task);
    const detail = task.outcome
      ? `The task has come to its outcome (${task.outcome}) and cannot be cancelled`
      : 'The task has begun, and what it comes to is bought: it goes on to its end';
    throw problem('CONFLICT', detail, { extensions: { status } });
  }

  /** @throws ProblemError NOT_FOUND; OVERLOADED where too many wait */
  async events(asked: ParsedRequestOf<Contract['taskEvents']>): Promise<ReplyOf<Contract['taskEvents']>> {
    const { deptId, taskId, after, waitMs, withTask = false } = asked;
    const deadline = performance.now() + waitMs;
    for (;;) {
      // Before the look: what happens meanwhile is not slept over.
      const changed = this.store.expectChange(taskId);
      try {
        const task = await this.store.find(taskId, deptId);
        const ended = isEnded(task);
        const events = await this.store.eventsAfter(taskId, after);
        const leftMs = deadline - performance.now();
        if (events.length > 0 || ended || leftMs <= 0) {
          return { events, ended, ...(ended && withTask ? { task: await this.shown(task) } : {}) };
        }
        await changed.within(Math.min(EVENTS_LOOK_MS, leftMs));
      } finally {
        changed.end();
      }
    }
  }

  /** @throws ProblemError NOT_FOUND; OVERLOADED where too many wait */
  async end(asked: ParsedRequestOf<Contract['taskEnd']>): Promise<ReplyOf<Contract['taskEnd']>> {
    const { deptId, taskId, claim, waitMs } = asked;
    const deadline = performance.now() + waitMs;
    for (;;) {
      // Before the look: what happens meanwhile is not slept over.
      const changed = this.store.expectChange(taskId);
      try {
        const task = await this.store.find(taskId, deptId);
        const leftMs = deadline - performance.now();
        if (isEnded(task) || leftMs <= 0) {
          const answer = this.settlement.boughtBy(task, claim);
          return { task: await this.shown(task), ...(answer && { answer }) };
        }
        await changed.within(Math.min(EVENTS_LOOK_MS, leftMs));
      } finally {
        changed.end();
      }
    }
  }

  private async isKnown(taskId: string, deptId: DeptId): Promise<boolean> {
    try {
      await this.store.find(taskId, deptId);
      return true;
    } catch (error) {
      if (error instanceof ProblemError && error.code === 'NOT_FOUND') return false;
      throw error;
    }
  }

  private async shown(task: StoredTask): Promise<Task> {
    if (task.callbackUrl === undefined || !isEnded(task)) return shownTaskOf(task);
    const callbacks = await callbacksOf(this.dataSource.manager, [task.taskId]);
    return shownTaskOf(task, callbacks.get(task.taskId));
  }

  private read(deptId: DeptId, request: Request, packed?: Uint8Array): AskedWork {
    const capability = requireCapability(deptId, request.capability);
    if (packed && !capability.read)
      throw problem('UNPROCESSABLE', `${capability.name} takes no packed inputs`);
    const { input: schema, read = schema } = capability;
    const { task } = parseOrProblem(z.object({ task: read }), { task: request.task });
    this.callbacks.refuseUrl(request.callbackUrl);
    return { capability, input: task as Record<string, unknown> };
  }
}

/** The caller that a task counts for. A task of a batch comes without one, and counts for its account. */
const subjectOf = (accountId = ''): string => currentTurn()?.subject ?? accountId;

/** @throws ProblemError VALIDATION_FAILED for one that the desk does not have */
function requireCapability(deptId: DeptId, name: string | undefined): Capability {
  const desk = deskOf(deptId);
  const capability = capabilityOf(desk, name);
  if (capability) return capability;
  const bound = desk.capabilities.map(one => one.name);
  const fault: FieldFault = {
    path: 'capability',
    message: 'is no capability of this desk',
    bound,
    got: name,
  };
  throw problem('VALIDATION_FAILED', `capability: ${fault.message}`, { errors: [fault] });
}

/** @throws ProblemError UNPROCESSABLE for what pays for nothing here */
function requirePayment(capability: Capability, payment: TaskPayment): void {
  const isCovered = priceOf(capability.operationId).charged === 'over-quota';
  if ('counted' in payment && !isCovered)
    throw problem('UNPROCESSABLE', `${capability.name} is within no quota`);
  if ((paidByOf(capability) === 'ticket') !== 'ticket' in payment)
    throw problem('UNPROCESSABLE', `${capability.name} is paid by a ${paidByOf(capability)}`);
}

/** What the row of a task says of its payment. */
function recordedPayment(payment: TaskPayment): Pick<NewTask, 'claim' | 'counted' | 'receipt' | 'isBinding'> {
  // What the quota covers can be called off at any time; once it has begun, it stays counted.
  if ('counted' in payment) return { counted: payment.counted, receipt: '', isBinding: false };
  // A saga decides by itself what becomes of its ticket.
  if ('ticket' in payment) return { receipt: payment.receipt, isBinding: true };
  const { claimId, attempt, receipt, canBeGivenUp } = payment.claim;
  return { claim: { claimId, attempt }, receipt, isBinding: !canBeGivenUp };
}

/** The faults of a service's own admission, with their paths below `task`. */
function belowTask(error: unknown): unknown {
  if (!(error instanceof ProblemError) || !error.payload.errors) return error;
  const errors = error.payload.errors.map(fault => ({
    ...fault,
    path: fault.path === '' ? 'task' : `task.${fault.path}`,
  }));
  return new ProblemError({ ...error.payload, errors }, { cause: error });
}
