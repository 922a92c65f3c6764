import { describeLicences } from './licences.cases.js';
import { describeM2mLicense } from './m2m-license.cases.js';
import { describeToolCalls } from './tool-calls.cases.js';

describeToolCalls();
describeM2mLicense();
describeLicences();
