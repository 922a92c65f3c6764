import { describeClaimMachine } from './claim-machine.cases.js';
import { describeClaims } from './claims.cases.js';

describeClaims();
describeClaimMachine();
