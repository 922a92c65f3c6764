import { describeClaimMachine } from './claim-machine.cases.js';
import { describeClaims } from './claims.cases.js';
import { describePreparedStatements } from './prepared-statements.cases.js';
import { describeSettledTogether } from './settled-together.cases.js';

describeClaims();
describeClaimMachine();
describePreparedStatements();
describeSettledTogether();
