import 'reflect-metadata';
import { runStandalone } from '@svc/platform';
import { paymentsService } from './payments.service-definition.js';

await runStandalone(paymentsService);
