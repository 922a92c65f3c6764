// commit: ./executions.e2e.spec.ts
import { describeTicketInterleavings } from './ticket-interleavings.cases.js';

describeTicketInterleavings();
