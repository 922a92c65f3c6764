import { describeClaimMachine } from './claim-machine.cases.js';
import { describeClaims } from './claims.cases.js';
import { describePreparedStatements } from './prepared-statements.cases.js';

describeClaims();
describeClaimMachine();
describePreparedStatements();
