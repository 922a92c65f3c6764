// commit: ./checkout.e2e.spec.ts
import './checkout.e2e.spec.js';
