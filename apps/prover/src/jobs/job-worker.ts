import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type { ProofOrder } from '@svc/contracts';
import {
  paced,
  ProblemError,
  SealError,
  SERVICE_ENVIRONMENT,
  type ServiceEnvironment,
  type TakenWork,
  type WorkConsumer,
} from '@svc/platform';
import { setTimeout as delay } from 'node:timers/promises';
import { SIZE_CLASSES, type SizeClass } from '../prove/proof-queue.js';
import { ProveService } from '../prove/prove.service.js';
import { type ProofCaller, StarkProveService } from '../prove/stark-prove.service.js';
import { ProofStore } from '../proofs/proof-store.js';
import { EventLog } from './event-log.js';
import { drainMsOf } from './job-drain.js';
import { endOf, JobEndedError, keptProblem, NOT_OPENED, PUT_ASIDE, ShutdownError } from './job-end.js';
import { JobKeeper } from './job-keeper.js';
import { JobOrders, type KeptOrder } from './job-orders.js';
import { JobQueue } from './job-queue.js';
import type { StoredJob } from './job-rows.js';
import type { RunEvent } from './job-state.js';
import { JOB_LEASE_SECONDS, JobStore, type WaitingJob } from './job-store.js';

/** How often this process says that it is still at its jobs, and hears which are cancelled, milliseconds. */
const HEARTBEAT_MS = 1_000;
/** Between two attempts at what Postgres or NATS was away for, milliseconds. */
const AGAIN_MS = 1_000;

/** The job of a piece of work, and the run that it was added after. */
type Piece = Pick<WaitingJob, 'jobId' | 'run'>;

/** A job that this process has taken. */
interface TakenJob {
  readonly jobId: string;
  /** The run that it was taken after, and its own once it has begun. */
  run: number;
  hasBegun: boolean;
  /** Whether its begin is being recorded: what is heard of it then may be of before or after. */
  isBeginning: boolean;
  readonly controller: AbortController;
  readonly work: TakenWork;
}

