import type { ServiceDefinition } from '@svc/platform';
import { ProverModule } from './prover.module.js';

export const proverService: ServiceDefinition = {
  name: 'prover',
  migrations: [],
  module: () => ProverModule,
};
