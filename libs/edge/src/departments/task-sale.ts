import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import {
  accountContract,
  departmentTaskContract,
  type RequestOf,
  type Task,
  type TaskPayment,
  TaskRequest,
} from '@svc/contracts';
import { BusClient, ProblemError } from '@svc/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { setMaxListeners } from 'node:events';
import type { z } from 'zod';
import { accountKeyOf } from '../account/account-key.js';
import { preferredWaitSeconds, prefersAsync } from '../http/prefer.js';
import {
  AnswerOfPayment,
  DeferredAnswer,
  handOver,
  type MeteredCall,
  newTaskId,
  type PaidCall,
  paidCallOf,
  taskClaimOf,
  UnchargedAnswer,
} from '../payment/paid-call.js';
import { PaymentDesk } from '../payment/payment-desk.js';
import { mayHaveBeenAnswered } from '../payment/retry-admission.js';
import { taskOfClaim, taskPathOf } from '../payment/payment-in-flight.js';
import { realmOf, schemeOf } from '../rate-limit/caller.js';
import {
  endedWithout,
  hasEnded,
  isUncharged,
  boughtTaskAfterWait,
  taskAfterWait,
  type TaskAtEnd,
  taskEnd,
  WAIT_SECONDS_DEFAULT,
  WAIT_SECONDS_MAX,
} from './task-end.js';

type DeptId = Task['deptId'];
type Body = z.output<typeof TaskRequest>;

/** A request to give a desk a task. */
export interface TaskCall {
  readonly deptId: DeptId;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly prefer: string | undefined;
  /** Inputs that nobody has read yet, deflated; `task` of the body is empty then. */
  readonly packedTask?: Uint8Array;
}

/** What a task is given with, beside its payment. */
export interface TaskGiven {
  readonly taskId: string;
  readonly body: Body;
  readonly payment: TaskPayment;
  readonly signal: AbortSignal;
}

/**
 * Sells tasks: a task is paid for as the capability beneath it, takes the claim on the payment over, and is waited for as
 * long as its caller prefers.
 */
@Injectable()
export class TaskSale implements BeforeApplicationShutdown {
  private readonly closing = new AbortController();
  /** The accounts of requests, as their keys were asked about: between a request's admission and its task its claim looks at the key again. */
  private readonly accountIds = new WeakMap<FastifyRequest, Promise<string>>();

  constructor(
    private readonly bus: BusClient,
    private readonly desk: PaymentDesk,
  ) {
    // The end of every task within a quota is waited for with it, of as many as there are.
    setMaxListeners(0, this.closing.signal);
  }

  beforeApplicationShutdown(): void {
    this.closing.abort();
  }

  /** The bytes of the answer, its status and headers set on the reply. @throws ProblemError */
  answer(call: TaskCall, operationId: string): Promise<Buffer> {
    const { deptId, request, reply } = call;
    const operation = {
      operationId,
      body: TaskRequest,
      admit: (_bus: BusClient, body: unknown) => {
        this.recallAccountOf(request);
        return this.admit(deptId, body as Body, request).catch((error: unknown) => {
          if (!mayHaveBeenAnswered(request, error)) throw error;
        });
      },
      workOfClaim: taskOfClaim,
      goesOn: true,
      mayBeUncharged: true,
    };
    const run = () => this.fulfil(call, request.body as Body, paidCallOf(request));
    return this.desk.answer({ operation, request, reply, run, status: 200 });
  }

  /** Whether the desk would take the task. @throws ProblemError of {@link departmentTaskContract.admitTask} */
  async admit(deptId: DeptId, body: Body, request: FastifyRequest): Promise<void> {
    const accountId = await this.accountIdOf(request);
    await this.bus.call(departmentTaskContract.admitTask, { deptId, request: body, accountId });
  }

  /** Gives the task to its desk, and waits for its end as long as is preferred. */
  async give({ deptId, request, prefer, packedTask }: TaskCall, given: TaskGiven): Promise<TaskAtEnd> {
    const { taskId, body, payment, signal } = given;
    const baseUrl = `${schemeOf(request)}://${realmOf(request)}`;
    const accountId = await this.accountIdOf(request);
    const order = { taskId, deptId, request: body, packedTask, payment, baseUrl, accountId };
    const task = await this.submit(order);
    const seconds = Math.min(WAIT_SECONDS_MAX, preferredWaitSeconds(prefer) ?? WAIT_SECONDS_DEFAULT);
    const waitMs = seconds * 1_000;
    if ('claim' in payment)
      return boughtTaskAfterWait(this.bus, { task, claim: payment.claim }, waitMs, signal);
    return { task: await taskAfterWait(this.bus, task, waitMs, signal) };
  }

