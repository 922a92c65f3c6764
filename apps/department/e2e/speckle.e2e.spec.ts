import { describeSlabVerification } from './slab-verification.cases.js';
import { describeToldFigures, describeToldVerdict } from './speckle-attack.cases.js';
import { describeSpeckleDesk } from './speckle-desk.cases.js';
import { describeSpeckle } from './speckle.cases.js';

describeSpeckle();
describeSpeckleDesk();
describeSlabVerification();
describeToldFigures();
describeToldVerdict();
