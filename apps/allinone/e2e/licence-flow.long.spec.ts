// commit: ./licence-flow.e2e.spec.ts
import './licence-flow.e2e.spec.js';