  /**
   * Goes on with a metered call as a task, which takes over what pays for it: its claim, or its place in the quota.
   * @throws ProblemError of a task that has ended without an answer, after which the payment or the count goes back
   */
  async defer(
    call: TaskCall,
    body: Body,
    metered: MeteredCall,
  ): Promise<Task | DeferredAnswer | AnswerOfPayment | UnchargedAnswer> {
    const { taskId, payment, signal } = metered;
    if (payment === undefined) throw new TypeError('nothing pays for the task');
    handOver(metered);
    const given = await this.give(call, { taskId, body, payment, signal });
    if ('claim' in payment) return this.answerOfClaim(given, call.prefer);
    const { task } = given;
    if (!hasEnded(task)) return this.deferred(task, call.prefer);
    if (task.status === 'COMPLETED') return task;
    throw endedWithout(task);
  }

  private async fulfil(
    call: TaskCall,
    body: Body,
    paid: PaidCall,
  ): Promise<DeferredAnswer | AnswerOfPayment | UnchargedAnswer> {
    const payment = { claim: taskClaimOf(paid) };
    const given = await this.give(call, { taskId: newTaskId(), body, payment, signal: paid.signal });
    return this.answerOfClaim(given, call.prefer);
  }

  /** What a claim that a task has taken over comes to. @throws ProblemError of a task that has ended without an answer */
  private answerOfClaim(
    { task, answer }: TaskAtEnd,
    prefer: string | undefined,
  ): DeferredAnswer | AnswerOfPayment | UnchargedAnswer {
    switch (task.payment) {
      case 'returned':
        if (!isUncharged(task)) throw endedWithout(task);
        return new UnchargedAnswer(task);
      case 'delivered':
      case 'superseded':
        return new AnswerOfPayment(answer);
      default:
        return this.deferred(task, prefer);
    }
  }

  private deferred(task: Task, prefer: string | undefined): DeferredAnswer {
    const whenEnded = async () => {
      const ended = await taskEnd(this.bus, task, this.closing.signal);
      return { isUncharged: ended !== undefined && isUncharged(ended) };
    };
    return new DeferredAnswer(task, deferredHeaders(task, prefer), whenEnded);
  }

  private async submit(order: RequestOf<typeof departmentTaskContract.submitTask>): Promise<Task> {
    const { deptId, taskId } = order;
    try {
      return await this.bus.call(departmentTaskContract.submitTask, order);
    } catch (error) {
      // It may have begun: nobody will know its id, and the payment is given back by whoever catches this.
      if (error instanceof ProblemError && error.code === 'TIMEOUT') {
        void this.bus.call(departmentTaskContract.cancelTask, { deptId, taskId }).catch(() => undefined);
      }
      throw error;
    }
  }

  /** A key that has paid here lately is not asked about: the claim, without which no task begins, looks at it. */
  private recallAccountOf(request: FastifyRequest): void {
    const accountKey = accountKeyOf(request.raw);
    const accountId = accountKey === undefined ? undefined : this.desk.accountOf(accountKey);
    if (accountId !== undefined) this.accountIds.set(request, Promise.resolve(accountId));
  }

  /** Whose key came along, asked once a request; it may pay, or be there beside a payment. @throws ProblemError UNKNOWN_CREDENTIAL */
  private accountIdOf(request: FastifyRequest): Promise<string> | undefined {
    const accountKey = accountKeyOf(request.raw);
    if (accountKey === undefined) return undefined;
    const known = this.accountIds.get(request);
    if (known) return known;
    const asked = this.bus
      .call(accountContract.authenticate, { accountKey })
      .then(holder => holder.accountId);
    this.accountIds.set(request, asked);
    // What could not be asked is asked again.
    asked.catch(() => this.accountIds.delete(request));
    return asked;
  }
}

/** Where a task that goes on is asked for. */
export function deferredHeaders(
  { deptId, taskId }: Task,
  prefer: string | undefined,
): Record<string, string> {
  const headers = { Location: taskPathOf(deptId, taskId) };
  return prefersAsync(prefer) ? { ...headers, 'Preference-Applied': 'respond-async' } : headers;
}
