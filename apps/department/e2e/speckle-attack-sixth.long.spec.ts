// commit: ./speckle.e2e.spec.ts
import { describeToldVerdict } from './speckle-attack.cases.js';

describeToldVerdict([3750], 3125);
