import { type DynamicModule, Module } from '@nestjs/common';
import type { ServiceEnvironment } from '@svc/platform';
import { ARENA_CONTROLLERS, arenaProviders } from './arena/arena-providers.js';
import { BULLION_CONTROLLERS, bullionProviders } from './bullion/bullion-providers.js';
import { CALLBACK_CONTROLLERS, callbackProviders } from './callbacks/callback-providers.js';
import { CARD_CONTROLLERS, cardProviders } from './cards/card-providers.js';
import { CERTIFICATE_CONTROLLERS, certificateProviders } from './certificates/certificate-providers.js';
import { SPECKLE_CONTROLLERS, speckleProviders } from './speckle/speckle-providers.js';
import { TASK_CONTROLLERS, taskProviders } from './tasks/task-providers.js';
import { DirectAddress } from './direct-address/direct-address.js';
import { AgentEvidence } from './evidence/agent-evidence.js';

@Module({})
export class DepartmentModule {
  static for(environment: ServiceEnvironment): DynamicModule {
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
      ],
      providers: [
        AgentEvidence,
        DirectAddress,
        ...arenaProviders(environment),
        ...bullionProviders(environment),
        ...callbackProviders(environment),
        ...cardProviders(environment),
        ...certificateProviders(environment),
        ...speckleProviders(environment),
        ...taskProviders(environment),
      ],
    };
  }
}
