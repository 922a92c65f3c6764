import type { ServiceDefinition } from '@svc/platform';
import { DepartmentModule } from './department.module.js';

export const departmentService: ServiceDefinition = {
  name: 'department',
  migrations: [],
  module: () => DepartmentModule,
};
