import { describeAccountKeys } from './account-keys.cases.js';
import { describeCreditAwards } from './credit-awards.cases.js';
import { describeLedger } from './ledger.cases.js';

describeLedger();
describeAccountKeys();
describeCreditAwards();
