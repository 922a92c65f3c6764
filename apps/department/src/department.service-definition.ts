import type { ServiceDefinition } from '@svc/platform';
import { DepartmentModule } from './department.module.js';

export const departmentService: ServiceDefinition = {
  name: 'department',
  calls: ['prover', 'payments'],
  migrations: [],
  module: environment => DepartmentModule.for(environment),
};
