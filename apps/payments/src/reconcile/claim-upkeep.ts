import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';

/** What is to be done again and again, by its name. */
export type Rounds = Readonly<Record<string, () => Promise<unknown>>>;

/**
 * Runs rounds at an interval on every replica, one round of a name at a time; each must bear that other replicas run it
 * too. What fails (Postgres is away) is logged when it begins to, and tried at the next turn.
 */
export class ClaimUpkeep implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private readonly failing = new Set<string>();

  /** @param intervalMs between the begins of two turns, and before the first */
  constructor(
    private readonly intervalMs: number,
    private readonly rounds: Rounds,
    private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.turn(), this.intervalMs).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  /** One turn; never rejects. */
  turn(): Promise<void> {
    this.running ??= this.run().finally(() => (this.running = undefined));
    return this.running;
  }

  private async run(): Promise<void> {
    for (const [name, round] of Object.entries(this.rounds)) {
      try {
        await round();
        this.failing.delete(name);
      } catch (error) {
        if (!this.failing.has(name)) {
          this.logger.warn({ of: name, reason: (error as Error).message }, 'Upkeep of claims has failed');
        }
        this.failing.add(name);
      }
    }
  }
}

/** Batches of one round: more rows than callers within their bounds bring about until the next. */
const BATCHES_MAX = 50;

/** Deletes batch by batch, each a statement of its own, until nothing is left or the round is over; returns how many went. */
export async function inBatches(purge: () => Promise<number>): Promise<number> {
  let total = 0;
  for (let batch = 0; batch < BATCHES_MAX; batch++) {
    const count = await purge();
    total += count;
    if (count === 0) break;
  }
  return total;
}
