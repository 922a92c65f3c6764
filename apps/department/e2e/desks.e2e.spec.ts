import { describeBullionEnrol } from './bullion-enrol.cases.js';
import { describeBullionVerify } from './bullion-verify.cases.js';
import { describeCoiAudit } from './coi-audit.cases.js';
import { describeCoiRecords } from './coi-records.cases.js';
import { describeStandIns } from './stand-ins.cases.js';
import { describeUpkeep } from './upkeep.cases.js';

describeBullionEnrol();
describeBullionVerify();
describeCoiAudit();
describeCoiRecords();
describeStandIns();
describeUpkeep();
