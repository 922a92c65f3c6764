// commit: ./speckle.e2e.spec.ts
import { describeToldVerdict } from './speckle-attack.cases.js';

describeToldVerdict([1250], 625);
