// commit: ./claims.e2e.spec.ts
import { describeClaimMachine } from './claim-machine.cases.js';

describeClaimMachine();
