import { describeAudit } from './audit.cases.js';
import { describeExecution } from './execution.cases.js';
import { describeStatements } from './statements.cases.js';

describeExecution();
describeStatements();
describeAudit();
