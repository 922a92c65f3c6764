// commit: ./speckle.e2e.spec.ts
import { describeToldVerdict } from './speckle-attack.cases.js';

// 5,000 tries in eight suites: each goes on where the one before ended.
describeToldVerdict([625]);
