import type { Provider, Type } from '@nestjs/common';
import { queueTurn, type ServiceEnvironment } from '@svc/platform';
import { SurfaceThreads } from '@svc/speckle/node';
import { AnswerGrid } from './answer-grid.js';
import { SurfaceSeal } from './enrolled-surface.js';
import { SlabConsent } from './slab-consent.js';
import { SlabTries } from './slab-tries.js';
import { SpeckleNatsController } from './speckle.nats.controller.js';
import { SpeckleService } from './speckle.service.js';
import { SurfaceReader } from './surface-reader.js';
import { SurfaceStore } from './surface-store.js';
import { UnpaidLooks } from './unpaid-looks.js';

export const SPECKLE_CONTROLLERS: readonly Type[] = [SpeckleNatsController];

/** What whoever starts the service may set of this part. */
export interface SpeckleSettings {
  /** Others than the owner get their answers at whole multiples of this, milliseconds; a comparison takes a fraction of it. */
  readonly answerEveryMs: number;
}

export const speckleProviders = (
  _environment: ServiceEnvironment,
  { answerEveryMs = 1_000 }: Partial<SpeckleSettings> = {},
): readonly Provider[] => [
  ...[SlabConsent, SlabTries, SpeckleService, SurfaceSeal, SurfaceStore, UnpaidLooks],
  { provide: AnswerGrid, useFactory: () => new AnswerGrid(answerEveryMs) },
  // Its threads start with the first picture, and end with the service.
  { provide: SurfaceReader, useFactory: () => new SurfaceReader(new SurfaceThreads({ turnOf: queueTurn })) },
];
