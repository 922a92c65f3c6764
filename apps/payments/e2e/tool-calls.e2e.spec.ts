import { describeLicences } from './licences.cases.js';
import { describeM2mContracts } from './m2m-contracts.cases.js';
import { describeM2mLicense } from './m2m-license.cases.js';
import { describeToolCalls } from './tool-calls.cases.js';

describeToolCalls();
describeM2mContracts();
describeM2mLicense();
describeLicences();
