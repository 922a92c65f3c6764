import type { ServiceDefinition } from '@svc/platform';
import { SnnModule } from './snn.module.js';

export const snnService: ServiceDefinition = {
  name: 'snn',
  migrations: [],
  module: () => SnnModule,
};
