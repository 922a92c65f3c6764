import { describeAnsweredSales } from './answered-sales.cases.js';
import { describeClaimUpkeep } from './claim-upkeep.cases.js';
import { describeKeyClaims } from './key-claims.cases.js';
import { describeKeyClaimsInDoubt } from './key-claims-in-doubt.cases.js';
import { describeKeyPaidCalls } from './key-paid-calls.cases.js';

describeAnsweredSales();
describeClaimUpkeep();
describeKeyClaims();
describeKeyClaimsInDoubt();
describeKeyPaidCalls();
