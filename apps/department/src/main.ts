import 'reflect-metadata';
import { runStandalone } from '@svc/platform';
import { departmentService } from './department.service-definition.js';

await runStandalone(departmentService);
