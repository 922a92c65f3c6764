import { type DynamicModule, Module } from '@nestjs/common';
import { ProcessBursts } from '@svc/edge';
import { digestSecretsOf, KeyedDigests, PlainDigests, type ServiceEnvironment } from '@svc/platform';
import { DataSource } from 'typeorm';
import { ARENA_CONTROLLERS, arenaProviders } from './arena/arena-providers.js';
import { BULLION_CONTROLLERS, bullionProviders } from './bullion/bullion-providers.js';
import type { CallbackSettings } from './callbacks/callback-config.js';
import { CALLBACK_SIGNING_SEEDS } from './callbacks/callback-keys.js';
import { CALLBACK_CONTROLLERS, callbackProviders } from './callbacks/callback-providers.js';
import { CARD_CONTROLLERS, cardProviders } from './cards/card-providers.js';
import { CERTIFICATE_CONTROLLERS, certificateProviders } from './certificates/certificate-providers.js';
import { SPECKLE_CONTROLLERS, speckleProviders, type SpeckleSettings } from './speckle/speckle-providers.js';
import { DIGEST_COLUMNS } from './migrations/1766500000000-keyed-digests.js';
import { SurfaceStore } from './speckle/surface-store.js';
import { TASK_CONTROLLERS, taskProviders } from './tasks/task-providers.js';
import type { TaskSettings } from './tasks/task-settings.js';
import { TaskStore } from './tasks/task-store.js';
import { UPLOAD_CONTROLLERS, uploadProviders } from './uploads/upload-providers.js';
import { DirectAddress } from './direct-address/direct-address.js';
import { AgentEvidence } from './evidence/agent-evidence.js';

/** What whoever starts the service may set that its environment may not. */
export interface DepartmentParts {
  readonly callbacks?: CallbackSettings;
  readonly tasks?: Partial<TaskSettings>;
  readonly speckle?: Partial<SpeckleSettings>;
  /** The limits that other listeners of the process share; by default its own address has its own. */
  readonly bursts?: ProcessBursts;
}

@Module({})
export class DepartmentModule {
  static for(environment: ServiceEnvironment, parts: DepartmentParts = {}): DynamicModule {
    return {
      module: DepartmentModule,
      controllers: [
        ...ARENA_CONTROLLERS,
        ...BULLION_CONTROLLERS,
        ...CALLBACK_CONTROLLERS,
        ...CARD_CONTROLLERS,
        ...CERTIFICATE_CONTROLLERS,
        ...SPECKLE_CONTROLLERS,
        ...TASK_CONTROLLERS,
        ...UPLOAD_CONTROLLERS,
      ],
      providers: [
        AgentEvidence,
        DirectAddress,
        { provide: ProcessBursts, useValue: parts.bursts ?? new ProcessBursts() },
        {
          provide: KeyedDigests,
          useFactory: () =>
            new KeyedDigests(
              digestSecretsOf(CALLBACK_SIGNING_SEEDS, environment.secrets),
              'svc/department-request/v1',
            ),
        },
        {
          provide: PlainDigests,
          inject: [DataSource, KeyedDigests, SurfaceStore, TaskStore],
          useFactory: (
            dataSource: DataSource,
            digests: KeyedDigests,
            surfaces: SurfaceStore,
            tasks: TaskStore,
          ) =>
            new PlainDigests(
              dataSource,
              digests,
              DIGEST_COLUMNS,
              environment.logger,
              async () => (await surfaces.keyPlainDigests()) + (await tasks.sealPlainResults()),
            ),
        },
        ...arenaProviders(environment),
        ...bullionProviders(environment),
        ...callbackProviders(environment, parts.callbacks),
        ...cardProviders(environment),
        ...certificateProviders(environment),
        ...speckleProviders(environment, parts.speckle),
        ...taskProviders(environment, parts.tasks),
        ...uploadProviders(environment),
      ],
    };
  }
}
