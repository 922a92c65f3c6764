// commit: ./card-sales.e2e.spec.ts
import './card-sales.e2e.spec.js';
