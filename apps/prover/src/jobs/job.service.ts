import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type {
  ClaimHandle,
  ParsedRequestOf,
  PaymentInFlight,
  ProofJob,
  ProofJobClaim,
  proofJobContract,
  ProofJobEvent,
  ProofOrder,
} from '@svc/contracts';
import { problem, ProblemError, SERVICE_ENVIRONMENT, type ServiceEnvironment } from '@svc/platform';
import { setTimeout as delay } from 'node:timers/promises';
import { ProveService } from '../prove/prove.service.js';
import { type Opening, type ProofCaller, StarkProveService } from '../prove/stark-prove.service.js';
import { EventLog } from './event-log.js';
import { closing, endOf, JobEndedError, PaymentLostError, ShutdownError } from './job-end.js';
import { resourceOf } from './job-resource.js';
import { JobSettlement } from './job-settlement.js';
import { isBinding, isEnded, type JobEvent, outcomeOf } from './job-state.js';
import { JOB_LEASE_SECONDS, JobStore, type StoredJob } from './job-store.js';

/** How often this process says that it is still at its jobs, and hears which are cancelled, milliseconds. */
const HEARTBEAT_MS = 1_000;
/** How often every replica looks for jobs that nobody is at, milliseconds. */
const SWEEP_INTERVAL_MS = 5_000;
const SWEPT_AT_ONCE = 20;
/** How often the claims on the payments are renewed: often within their lease of minutes, milliseconds. */
const RENEW_INTERVAL_MS = 45_000;
/** How often a question for events looks whether there are any, milliseconds. */
const EVENTS_LOOK_MS = 250;
/** Between two attempts to record how a job has ended, milliseconds. */
const RECORD_AGAIN_MS = 1_000;

const BINDING =
  'Proofs of this payment were given up too often: this one is made to its end, and its answer is for the credential';

type StartJob = ParsedRequestOf<typeof proofJobContract.startJob>;
type JobEvents = ParsedRequestOf<typeof proofJobContract.jobEvents>;

interface ActiveJob {
  readonly controller: AbortController;
  readonly claim: ProofJobClaim;
  hasStarted: boolean;
}

