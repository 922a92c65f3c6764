import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Inject } from '@nestjs/common';
import { SERVICE_ENVIRONMENT, type ServiceEnvironment } from '@svc/platform';
import { ProofStore } from './proof-store.js';

const PURGE_INTERVAL_MS = 60 * 60 * 1_000;

/** Deletes proofs past their retention, once an hour on every replica; the deletion is idempotent. */
@Injectable()
export class ProofRetention implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly store: ProofStore,
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
      const count = await this.store.purgeExpired();
      if (count > 0) this.environment.logger.info({ count }, 'Proofs past their retention were deleted');
    } catch (error) {
      // Postgres is away: the next round does the work of this one too.
      this.environment.logger.warn({ reason: (error as Error).message }, 'Proof retention did not run');
    }
  }
}
