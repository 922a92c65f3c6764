import type { Provider, Type } from '@nestjs/common';
import type { ServiceEnvironment } from '@svc/platform';
import { SurfaceThreads } from '@svc/speckle/node';
import { SurfaceSeal } from './enrolled-surface.js';
import { SpeckleNatsController } from './speckle.nats.controller.js';
import { SpeckleService } from './speckle.service.js';
import { SurfaceReader } from './surface-reader.js';
import { SurfaceStore } from './surface-store.js';

export const SPECKLE_CONTROLLERS: readonly Type[] = [SpeckleNatsController];

export const speckleProviders = (_environment: ServiceEnvironment): readonly Provider[] => [
  ...[SpeckleService, SurfaceSeal, SurfaceStore],
  // Its threads start with the first picture, and end with the service.
  { provide: SurfaceReader, useFactory: () => new SurfaceReader(new SurfaceThreads()) },
];
