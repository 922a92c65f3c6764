import type { ServiceDefinition } from '@svc/platform';
import { MeshSignallingModule } from './mesh-signalling.module.js';

export const meshSignallingService: ServiceDefinition = {
  name: 'mesh-signalling',
  migrations: [],
  module: () => MeshSignallingModule,
};
