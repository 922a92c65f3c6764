import { describeCancellation } from './cancellation.cases.js';
import { describeIdempotentCalls } from './idempotent-calls.cases.js';
import { describeTurns } from './turns.cases.js';
import { describeUpkeep } from './upkeep.cases.js';

describeIdempotentCalls();
describeCancellation();
describeTurns();
describeUpkeep();
