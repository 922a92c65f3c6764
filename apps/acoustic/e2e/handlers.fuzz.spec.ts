import { describeHandlers } from './handlers.fuzz.cases.js';

describeHandlers(15);
