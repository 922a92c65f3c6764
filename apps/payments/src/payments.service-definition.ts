import type { ServiceDefinition } from '@svc/platform';
import { PaymentsModule } from './payments.module.js';

export const paymentsService: ServiceDefinition = {
  name: 'payments',
  migrations: [],
  module: () => PaymentsModule,
};
