import 'reflect-metadata';
import { runStandalone } from '@svc/platform';
import { snnService } from './snn.service-definition.js';

await runStandalone(snnService);
