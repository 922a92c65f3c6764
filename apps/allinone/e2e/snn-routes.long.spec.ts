// commit: ./snn-routes.e2e.spec.ts
import './snn-routes.e2e.spec.js';
