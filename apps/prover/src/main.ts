import 'reflect-metadata';
import { runStandalone } from '@svc/platform';
import { proverService } from './prover.service-definition.js';

await runStandalone(proverService);
