import type { ServiceDefinition } from '@svc/platform';
import { RunningCalls } from './calls/running-calls.js';
import { SNN_MEASUREMENTS } from './simulation/frame-rates.js';
import { snnConfigFaults } from './snn-config.js';
import { SnnModule } from './snn.module.js';

export const snnService: ServiceDefinition = {
  name: 'snn',
  migrations: [],
  drains: RunningCalls,
  measurements: SNN_MEASUREMENTS,
  configFaults: (_known, variables) => snnConfigFaults(variables),
  module: () => SnnModule,
};
