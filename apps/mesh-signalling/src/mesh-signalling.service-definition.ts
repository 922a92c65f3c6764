import type { ServiceDefinition } from '@svc/platform';
import { meshConfigFaults } from './mesh-config.js';
import { MeshSignallingModule } from './mesh-signalling.module.js';

export const meshSignallingService: ServiceDefinition = {
  name: 'mesh-signalling',
  migrations: [],
  configFaults: ({ secrets }, variables) => meshConfigFaults(secrets, variables),
  module: () => MeshSignallingModule,
};
