import { Injectable } from '@nestjs/common';
import { type ClaimHandle, paymentsContract, type StoredResponse } from '@svc/contracts';
import { BusClient, ProblemError } from '@svc/platform';
import { capabilityOf, deskOf } from '../desks/desks.js';
import { CapabilityRunner } from '../desks/capability-runner.js';
import { shownTaskOf, type StoredTask } from './stored-task.js';
import { TaskSeal } from './task-order.js';
import type { SettledPayment } from './task-state.js';
import { TaskStore } from './task-store.js';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Records with the payments service what becomes of the payment of a task that has come to its outcome. */
@Injectable()
export class TaskSettlement {
  constructor(
    private readonly bus: BusClient,
    private readonly store: TaskStore,
    private readonly seal: TaskSeal,
    private readonly runner: CapabilityRunner,
  ) {}

  /**
   * Settles the payment, and ends the task. Safe to be asked again, and by several at once: payments know the attempt again,
   * and one of them ends the task.
   * @throws ProblemError while the payments service, or whoever is to take the work back, is away: the sweep comes again
   */
  async settle(task: StoredTask): Promise<StoredTask | undefined> {
    const payment = await this.paymentOf(task);
    return this.store.apply(task.taskId, { type: 'settled', payment }, {}, task);
  }

  /** Holds the claim of a task that goes on; false where it is not the task's any more. */
  async renew(claim: { readonly claimId: string; readonly attempt: number }): Promise<boolean> {
    const { claimId, attempt } = claim;
    return (await this.bus.call(paymentsContract.renew, { claimId, attempt })).renewed;
  }

  private async paymentOf(task: StoredTask): Promise<SettledPayment> {
    if (task.payment === 'delivery-due') return this.deliver(task);
    const payment = await this.giveBack(task, task.problem?.code ?? task.outcome!);
    await this.takeBack(task);
    return payment;
  }

  private async deliver(task: StoredTask): Promise<SettledPayment> {
    // A ticket was settled by its saga; what was counted stays counted.
    if (!task.claim) return 'delivered';
    try {
      const response = await this.answerOf(task);
      await this.bus.call(paymentsContract.deliver, { ...task.claim, response });
      return 'delivered';
    } catch (error) {
      if (!(error instanceof ProblemError && error.code === 'CONFLICT')) throw error;
      // It was given back before, by the call that asked for the task and failed, or is a later request's.
      return this.giveBack(task, error.code);
    }
  }

  private async giveBack(task: StoredTask, reason: string): Promise<SettledPayment> {
    const { taskId, claim, counted, outcome, hasBegun } = task;
    // Who calls off what has not begun has cost nothing.
    const givenUp = hasBegun && (outcome === 'CANCELLED' || outcome === 'EXPIRED');
    if (counted) {
      if (givenUp) return 'delivered';
      // Known again by the task, so that it is taken back once however often this is begun.
      await this.bus.call(paymentsContract.uncount, { ...counted, callKey: taskId });
      return 'returned';
    }
    // A ticket that was not used gives its amount back when it lapses, and a saga that is taken back does at once.
    if (!claim) return 'returned';
    const { released } = await this.bus.call(paymentsContract.release, { ...claim, reason, givenUp });
    return released ? 'returned' : 'superseded';
  }

  /** What has begun may have had an effect, of which nobody will be told. */
  private async takeBack({
    taskId,
    deptId,
    capability,
    outcome,
    hasBegun,
    fence,
  }: StoredTask): Promise<void> {
    if (!hasBegun || outcome === 'COMPLETED') return;
    const engine = capabilityOf(deskOf(deptId), capability)?.engine;
    if (engine) await this.runner.takeBack(engine, taskId, fence);
  }

  /**
   * The answer that a claim has bought, as it was recorded with its payment; undefined where it bought none, or where a part of it was
   * told to the payment alone: the opening of a proof, beside which an answer names its AIR.
   */
  boughtBy(task: StoredTask, { claimId, attempt }: ClaimHandle): StoredResponse | undefined {
    const { payment, claim, result } = task;
    const isOwn = claim?.claimId === claimId && claim.attempt === attempt;
    if (payment !== 'delivered' || !isOwn || !result || 'airId' in result) return undefined;
    return recorded(task, result);
  }

  /** The answer as it would have left at once, so that the credential fetches it again. */
  private async answerOf(task: StoredTask): Promise<StoredResponse> {
    const sealed = await this.store.sealedOpening(task.taskId);
    const opening = sealed && this.seal.openOpening(sealed, task.taskId);
    return recorded(task, { ...task.result, ...(opening && { opening }) });
  }
}

function recorded(task: StoredTask, result: Record<string, unknown>): StoredResponse {
  const answer = shownTaskOf({ ...task, state: 'COMPLETED', payment: 'delivered', result, stage: undefined });
  return { status: 200, contentType: JSON_TYPE, body: Buffer.from(JSON.stringify(answer), 'utf8') };
}