/** Proofs that outlive the call that asked for them. */
@Injectable()
export class JobService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  /** The jobs that this process is at, and whether their turn has come. */
  private readonly active = new Map<string, ActiveJob>();
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly running = new Set<Promise<void>>();
  private isClosing = false;

  constructor(
    private readonly store: JobStore,
    private readonly settlement: JobSettlement,
    private readonly hashChains: ProveService,
    private readonly statements: StarkProveService,
    @Inject(SERVICE_ENVIRONMENT) private readonly environment: ServiceEnvironment,
  ) {}

  onApplicationBootstrap(): void {
    this.timers.push(
      this.every(HEARTBEAT_MS, () => this.heartbeat()),
      this.every(SWEEP_INTERVAL_MS, () => this.sweep()),
      this.every(RENEW_INTERVAL_MS, () => this.renewPayments()),
    );
  }

  /** What is being made is finished; what waits is ended, and its payment returned. */
  async beforeApplicationShutdown(): Promise<void> {
    // The bus is drained only afterwards: what it brings from now on is refused.
    this.isClosing = true;
    for (const job of this.active.values()) if (!job.hasStarted) job.controller.abort(new ShutdownError());
    await Promise.all(this.running);
    for (const timer of this.timers) clearInterval(timer);
  }

  /** @throws ProblemError of admission, QUEUE_FULL included; SERVICE_UNAVAILABLE while it closes */
  async start({ jobId, order, claim }: StartJob): Promise<ProofJob> {
    this.admit(order);
    if (this.isClosing) throw closing();
    // Told now and kept nowhere: whoever asks for the job later may be somebody that it was shown to.
    const opening = order.operationId === 'zk.prove' ? undefined : this.statements.drawOpening(order.request);
    const creating = this.store.create(jobId, order.operationId, claim);
    // Counted from here on, so that a close also waits for a job that is being recorded.
    const work = creating
      .then(isNew => (isNew ? this.run(jobId, order, claim, opening) : undefined))
      .catch(() => undefined)
      .finally(() => this.running.delete(work));
    this.running.add(work);
    if (await creating) {
      return { ...(await this.find(jobId)), ...(opening ? { opening } : {}) };
    }
    return this.find(jobId);
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
    await this.store.apply(jobId, { type: 'cancel-requested' });
    const job = await this.store.find(jobId);
    const extensions = { state: job.state };
    if (isBinding(job)) throw problem('CONFLICT', BINDING, { extensions });
    this.active.get(jobId)?.controller.abort(new JobEndedError());
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

  private admit(order: ProofOrder): void {
    if (order.operationId === 'zk.prove') this.hashChains.admit(order.request);
    else this.statements.admit(order.request);
  }

  /** Makes the proof of a job and records how it ended; never rejects. */
  private async run(
    jobId: string,
    order: ProofOrder,
    claim: ProofJobClaim,
    opening: Opening | undefined,
  ): Promise<void> {
    const controller = new AbortController();
    const job: ActiveJob = { controller, claim, hasStarted: false };
    this.active.set(jobId, job);
    if (this.isClosing) controller.abort(new ShutdownError());
    const { signal } = controller;
    const log = new EventLog(this.store, jobId, error =>
      this.warn(error, 'A step of a job was not recorded'),
    );
    const onStart = () => {
      job.hasStarted = true;
      log.note({ type: 'started' });
    };
    const onStage = (stage: string) => log.note({ type: 'stage', stage });
    try {
      const { proof: _kept, ...result } = await this.prove(order, {
        signal,
        onStart,
        onStage,
        opening,
        receipt: claim.receipt,
      });
      await log.idle();
      await this.end(jobId, { type: 'succeeded', proofId: result.proofId }, result);
    } catch (error) {
      await log.idle();
      const end = endOf(error);
      if (end.type === 'failed' && end.problem.code === 'INTERNAL') {
        this.environment.logger.error({ err: error }, 'A job failed');
      }
      await this.end(jobId, end);
    } finally {
      this.active.delete(jobId);
    }
  }

  private prove(order: ProofOrder, caller: ProofCaller) {
    return order.operationId === 'zk.prove'
      ? this.hashChains.prove(order.request, caller)
      : this.statements.prove(order.request, caller);
  }

  /** What cannot be settled now is found by the sweep of whichever replica lives. */
  private async end(jobId: string, event: JobEvent, result?: Record<string, unknown>): Promise<void> {
    await this.guarded(async () => {
      const { opening: _secret, ...kept } = result ?? {};
      const job = await this.recordEnd(jobId, event, result && kept);
      if (job) await this.settle(result ? { ...job, result } : job);
    });
  }

  /** Tries again while the lease may still hold: a proof is not lost to a database that is away for a moment. */
  private async recordEnd(
    jobId: string,
    event: JobEvent,
    result?: Record<string, unknown>,
  ): Promise<StoredJob | undefined> {
    const deadline = performance.now() + JOB_LEASE_SECONDS * 1_000;
    for (;;) {
      try {
        return await this.store.apply(jobId, event, result);
      } catch (error) {
        if (error instanceof ProblemError || performance.now() > deadline) throw error;
        this.warn(error, 'How a job ended could not be recorded yet');
        await delay(RECORD_AGAIN_MS);
      }
    }
  }

  private async settle(job: StoredJob): Promise<void> {
    try {
      const payment = await this.settlement.settle(job);
      await this.store.apply(job.jobId, { type: 'settled', payment });
    } catch (error) {
      await this.store.postpone(job.jobId);
      throw error;
    }
  }

  private async heartbeat(): Promise<void> {
    // Of the jobs that begin meanwhile nothing is asked, so that nothing can be learnt of them.
    const asked = [...this.active];
    if (asked.length === 0) return;
    const states = await this.store.renewLeases(asked.map(([jobId]) => jobId));
    for (const [jobId, { controller }] of asked) {
      const state = states.get(jobId);
      if (state === undefined || state === 'cancelling') controller.abort(new JobEndedError());
    }
  }

  private async renewPayments(): Promise<void> {
    const renew = async ({ claim, controller }: ActiveJob) => {
      if (!(await this.settlement.renew(claim))) controller.abort(new PaymentLostError());
    };
    await Promise.all([...this.active.values()].map(job => this.guarded(() => renew(job))));
  }

  /** Ends the jobs of processes that died, and settles what is owed. Any number of replicas may do it at once. */
  private async sweep(): Promise<void> {
    for (const job of await this.store.neglected(SWEPT_AT_ONCE)) {
      if (this.active.has(job.jobId)) continue;
      await this.guarded(async () => {
        const done = outcomeOf(job) ? job : await this.store.apply(job.jobId, { type: 'lease-lapsed' });
        if (done) await this.settle(done);
      });
    }
  }

  /** Work at an interval; a round that takes longer than it is not joined by the next. */
  private every(intervalMs: number, work: () => Promise<void>): NodeJS.Timeout {
    let isBusy = false;
    const round = async () => {
      if (isBusy) return;
      isBusy = true;
      await this.guarded(work);
      isBusy = false;
    };
    return setInterval(() => void round(), intervalMs).unref();
  }

  private async guarded(work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => this.warn(error, 'A job could not be attended to'));
  }

  private warn(error: unknown, message: string): void {
    this.environment.logger.warn({ reason: (error as Error).message }, message);
  }
}
