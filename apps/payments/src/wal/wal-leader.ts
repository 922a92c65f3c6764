import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { EventStream, SessionLock } from '@svc/platform';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { type CheckpointKeeper, newestOf } from './checkpoint-keeper.js';
import type { EventRelay } from './event-relay.js';

export interface WalLeaderOptions {
  /** Between two looks at the outbox, and two tries to become the leader, milliseconds. */
  readonly pollMs?: number;
  /** Between two checkpoints, milliseconds. */
  readonly checkpointMs?: number;
}

export interface WalLeaderParts {
  readonly dataSource: DataSource;
  readonly lock: SessionLock;
  readonly stream: EventStream;
  readonly relay: EventRelay;
  readonly keeper: CheckpointKeeper;
  readonly logger: Logger;
}

const POLL_MS = 250;
const CHECKPOINT_MS = 3_000;
/** What is recorded meanwhile goes with the next page: one saga at work is no reason for a page a record. */
const GATHER_MS = 20;

/**
 * What one process of a deployment does for all of them, as long as it holds the lock: it takes the records of the logs
 * out as events, and seals and publishes checkpoints. The others stand by, and learn of new checkpoints.
 */
export class WalLeader implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly pollMs: number;
  private readonly checkpointMs: number;
  private readonly reported = new Map<string, string>();
  private open = true;
  private running: Promise<void> | undefined;
  private wakeUp: (() => void) | undefined;
  private woken = false;
  private streamIsThere = false;
  private nextCheckpointMs = 0;
  private nextLookMs = 0;

  constructor(
    private readonly parts: WalLeaderParts,
    { pollMs = POLL_MS, checkpointMs = CHECKPOINT_MS }: WalLeaderOptions = {},
  ) {
    this.pollMs = pollMs;
    this.checkpointMs = checkpointMs;
  }

  /** Whether this process is the leader, as far as it knows. */
  get leads(): boolean {
    return this.parts.lock.held;
  }

  onApplicationBootstrap(): void {
    this.running ??= this.run();
  }

  /** Ends after the round at hand; the next leader finds what is left. */
  async onApplicationShutdown(): Promise<void> {
    this.open = false;
    this.wake();
    await this.running;
    await this.parts.lock.release();
    await this.parts.keeper.close();
  }

  /** This process has recorded something: it is looked at soon. */
  wake(): void {
    this.woken = true;
    this.wakeUp?.();
  }

  private async run(): Promise<void> {
    while (this.open) {
      let more = false;
      try {
        more = await this.turn();
        this.reported.delete('turn');
      } catch (error) {
        this.streamIsThere = false;
        this.report('turn', error);
      }
      if (!more) await this.rest();
    }
  }

  /** @returns whether there is more to be done at once */
  private async turn(): Promise<boolean> {
    const { dataSource, lock, stream, relay, keeper } = this.parts;
    if (!(await lock.take())) {
      if (Date.now() >= this.nextLookMs) {
        this.nextLookMs = Date.now() + this.checkpointMs / 3;
        keeper.learn(await newestOf({ query: (text, values = []) => dataSource.query(text, [...values]) }));
      }
      return false;
    }
    if (!this.streamIsThere) {
      keeper.learn(await newestOf(lock));
      await stream.ensure();
      this.streamIsThere = true;
    }
    try {
      return (await relay.round(lock)).more;
    } finally {
      // Also where a record cannot leave: what has left of the other sagas is sealed all the same.
      await this.checkpoint(lock);
    }
  }

  /** Seals and publishes when it is time to. Without a key, or a disk, records go on leaving. */
  private async checkpoint(lock: SessionLock): Promise<void> {
    if (Date.now() < this.nextCheckpointMs) return;
    this.nextCheckpointMs = Date.now() + this.checkpointMs;
    await this.parts.keeper.round(lock).then(
      () => this.reported.delete('checkpoint'),
      (error: unknown) => this.report('checkpoint', error),
    );
  }

  private async rest(): Promise<void> {
    const gathered = new Promise(resolve => setTimeout(resolve, GATHER_MS));
    // Who stands by has nothing to hurry for.
    if (this.open && !(this.woken && this.leads)) {
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, this.pollMs);
        this.wakeUp = () => {
          if (this.open && !this.leads) return;
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.wakeUp = undefined;
    if (this.open) await gathered;
    this.woken = false;
  }

  /** Once for as long as it fails in the same way. */
  private report(what: string, error: unknown): void {
    const reason = (error as Error).message;
    if (this.reported.get(what) !== reason)
      this.parts.logger.warn({ of: what, reason }, 'What leaves the log is held up');
    this.reported.set(what, reason);
  }
}
