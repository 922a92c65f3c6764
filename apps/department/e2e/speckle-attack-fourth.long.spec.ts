// commit: ./speckle.e2e.spec.ts
import { describeToldVerdict } from './speckle-attack.cases.js';

describeToldVerdict([2500], 1875);
