// commit: ./card-payments.e2e.spec.ts
import './card-payments.e2e.spec.js';
