import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { type EventStream, LeaderLoop, type SessionLock } from '@svc/platform';
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

/**
 * What one process of a deployment does for all of them, as long as it holds the lock: it takes the records of the logs
 * out as events, and seals and publishes checkpoints. The others stand by, and learn of new checkpoints.
 */
export class WalLeader implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly checkpointMs: number;
  private readonly loop: LeaderLoop;
  private nextCheckpointMs = 0;
  private nextLookMs = 0;

  constructor(
    private readonly parts: WalLeaderParts,
    { pollMs = POLL_MS, checkpointMs = CHECKPOINT_MS }: WalLeaderOptions = {},
  ) {
    this.checkpointMs = checkpointMs;
    const { lock, logger } = parts;
    const duty = {
      begin: (session: SessionLock) => this.begin(session),
      turn: (session: SessionLock) => this.turn(session),
      standBy: () => this.standBy(),
    };
    this.loop = new LeaderLoop(duty, { lock, logger, pollMs, onFailure: 'What leaves the log is held up' });
  }

  /** Whether this process is the leader, as far as it knows. */
  get leads(): boolean {
    return this.loop.leads;
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  /** Ends after the round at hand; the next leader finds what is left. */
  async onApplicationShutdown(): Promise<void> {
    await this.loop.stop();
    await this.parts.keeper.close();
  }

  /** This process has recorded something: it is looked at soon. */
  wake(): void {
    this.loop.wake();
  }

  private async begin(session: SessionLock): Promise<void> {
    this.parts.keeper.learn(await newestOf(session));
    await this.parts.stream.ensure();
  }

  private async turn(session: SessionLock): Promise<boolean> {
    try {
      return (await this.parts.relay.round(session)).more;
    } finally {
      // Also where a record cannot leave: what has left of the other sagas is sealed all the same.
      await this.checkpoint(session);
    }
  }

  private async standBy(): Promise<void> {
    if (Date.now() < this.nextLookMs) return;
    this.nextLookMs = Date.now() + this.checkpointMs / 3;
    const { keeper, dataSource } = this.parts;
    keeper.learn(await newestOf({ query: (text, values = []) => dataSource.query(text, [...values]) }));
  }

  /** Seals and publishes when it is time to. Without a key, or a disk, records go on leaving. */
  private async checkpoint(session: SessionLock): Promise<void> {
    if (Date.now() < this.nextCheckpointMs) return;
    this.nextCheckpointMs = Date.now() + this.checkpointMs;
    await this.parts.keeper.round(session).then(
      () => this.loop.recovered('checkpoint'),
      (error: unknown) => this.loop.report('checkpoint', error),
    );
  }
}
