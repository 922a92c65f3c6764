import { type DynamicModule, Module } from '@nestjs/common';
import type { ServiceEnvironment } from '@svc/platform';
import { BULLION_CONTROLLERS, bullionProviders } from './bullion/bullion-providers.js';
import { CARD_CONTROLLERS, cardProviders } from './cards/card-providers.js';
import { CERTIFICATE_CONTROLLERS, certificateProviders } from './certificates/certificate-providers.js';
import { AgentEvidence } from './evidence/agent-evidence.js';

@Module({})
export class DepartmentModule {
  static for(environment: ServiceEnvironment): DynamicModule {
    return {
      module: DepartmentModule,
      controllers: [...BULLION_CONTROLLERS, ...CARD_CONTROLLERS, ...CERTIFICATE_CONTROLLERS],
      providers: [
        AgentEvidence,
        ...bullionProviders(environment),
        ...cardProviders(environment),
        ...certificateProviders(environment),
      ],
    };
  }
}
