import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { SERVICE_ENVIRONMENT, type ServiceEnvironment } from '@svc/platform';
import { ClaimStore } from './claim-store.js';

const INTERVAL_MS = 10 * 60 * 1_000;

/** Drops, every ten minutes, the bodies of answers that their payers can no longer ask for. */
@Injectable()
export class ResponseRetention implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly store: ClaimStore,
    @Inject(SERVICE_ENVIRONMENT) private readonly environment: ServiceEnvironment,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.purge(), INTERVAL_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** A failure (Postgres away) is logged; the next round does what this one could not. */
  async purge(): Promise<void> {
    const { logger } = this.environment;
    try {
      const purgedCount = await this.store.purgeResponses();
      if (purgedCount > 0) logger.info({ purgedCount }, 'Dropped answers that were kept long enough');
    } catch (error) {
      logger.warn({ reason: (error as Error).message }, 'Answers could not be dropped now');
    }
  }
}
