// commit: ./speckle.e2e.spec.ts
import { describeToldVerdict } from './speckle-attack.cases.js';

describeToldVerdict([5000], 4375);