/** Makes the proofs of the jobs that are in the queue, as many as there is room for. */
@Injectable()
export class JobWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly taken = new Set<TakenJob>();
  /** Whose turn was last, of each class. */
  private readonly lastTurns = new Map<SizeClass, string>();
  private readonly closing = new AbortController();
  private consumers: Promise<WorkConsumer | undefined>[] = [];
  private timer: NodeJS.Timeout | undefined;
  private isBeating = false;

  constructor(
    private readonly store: JobStore,
    private readonly orders: JobOrders,
    private readonly queue: JobQueue,
    private readonly keeper: JobKeeper,
    private readonly proofs: ProofStore,
    private readonly hashChains: ProveService,
    private readonly statements: StarkProveService,
    @Inject(SERVICE_ENVIRONMENT) private readonly environment: ServiceEnvironment,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.heartbeat(), paced(this.environment, HEARTBEAT_MS)).unref();
    this.consumers = SIZE_CLASSES.flatMap(sizeClass => [
      this.untilItConsumes(() => this.queue.consume(sizeClass, work => this.handle(sizeClass, work))),
      this.untilItConsumes(() => this.queue.consumeDead(sizeClass, work => this.putAside(work))),
    ]);
  }

  /** What waits goes back to the queue at once; what is being made is finished, or goes back when the time is over. */
  async beforeApplicationShutdown(): Promise<void> {
    this.closing.abort(new ShutdownError());
    const late = setTimeout(() => {
      for (const { controller } of this.taken) controller.abort(new ShutdownError());
    }, drainMsOf(this.environment.variables));
    try {
      await Promise.all(this.consumers.map(async consumer => (await consumer)?.stop()));
    } finally {
      clearTimeout(late);
      clearInterval(this.timer);
      await this.keeper.stop();
    }
  }

  /** Ends a job's work where it is this process's. */
  cancel(jobId: string): void {
    for (const job of this.taken) if (job.jobId === jobId) job.controller.abort(new JobEndedError());
  }

  /**
   * Sees a piece of work to its end, after a job whose turn is before that of its own. The queue hands out jobs as they came: one
   * caller's many would go before all others. Rejects where another process is to have it as it is.
   */
  private async handle(sizeClass: SizeClass, work: TakenWork): Promise<void> {
    const piece = pieceOf(work);
    const first = await this.goesBefore(sizeClass, piece.jobId).catch((error: unknown) =>
      this.warn(error, 'Whose turn is next is not known'),
    );
    if (first && ![...this.taken].some(({ jobId }) => jobId === first.jobId))
      await this.take(first, work).catch((error: unknown) => {
        if (error instanceof ShutdownError) throw error;
        // It has a piece of its own in the queue, and says nothing against this one.
        this.warn(error, 'A job could not be begun before another');
      });
    await this.take(piece, work);
  }

  /** A job that waits and whose turn is before that of a piece of work; undefined where it is the turn of the piece's own caller. */
  private async goesBefore(sizeClass: SizeClass, jobId: string): Promise<Piece | undefined> {
    const taken = [...this.taken].map(job => job.jobId);
    const next = await this.store.nextInTurn(sizeClass, this.lastTurns.get(sizeClass) ?? '', taken);
    if (!next) return undefined;
    this.lastTurns.set(sizeClass, next.turnSubject);
    const own = await this.store.find(jobId).catch(absent);
    return own?.turnSubject === next.turnSubject ? undefined : next;
  }

  /** Rejects where this process closes before it has begun the job. */
  private async take({ jobId, run }: Piece, work: TakenWork): Promise<void> {
    const job: TakenJob = {
      ...{ jobId, run, hasBegun: false, isBeginning: false },
      ...{ controller: new AbortController(), work },
    };
    const giveBack = () => {
      if (!job.hasBegun && !job.isBeginning) job.controller.abort(new ShutdownError());
    };
    work.signal.addEventListener('abort', giveBack);
    this.taken.add(job);
    try {
      await this.attempt(job);
    } finally {
      this.taken.delete(job);
      work.signal.removeEventListener('abort', giveBack);
    }
  }

  /** Tries on while Postgres is away: that it is says nothing against the job. */
  private async attempt(job: TakenJob): Promise<void> {
    for (;;) {
      if (job.work.signal.aborted) throw new ShutdownError();
      try {
        const kept = await this.orderOf(job);
        if (kept) await this.make(job, kept);
        return;
      } catch (error) {
        if (job.hasBegun || !isAway(error)) throw error;
        this.warn(error, 'A job could not be begun yet');
        await delay(AGAIN_MS);
      }
    }
  }

  /** What is to be proved; undefined where the job is not to be begun by this piece of work any more. */
  private async orderOf(job: TakenJob): Promise<KeptOrder | undefined> {
    const { jobId, run } = job;
    const found = await this.store.find(jobId).catch(absent);
    if (found?.state !== 'queued' || found.run !== run) return undefined;
    // A job that cannot be opened here is handed to others, which may have the secret already that this one is to have.
    return this.orders.of(jobId);
  }

  /** Makes the proof of a job and records how it ended. @throws what ended it before it had begun */
  private async make(job: TakenJob, { order, opening }: KeptOrder): Promise<void> {
    const { jobId, controller } = job;
    const log = new EventLog(this.store, jobId, error =>
      this.warn(error, 'A step of a job was not recorded'),
    );
    let proofId: string | undefined;
    try {
      const { claim } = await this.store.find(jobId);
      const result = await this.prove(order, {
        signal: controller.signal,
        waitsForRoom: true,
        onStart: () => this.begin(job),
        onStage: stage => log.note({ type: 'stage', run: job.run, stage }),
        opening,
        receipt: claim.receipt,
      });
      ({ proofId } = result);
      await log.idle();
      const ended = await this.end(job, { type: 'succeeded', run: job.run, proofId }, result);
      // Nobody has been told of the proof of a run that is not the job's any more.
      if (!ended && (await this.store.find(jobId)).proofId !== proofId) await this.proofs.discard(proofId);
    } catch (error) {
      await log.idle();
      if (!job.hasBegun) {
        if (error instanceof JobEndedError) return;
        if (error instanceof ShutdownError || isAway(error)) throw error;
        await this.keeper.drop(jobId, keptProblem(error));
        return;
      }
      if (proofId === undefined) await this.endBy(job, error);
      else this.warn(error, 'How a job ended could not be recorded');
    }
  }

  private async endBy(job: TakenJob, error: unknown): Promise<void> {
    const end = endOf(error, job.run);
    if (end.type === 'failed' && end.problem.code === 'INTERNAL') {
      this.environment.logger.error({ err: error }, 'A job failed');
    }
    await this.end(job, end).catch((failure: unknown) =>
      this.warn(failure, 'How a job ended could not be recorded'),
    );
  }

  /** Its turn has come: from now on the job is this run's. @throws JobEndedError where it is not to be begun any more */
  private async begin(job: TakenJob): Promise<void> {
    job.isBeginning = true;
    try {
      const { jobId, run } = job;
      const begun = await this.store.apply(jobId, { type: 'begun', run });
      if (!begun) throw new JobEndedError();
      job.run = begun.run;
      job.hasBegun = true;
      this.environment.logger.debug({ run: begun.run, begins: begun.begins }, 'A job has begun');
    } finally {
      job.isBeginning = false;
    }
  }

  /** The answer to an order but for the proof, which is kept, and for what opens its commitment, which rests sealed. */
  private async prove(order: ProofOrder, caller: ProofCaller) {
    if (order.operationId === 'zk.prove') {
      const { proof: _kept, ...result } = await this.hashChains.prove(order.request, caller);
      return result;
    }
    const { proof: _kept, opening: _sealed, ...result } = await this.statements.prove(order.request, caller);
    return result;
  }

  /** Records the end of a run and sees to what follows; undefined where the job is not this run's any more. */
  private async end(
    job: TakenJob,
    event: RunEvent,
    result?: Record<string, unknown>,
  ): Promise<StoredJob | undefined> {
    const ended = await this.recordEnd(job, event, result);
    if (ended) await this.keeper.attend(ended);
    return ended;
  }

  /** Tries again while the lease may still hold: a proof is not lost to a database that is away for a moment. */
  private async recordEnd(
    { jobId }: TakenJob,
    event: RunEvent,
    result?: Record<string, unknown>,
  ): Promise<StoredJob | undefined> {
    const deadline = performance.now() + JOB_LEASE_SECONDS * 1_000;
    for (;;) {
      try {
        return await this.store.apply(jobId, event, result);
      } catch (error) {
        if (!isAway(error) || performance.now() > deadline) throw error;
        this.warn(error, 'How a job ended could not be recorded yet');
        await delay(AGAIN_MS);
      }
    }
  }

  /** A piece of work that was handed out too often: its job ends, and its payment goes back. */
  private async putAside(work: TakenWork): Promise<void> {
    const { jobId, run } = pieceOf(work);
    const job = await this.store.find(jobId).catch(absent);
    if (job?.state !== 'queued' || job.run !== run) return;
    const isOpened = await this.isOpened(jobId);
    this.environment.logger.error({ isOpened }, 'A job was handed out too often and never begun');
    await this.keeper.drop(jobId, isOpened ? PUT_ASIDE : NOT_OPENED);
  }

  private async isOpened(jobId: string): Promise<boolean> {
    try {
      await this.orders.of(jobId);
      return true;
    } catch (error) {
      if (error instanceof SealError) return false;
      throw error;
    }
  }

  private async heartbeat(): Promise<void> {
    // Of the jobs that are taken or begin meanwhile nothing is asked, so that nothing can be learnt of them.
    const asked = [...this.taken].filter(job => !job.isBeginning).map(job => ({ job, ...job }));
    // Said without Postgres, which may hang: the queue would take this process to be dead.
    for (const { work } of this.taken) work.working();
    if (asked.length === 0 || this.isBeating) return;
    this.isBeating = true;
    try {
      const states = await this.store.renewLeases(asked);
      for (const { job, jobId, run, hasBegun } of asked) {
        if (job.isBeginning || job.run !== run) continue;
        const state = states.get(jobId);
        if (state !== (hasBegun ? 'running' : 'queued')) job.controller.abort(new JobEndedError());
      }
    } catch (error) {
      this.warn(error, 'The leases of jobs were not renewed');
    } finally {
      this.isBeating = false;
    }
  }

  private async untilItConsumes(consume: () => Promise<WorkConsumer>): Promise<WorkConsumer | undefined> {
    const { signal } = this.closing;
    while (!signal.aborted) {
      try {
        return await consume();
      } catch (error) {
        this.warn(error, 'No jobs are taken from the queue yet');
        await delay(AGAIN_MS, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
    return undefined;
  }

  private warn(error: unknown, message: string): void {
    this.environment.logger.warn({ reason: (error as Error).message }, message);
  }
}

function pieceOf({ data }: TakenWork): Piece {
  return JSON.parse(Buffer.from(data).toString('utf8')) as Piece;
}

/** Postgres, or something else that comes back. */
const isAway = (error: unknown) => error instanceof ProblemError && error.code === 'SERVICE_UNAVAILABLE';

function absent(error: unknown): undefined {
  if (error instanceof ProblemError && error.code === 'NOT_FOUND') return undefined;
  throw error;
}
