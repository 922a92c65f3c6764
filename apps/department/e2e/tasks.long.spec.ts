// commit: ./tasks.e2e.spec.ts
import './tasks.e2e.spec.js';
