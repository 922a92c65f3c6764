import 'reflect-metadata';
import { runStandalone } from '@svc/platform';
import { acousticService } from './acoustic.service-definition.js';

await runStandalone(acousticService);
