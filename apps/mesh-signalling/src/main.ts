import 'reflect-metadata';
import { runStandalone } from '@svc/platform';
import { meshSignallingService } from './mesh-signalling.service-definition.js';

await runStandalone(meshSignallingService);
