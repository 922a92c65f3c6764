import { describeExecutions } from './executions.cases.js';
import { describeInlineExecutions } from './inline-executions.cases.js';
import { describeSagaMeasures } from './saga-measures.cases.js';
import { describeTicketInterleavings } from './ticket-interleavings.cases.js';
import { describeTicketReconciliation } from './ticket-reconciliation.cases.js';
import { describeTickets } from './tickets.cases.js';

describeExecutions();
describeInlineExecutions();
describeSagaMeasures();
describeTickets();
describeTicketInterleavings();
describeTicketReconciliation();
