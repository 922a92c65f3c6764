import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';

/** What deletes things past their time, by their name; each says how many went. */
export type Purges = Readonly<Record<string, () => Promise<number>>>;

/**
 * Deletes, at an interval and on every replica, what need not be kept any more; a deletion has to be idempotent.
 * A provider of a service's module: it begins and ends with the application.
 *
 * @example
 * { provide: Retention, inject: [SERVICE_ENVIRONMENT, ClaimStore],
 *   useFactory: ({ logger }, store) => new Retention(600_000, { answers: () => store.purgeResponses() }, logger) }
 */
export class Retention implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;

  /** @param intervalMs between two rounds, and before the first */
  constructor(
    private readonly intervalMs: number,
    private readonly purges: Purges,
    private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.purge(), this.intervalMs).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** One round; never rejects. What fails (Postgres is away) is logged, and the next round does its work too. */
  async purge(): Promise<void> {
    const counts: Record<string, number> = {};
    for (const [name, purge] of Object.entries(this.purges)) {
      try {
        const count = await purge();
        if (count > 0) counts[name] = count;
      } catch (error) {
        this.logger.warn({ of: name, reason: (error as Error).message }, 'Retention did not run');
      }
    }
    if (Object.keys(counts).length > 0) this.logger.info(counts, 'What was past its retention was deleted');
  }
}
