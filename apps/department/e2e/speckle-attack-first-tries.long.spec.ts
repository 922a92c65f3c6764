// commit: ./speckle.e2e.spec.ts
import { describeToldVerdict } from './speckle-attack.cases.js';

// The first of 5,000 tries; the middle and the last ones are in the suites beside this one.
describeToldVerdict([500, 1_000, 1_500, 2_000]);
