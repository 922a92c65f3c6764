// commit: ./late-claims.e2e.spec.ts
// watches: apps/payments/src/claim
import { describeLostHolds } from './lost-holds.cases.js';

describeLostHolds(200);
