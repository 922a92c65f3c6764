// commit: ./handlers.fuzz.spec.ts
import { describeHandlers } from './handlers.fuzz.cases.js';

describeHandlers(2_000);
