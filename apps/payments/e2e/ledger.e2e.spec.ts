import { describeAccountKeys } from './account-keys.cases.js';
import { describeCreditAwards } from './credit-awards.cases.js';
import { describeKeyLimits } from './key-limits.cases.js';
import { describeKeyRecovery } from './key-recovery.cases.js';
import { describeLedger } from './ledger.cases.js';
import { describeTreasuryFigures } from './treasury-figures.cases.js';

describeLedger();
describeAccountKeys();
describeKeyLimits();
describeKeyRecovery();
describeCreditAwards();
describeTreasuryFigures();
