import { Injectable } from '@nestjs/common';
import type {
  Admission,
  ClaimHandle,
  ParsedRequestOf,
  PaymentInFlight,
  ProofJob,
  proofJobContract,
  ProofJobEvent,
  ProofOrder,
} from '@svc/contracts';
import { problem, ProblemError, queueTurn } from '@svc/platform';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProofPlan } from '../prove/proof-plan.js';
import { ProofMaker } from '../prove/proof-maker.js';
import { ProveService } from '../prove/prove.service.js';
import { StarkProveService } from '../prove/stark-prove.service.js';
import { JobKeeper } from './job-keeper.js';
import { JobOrders } from './job-orders.js';
import { JobQueue, type Place } from './job-queue.js';
import { resourceOf } from './job-resource.js';
import { isBinding, isEnded, outcomeOf } from './job-state.js';
import { JobStore } from './job-store.js';
import { JobWorker } from './job-worker.js';

/** How often a question for events looks whether there are any, milliseconds. */
const EVENTS_LOOK_MS = 250;

const BINDING =
  'Proofs of this payment were given up too often: this one is made to its end, and its answer is for the credential';

type StartJob = ParsedRequestOf<typeof proofJobContract.startJob>;
type JobEvents = ParsedRequestOf<typeof proofJobContract.jobEvents>;

/** Proofs that outlive the call that asked for them: they are recorded here, and made by any {@link JobWorker}. */
@Injectable()
export class JobService {
  constructor(
    private readonly store: JobStore,
    private readonly orders: JobOrders,
    private readonly queue: JobQueue,
    private readonly keeper: JobKeeper,
    private readonly worker: JobWorker,
    private readonly maker: ProofMaker,
    private readonly hashChains: ProveService,
    private readonly statements: StarkProveService,
  ) {}

  /** @throws ProblemError VALIDATION_FAILED or UNPROCESSABLE with the bound, QUEUE_FULL; before any work or payment */
  async admit(order: ProofOrder): Promise<Admission> {
    const plan = await this.planOf(order);
    await this.queue.assertRoom(this.placeOf(plan));
    return { traceLength: plan.parameters.traceLength, memoryBytes: plan.memoryBytes };
  }

  /** Records a job, which is made from then on whatever becomes of this process. @throws ProblemError, as {@link admit} */
  async start(call: StartJob): Promise<ProofJob> {
    const place = this.placeOf(await this.planOf(call.order));
    try {
      return await this.queue.take(place, () => this.record(call, place));
    } catch (error) {
      if (!(error instanceof ProblemError && error.code === 'QUEUE_FULL')) throw error;
      // The job of a call that is sent again has its place already.
      const known = await this.store.find(call.jobId).catch(() => undefined);
      if (!known) throw error;
      return resourceOf(known);
    }
  }

  private async record({ jobId, order, claim }: StartJob, { sizeClass, subject }: Place): Promise<ProofJob> {
    // Told now and shown nowhere else: whoever asks for the job later may be somebody that it was shown to.
    const opening = order.operationId === 'zk.prove' ? undefined : this.statements.drawOpening(order.request);
    const sealedOrder = this.orders.seal(jobId, { order, ...(opening ? { opening } : {}) });
    const { operationId } = order;
    const turnSubject = subject;
    const isNew = await this.store.create({ jobId, operationId, claim, sizeClass, turnSubject, sealedOrder });
    const job = await this.store.find(jobId);
    if (!isNew) return resourceOf(job);
    this.keeper.attendLater(job);
    return { ...resourceOf(job), ...(opening ? { opening } : {}) };
  }

  async find(jobId: string): Promise<ProofJob> {
    return resourceOf(await this.store.find(jobId));
  }

  /** The job that holds a claim on a payment, where one does. */
  async holderOf(claim: ClaimHandle): Promise<PaymentInFlight> {
    return { jobId: await this.store.idOfHolder(claim) };
  }

  /** @throws ProblemError CONFLICT where it has succeeded or failed, or is made to its end */
  async cancel(jobId: string): Promise<ProofJob> {
    const changed = await this.store.apply(jobId, { type: 'cancel-requested' });
    if (changed) {
      this.worker.cancel(jobId);
      await this.keeper.attend(changed);
    }
    const job = await this.store.find(jobId);
    const extensions = { state: job.state };
    if (isBinding(job)) throw problem('CONFLICT', BINDING, { extensions });
    const outcome = outcomeOf(job);
    if (outcome === 'succeeded' || outcome === 'failed') {
      throw problem('CONFLICT', `The job has ${outcome} and cannot be cancelled`, { extensions });
    }
    return resourceOf(job);
  }

  /** @throws ProblemError NOT_FOUND */
  async events({ jobId, after, waitMs }: JobEvents): Promise<{ events: ProofJobEvent[]; ended: boolean }> {
    const deadline = performance.now() + waitMs;
    for (;;) {
      const ended = isEnded(await this.store.find(jobId));
      const events = await this.store.eventsAfter(jobId, after);
      const leftMs = deadline - performance.now();
      if (events.length > 0 || ended || leftMs <= 0) return { events, ended };
      await delay(Math.min(leftMs, EVENTS_LOOK_MS), undefined, { ref: false });
    }
  }

  /** Where a job of the caller of now waits. */
  private placeOf(plan: ProofPlan): Place {
    return { sizeClass: this.maker.sizeClassOf(plan), subject: this.orders.callerOf(queueTurn().subject) };
  }

  private async planOf(order: ProofOrder): Promise<ProofPlan> {
    return order.operationId === 'zk.prove'
      ? this.hashChains.plan(order.request)
      : this.statements.plan(order.request);
  }
}
