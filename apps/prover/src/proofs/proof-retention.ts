import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { SERVICE_ENVIRONMENT, type ServiceEnvironment } from '@svc/platform';
import { JobStore } from '../jobs/job-store.js';
import { ProofCalls } from '../prove/proof-calls.js';
import { ProofStore } from './proof-store.js';

const PURGE_INTERVAL_MS = 60 * 60 * 1_000;

/** Deletes proofs and jobs past their retention, once an hour on every replica; the deletion is idempotent. */
@Injectable()
export class ProofRetention implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly store: ProofStore,
    private readonly jobs: JobStore,
    private readonly calls: ProofCalls,
    @Inject(SERVICE_ENVIRONMENT) private readonly environment: ServiceEnvironment,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.purge(), PURGE_INTERVAL_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private async purge(): Promise<void> {
    try {
      const proofs = await this.store.purgeExpired();
      const jobs = await this.jobs.purgeExpired();
      await this.calls.purge();
      if (proofs + jobs > 0)
        this.environment.logger.info({ proofs, jobs }, 'Proofs and jobs past their retention were deleted');
    } catch (error) {
      // Postgres is away: the next round does the work of this one too.
      this.environment.logger.warn({ reason: (error as Error).message }, 'Proof retention did not run');
    }
  }
}
