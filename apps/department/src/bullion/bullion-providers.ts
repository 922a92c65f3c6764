import type { Provider, Type } from '@nestjs/common';
import { RingAnalyser } from '@svc/metals/node';
import { queueTurn, type ServiceEnvironment } from '@svc/platform';
import { BullionCatalogue } from './bullion-catalogue.js';
import { BullionEnrolments } from './bullion-enrolments.js';
import { BullionNatsController } from './bullion.nats.controller.js';
import { BullionService } from './bullion.service.js';
import { RingListener } from './heard-ring.js';
import { RingChallenges } from './ring-challenges.js';
import { soundDecoderOf } from './sound-decoder.js';
import { SpotQuotes } from './spot-quote.js';

export const BULLION_CONTROLLERS: readonly Type[] = [BullionNatsController];

export const bullionProviders = (environment: ServiceEnvironment): readonly Provider[] => [
  BullionCatalogue,
  BullionEnrolments,
  BullionService,
  RingChallenges,
  // Its threads start with the first recording, and end with the service.
  {
    provide: RingListener,
    useFactory: (challenges: RingChallenges) =>
      new RingListener(
        challenges,
        new RingAnalyser({
          turnOf: queueTurn,
          ffmpeg: soundDecoderOf(environment, environment.variables ?? process.env),
        }),
      ),
    inject: [RingChallenges],
  },
  SpotQuotes,
];
