import type { Provider } from '@nestjs/common';
import {
  EVENT_STREAM,
  eventOutboxProviders,
  type Ed25519Keys,
  type EventStream,
  type ServiceEnvironment,
  SessionLock,
  Waiters,
} from '@svc/platform';
import { DataSource } from 'typeorm';
import { LOG_WAITERS, ON_RECORDED, WAL_EVIDENCE } from '../execute/wal-evidence.js';
import { CheckpointFile } from './checkpoint-file.js';
import { CheckpointKeeper } from './checkpoint-keeper.js';
import { EventRelay } from './event-relay.js';
import { walKeysOf, walSettingsOf } from './wal-config.js';
import { WalInclusions } from './wal-inclusion.js';
import { WalLeader, type WalLeaderOptions } from './wal-leader.js';
import { WAL_KEYS, WalNatsController } from './wal.nats.controller.js';

export const WAL_CONTROLLERS = [WalNatsController];

/** What takes the log out of the database, and vouches for it. @throws ConfigError without signing secrets */
export function walProviders(environment: ServiceEnvironment, options: WalLeaderOptions = {}): Provider[] {
  const { logger, variables = process.env } = environment;
  const { events, checkpointFile } = walSettingsOf(variables);
  return [
    { provide: WAL_KEYS, useValue: walKeysOf(environment) },
    { provide: LOG_WAITERS, useFactory: () => new Waiters() },
    ...eventOutboxProviders(environment, events),
    {
      provide: CheckpointKeeper,
      inject: [WAL_KEYS, EVENT_STREAM],
      useFactory: (keys: Ed25519Keys, stream: EventStream) => {
        const file = checkpointFile === undefined ? undefined : new CheckpointFile(checkpointFile);
        return new CheckpointKeeper({ keys, stream, file, logger });
      },
    },
    {
      provide: WalLeader,
      inject: [DataSource, EVENT_STREAM, CheckpointKeeper],
      useFactory: (dataSource: DataSource, stream: EventStream, keeper: CheckpointKeeper) => {
        const lock = new SessionLock(dataSource, 'wal leader', logger);
        const relay = new EventRelay(stream);
        return new WalLeader({ dataSource, lock, stream, relay, keeper, logger }, options);
      },
    },
    {
      provide: WAL_EVIDENCE,
      inject: [DataSource, CheckpointKeeper],
      useFactory: (dataSource: DataSource, keeper: CheckpointKeeper) => new WalInclusions(dataSource, keeper),
    },
    {
      provide: ON_RECORDED,
      inject: [WalLeader, LOG_WAITERS],
      useFactory: (leader: WalLeader, waiters: Waiters) => () => {
        leader.wake();
        waiters.wake();
      },
    },
  ];
}
