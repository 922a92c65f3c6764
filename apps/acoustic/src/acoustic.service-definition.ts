import type { ServiceDefinition } from '@svc/platform';
import { AcousticModule } from './acoustic.module.js';

export const acousticService: ServiceDefinition = {
  name: 'acoustic',
  migrations: [],
  module: () => AcousticModule,
};
