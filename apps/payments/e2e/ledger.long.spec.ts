// commit: ./ledger.e2e.spec.ts
import { describeLedger } from './ledger.cases.js';

describeLedger();
