// commit: ./simulate-sagas.spec.ts
import { describeWorlds } from './simulate-seeds.cases.js';

// After those of simulate-sagas.long.spec.ts: two files, so that two workers share them.
describeWorlds(5_001, 5_000);
