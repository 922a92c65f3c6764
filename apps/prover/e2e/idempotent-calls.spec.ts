import { describeCancellation } from './cancellation.cases.js';
import { describeIdempotentCalls } from './idempotent-calls.cases.js';

describeIdempotentCalls();
describeCancellation();
