import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type {
  ParsedRequestOf,
  ProofJob,
  ProofJobClaim,
  proofJobContract,
  ProofJobEvent,
  ProofOrder,
} from '@svc/contracts';
import { asProblem, problem, SERVICE_ENVIRONMENT, type ServiceEnvironment } from '@svc/platform';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProofObserver } from '../prove/proof-maker.js';
import { ProveService } from '../prove/prove.service.js';
import { StarkProveService } from '../prove/stark-prove.service.js';
import { JobSettlement } from './job-settlement.js';
import { isEnded, type JobEvent } from './job-state.js';
import { JobStore, progressOf, type StoredJob } from './job-store.js';

/** How often this process says that it is still at its jobs, and hears which are cancelled, milliseconds. */
const HEARTBEAT_MS = 1_000;
/** How often every replica looks for jobs that nobody is at, milliseconds. */
const SWEEP_INTERVAL_MS = 5_000;
const SWEPT_AT_ONCE = 20;
/** How often the claims on the payments are renewed: often within their lease of minutes, milliseconds. */
const RENEW_INTERVAL_MS = 45_000;
/** How often a question for events looks whether there are any, milliseconds. */
const EVENTS_LOOK_MS = 250;

type StartJob = ParsedRequestOf<typeof proofJobContract.startJob>;
type JobEvents = ParsedRequestOf<typeof proofJobContract.jobEvents>;

interface ActiveJob {
  readonly controller: AbortController;
  readonly claim: ProofJobClaim;
  hasStarted: boolean;
}

/** The job was cancelled, or another replica has ended it. */
class JobEndedError extends Error {
  constructor() {
    super('the job was ended');
    this.name = 'JobEndedError';
  }
}

/** Proofs that outlive the call that asked for them. */
@Injectable()
export class JobService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  /** The jobs that this process is at, and whether their turn has come. */
  private readonly active = new Map<string, ActiveJob>();
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly running = new Set<Promise<void>>();

  constructor(
    private readonly store: JobStore,
    private readonly settlement: JobSettlement,
    private readonly hashChains: ProveService,
    private readonly statements: StarkProveService,
    @Inject(SERVICE_ENVIRONMENT) private readonly environment: ServiceEnvironment,
  ) {}

  onApplicationBootstrap(): void {
    this.timers.push(
      setInterval(() => void this.guarded(() => this.heartbeat()), HEARTBEAT_MS).unref(),
      setInterval(() => void this.guarded(() => this.sweep()), SWEEP_INTERVAL_MS).unref(),
      setInterval(() => void this.guarded(() => this.renewPayments()), RENEW_INTERVAL_MS).unref(),
    );
  }

  /** What is being made is finished; what waits is ended, and its payment returned. */
  async beforeApplicationShutdown(): Promise<void> {
    for (const job of this.active.values()) if (!job.hasStarted) job.controller.abort(new ShutdownError());
    await Promise.all(this.running);
    for (const timer of this.timers) clearInterval(timer);
  }

  /** @throws ProblemError of admission, QUEUE_FULL included */
  async start({ jobId, order, claim }: StartJob): Promise<ProofJob> {
    this.admit(order);
    if (await this.store.create(jobId, order.operationId, claim)) {
      const work = this.run(jobId, order, claim).finally(() => this.running.delete(work));
      this.running.add(work);
    }
    return this.find(jobId);
  }

  async find(jobId: string): Promise<ProofJob> {
    return resourceOf(await this.store.find(jobId));
  }

  /** @throws ProblemError CONFLICT where it has succeeded or failed */
  async cancel(jobId: string): Promise<ProofJob> {
    await this.store.apply(jobId, { type: 'cancel-requested' });
    this.active.get(jobId)?.controller.abort(new JobEndedError());
    const job = await this.store.find(jobId);
    if (job.state === 'succeeded' || job.state === 'failed') {
      throw problem('CONFLICT', `The job has ${job.state} and cannot be cancelled`, {
        extensions: { state: job.state },
      });
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
  private async run(jobId: string, order: ProofOrder, claim: ProofJobClaim): Promise<void> {
    const controller = new AbortController();
    const job: ActiveJob = { controller, claim, hasStarted: false };
    this.active.set(jobId, job);
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
      const { proof: _kept, ...result } = await this.prove(order, claim.receipt, {
        signal,
        onStart,
        onStage,
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

  private prove(order: ProofOrder, receipt: string, observer: ProofObserver) {
    return order.operationId === 'zk.prove'
      ? this.hashChains.prove(order.request, observer)
      : this.statements.prove(order.request, { ...observer, receipt });
  }

  /** What cannot be recorded now is found by the sweep of whichever replica lives. */
  private async end(jobId: string, event: JobEvent, result?: Record<string, unknown>): Promise<void> {
    await this.guarded(async () => {
      const job = await this.store.apply(jobId, event, result);
      if (job) await this.settle(job);
    });
  }

  private async settle(job: StoredJob): Promise<void> {
    const settled = await this.settlement.settle(job);
    await this.store.apply(job.jobId, { type: settled ? 'settled' : 'overtaken' });
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
    for (const { claim } of this.active.values()) await this.settlement.renew(claim);
  }

  /** Ends the jobs of processes that died, and settles what is owed. Any number of replicas may do it at once. */
  private async sweep(): Promise<void> {
    for (const job of await this.store.neglected(SWEPT_AT_ONCE)) {
      if (this.active.has(job.jobId)) continue;
      const ended = isEnded(job) ? job : await this.store.apply(job.jobId, { type: 'lease-lapsed' });
      if (ended) await this.settle(ended);
    }
  }

  private async guarded(work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => this.warn(error, 'A job could not be attended to'));
  }

  private warn(error: unknown, message: string): void {
    this.environment.logger.warn({ reason: (error as Error).message }, message);
  }
}

/** The service is closing. */
class ShutdownError extends Error {
  constructor() {
    super('the service is closing');
    this.name = 'ShutdownError';
  }
}

/** Records the events of one job one after another, while the proof goes on. */
class EventLog {
  private tail: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly store: JobStore,
    private readonly jobId: string,
    private readonly onError: (error: unknown) => void,
  ) {}

  note(event: JobEvent): void {
    this.tail = this.tail.then(() => this.store.apply(this.jobId, event)).catch(this.onError);
  }

  async idle(): Promise<void> {
    await this.tail;
  }
}

function endOf(error: unknown): JobEvent {
  if (error instanceof JobEndedError) return { type: 'cancelled' };
  if (error instanceof ShutdownError) {
    const detail = 'The service was restarted; send the request again with the same credential';
    return {
      type: 'failed',
      problem: problem('SERVICE_UNAVAILABLE', detail, { retryAfterSeconds: 1 }).payload,
    };
  }
  return { type: 'failed', problem: asProblem(error).payload };
}

function resourceOf(job: StoredJob): ProofJob {
  const { code, detail, errors } = job.problem ?? {};
  const payment = job.payment === 'delivery-due' || job.payment === 'return-due' ? 'held' : job.payment;
  return {
    jobId: job.jobId,
    operationId: job.operationId,
    state: job.state,
    ...progressOf(job),
    createdAt: job.createdAt.toISOString(),
    startedAt: job.startedAt?.toISOString(),
    endedAt: job.endedAt?.toISOString(),
    payment,
    proofId: job.proofId,
    result: job.result as ProofJob['result'],
    ...(code === undefined ? {} : { problem: { code, detail: detail!, errors } }),
  };
}
