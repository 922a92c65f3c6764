// commit: ./seen-values.spec.ts
import './seen-values.spec.js';
