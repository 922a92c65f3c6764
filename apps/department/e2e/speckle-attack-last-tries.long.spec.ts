// commit: ./speckle.e2e.spec.ts
import { describeToldVerdict } from './speckle-attack.cases.js';

describeToldVerdict([4_000, 4_500, 5_000], 3_500);
