import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { ProblemPayload } from '@svc/contracts';
import { paced, SERVICE_ENVIRONMENT, type ServiceEnvironment } from '@svc/platform';
import { PAYMENT_LOST } from './job-end.js';
import { JobQueue } from './job-queue.js';
import type { StoredJob } from './job-rows.js';
import { JobSettlement } from './job-settlement.js';
import { outcomeOf } from './job-state.js';
import { type HeldPayment, JobStore } from './job-store.js';

/** How often every replica looks for jobs that nobody is at, milliseconds. */
const SWEEP_INTERVAL_MS = 5_000;
const SWEPT_AT_ONCE = 20;
/** How often it is compared whether the queue holds what waits, milliseconds. */
const COMPARE_INTERVAL_MS = 60_000;
/** How often the claims on the payments are renewed: often within their lease of minutes, seconds. */
const RENEW_AFTER_SECONDS = 45;
const RENEWED_AT_ONCE = 100;

/**
 * Sees to what jobs need that nobody is at: those whose process died go back to the queue, what was not put in it is, payments
 * are held as long as the jobs wait or run, and settled when they end. Any number of replicas may do it at once.
 */
@Injectable()
export class JobKeeper implements OnApplicationBootstrap {
  private readonly timers: NodeJS.Timeout[] = [];
  /** What is being done, so that a close waits for it. */
  private readonly rounds = new Set<Promise<void>>();

  constructor(
    private readonly store: JobStore,
    private readonly settlement: JobSettlement,
    private readonly queue: JobQueue,
    @Inject(SERVICE_ENVIRONMENT) private readonly environment: ServiceEnvironment,
  ) {}

  onApplicationBootstrap(): void {
    const sweepMs = paced(this.environment, SWEEP_INTERVAL_MS);
    this.timers.push(
      this.every(sweepMs, () => this.sweep()),
      this.every(sweepMs, () => this.queue.addMissing()),
      this.every(sweepMs, () => this.renewPayments()),
      this.every(COMPARE_INTERVAL_MS, () => this.queue.compare()),
    );
    // A queue within the process is as new as the process: what waits since before is not in it.
    if (this.environment.bus.kind === 'memory')
      this.begin(async () => {
        await this.queue.forget();
        await this.queue.addMissing();
      });
  }

  /** After the last job of this process, whose payments are held until then. */
  async stop(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    await Promise.all(this.rounds);
  }

  /** Sees to a job whose state has changed: adds it to the queue, or settles its payment. Never rejects. */
  async attend(job: StoredJob): Promise<void> {
    const { jobId, state, run, sizeClass } = job;
    if (state === 'queued' && sizeClass) await this.queue.add([{ jobId, run, sizeClass }]);
    if (state === 'settling') await this.guarded(() => this.settle(job));
  }

  /** As {@link attend}, without being waited for; a close waits for it. */
  attendLater(job: StoredJob): void {
    this.begin(() => this.attend(job));
  }

  /** Ends a job that nobody is to make, and gives its payment back. */
  async drop(jobId: string, problem: ProblemPayload): Promise<void> {
    const dropped = await this.store.apply(jobId, { type: 'dropped', problem });
    if (dropped) await this.attend(dropped);
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

  private async sweep(): Promise<void> {
    const jobs = await this.store.neglected(SWEPT_AT_ONCE);
    // At once: where the payments service hangs, those that lost their process do not wait for those that it is asked about.
    await Promise.all(jobs.map(job => this.guarded(() => this.takeUp(job))));
  }

  private async takeUp(job: StoredJob): Promise<void> {
    if (outcomeOf(job)) return this.attend(job);
    const lapsed = await this.store.apply(job.jobId, { type: 'lease-lapsed' });
    if (!lapsed) return;
    const { run, begins, state } = lapsed;
    this.environment.logger.warn({ run, begins, state }, 'The process of a job is not heard of any more');
    await this.attend(lapsed);
  }

  private async renewPayments(): Promise<void> {
    const renew = async ({ jobId, claim }: HeldPayment) => {
      if (!(await this.settlement.renew(claim))) await this.drop(jobId, PAYMENT_LOST);
    };
    // All that are due, however many: a payment whose lease runs out while its job waits would be lost.
    for (;;) {
      const due = await this.store.takeRenewals(RENEW_AFTER_SECONDS, RENEWED_AT_ONCE);
      await Promise.all(due.map(job => this.guarded(() => renew(job))));
      if (due.length < RENEWED_AT_ONCE) return;
    }
  }

  /** Work at an interval; a round that takes longer than it is not joined by the next. */
  private every(intervalMs: number, work: () => Promise<void>): NodeJS.Timeout {
    let isBusy = false;
    const round = async () => {
      if (isBusy) return;
      isBusy = true;
      await work().finally(() => (isBusy = false));
    };
    return setInterval(() => this.begin(round), intervalMs).unref();
  }

  private begin(work: () => Promise<void>): void {
    const round = this.guarded(work).finally(() => this.rounds.delete(round));
    this.rounds.add(round);
  }

  private async guarded(work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) =>
      this.environment.logger.warn({ reason: (error as Error).message }, 'A job could not be attended to'),
    );
  }
}
