// commit: ./ledger.e2e.spec.ts
import './ledger.e2e.spec.js';
