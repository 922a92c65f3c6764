import type { Provider, Type } from '@nestjs/common';
import { Retention, type ServiceEnvironment } from '@svc/platform';
import { ArenaAwards } from './arena-awards.js';
import { ArenaCalls } from './arena-calls.js';
import { ArenaChallenges } from './arena-challenges.js';
import { ArenaNatsController } from './arena.nats.controller.js';
import { ArenaRecord } from './arena-record.js';
import { ArenaService } from './arena.service.js';

/** How often what nobody can ask for any more is deleted, milliseconds. */
const PURGE_INTERVAL_MS = 10 * 60 * 1_000;
const ARENA_RETENTION = Symbol('ARENA_RETENTION');

export const ARENA_CONTROLLERS: readonly Type[] = [ArenaNatsController];

export const arenaProviders = ({ logger }: ServiceEnvironment): readonly Provider[] => [
  ...[ArenaCalls, ArenaChallenges, ArenaRecord, ArenaAwards, ArenaService],
  {
    provide: ARENA_RETENTION,
    inject: [ArenaChallenges, ArenaCalls],
    useFactory: (challenges: ArenaChallenges, calls: ArenaCalls) =>
      new Retention(
        PURGE_INTERVAL_MS,
        { arenaChallenges: () => challenges.purge(), arenaCalls: () => calls.purge() },
        logger,
      ),
  },
];
